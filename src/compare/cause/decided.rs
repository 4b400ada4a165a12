//! What is decided of an exchange, and what has to be the same again for a verdict to have returned.

use crate::compare::{Answer, Said, Standing};
use crate::verdict::Classification;
use std::collections::BTreeSet;

/// The part of what is said that follows from a rulebook and what was observed.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_field_names, reason = "as it is called everywhere")]
pub(super) struct Decided {
    pub(super) class: Classification,
    pub(super) is_valid: bool,
    pub(super) confidence: f64,
    pub(super) business_logic: Option<bool>,
    pub(super) hidden_failure: Option<bool>,
    pub(super) score: Option<f64>,
    pub(super) threshold: Option<f64>,
    pub(super) decided_by: Option<String>,
    pub(super) error_kind: Option<String>,
    /// Sorted.
    pub(super) issues: Vec<String>,
    pub(super) facts: BTreeSet<String>,
}

/// What can have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aspect {
    Class,
    Answer,
    Valid,
    Confidence,
    Question,
    Score,
    Threshold,
    DecidedBy,
    ErrorKind,
    Issues,
    Facts,
    /// Nothing that is decided, only the patterns that hit.
    Hits,
}

impl Aspect {
    /// All that is decided.
    const DECIDED: [Self; 9] = [
        Self::Class,
        Self::Valid,
        Self::Confidence,
        Self::Question,
        Self::Score,
        Self::Threshold,
        Self::DecidedBy,
        Self::ErrorKind,
        Self::Issues,
    ];

    /// What has to return: the standing where it flipped, else whatever differs. Facts and hits count
    /// where nothing else does.
    pub(super) fn to_return(before: &Said, after: &Said) -> Vec<Self> {
        if before.standing() != after.standing() {
            return vec![Self::Class, Self::Answer];
        }
        let [old, new] = [before, after].map(Decided::of);
        let mut differing = Self::DECIDED.to_vec();
        differing.retain(|aspect| !aspect.is_same(&old, &new));
        if differing.is_empty() && !Self::Facts.is_same(&old, &new) {
            differing.push(Self::Facts);
        }
        if differing.is_empty() && before.hits != after.hits {
            differing.push(Self::Hits);
        }
        differing
    }

    /// Whether it is the same in both. The patterns that hit are no part of what is decided.
    pub(super) fn is_same(self, one: &Decided, other: &Decided) -> bool {
        match self {
            Self::Class => one.class == other.class,
            Self::Answer => {
                let answer = |decided: &Decided| {
                    (decided.hidden_failure == Some(true), decided.business_logic)
                };
                match (answer(one), answer(other)) {
                    ((true, _), (true, _)) => true,
                    (one, other) => one == other,
                }
            }
            Self::Valid => one.is_valid == other.is_valid,
            Self::Confidence => is_same(Some(one.confidence), Some(other.confidence)),
            Self::Question => {
                (one.business_logic, one.hidden_failure)
                    == (other.business_logic, other.hidden_failure)
            }
            Self::Score => is_same(one.score, other.score),
            Self::Threshold => is_same(one.threshold, other.threshold),
            Self::DecidedBy => one.decided_by == other.decided_by,
            Self::ErrorKind => one.error_kind == other.error_kind,
            Self::Issues => one.issues == other.issues,
            Self::Facts => one.facts == other.facts,
            Self::Hits => true,
        }
    }
}

fn is_same(one: Option<f64>, other: Option<f64>) -> bool {
    one.map(f64::to_bits) == other.map(f64::to_bits)
}

impl Decided {
    /// The class and the answer.
    pub(super) fn standing(&self) -> Standing {
        let answer = Answer::of(self.hidden_failure, self.business_logic);
        Standing { class: self.class, answer }
    }

    /// What was decided of an exchange.
    pub(super) fn of(said: &Said) -> Self {
        Self {
            class: said.class,
            is_valid: said.is_valid,
            confidence: said.confidence,
            business_logic: said.business_logic,
            hidden_failure: said.hidden_failure,
            score: said.score,
            threshold: said.threshold,
            decided_by: said.decided_by.clone(),
            error_kind: said.error_kind.clone(),
            issues: said.issues.clone(),
            facts: said.facts.iter().cloned().collect(),
        }
    }
}
