//! Compares two sides and builds the model of what changed.

use super::cause::{explain_all, origin};
use super::group::{Picking, grouped};
use super::kind::is_of_rules;
use super::matching::{Matching, match_sides};
use super::rates::{Weighted, rates};
use super::{
    ByLabels, Comparison, Example, Explanation, Flip, Kind, Matched, Matrix, Overlap, Side,
    SlowerLimit, TimedSides,
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
    sides: [&Side; 2],
    matching: Matching,
    explain: impl FnOnce(&[Question]) -> Vec<Explanation>,
) -> Comparison {
    let Matching { pairs, only_a, only_b } = matching;
    let (mut changes, change_of) = changes(sides, &pairs);
    let explanations = explained(sides, &mut changes, explain);
    let verdicts = |change: &Change| [0, 1].map(|at| sides[at].verdict(change.verdicts[at]));
    let (groups, group_of) = grouped(changes.iter().zip(explanations).map(|(it, explanation)| {
        Some((it.kind, explanation?, verdicts(it).map(NamedVerdict::judgement), it.exchanges))
    }));
    let mut kinds: BTreeMap<Kind, u64> = Kind::ALL.map(|kind| (kind, 0)).into();
    kinds.extend([(Kind::Added, only_b.len() as u64), (Kind::Gone, only_a.len() as u64)]);
    let mut outcomes = Matrix(BTreeMap::new());
    let (mut classes, mut answers) = (Matrix(BTreeMap::new()), Matrix(BTreeMap::new()));
    for change in &changes {
        let [from, to] = verdicts(change).map(NamedVerdict::judgement);
        *kinds.entry(change.kind).or_default() += change.exchanges;
        *outcomes.0.entry((from.outcome, to.outcome)).or_default() += change.exchanges;
        *classes.0.entry((from.class, to.class)).or_default() += change.exchanges;
        *answers.0.entry((from.answer, to.answer)).or_default() += change.exchanges;
    }
    let weighted = changes.iter().map(|change| {
        let [before, after] = verdicts(change);
        Weighted { before, after, exchanges: change.exchanges }
    });
    let flip = |kind, before, after| Flip {
        kind,
        matched: None,
        before,
        after,
        group: None,
        by_label: None,
    };
    let of_pair = |((before, after, matched), change): (&(u32, u32, Matched), &u32)| {
        let (kind, group) = (changes[*change as usize].kind, group_of[*change as usize]);
        let flip =
            Flip { matched: Some(*matched), group, ..flip(kind, Some(*before), Some(*after)) };
        (kind != Kind::Same).then_some(flip)
    };
    let mut flips: Vec<Flip> = pairs.iter().zip(&change_of).filter_map(of_pair).collect();
    flips.extend(only_b.iter().map(|at| flip(Kind::Added, None, Some(*at))));
    flips.extend(only_a.iter().map(|at| flip(Kind::Gone, Some(*at), None)));
    flips.sort_unstable_by_key(|flip| (flip.after.is_none(), flip.after.or(flip.before)));
    let mut comparison = Comparison {
        before: sides[0].header.clone(),
        after: sides[1].header.clone(),
        overlap: overlap(&pairs, only_a.len(), only_b.len()),
        kinds,
        by_labels: ByLabels::default(),
        outcomes,
        classes,
        answers,
        rates: rates(weighted),
        durations: Vec::new(),
        groups,
        flips,
    };
    comparison.add_examples(sides);
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

/// The explanation of each change that has one. Changes by rules get the kind that says so.
fn explained(
    sides: [&Side; 2],
    changes: &mut [Change],
    explain: impl FnOnce(&[Question]) -> Vec<Explanation>,
) -> Vec<Option<Explanation>> {
    let differing = changes.iter().filter(|change| change.kind != Kind::Same);
    let questions: Vec<Question> = differing
        .map(|change| (change.verdicts[0], change.verdicts[1], change.matched, change.exchanges))
        .collect();
    // Where nothing changed, nothing has to be made ready to explain it.
    let explanations = if questions.is_empty() { Vec::new() } else { explain(&questions) };
    assert_eq!(explanations.len(), questions.len(), "each change has its explanation");
    let mut explanations = explanations.into_iter();
    let explained = changes.iter_mut().map(|change| {
        let explanation = (change.kind != Kind::Same).then(|| explanations.next()).flatten()?;
        if is_of_rules(sides, change.matched, explanation.origin) {
            change.kind = change.kind.by_rules();
        }
        Some(explanation)
    });
    explained.collect()
}

impl Comparison {
    fn add_examples(&mut self, sides: [&Side; 2]) {
        let mut pickings: Vec<Picking> = Vec::new();
        pickings.resize_with(self.groups.len(), Picking::default);
        for (number, flip) in (0..).zip(&self.flips) {
            let (Some(group), Some(at)) = (flip.group, flip.after) else { continue };
            let entry = &sides[1].entries[at as usize];
            let may_have =
                |side: usize, at: Option<u32>| at.is_some_and(|at| sides[side].may_have_text(at));
            let has_text = may_have(0, flip.before) || may_have(1, flip.after);
            pickings[group as usize].see((!has_text, number), entry.server, entry.tool);
        }
        for (group, picking) in self.groups.iter_mut().zip(pickings) {
            (group.servers, group.tools) = picking.counts();
            let examples = picking.into_examples().into_iter();
            let examples = examples.filter_map(|flip| example(sides, &self.flips, flip));
            group.examples = examples.collect();
        }
    }
}

fn example(sides: [&Side; 2], flips: &[Flip], number: u32) -> Option<Example> {
    let flip = &flips[number as usize];
    let at = [flip.before?, flip.after?];
    let entries = [0, 1].map(|side| &sides[side].entries[at[side] as usize]);
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
        excerpts: [0, 1].map(|side| sides[side].excerpt(at[side])),
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
