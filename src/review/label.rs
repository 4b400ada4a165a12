//! Labels: what a person says the truth of an exchange is, one line of JSON each.

use crate::compare::{Answer, Said};
use serde::{Deserialize, Serialize};

/// A line of a labels file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The exchange's key.
    pub key: String,
    /// Its tape.
    pub file: String,
    /// Its own id, where the tape could be read.
    pub id: Option<String>,
    /// `business_logic`, `tool_failure`, `hidden_failure` or `ok`.
    pub label: String,
    /// Why.
    pub why: String,
    /// Who says so.
    pub who: String,
    /// When (RFC 3339).
    pub when: String,
}

/// The label that a verdict amounts to; `None` for what labels have no word for, such as no reply.
#[must_use]
pub fn label_of(said: &Said) -> Option<&'static str> {
    match said.standing().answer {
        Answer::BusinessLogic => Some("business_logic"),
        Answer::ToolFailure => Some("tool_failure"),
        Answer::HiddenFailure => Some("hidden_failure"),
        Answer::NotAsked => (said.is_valid && !said.is_error).then_some("ok"),
    }
}

impl Label {
    /// Whether a line of a labels file says the same of the same exchange.
    #[must_use]
    pub fn is_said_by(&self, line: &str) -> bool {
        let other: Option<Self> = serde_json::from_str(line).ok();
        other.is_some_and(|other| other.key == self.key && other.label == self.label)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::said;
    use super::*;

    #[test]
    fn every_answer_has_its_label() {
        let labels = Answer::ALL.map(|answer| label_of(&said(answer, &[])));
        let words = ["ok", "business_logic", "tool_failure", "hidden_failure"];
        assert_eq!(labels, words.map(Some));
        let silent = Said { is_valid: false, ..said(Answer::NotAsked, &[]) };
        assert_eq!(label_of(&silent), None);
    }
}
