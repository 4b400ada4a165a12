//! Rules across fields, in the convention of `x-kubernetes-validations`.

use super::super::model::{Rule, Side};
use super::super::wording::{Variant, Wordings, codes, fill};
use crate::rulebook::compile_expression;
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Node, Section};
use crate::verdict::{IssueType, Severity};

/// What a rule may look at. `original` is the state of the object before the call, where it is known.
pub(in crate::contract) const INPUT: &str = "input";
/// The response.
pub(in crate::contract) const OUTPUT: &str = "output";
/// The object as an earlier response of the session showed it.
pub(in crate::contract) const ORIGINAL: &str = "original";

const VARIABLES: [&str; 3] = [INPUT, OUTPUT, ORIGINAL];

/// Reads a rule.
pub(super) fn rule(node: &Node, wordings: &Wordings, problems: &mut Problems) -> Option<Rule> {
    let mut section = Section::open(node, problems)?;
    let expression = compile_expression(&mut section, "rule", &VARIABLES, problems);
    if section.take("rule").is_none() {
        problems.error(section.mark, "`rule` is missing here");
    }
    let made_message = compile_expression(&mut section, "messageExpression", &VARIABLES, problems);
    let side = match &expression {
        Some(rule) if rule.uses(OUTPUT) || rule.uses(ORIGINAL) => Side::Output,
        _ => Side::Input,
    };
    let kind = section.word("code", &codes(), problems).unwrap_or(match side {
        Side::Input => IssueType::ConditionalParameter,
        Side::Output => IssueType::InvalidResponse,
    });
    let parameters: Vec<&str> =
        section.texts("parameters", problems).into_iter().map(|(text, _)| text).collect();
    let message = match section.text("message", problems) {
        Some(message) => message.to_owned(),
        None if kind == IssueType::ConditionalParameter && !parameters.is_empty() => fill(
            wordings.template(kind, Variant::Message),
            &[("parameters", parameters.join(" or ").as_str())],
        ),
        None => {
            problems.error(section.mark, "`message` is missing here: what the rule asks for");
            String::new()
        }
    };
    let words = Severity::ALL.map(|severity| (severity, severity.name()));
    let severity = section.word("severity", &words, problems);
    let pointer = section.text("fieldPath", problems).map(pointer);
    section.text("about", problems);
    section.finish(problems);
    Some(Rule {
        expression: expression?,
        side,
        message,
        made_message,
        kind,
        severity: severity.unwrap_or_else(|| wordings.severity(kind)),
        pointer,
    })
}

/// `.task.completed`, `task.completed` or `/task/completed`, as a JSON pointer.
fn pointer(path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    path.trim_start_matches('.')
        .split('.')
        .fold(String::new(), |pointer, part| pointer + "/" + part)
}
