//! What there is to decide, group by group: the groups of a comparison, and what is new or gone; with what
//! was decided.

use super::Signature;
use super::words::{change_words, digest_of};
use crate::compare::show::cause_words;
use crate::compare::{ByLabels, Comparison, Entry, Excerpt, Explanation, Flip, Kind, Side};
use crate::recording::Key;
use crate::store::NamedVerdict;
use crate::verdict::Judgement;
use std::collections::{BTreeMap, BTreeSet};
use xxhash_rust::xxh3::xxh3_128;

/// How many exchanges stand for their group.
pub(super) const SHOWN: usize = 3;
/// Of so many servers.
const SERVERS: usize = 32;

/// Two sides and what differs between them.
#[derive(Clone, Debug)]
pub struct Material {
    pub before: Side,
    /// What is to be decided about.
    pub after: Side,
    pub comparison: Comparison,
}

/// A call that changed: where it stands now, or else where it stood.
#[derive(Clone, Copy, Debug)]
pub struct Call<'m> {
    pub flip: &'m Flip,
    pub key: Key,
    pub server: &'m str,
    pub tool: &'m str,
    /// Its recording; empty where the side does not tell.
    pub file: &'m str,
    pub line: u32,
}

impl Material {
    /// One of [`Comparison::flips`].
    pub fn call(&self, number: u32) -> Option<Call<'_>> {
        let flip = self.comparison.flips.get(number as usize)?;
        let [before, after] = self.entries(flip);
        let now = after.map(|entry| (entry, &self.after));
        let (entry, side) = now.or(before.map(|entry| (entry, &self.before)))?;
        let [server, tool, file] =
            [entry.server, entry.tool, entry.file].map(|name| side.names.get(name));
        Some(Call { flip, key: entry.key, server, tool, file, line: entry.line })
    }

    pub fn verdicts(&self, flip: &Flip) -> [Option<&NamedVerdict>; 2] {
        let [before, after] = self.entries(flip);
        [
            before.and_then(|entry| self.before.verdicts.get(entry.verdict as usize)),
            after.and_then(|entry| self.after.verdicts.get(entry.verdict as usize)),
        ]
    }

    fn entries(&self, flip: &Flip) -> [Option<&Entry>; 2] {
        [(flip.before, &self.before), (flip.after, &self.after)]
            .map(|(at, side)| side.entries.get(at? as usize))
    }

    /// The judged text of an exchange on either side, where the side holds just that.
    pub fn excerpts(&self, flip: &Flip) -> [Option<Excerpt>; 2] {
        [(flip.before, &self.before), (flip.after, &self.after)].map(|(at, side)| side.excerpt(at?))
    }
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum What {
        /// What is said now is right: the baseline takes it.
        Accept = "accepted",
        /// What was said before is right: the baseline keeps it.
        Reject = "rejected",
        /// Later.
        Skip = "skipped",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub what: What,
    pub note: Option<String>,
    pub by: Signature,
    /// Whether files say so already.
    pub written: bool,
}

/// What was decided about a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// About all of it, save for the exchanges that were decided one by one.
    pub whole: Option<Decision>,
    /// About single exchanges and those that are equal to them.
    pub single: BTreeMap<Key, Decision>,
    /// A note, which the next decision carries.
    pub note: Option<String>,
}

impl State {
    /// What was decided about an exchange of the group.
    pub fn of(&self, key: Key) -> Option<&Decision> {
        self.single.get(&key).or(self.whole.as_ref())
    }

    pub fn decisions(&self) -> impl Iterator<Item = &Decision> {
        self.whole.iter().chain(self.single.values())
    }
}

/// A whole group, by its place among the subjects; or, with a key, one exchange of it and all that are
/// equal to it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    pub subject: usize,
    pub key: Option<Key>,
}

/// Exchanges by what was decided about them; `None` where nothing was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<Option<What>, u64>);

impl Counts {
    pub(super) fn add(&mut self, what: Option<What>, count: u64) {
        *self.0.entry(what).or_default() += count;
    }

    pub fn add_all(&mut self, other: &Self) {
        other.0.iter().for_each(|(what, count)| self.add(*what, *count));
    }

    pub fn of(&self, what: impl Into<Option<What>>) -> u64 {
        self.0.get(&what.into()).copied().unwrap_or(0)
    }

    pub fn all(&self) -> u64 {
        self.0.values().sum()
    }

    /// Those that somebody still has to decide about.
    pub fn left(&self) -> u64 {
        self.of(What::Skip) + self.of(None)
    }
}

/// Exchanges that are decided about together.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The group's id; what is new or gone has names that say so.
    pub id: String,
    pub kind: Kind,
    pub title: String,
    /// Why, where something was changed.
    pub explanation: Option<Explanation>,
    /// How they stood, and stand; one of it where they are new or gone.
    pub from: Option<Judgement>,
    pub to: Option<Judgement>,
    /// The exchanges, as numbers into [`Comparison::flips`].
    pub flips: Vec<u32>,
    /// The same by their keys.
    pub(super) by_key: Vec<u32>,
    /// Servers with the tools that were called on them.
    pub places: BTreeMap<String, BTreeSet<String>>,
    /// A few of the exchanges that stand for all, of several servers.
    pub shown: Vec<u32>,
    pub by_labels: ByLabels,
    /// Depends on the exchanges and on what is said of them, and on nothing else.
    pub digest: u128,
    pub state: State,
}

impl Subject {
    fn new(id: String, kind: Kind, title: String, [from, to]: [Option<Judgement>; 2]) -> Self {
        Self {
            id,
            kind,
            title,
            explanation: None,
            from,
            to,
            flips: Vec::new(),
            by_key: Vec::new(),
            places: BTreeMap::new(),
            shown: Vec::new(),
            by_labels: ByLabels::default(),
            digest: 0,
            state: State::default(),
        }
    }

    /// How they stood and stand, in words.
    pub fn change(&self) -> String {
        change_words(self.from, self.to)
    }

    pub fn tools(&self) -> usize {
        self.places.values().map(BTreeSet::len).sum()
    }

    /// Whether every one of these words, in lower case, stands somewhere in what describes it.
    pub fn fits(&self, words: &[String]) -> bool {
        let mut text = [&self.id, self.kind.words(), &self.title, &self.change()].join("\n");
        let causes = self.explanation.iter().flat_map(|why| &why.causes).map(|cause| &cause.name);
        let places = self.places.iter().flat_map(|(server, tools)| tools.iter().chain([server]));
        for part in causes.chain(places).chain(&self.by_labels.words()) {
            text.extend(["\n", part]);
        }
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word))
    }

    /// Works out what depends on its exchanges.
    fn fill(&mut self, material: &Material, digests: &[Vec<u128>; 2]) {
        // The first calls of a server, those with a text before others.
        let mut first: BTreeMap<&str, Vec<(bool, u32)>> = BTreeMap::new();
        for (number, call) in self.flips.iter().filter_map(|it| Some((*it, material.call(*it)?))) {
            self.digest = self.digest.wrapping_add(digest_of_call(material, digests, &call));
            if !self.places.get(call.server).is_some_and(|tools| tools.contains(call.tool)) {
                let tools = self.places.entry(call.server.to_owned()).or_default();
                tools.insert(call.tool.to_owned());
            }
            let is_known = first.contains_key(call.server);
            if is_known || first.len() < SERVERS {
                let calls = first.entry(call.server).or_default();
                if calls.len() < SHOWN {
                    let has_text = material.excerpts(call.flip).iter().any(Option::is_some);
                    calls.push((!has_text, number));
                }
            }
        }
        let mut ranked = Vec::new();
        for mut calls in first.into_values() {
            calls.sort_unstable();
            ranked.extend((0..).zip(calls));
        }
        ranked.sort_unstable();
        self.shown = ranked.into_iter().take(SHOWN).map(|(_, (_, number))| number).collect();
        self.by_key.clone_from(&self.flips);
        self.by_key.sort_by_key(|number| material.call(*number).map(|call| call.key));
    }

    /// The lowest certainty of what is said now, in millionths.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a million"
    )]
    fn least_certainty(&self, material: &Material) -> u32 {
        let certainties = self.flips.iter().filter_map(|number| {
            let [_, after] = material.verdicts(&material.comparison.flips[*number as usize]);
            after?.certainty
        });
        (certainties.fold(1.0, f64::min) * 1e6) as u32
    }
}

/// The digest of one exchange that changed. Those of a group are added up, so that their order does
/// not matter and a part can be taken away.
pub(super) fn digest_of_call(
    material: &Material,
    digests: &[Vec<u128>; 2],
    call: &Call<'_>,
) -> u128 {
    let entries = material.entries(call.flip);
    let said = |side: usize| digests[side].get(entries[side]?.verdict as usize).copied();
    let parts = [call.key.0, said(0).unwrap_or(0), said(1).unwrap_or(0)];
    xxh3_128(parts.map(u128::to_le_bytes).as_flattened())
}

pub(super) fn digests(material: &Material) -> [Vec<u128>; 2] {
    [&material.before, &material.after].map(|side| side.verdicts.iter().map(digest_of).collect())
}

/// What there is to decide about, in the order in which it is shown: the groups as the comparison has
/// them, then what is new, then what is gone. These are put together by how they stand or stood: a failure
/// that is new is another matter than a success that is new.
pub(super) fn subjects(material: &Material, digests: &[Vec<u128>; 2]) -> Vec<Subject> {
    let groups = material.comparison.groups.iter().map(|group| {
        let title = cause_words(group).join(" + ");
        let judgements = [group.from, group.to].map(Some);
        Subject {
            explanation: Some(group.explanation.clone()),
            by_labels: group.by_labels.clone(),
            ..Subject::new(group.id.clone(), group.kind, title, judgements)
        }
    });
    let mut subjects: Vec<Subject> = groups.collect();
    let mut apart: BTreeMap<(Kind, Judgement), Subject> = BTreeMap::new();
    for (number, flip) in (0u32..).zip(&material.comparison.flips) {
        let subject = if let Some(group) = flip.group {
            subjects.get_mut(group as usize)
        } else {
            let title = match flip.kind {
                Kind::Added => "new calls",
                Kind::Gone => "calls that are no longer there",
                _ => continue,
            };
            let judgements = material.verdicts(flip).map(|it| it.map(NamedVerdict::judgement));
            judgements[1].or(judgements[0]).map(|judgement| {
                let (class, answer) = (judgement.class.name(), judgement.answer.name());
                apart.entry((flip.kind, judgement)).or_insert_with(|| {
                    let id = format!("{}-{class}-{answer}", flip.kind.name());
                    Subject::new(id, flip.kind, title.to_owned(), judgements)
                })
            })
        };
        if let Some(subject) = subject {
            subject.flips.push(number);
        }
    }
    subjects.extend(apart.into_values());
    subjects.retain(|subject| !subject.flips.is_empty());
    for subject in &mut subjects {
        subject.fill(material, digests);
    }
    // Of equally many changes of a kind, the least certain first.
    let weight = |subject: &Subject| (subject.kind, subject.flips.len());
    for equals in subjects.chunk_by_mut(|one, other| weight(one) == weight(other)) {
        equals.sort_by_cached_key(|subject| subject.least_certainty(material));
    }
    subjects
}

#[cfg(test)]
mod tests {
    use super::super::testing::material;
    use super::*;

    #[test]
    fn of_equally_many_changes_of_a_kind_the_least_certain_come_first() {
        let mut material = material();
        // Calls 0 and 1 changed for one reason and 2 and 3 for another.
        material.comparison.flips.truncate(4);
        material.comparison.groups[1].kind = Kind::Regressed;
        for (at, flip) in material.comparison.flips.iter_mut().enumerate() {
            flip.group = Some(u32::from(at > 1));
        }
        let order = |material: &Material| -> Vec<String> {
            subjects(material, &digests(material)).into_iter().map(|it| it.id).collect()
        };
        assert_eq!(order(&material), ["1a2b3c4d", "5e6f7a8b"]);
        material.after.verdicts[1].certainty = Some(0.9);
        material.after.verdicts[2].certainty = Some(0.5);
        material.after.entries[3].verdict = 2;
        assert_eq!(order(&material), ["5e6f7a8b", "1a2b3c4d"]);
    }
}
