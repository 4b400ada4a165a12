//! What a change of a rulebook does to a side.

use crate::compare::paired::{exact_mcnemar, tango};
use crate::compare::{
    Cause, Comparison, Matched, Matching, NeedsRecording, Rescorer, Side, compare_with, explain_all,
};
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Item};
use serde::{Serialize, Serializer};
use serde_json::json;
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
    /// The changed criteria: what they say of tool calls stays as it was.
    pub criteria: Vec<Cause>,
    /// What labelled exchanges say of it; `None` where there is none.
    pub accuracy: Option<Accuracy>,
}

/// A reason why exchanges cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    #[serde(rename = "reason")]
    pub words: &'static str,
    pub exchanges: u64,
    /// What was changed that leads to it: all of it together.
    #[serde(serialize_with = "write_names")]
    pub causes: Vec<Cause>,
}

fn write_names<S: Serializer>(causes: &[Cause], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(causes.iter().map(|cause| &cause.name))
}

/// How right the answers are, before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// Answers by truth, before and after, of the items that can be told.
    pub answers: [Confusion; 2],
    /// Labelled exchanges that cannot be told.
    pub excluded: u64,
    pub errors: Paired,
    pub successes: Paired,
}

impl Effect {
    /// What the rescorer's rulebook does to the side that it was made for.
    pub fn of(side: &Side, rescorer: &Rescorer<'_>, items: &[Item]) -> Self {
        let after = rescorer.side();
        let is_rescored = |verdict: u32| rescorer.needs_recording(verdict).is_none();
        let places = (0_u32..).zip(&side.entries);
        let covered = places.filter(|(_, entry)| is_rescored(entry.verdict));
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
            criteria: rescorer.causes(&NeedsRecording::Criteria),
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
    let mut found: BTreeMap<&'static str, Reason> = BTreeMap::new();
    let mut patterns: BTreeMap<Cause, u64> = BTreeMap::new();
    for (verdict, exchanges) in (0..).zip(side.weights()) {
        let Some(excluded) = rescorer.needs_recording(verdict).filter(|_| exchanges > 0) else {
            continue;
        };
        let words = words(excluded);
        let reason = found.entry(words).or_insert_with(|| {
            let causes = match excluded {
                NeedsRecording::Patterns(_) => Vec::new(),
                other => rescorer.causes(other),
            };
            Reason { words, exchanges: 0, causes }
        });
        reason.exchanges += exchanges;
        if matches!(excluded, NeedsRecording::Patterns(_)) {
            for cause in rescorer.causes(excluded) {
                *patterns.entry(cause).or_default() += exchanges;
            }
        }
    }
    // Those that matter to most exchanges first.
    let mut patterns: Vec<(Cause, u64)> = patterns.into_iter().collect();
    patterns.sort_by(|(one, few), (other, many)| many.cmp(few).then_with(|| one.cmp(other)));
    let mut reasons: Vec<Reason> = found.into_values().collect();
    for reason in reasons.iter_mut().filter(|reason| reason.causes.is_empty()) {
        reason.causes = patterns.iter().map(|(cause, _)| cause.clone()).collect();
    }
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.exchanges));
    reasons
}

impl Accuracy {
    fn of(sides: [&Side; 2], rescorer: &Rescorer<'_>, items: &[Item]) -> Option<Self> {
        if items.is_empty() {
            return None;
        }
        let mut accuracy = Self::default();
        for item in items {
            if rescorer.needs_recording(item.verdict).is_some() {
                accuracy.excluded += 1;
                continue;
            }
            let answers = sides.map(|side| Label::of(side.verdict(item.verdict)));
            for (confusion, answer) in accuracy.answers.iter_mut().zip(answers) {
                confusion.add(item.label, answer);
            }
            let right = answers.map(|answer| answer == Some(item.label));
            match item.label {
                Label::BusinessLogic | Label::ToolFailure => accuracy.errors.add(right),
                Label::Ok | Label::HiddenFailure => accuracy.successes.add(right),
            }
        }
        Some(accuracy)
    }
}

impl Serialize for Accuracy {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let [before, after] = &self.answers;
        let object = json!({
            "labelled": before.items(),
            "excluded": self.excluded,
            "before": before.measures(),
            "after": after.measures(),
            "errors": self.errors,
            "successes": self.successes,
        });
        object.serialize(to)
    }
}

/// The same items answered before and after: how many became wrong, and how many right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Right before, wrong after.
    pub lost: u64,
    /// Wrong before, right after.
    pub gained: u64,
    pub of: u64,
}

impl Paired {
    /// Counts an item.
    pub fn add(&mut self, right: [bool; 2]) {
        self.of += 1;
        match right {
            [true, false] => self.lost += 1,
            [false, true] => self.gained += 1,
            [true, true] | [false, false] => {}
        }
    }

    /// How likely so uneven a split is by chance alone: `McNemar`'s exact test, two-sided.
    pub fn p(self) -> f64 {
        exact_mcnemar(self.lost, self.gained)
    }

    /// By how much the share of right answers grew.
    pub fn difference(self) -> Option<f64> {
        (self.of > 0).then(|| (self.gained as f64 - self.lost as f64) / self.of as f64)
    }

    /// Tango's interval (95 %) of that.
    pub fn interval(self) -> [f64; 2] {
        tango(self.lost, self.gained, self.of)
    }
}

impl Serialize for Paired {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let object = json!({
            "of": self.of,
            "lost": self.lost,
            "gained": self.gained,
            "difference": self.difference(),
            "interval": self.interval(),
            "p": self.p(),
        });
        object.serialize(to)
    }
}
