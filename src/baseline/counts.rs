//! The counts in the head of a baseline, which show whether lines are missing.

use crate::store::NamedVerdict;
use crate::verdict::{Answer, Classification};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Exchanges by class, and by what was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "BTreeMap<String, u64>", try_from = "BTreeMap<String, u64>")]
pub struct Counts(BTreeMap<&'static str, u64>);

impl From<Counts> for BTreeMap<String, u64> {
    fn from(counts: Counts) -> Self {
        counts.0.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
    }
}

impl TryFrom<BTreeMap<String, u64>> for Counts {
    type Error = String;

    fn try_from(counts: BTreeMap<String, u64>) -> Result<Self, String> {
        let known = |(name, count): (String, u64)| {
            let known = all().find(|known| *known == name);
            known.map(|known| (known, count)).ok_or(format!("there is no count of `{name}`"))
        };
        counts.into_iter().map(known).collect::<Result<_, _>>().map(Self)
    }
}

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
