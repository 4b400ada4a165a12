//! What a rulebook's verdicts are worth, by what people say the truth is.
//!
//! [`Item`]s are the labelled exchanges, and a [`Confusion`] counts what was said of them.

pub use crate::count::tally::Share;

use crate::compare::{Observations, Patterns, Side};
use crate::labels::{Class, Labelled};
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
    pub label: Class,
}

/// The labelled exchanges of a side, in its order.
pub fn items(side: &Side, labelled: &Labelled) -> Vec<Item> {
    let items = labelled.of.iter().filter_map(|(at, label)| {
        let entry = side.entries.get(*at as usize)?;
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
) -> Option<Class> {
    let signals = observations.signals(verdict, without);
    observations.conclusion(verdict, rules, signals).as_ref().map(Class::concluded)
}

/// How often each answer was given, by what is true.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// By what is true and the answer, in the order of [`Class::ALL`]; last come those of which nothing was answered.
    counts: [[u64; Class::ALL.len() + 1]; Class::ALL.len()],
}

impl Confusion {
    pub fn add(&mut self, truth: Class, answer: Option<Class>) {
        self.counts[truth as usize][place_of(answer)] += 1;
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

    /// How often this was answered where that is true; a listed class stands for those that belong to it.
    pub fn count(&self, truth: Class, answer: Option<Class>) -> u64 {
        let of_truth = |truth: Class| -> u64 {
            match answer {
                Some(answer) => answer.members().map(|it| self.exactly(truth, Some(it))).sum(),
                None => self.exactly(truth, None),
            }
        };
        truth.members().map(of_truth).sum()
    }

    /// How often exactly this was answered where exactly that is true.
    pub fn exactly(&self, truth: Class, answer: Option<Class>) -> u64 {
        self.counts[truth as usize][place_of(answer)]
    }

    /// How many items have this label; a listed class stands for those that belong to it.
    pub fn of(&self, truth: Class) -> u64 {
        truth.members().map(|truth| self.counts[truth as usize].iter().sum::<u64>()).sum()
    }

    pub fn items(&self) -> u64 {
        Class::LISTED.into_iter().map(|class| self.of(class)).sum()
    }

    pub fn accuracy(&self) -> Share {
        let right = |truth: Class| -> u64 {
            truth.members().map(|answer| self.exactly(truth, Some(answer))).sum()
        };
        Share { hits: Class::ALL.into_iter().map(right).sum(), of: self.items() }
    }

    pub fn recall(&self, label: Class) -> Share {
        Share { hits: self.count(label, Some(label)), of: self.of(label) }
    }

    pub fn precision(&self, label: Class) -> Share {
        // A label that does not say which of two it is tells nothing of either.
        let tells = |truth: &Class| *truth != Class::Hidden || label.listed() == label;
        let truths = Class::ALL.into_iter().filter(tells);
        let answers = |truth| label.members().map(move |it| self.exactly(truth, Some(it)));
        Share { hits: self.count(label, Some(label)), of: truths.flat_map(answers).sum() }
    }

    /// What is known of each class, by its name.
    pub fn classes(&self) -> BTreeMap<&'static str, Found> {
        let of = |label: Class| Found {
            labels: self.of(label),
            recall: self.recall(label),
            precision: self.precision(label),
        };
        Class::LISTED.map(|label| (label.column(), of(label))).into()
    }

    /// How many are answered wrongly.
    pub fn wrong(&self) -> u64 {
        let right = self.accuracy();
        right.of - right.hits
    }

    pub fn measures(&self) -> Measures {
        Measures {
            balanced_accuracy: self.balanced_accuracy(),
            business_logic_recall: self.recall(Class::Refused),
            tool_failure_recall: self.recall(Class::Failed),
            hidden_failure_precision: self.precision(Class::Hidden),
            hidden_failure_recall: self.recall(Class::Hidden),
        }
    }

    /// The mean of what is found of the two kinds of error reply; `None` where one of them is missing.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        self.balanced([Class::Refused, Class::Failed])
    }

    /// The mean of what is found of two classes.
    pub fn balanced(&self, labels: [Class; 2]) -> Option<f64> {
        let [one, other] = labels.map(|label| self.recall(label).value());
        one.zip(other).map(|(one, other)| f64::midpoint(one, other))
    }
}

/// A class of labels: how many there are, and what is found of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Found {
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
    /// Counts by what is true, then by the answer.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let of_class = |truth: Class| {
            let answers = Class::ALL.into_iter().map(Some).chain([None]);
            let name = |answer: Option<Class>| answer.map_or("none", Class::name);
            let counts = answers.map(|answer| (name(answer), self.exactly(truth, answer)));
            (truth.name(), counts.collect::<BTreeMap<_, _>>())
        };
        BTreeMap::from(Class::ALL.map(of_class)).serialize(to)
    }
}

fn place_of(answer: Option<Class>) -> usize {
    answer.map_or(Class::ALL.len(), |answer| answer as usize)
}
