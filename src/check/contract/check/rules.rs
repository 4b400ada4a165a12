//! Asking the rules across fields.

use super::super::model::{Contract, Rule};
use super::super::read::{INPUT, ORIGINAL, OUTPUT};
use super::super::wording::Variant;
use crate::expression::{Answer, Variable, Why};
use crate::verdict::{Issue, IssueType};
use serde_json::Value;

/// What rules may look at, as far as it is known.
pub(super) struct Situation<'a> {
    pub(super) input: Option<&'a Value>,
    pub(super) output: Option<&'a Value>,
    pub(super) original: Option<&'a Value>,
    pub(super) values: Values,
}

/// Whether the values are what their descriptions say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    Sound,
    Unsound,
}

impl Values {
    pub(super) fn after(issues: &[Issue]) -> Self {
        if issues.is_empty() { Self::Sound } else { Self::Unsound }
    }
}

impl<'a> Situation<'a> {
    fn variables(&self) -> Vec<Variable<'a>> {
        [(INPUT, self.input), (OUTPUT, self.output), (ORIGINAL, self.original)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}

/// Asks a rule; `known` is what was found wrong before.
pub(super) fn ask(
    contract: &Contract,
    rule: &Rule,
    situation: &Situation<'_>,
    known: &[Issue],
) -> Option<Issue> {
    let is_reported = |pointer: &String| {
        known.iter().any(|issue| {
            let found = issue.location.as_deref().unwrap_or_default();
            found
                .strip_prefix(pointer.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    // What is wrong with the very field of the rule was told; the rule would only say it again.
    if rule.pointer.as_ref().is_some_and(is_reported) {
        return None;
    }
    let variables = situation.variables();
    match rule.expression.evaluate(&variables) {
        Answer::True | Answer::Ambiguous(Why::MissingVariable(_)) => None,
        Answer::False => {
            let made =
                rule.made_message.as_ref().and_then(|made| made.evaluate_text(&variables).ok());
            let message = made.unwrap_or_else(|| rule.message.clone());
            let mut issue = contract.wordings.worded(rule.kind, &message);
            issue.severity = rule.severity;
            issue.location.clone_from(&rule.pointer);
            Some(issue)
        }
        // A rule may well stumble over values that are not what they should be, which was told.
        Answer::Ambiguous(Why::MissingField(_) | Why::Failed(_) | Why::WrongResult { .. })
            if situation.values == Values::Unsound =>
        {
            None
        }
        Answer::Ambiguous(why) => {
            let why = why.to_string();
            let places = [("rule", rule.expression.text()), ("why", why.as_str())];
            let mut issue =
                contract.wordings.issue(IssueType::ContractRule, Variant::Message, &places);
            issue.location.clone_from(&rule.pointer);
            Some(issue)
        }
    }
}
