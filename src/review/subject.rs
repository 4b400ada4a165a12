//! What there is to decide: the groups of a comparison, and what is new or gone.

use super::words::{change_words, digest_of};
use crate::compare::show::{cause_words, labels_of};
use crate::compare::{
    ByLabels, Comparison, Entry, Excerpt, Explanation, Flip, Group, Kind, Side, Standing,
};
use crate::store::NamedVerdict;
use std::collections::{BTreeMap, BTreeSet};
use xxhash_rust::xxh3::xxh3_128;

/// How many exchanges stand for their group.
pub(super) const SHOWN: usize = 3;

/// Two sides and what differs between them.
#[derive(Clone, Debug)]
pub struct Material {
    pub before: Side,
    /// What is to be decided about.
    pub after: Side,
    pub comparison: Comparison,
}

impl Material {
    pub fn verdicts(&self, flip: &Flip) -> [Option<&NamedVerdict>; 2] {
        let [before, after] = self.entries(flip);
        [
            before.and_then(|entry| self.before.verdicts.get(entry.verdict as usize)),
            after.and_then(|entry| self.after.verdicts.get(entry.verdict as usize)),
        ]
    }

    pub fn entries(&self, flip: &Flip) -> [Option<&Entry>; 2] {
        [
            flip.before.and_then(|at| self.before.entries.get(at as usize)),
            flip.after.and_then(|at| self.after.entries.get(at as usize)),
        ]
    }

    /// The exchange where it stands now, or else where it stood, and the side that knows its names.
    pub fn entry(&self, flip: &Flip) -> Option<(&Entry, &Side)> {
        let [before, after] = self.entries(flip);
        after.map(|entry| (entry, &self.after)).or(before.map(|entry| (entry, &self.before)))
    }

    /// The judged text of an exchange on either side, where the side holds just that.
    pub fn excerpts(&self, flip: &Flip) -> [Option<Excerpt>; 2] {
        let of = |side: &Side, at: Option<u32>| side.excerpt(at?);
        [of(&self.before, flip.before), of(&self.after, flip.after)]
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
    /// How they stood; `None` where they are new.
    pub from: Option<Standing>,
    /// How they stand; `None` where they are gone.
    pub to: Option<Standing>,
    /// The exchanges, as numbers into [`Comparison::flips`].
    pub flips: Vec<u32>,
    /// Servers with the tools that were called on them.
    pub places: BTreeMap<String, BTreeSet<String>>,
    /// A few that stand for all, as places in `flips`: of several servers, each of another one.
    pub shown: Vec<u32>,
    pub by_labels: ByLabels,
    /// Depends on the exchanges and on what is said of them, and on nothing else.
    pub digest: u128,
}

impl Subject {
    /// How they stood and stand, in words.
    pub fn change(&self) -> String {
        change_words(self.from, self.to)
    }

    pub fn tools(&self) -> usize {
        self.places.values().map(BTreeSet::len).sum()
    }

    /// What labels say of its exchanges; `None` where there is none.
    pub fn labels(&self) -> Option<String> {
        labels_of(&self.by_labels)
    }

    /// Whether every one of these words, in lower case, stands somewhere in what describes it.
    pub fn fits(&self, words: &[String]) -> bool {
        let texts = || {
            let places = self
                .places
                .iter()
                .flat_map(|(server, tools)| std::iter::once(server).chain(tools))
                .map(String::as_str);
            let causes = self.explanation.iter().flat_map(|why| &why.causes);
            [self.id.as_str(), self.kind.words(), self.title.as_str()]
                .into_iter()
                .chain(causes.map(|cause| cause.name.as_str()))
                .chain(places)
        };
        let change = self.change();
        let labels = self.labels();
        words.iter().all(|word| {
            texts()
                .chain([change.as_str()])
                .chain(labels.as_deref())
                .any(|text| text.to_lowercase().contains(word))
        })
    }
}

/// The digest of one exchange that changed. Those of a group are added up, so that their order does
/// not matter and a part can be taken away.
pub(super) fn digest_of_flip(material: &Material, digests: &[Vec<u128>; 2], flip: &Flip) -> u128 {
    let mut bytes = [0; 48];
    if let Some((entry, _)) = material.entry(flip) {
        bytes[..16].copy_from_slice(&entry.key.0.to_le_bytes());
    }
    for (side, entry) in material.entries(flip).into_iter().enumerate() {
        let digest = entry.and_then(|entry| digests[side].get(entry.verdict as usize));
        let start = 16 + side * 16;
        bytes[start..start + 16].copy_from_slice(&digest.copied().unwrap_or(0).to_le_bytes());
    }
    xxh3_128(&bytes)
}

pub(super) fn digests(material: &Material) -> [Vec<u128>; 2] {
    [&material.before, &material.after].map(|side| side.verdicts.iter().map(digest_of).collect())
}

/// What there is to decide about, in the order in which it is shown: the groups as the comparison has
/// them, then what is new, then what is gone.
pub(super) fn subjects(material: &Material, digests: &[Vec<u128>; 2]) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = material.comparison.groups.iter().map(of_group).collect();
    let mut apart: BTreeMap<(Kind, Standing), Subject> = BTreeMap::new();
    for (number, flip) in (0u32..).zip(&material.comparison.flips) {
        let subject = match flip.group {
            Some(group) => subjects.get_mut(group as usize),
            None => loner(material, flip).map(|(key, subject)| apart.entry(key).or_insert(subject)),
        };
        if let Some(subject) = subject {
            subject.flips.push(number);
        }
    }
    subjects.extend(apart.into_values());
    subjects.retain(|subject| !subject.flips.is_empty());
    for subject in &mut subjects {
        fill(subject, material, digests);
    }
    // Of equally many changes of a kind, the least certain first.
    for equals in subjects.chunk_by_mut(|one, other| weight(one) == weight(other)) {
        equals.sort_by_cached_key(|subject| least_certainty(subject, material));
    }
    subjects
}

fn weight(subject: &Subject) -> (Kind, usize) {
    (subject.kind, subject.flips.len())
}

/// The lowest certainty of what is said now, in millionths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a million")]
fn least_certainty(subject: &Subject, material: &Material) -> u32 {
    let certainties = subject.flips.iter().filter_map(|number| {
        let [_, after] = material.verdicts(&material.comparison.flips[*number as usize]);
        after?.certainty
    });
    (certainties.fold(1.0, f64::min) * 1e6) as u32
}

/// Works out what depends on a group's exchanges.
fn fill(subject: &mut Subject, material: &Material, digests: &[Vec<u128>; 2]) {
    let mut chosen = Chosen::default();
    // Those that stand now and those that stood have their names on different sides.
    let mut seen: BTreeSet<(bool, u32, u32)> = BTreeSet::new();
    for (place, number) in (0u32..).zip(&subject.flips) {
        let flip = &material.comparison.flips[*number as usize];
        subject.digest = subject.digest.wrapping_add(digest_of_flip(material, digests, flip));
        let Some((entry, side)) = material.entry(flip) else { continue };
        let server = side.names.get(entry.server);
        if seen.insert((flip.after.is_some(), entry.server, entry.tool)) {
            let tools = subject.places.entry(server.to_owned()).or_default();
            tools.insert(side.names.get(entry.tool).to_owned());
        }
        chosen.consider(place, server, || material.excerpts(flip).iter().any(Option::is_some));
    }
    subject.shown = chosen.places();
}

fn of_group(group: &Group) -> Subject {
    let title = cause_words(group).join(" + ");
    Subject {
        id: group.id.clone(),
        kind: group.kind,
        title,
        explanation: Some(group.explanation.clone()),
        from: Some(group.from),
        to: Some(group.to),
        flips: Vec::with_capacity(usize::try_from(group.exchanges).unwrap_or(0)),
        places: BTreeMap::new(),
        shown: Vec::new(),
        by_labels: group.by_labels.clone(),
        digest: 0,
    }
}

/// What is new or gone is put together by how it stands or stood: a failure that is new is another
/// matter than a success that is new.
fn loner(material: &Material, flip: &Flip) -> Option<((Kind, Standing), Subject)> {
    let [from, to] = material.verdicts(flip).map(|verdicts| verdicts.map(NamedVerdict::standing));
    let standing = to.or(from)?;
    let title = match flip.kind {
        Kind::Added => "new calls",
        Kind::Gone => "calls that are no longer there",
        Kind::Regressed
        | Kind::Fixed
        | Kind::Stricter
        | Kind::MoreLenient
        | Kind::Changed
        | Kind::Same => return None,
    };
    let id = format!("{}-{}-{}", flip.kind.name(), standing.class.name(), standing.answer.name());
    let subject = Subject {
        id,
        kind: flip.kind,
        title: title.to_owned(),
        explanation: None,
        from,
        to,
        flips: Vec::new(),
        places: BTreeMap::new(),
        shown: Vec::new(),
        by_labels: ByLabels::default(),
        digest: 0,
    };
    Some(((flip.kind, standing), subject))
}

/// The first exchange of each of the first servers, those with a text before others.
#[derive(Default)]
struct Chosen {
    /// Server, place, and whether a text is there.
    first: Vec<(String, u32, bool)>,
    /// Further ones, for groups of few servers.
    further: Vec<u32>,
}

impl Chosen {
    fn consider(&mut self, place: u32, server: &str, has_text: impl Fn() -> bool) {
        /// How many servers are looked at.
        const MOST: usize = 32;
        let Some((_, chosen, with_text)) =
            self.first.iter_mut().find(|(other, ..)| other == server)
        else {
            if self.first.len() < MOST {
                self.first.push((server.to_owned(), place, has_text()));
            }
            return;
        };
        if !*with_text && has_text() {
            let passed_over = std::mem::replace(chosen, place);
            *with_text = true;
            self.further.insert(0, passed_over);
        } else if self.further.len() < SHOWN {
            self.further.push(place);
        }
    }

    fn places(mut self) -> Vec<u32> {
        self.first.sort_by_key(|(_, place, with_text)| (!with_text, *place));
        let first = self.first.iter().map(|(_, place, _)| *place);
        first.chain(self.further).take(SHOWN).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::material;
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
