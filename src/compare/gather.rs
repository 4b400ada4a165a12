//! Two sides held against each other, put together into one model.

use super::cause::{explain_all, origin};
use super::examples::{Candidate, Picking, Text};
use super::group::{self, Bare, Common};
use super::kind::is_of_rules;
use super::matching::{Matching, match_sides};
use super::rates::{Weighted, rates};
use super::{
    ByLabels, Comparison, Entry, Example, Explanation, Flip, Group, Kind, Matched, Matrix, Overlap,
    Side, SlowerLimit, TimedSides,
};
use crate::store::NamedVerdict;
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of what both sides said, how the exchanges were matched, and how many they are.
pub type Question = (u32, u32, Matched, u64);

/// Holds two sides against each other: matches their exchanges, and finds out what changed and why.
pub fn compare(before: &Side, after: &Side) -> Comparison {
    let explain = |questions: &[Question]| explain_all(before, after, questions);
    let mut comparison = compare_with([before, after], match_sides(before, after), explain);
    comparison.durations = TimedSides::of([before, after]).changes(SlowerLimit::default());
    comparison
}

/// Holds two sides against each other. `matching` says which exchanges belong together; `explain`
/// gives the cause for each change it is asked about, in their order.
pub fn compare_with(
    [before, after]: [&Side; 2],
    matching: Matching,
    explain: impl FnOnce(&[Question]) -> Vec<Explanation>,
) -> Comparison {
    let Matching { pairs, only_a, only_b } = matching;
    let mut comparison = Comparison {
        before: before.header.clone(),
        after: after.header.clone(),
        overlap: overlap(&pairs, only_a.len(), only_b.len()),
        kinds: Kind::ALL.map(|kind| (kind, 0)).into(),
        by_labels: ByLabels::default(),
        classes: Matrix(BTreeMap::new()),
        answers: Matrix(BTreeMap::new()),
        rates: Vec::new(),
        durations: Vec::new(),
        groups: Vec::new(),
        flips: Vec::new(),
    };
    let (mut changes, change_of) = changes([before, after], &pairs);
    let (groups, group_of) = explained([before, after], &mut changes, explain);
    comparison.count([before, after], &changes);
    let flips = &mut comparison.flips;
    for ((at_before, at_after, matched), change) in pairs.iter().zip(&change_of) {
        let kind = changes[*change as usize].kind;
        if kind != Kind::Same {
            flips.push(Flip {
                kind,
                matched: Some(*matched),
                before: Some(*at_before),
                after: Some(*at_after),
                group: group_of[*change as usize],
                by_label: None,
            });
        }
    }
    let alone =
        |kind| Flip { kind, matched: None, before: None, after: None, group: None, by_label: None };
    comparison.kinds.insert(Kind::Added, only_b.len() as u64);
    comparison.kinds.insert(Kind::Gone, only_a.len() as u64);
    flips.extend(only_b.into_iter().map(|at| Flip { after: Some(at), ..alone(Kind::Added) }));
    flips.extend(only_a.into_iter().map(|at| Flip { before: Some(at), ..alone(Kind::Gone) }));
    flips.sort_unstable_by_key(|flip| (flip.after.is_none(), flip.after.or(flip.before)));
    comparison.groups = with_examples([before, after], groups, &comparison.flips);
    comparison
}

fn overlap(pairs: &[(u32, u32, Matched)], only_before: usize, only_after: usize) -> Overlap {
    let same = pairs.iter().filter(|(.., matched)| *matched == Matched::Exchange).count() as u64;
    Overlap {
        same_exchange: same,
        same_request: pairs.len() as u64 - same,
        only_before: only_before as u64,
        only_after: only_after as u64,
    }
}

/// All exchanges of which the same was said before, and the same after.
struct Change {
    verdicts: [u32; 2],
    matched: Matched,
    kind: Kind,
    exchanges: u64,
}

/// The different changes, and which of them each pair is.
fn changes([before, after]: [&Side; 2], pairs: &[(u32, u32, Matched)]) -> (Vec<Change>, Vec<u32>) {
    let mut numbers: HashMap<([u32; 2], Matched, bool), u32> = HashMap::new();
    let mut changes: Vec<Change> = Vec::new();
    let mut change_of = Vec::with_capacity(pairs.len());
    for (at_before, at_after, matched) in pairs {
        let entries = [before.entries[*at_before as usize], after.entries[*at_after as usize]];
        let verdicts = entries.map(|entry| entry.verdict);
        let is_error_case = entries.iter().any(|entry| entry.is_error_case);
        let number = *numbers.entry((verdicts, *matched, is_error_case)).or_insert_with(|| {
            let [earlier, later] = [before.verdict(verdicts[0]), after.verdict(verdicts[1])];
            let kind = Kind::of(Some(earlier), Some(later), is_error_case);
            changes.push(Change { verdicts, matched: *matched, kind, exchanges: 0 });
            u32::try_from(changes.len() - 1).unwrap_or(u32::MAX)
        });
        changes[number as usize].exchanges += 1;
        change_of.push(number);
    }
    (changes, change_of)
}

/// What became of an exchange that both sides have, given by its places, where no cause is looked for.
pub fn kind_between(sides: [&Side; 2], at: [u32; 2], matched: Matched) -> Kind {
    let [from, to] = [0, 1].map(|side| &sides[side].entries[at[side] as usize]);
    let verdicts = [sides[0].verdict(from.verdict), sides[1].verdict(to.verdict)];
    let is_error_case = from.is_error_case || to.is_error_case;
    let kind = Kind::of(Some(verdicts[0]), Some(verdicts[1]), is_error_case);
    let is_of_rules = || is_of_rules(sides, matched, origin(sides, verdicts, matched));
    if kind != Kind::Same && is_of_rules() { kind.by_rules() } else { kind }
}

impl Comparison {
    fn count(&mut self, [before, after]: [&Side; 2], changes: &[Change]) {
        for Change { verdicts, kind, exchanges, .. } in changes {
            let from = before.verdict(verdicts[0]).standing();
            let to = after.verdict(verdicts[1]).standing();
            *self.kinds.entry(*kind).or_default() += exchanges;
            *self.classes.0.entry((from.class, to.class)).or_default() += exchanges;
            *self.answers.0.entry((from.answer, to.answer)).or_default() += exchanges;
        }
        self.rates = rates(changes.iter().map(|change| Weighted {
            before: before.verdict(change.verdicts[0]),
            after: after.verdict(change.verdicts[1]),
            exchanges: change.exchanges,
        }));
    }
}

/// The groups, and that of each change that has one. Changes by rules get the kind that says so.
fn explained(
    [before, after]: [&Side; 2],
    changes: &mut [Change],
    explain: impl FnOnce(&[Question]) -> Vec<Explanation>,
) -> (Vec<Bare>, Vec<Option<u32>>) {
    let differing = changes.iter().filter(|change| change.kind != Kind::Same);
    let questions: Vec<Question> = differing
        .map(|change| (change.verdicts[0], change.verdicts[1], change.matched, change.exchanges))
        .collect();
    // Where nothing changed, nothing has to be made ready to explain it.
    let explanations = if questions.is_empty() { Vec::new() } else { explain(&questions) };
    assert_eq!(explanations.len(), questions.len(), "each change has its explanation");
    let differing = changes.iter_mut().filter(|change| change.kind != Kind::Same);
    let commons = differing.zip(explanations).map(|(change, explanation)| {
        if is_of_rules([before, after], change.matched, explanation.origin) {
            change.kind = change.kind.by_rules();
        }
        let verdicts = [before.verdict(change.verdicts[0]), after.verdict(change.verdicts[1])];
        (Common::of(change.kind, explanation, verdicts), change.exchanges)
    });
    let (groups, group_of_changed) = group::gather(commons.collect());
    let mut group_of_changed = group_of_changed.into_iter();
    let group_of = changes
        .iter()
        .map(|change| if change.kind == Kind::Same { None } else { group_of_changed.next() });
    (groups, group_of.collect())
}

/// The exchanges of a flip that both sides have, as entries.
fn both<'s>([before, after]: [&'s Side; 2], flip: &Flip) -> Option<[&'s Entry; 2]> {
    Some([&before.entries[flip.before? as usize], &after.entries[flip.after? as usize]])
}

fn with_examples(sides: [&Side; 2], groups: Vec<Bare>, flips: &[Flip]) -> Vec<Group> {
    let mut pickings: Vec<Picking> = Vec::new();
    pickings.resize_with(groups.len(), Picking::default);
    for (number, flip) in (0..).zip(flips) {
        let (Some(group), Some(entries)) = (flip.group, both(sides, flip)) else { continue };
        let at = [flip.before, flip.after];
        let held = (0..2).any(|side| at[side].is_some_and(|at| sides[side].may_have_text(at)));
        pickings[group as usize].see(Candidate {
            flip: number,
            server: entries[1].server,
            tool: entries[1].tool,
            text: if held { Text::Held } else { Text::Absent },
        });
    }
    let group = |(bare, picking): (Bare, Picking)| {
        let Bare { id, common: Common { kind, explanation, from, to }, exchanges } = bare;
        let (servers, tools) = (picking.servers(), picking.tools());
        let examples = picking.into_examples();
        let examples = examples.iter().filter_map(|flip| example(sides, flips, *flip));
        let examples = examples.collect();
        let by_labels = ByLabels::default();
        Group { id, kind, explanation, from, to, exchanges, servers, tools, by_labels, examples }
    };
    groups.into_iter().zip(pickings).map(group).collect()
}

fn example(sides: [&Side; 2], flips: &[Flip], number: u32) -> Option<Example> {
    let flip = &flips[number as usize];
    let entries = both(sides, flip)?;
    // A side that does not tell the line may stand against one that does.
    let shown = usize::from(entries[1].line > 0 || entries[0].line == 0);
    let (entry, names) = (entries[shown], &sides[shown].names);
    Some(Example {
        flip: number,
        key: entries[1].key,
        server: names.get(entry.server).to_owned(),
        tool: names.get(entry.tool).to_owned(),
        file: names.get(entry.file).to_owned(),
        line: u64::from(entry.line),
        by_label: flip.by_label,
        lines: [0, 1].map(|side| sides[side].verdict(entries[side].verdict).line()),
        excerpts: [sides[0].excerpt(flip.before?), sides[1].excerpt(flip.after?)],
    })
}

impl Side {
    pub fn verdict(&self, number: u32) -> &NamedVerdict {
        &self.verdicts[number as usize]
    }
}

impl<T: Ord> Matrix<T> {
    pub fn get(&self, from: T, to: T) -> u64 {
        self.0.get(&(from, to)).copied().unwrap_or(0)
    }

    /// The values that occur before, and those that occur after.
    pub fn values(&self) -> (BTreeSet<T>, BTreeSet<T>)
    where
        T: Copy,
    {
        let present = || self.0.iter().filter(|(_, count)| **count > 0).map(|(pair, _)| *pair);
        (present().map(|(from, _)| from).collect(), present().map(|(_, to)| to).collect())
    }

    pub fn moved(&self) -> u64 {
        self.0.iter().filter(|((from, to), _)| from != to).map(|(_, count)| count).sum()
    }
}

impl Overlap {
    pub fn both(&self) -> u64 {
        self.same_exchange + self.same_request
    }

    /// Whether each side has all requests of the other.
    pub fn is_whole(&self) -> bool {
        self.only_before == 0 && self.only_after == 0
    }
}

impl Comparison {
    pub fn kind(&self, kind: Kind) -> u64 {
        self.kinds.get(&kind).copied().unwrap_or(0)
    }

    pub fn flips_of(&self, group: u32) -> impl Iterator<Item = &Flip> {
        self.flips.iter().filter(move |flip| flip.group == Some(group))
    }
}
