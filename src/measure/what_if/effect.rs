//! What a change of a rulebook does to a side.

use crate::compare::chance::{exact_mcnemar, tango};
use crate::compare::{
    Cause, Comparison, Matched, Matching, NeedsRecording, Rescorer, Side, compare_with, explain_all,
};
use crate::labels::Class;
use crate::measure::accuracy::{Confusion, Item, Measures};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What a change of a rulebook does to a side.
#[derive(Clone, Debug)]
pub struct Effect {
    /// What flips and by what cause, of the exchanges that can be told.
    pub comparison: Comparison,
    /// The side as it would be; what cannot be told stays as it was.
    pub after: Side,
    /// Why exchanges cannot be told, those of most exchanges first.
    pub reasons: Vec<Reason>,
    /// The exchanges that cannot be told.
    pub excluded: u64,
    /// The exchanges of which class and answer can be told, and not all of the rest.
    pub in_part: u64,
    /// For each verdict whether that is so.
    pub is_in_part: Vec<bool>,
    /// Whether criteria are changed: what they say of tool calls stays as it was.
    pub keeps_criteria: bool,
    /// What labelled exchanges say of it; `None` where there is none.
    pub accuracy: Option<Accuracy>,
}

/// A reason why exchanges cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    #[serde(rename = "reason")]
    pub words: &'static str,
    pub exchanges: u64,
    /// The names of what was changed that leads to it, what leads to most first.
    pub causes: Vec<String>,
}

/// How right the answers are, before and after, of the labelled exchanges that can be told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    pub labelled: u64,
    /// Labelled exchanges that cannot be told.
    pub excluded: u64,
    pub before: Measures,
    pub after: Measures,
    pub errors: Paired,
    pub successes: Paired,
    /// Answers by truth, before and after.
    #[serde(skip)]
    pub answers: [Confusion; 2],
}

/// The same items answered before and after: how many became wrong, and how many right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Paired {
    pub of: u64,
    /// Right before, wrong after.
    pub lost: u64,
    /// Wrong before, right after.
    pub gained: u64,
    /// By how much the share of right answers grew, with Tango's interval (95 %).
    pub difference: Option<f64>,
    pub interval: [f64; 2],
    /// How likely so uneven a split is by chance alone: `McNemar`'s exact test, two-sided.
    pub p: f64,
}

impl Effect {
    /// What the rescorer's rulebook does to the side that it was made for.
    pub fn of(side: &Side, rescorer: &Rescorer<'_>, items: &[Item]) -> Self {
        let after = rescorer.side();
        let places = (0_u32..).zip(&side.entries);
        let covered = places.filter(|(_, it)| rescorer.needs_recording(it.verdict).is_none());
        let pairs = covered.map(|(at, _)| (at, at, Matched::Exchange)).collect();
        let matching = Matching { pairs, only_a: Vec::new(), only_b: Vec::new() };
        let comparison = compare_with([side, &after], matching, |questions| {
            explain_all(side, &after, questions)
        });
        let reasons = reasons(side, rescorer);
        let verdicts = (0..).take(side.verdicts.len());
        let is_in_part: Vec<bool> = verdicts.map(|it| rescorer.is_told_in_part(it)).collect();
        let in_part = side.weights().into_iter().zip(&is_in_part).filter(|(_, it)| **it);
        Self {
            comparison,
            in_part: in_part.map(|(exchanges, _)| exchanges).sum(),
            is_in_part,
            excluded: reasons.iter().map(|reason| reason.exchanges).sum(),
            reasons,
            keeps_criteria: !rescorer.causes(&NeedsRecording::Criteria).is_empty(),
            accuracy: Accuracy::of([side, &after], rescorer, items),
            after,
        }
    }

    /// The exchanges whose class or answer becomes another.
    pub fn flips(&self) -> u64 {
        let groups = self.comparison.groups.iter();
        groups.filter(|group| group.from != group.to).map(|group| group.exchanges).sum()
    }
}

fn words(excluded: &NeedsRecording) -> &'static str {
    match excluded {
        NeedsRecording::Patterns(_) => "patterns that were not looked for would matter",
        NeedsRecording::Text => "another text of the reply would be examined",
        NeedsRecording::Schema => "replies would need to be validated against their schemas again",
        NeedsRecording::Criteria => "documents would need to be checked against the criteria again",
        NeedsRecording::Question => {
            "two texts of a reply would be examined, and the matches of only one are kept"
        }
    }
}

fn reasons(side: &Side, rescorer: &Rescorer<'_>) -> Vec<Reason> {
    let mut needs: BTreeMap<&NeedsRecording, u64> = BTreeMap::new();
    for (verdict, exchanges) in (0..).zip(side.weights()).filter(|(_, it)| *it > 0) {
        if let Some(need) = rescorer.needs_recording(verdict) {
            *needs.entry(need).or_default() += exchanges;
        }
    }
    let mut found: BTreeMap<&'static str, (u64, BTreeMap<Cause, u64>)> = BTreeMap::new();
    for (need, exchanges) in needs {
        let (all, causes) = found.entry(words(need)).or_default();
        *all += exchanges;
        for cause in rescorer.causes(need) {
            *causes.entry(cause).or_default() += exchanges;
        }
    }
    let reasons = found.into_iter().map(|(words, (exchanges, causes))| {
        let mut causes: Vec<(Cause, u64)> = causes.into_iter().collect();
        causes.sort_by_key(|(_, exchanges)| Reverse(*exchanges));
        let causes = causes.into_iter().map(|(cause, _)| cause.name).collect();
        Reason { words, exchanges, causes }
    });
    let mut reasons: Vec<Reason> = reasons.collect();
    reasons.sort_by_key(|reason| Reverse(reason.exchanges));
    reasons
}

impl Accuracy {
    fn of(sides: [&Side; 2], rescorer: &Rescorer<'_>, items: &[Item]) -> Option<Self> {
        let (told, excluded): (Vec<&Item>, Vec<&Item>) =
            items.iter().partition(|item| rescorer.needs_recording(item.verdict).is_none());
        let answers = sides.map(|side| {
            let mut confusion = Confusion::default();
            for item in &told {
                confusion.add(item.label, Class::of(side.verdict(item.verdict)));
            }
            confusion
        });
        let paired = |labels: [Class; 2]| {
            let of_labels = told.iter().filter(|item| labels.contains(&item.label.listed()));
            Paired::of(of_labels.map(|item| {
                sides.map(|side| item.label.is_met_by(Class::of(side.verdict(item.verdict))))
            }))
        };
        (!items.is_empty()).then(|| Self {
            labelled: told.len() as u64,
            excluded: excluded.len() as u64,
            before: answers[0].measures(),
            after: answers[1].measures(),
            errors: paired([Class::Refused, Class::Failed]),
            successes: paired([Class::Worked, Class::Hidden]),
            answers,
        })
    }
}

impl Paired {
    /// Of items by whether they were right before and are after.
    pub fn of(items: impl Iterator<Item = [bool; 2]>) -> Self {
        let (mut of, mut lost, mut gained) = (0, 0, 0);
        for [before, after] in items {
            of += 1;
            lost += u64::from(before && !after);
            gained += u64::from(after && !before);
        }
        Self {
            of,
            lost,
            gained,
            difference: (of > 0).then(|| (gained as f64 - lost as f64) / of as f64),
            interval: tango(lost, gained, of),
            p: exact_mcnemar(lost, gained),
        }
    }
}
