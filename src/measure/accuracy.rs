//! What a rulebook's verdicts are worth, by what people say the truth is.
//!
//! [`Item`]s are the labelled exchanges, and a [`Confusion`] counts what was said of them.

pub use crate::count::tally::Share;

use crate::compare::{Observations, Patterns, Side};
use crate::labels::{Label, Labelled, can_have};
use crate::rulebook::Rulebook;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its place in [`Side::entries`].
    pub entry: u32,
    /// What was said of it, as a number into [`Side::verdicts`].
    pub verdict: u32,
    /// Who answered, as a number into [`Side::names`].
    pub server: u32,
    /// What people say the truth is.
    pub label: Label,
}

/// The labelled exchanges of a side, in its order; without those whose reply cannot have their label, which
/// no answer could be right about.
pub fn items(side: &Side, labelled: &Labelled) -> Vec<Item> {
    let items = labelled.of.iter().filter_map(|(at, label)| {
        let entry = side.entries.get(*at as usize)?;
        let verdict = side.verdicts.get(entry.verdict as usize)?;
        if !can_have(verdict, *label) {
            return None;
        }
        Some(Item { entry: *at, verdict: entry.verdict, server: entry.server, label: *label })
    });
    items.collect()
}

/// The label that a verdict comes to under rules if some patterns did not hit; `None` where nothing is
/// answered.
pub fn answer(
    observations: &Observations<'_>,
    verdict: u32,
    rules: &Rulebook,
    without: &Patterns,
) -> Option<Label> {
    let signals = observations.signals(verdict, without);
    observations.conclusion(verdict, rules, signals).as_ref().map(Label::concluded)
}

/// How often each answer was given, by what is true.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// By the true label and the answer, in the order of [`Label::ALL`]; last come those of which
    /// nothing was answered.
    counts: [[u64; Label::ALL.len() + 1]; Label::ALL.len()],
}

impl Confusion {
    pub fn add(&mut self, truth: Label, answer: Option<Label>) {
        self.counts[truth as usize][answer.map_or(Label::ALL.len(), |answer| answer as usize)] += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        let counts = self.counts.as_flattened_mut().iter_mut();
        counts.zip(other.counts.as_flattened()).for_each(|(count, more)| *count += more);
    }

    /// Several together.
    pub fn of_all<'c>(tables: impl IntoIterator<Item = &'c Self>) -> Self {
        let mut all = Self::default();
        tables.into_iter().for_each(|table| all.merge(table));
        all
    }

    /// How often this was answered where that is true.
    pub fn count(&self, truth: Label, answer: Option<Label>) -> u64 {
        self.counts[truth as usize][answer.map_or(Label::ALL.len(), |answer| answer as usize)]
    }

    /// How many items have this label.
    pub fn of(&self, truth: Label) -> u64 {
        self.counts[truth as usize].iter().sum()
    }

    pub fn items(&self) -> u64 {
        Label::ALL.into_iter().map(|label| self.of(label)).sum()
    }

    pub fn accuracy(&self) -> Share {
        let right = Label::ALL.into_iter().map(|label| self.count(label, Some(label))).sum();
        Share { hits: right, of: self.items() }
    }

    pub fn recall(&self, label: Label) -> Share {
        Share { hits: self.count(label, Some(label)), of: self.of(label) }
    }

    pub fn precision(&self, label: Label) -> Share {
        let of = Label::ALL.into_iter().map(|truth| self.count(truth, Some(label))).sum();
        Share { hits: self.count(label, Some(label)), of }
    }

    /// What is known of each class, by its name.
    pub fn classes(&self) -> BTreeMap<&'static str, Class> {
        let of = |label: Label| Class {
            labels: self.of(label),
            recall: self.recall(label),
            precision: self.precision(label),
        };
        Label::ALL.map(|label| (label.name(), of(label))).into()
    }

    /// How many are answered wrongly.
    pub fn wrong(&self) -> u64 {
        let right = self.accuracy();
        right.of - right.hits
    }

    pub fn measures(&self) -> Measures {
        Measures {
            balanced_accuracy: self.balanced_accuracy(),
            business_logic_recall: self.recall(Label::BusinessLogic),
            tool_failure_recall: self.recall(Label::ToolFailure),
            hidden_failure_precision: self.precision(Label::HiddenFailure),
            hidden_failure_recall: self.recall(Label::HiddenFailure),
        }
    }

    /// The mean of what is found of the two kinds of error reply; `None` where one of them is missing.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        self.balanced([Label::BusinessLogic, Label::ToolFailure])
    }

    /// The mean of what is found of two classes.
    pub fn balanced(&self, labels: [Label; 2]) -> Option<f64> {
        let [one, other] = labels.map(|label| self.recall(label).value());
        one.zip(other).map(|(one, other)| f64::midpoint(one, other))
    }
}

/// A class of labels: how many there are, and what is found of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Class {
    pub labels: u64,
    pub recall: Share,
    pub precision: Share,
}

/// The measures that a change of a rulebook is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measures {
    pub balanced_accuracy: Option<f64>,
    business_logic_recall: Share,
    tool_failure_recall: Share,
    hidden_failure_precision: Share,
    hidden_failure_recall: Share,
}

impl Serialize for Confusion {
    /// Counts by the true label, then by the answer.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let of_label = |truth: Label| {
            let answers = Label::ALL.into_iter().map(Some).chain([None]);
            let name = |answer: Option<Label>| answer.map_or("none", Label::name);
            let counts = answers.map(|answer| (name(answer), self.count(truth, answer)));
            (truth.name(), counts.collect::<BTreeMap<_, _>>())
        };
        BTreeMap::from(Label::ALL.map(of_label)).serialize(to)
    }
}
