//! A verdict in a few words.

use super::Rulebook;
use crate::verdict::{Certainty, Conclusion, Outcome, Retry, Who};

/// What is said of a call first: the beginning of `tapecheck explain`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Brief<'r> {
    pub outcome: Outcome,
    /// Of refusals and failures, under rulebooks that have kinds.
    pub kind: Option<Kind<'r>>,
    /// 0 to 1: the probability that the outcome is right, where the rulebook says so.
    pub certainty: Option<f64>,
    /// What that means, in a sentence.
    pub why: &'r str,
}

/// The kind of a refusal or failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind<'r> {
    pub name: &'r str,
    /// Who must act, so that such calls work.
    pub who: Who,
    /// Whether the same call is worth another try.
    pub retry: Retry,
}

impl Rulebook {
    /// A conclusion of this rulebook in a few words.
    pub fn brief(&self, conclusion: &Conclusion) -> Brief<'_> {
        let kind = conclusion.error_kind.and_then(|it| self.error_kinds.get(usize::from(it)));
        Brief {
            outcome: conclusion.judgement.outcome,
            kind: kind.map(|kind| Kind { name: &kind.name, who: kind.who, retry: kind.retry }),
            certainty: conclusion.certainty.map(|Certainty { value, .. }| value),
            why: kind.map_or_else(|| self.because(conclusion), |kind| &kind.about),
        }
    }
}
