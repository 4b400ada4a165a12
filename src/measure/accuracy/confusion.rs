//! Counts of what was said by what is true.

use crate::count::tally::Share;
use crate::labels::Label;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_of_a_table_that_was_worked_out_by_hand() {
        use Label::{BusinessLogic, HiddenFailure, Ok, ToolFailure};
        let mut table = Confusion::default();
        for (truth, answer, times) in [
            (BusinessLogic, Some(BusinessLogic), 9),
            (BusinessLogic, Some(ToolFailure), 1),
            (ToolFailure, Some(ToolFailure), 3),
            (ToolFailure, Some(BusinessLogic), 1),
            (ToolFailure, None, 1),
            (Ok, Some(Ok), 18),
            (Ok, Some(HiddenFailure), 2),
            (HiddenFailure, Some(HiddenFailure), 6),
            (HiddenFailure, Some(Ok), 2),
        ] {
            for _ in 0..times {
                table.add(truth, answer);
            }
        }
        assert_eq!(table.balanced_accuracy(), Some(0.75), "(9/10 + 3/5) / 2");
        assert_eq!(table.precision(HiddenFailure), Share { hits: 6, of: 8 });
        assert_eq!(table.recall(HiddenFailure), Share { hits: 6, of: 8 });
        assert_eq!(table.accuracy(), Share { hits: 36, of: 43 });
        let mut twice = table.clone();
        twice.merge(&table);
        assert_eq!(twice.balanced_accuracy(), Some(0.75));
        assert_eq!(twice.items(), 86);
        assert_eq!(Confusion::default().balanced_accuracy(), None);
    }
}
