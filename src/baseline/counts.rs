//! The counts in the header of a baseline, which show whether lines are missing.

use crate::store::NamedVerdict;
use crate::verdict::{Answer, Classification};
use std::collections::BTreeMap;

/// Exchanges by class, and by what was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    pub fn of<'s>(verdicts: impl Iterator<Item = &'s NamedVerdict>) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            let standing = verdict.standing();
            *counts.0.entry(standing.class.name()).or_default() += 1;
            if let Some(answer) = words(standing.answer) {
                *counts.0.entry(answer).or_default() += 1;
            }
        }
        counts
    }

    /// Sets a count; false if there is no count of that name.
    pub(super) fn set(&mut self, name: &str, count: u64) -> bool {
        match all().find(|known| *known == name) {
            Some(known) => {
                self.0.insert(known, count);
                true
            }
            None => false,
        }
    }

    /// The count of a class or answer.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// What there is, in the order in which it is shown.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        all().map(|name| (name, self.get(name))).filter(|(_, count)| *count > 0)
    }

    /// The first that is not the same in both.
    pub(super) fn differs(&self, other: &Self) -> Option<&'static str> {
        all().find(|name| self.get(name) != other.get(name))
    }
}

fn all() -> impl Iterator<Item = &'static str> {
    Classification::ALL
        .into_iter()
        .map(Classification::name)
        .chain(Answer::LISTED.into_iter().filter_map(words))
}

/// An answer as lines say it.
fn words(answer: Answer) -> Option<&'static str> {
    match answer {
        Answer::NotAsked | Answer::Fine => None,
        Answer::BusinessLogic => Some("business logic"),
        Answer::ToolFailure => Some("tool failure"),
        Answer::HiddenFailure => Some("hidden failure"),
        Answer::HiddenRefusal => Some("hidden refusal"),
    }
}
