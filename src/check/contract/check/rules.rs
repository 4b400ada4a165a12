//! Asking the rules across fields.

use super::super::model::{Contract, Rule};
use crate::expression::{Answer, Variable, Why};
use crate::verdict::{Issue, IssueType};

/// Asks a rule; `known` is what was found wrong before, and `is_sound` says that all values are what their
/// descriptions say.
pub(super) fn ask(
    contract: &Contract,
    rule: &Rule,
    variables: &[Variable<'_>],
    is_sound: bool,
    known: &[Issue],
) -> Option<Issue> {
    let is_reported = |pointer: &String| {
        let places = known.iter().map(|issue| issue.location.as_deref().unwrap_or_default());
        let mut below = places.filter_map(|place| place.strip_prefix(pointer.as_str()));
        below.any(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    // What is wrong with the very field of the rule was told; the rule would only say it again.
    if rule.pointer.as_ref().is_some_and(is_reported) {
        return None;
    }
    let issue = match rule.expression.evaluate(variables) {
        Answer::True | Answer::Ambiguous(Why::MissingVariable(_)) => return None,
        Answer::False => {
            let made = rule.made_message.as_ref();
            let made = made.and_then(|made| made.evaluate_text(variables).ok());
            let message = made.as_ref().unwrap_or(&rule.message);
            Issue { severity: rule.severity, ..contract.wordings.worded(rule.kind, message) }
        }
        // A rule may well stumble over values that are not what they should be, which was told.
        Answer::Ambiguous(Why::MissingField(_) | Why::Failed(_) | Why::WrongResult { .. })
            if !is_sound =>
        {
            return None;
        }
        Answer::Ambiguous(why) => {
            let places = [("rule", rule.expression.text()), ("why", &*why.to_string())];
            contract.wordings.issue(IssueType::ContractRule, "message", &places)
        }
    };
    Some(Issue { location: rule.pointer.clone(), ..issue })
}
