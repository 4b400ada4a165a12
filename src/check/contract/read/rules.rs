//! Rules across fields, in the convention of `x-kubernetes-validations`.

use super::super::model::Rule;
use super::super::wording::{Wordings, codes, fill};
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Node, Section};
use crate::rulebook::{IssueTypes, Undescribed, compile_expression};
use crate::verdict::{IssueType, Side};

/// What a rule may look at. `original` is the state of the object before the call, where it is known.
pub(in crate::check::contract) const INPUT: &str = "input";
pub(in crate::check::contract) const OUTPUT: &str = "output";
/// The object as an earlier response of the session showed it.
pub(in crate::check::contract) const ORIGINAL: &str = "original";

const VARIABLES: [&str; 3] = [INPUT, OUTPUT, ORIGINAL];

pub(super) fn rule(
    node: &Node,
    types: &IssueTypes,
    wordings: &Wordings,
    problems: &Problems,
) -> Option<Rule> {
    let mut section = Section::open(node, problems)?;
    let expression = compile_expression(&mut section, "rule", &VARIABLES);
    if section.take("rule").is_none() {
        section.error("`rule` is missing here");
    }
    let made_message = compile_expression(&mut section, "messageExpression", &VARIABLES);
    let uses = |name| expression.as_ref().is_some_and(|rule| rule.uses(name));
    let uses_original = uses(ORIGINAL);
    let of_output = uses(OUTPUT) || uses_original;
    let kind = match section.text("code") {
        Some(code) => {
            let listed = codes();
            let undescribed = Undescribed {
                side: if of_output { Side::Reply } else { Side::Caller },
                category: if uses_original { "task_integrity" } else { "schema_validation" },
            };
            let found = listed.iter().find(|(listed, _)| *listed == code).map(|(_, kind)| *kind);
            let (mark, names) = (section.mark_of("code"), listed.iter().map(|(code, _)| *code));
            found.or_else(|| types.resolve(code, mark, names, undescribed, problems))
        }
        None if uses_original => Some(IssueType::InvalidTransition),
        None if !of_output => Some(IssueType::ConditionalParameter),
        None => Some(IssueType::InvalidResponse),
    };
    let parameters: Vec<&str> =
        section.texts("parameters").into_iter().map(|(text, _)| text).collect();
    let message = match section.text("message") {
        Some(message) => message.to_owned(),
        None if kind == Some(IssueType::ConditionalParameter) && !parameters.is_empty() => fill(
            wordings.template(IssueType::ConditionalParameter, "message"),
            &[("parameters", parameters.join(" or ").as_str())],
        ),
        None => {
            section.error("`message` is missing here: what the rule asks for");
            String::new()
        }
    };
    let severity = section.word("severity");
    let path = section.text("fieldPath");
    let pointer = path.and_then(|path| {
        let read = pointer(path);
        if read.is_none() {
            let message =
                "this is not a path to a field, such as task.id, tasks[0].id or /tasks/0/id";
            section.error_at("fieldPath", message);
        }
        read
    });
    section.text("about");
    section.finish();
    let kind = kind?;
    Some(Rule {
        expression: expression?,
        of_output,
        message,
        made_message,
        kind,
        severity: severity.unwrap_or_else(|| wordings.severity(kind)),
        pointer,
    })
}

/// `.tasks[0].completed`, `tasks[0]['completed']` or `/tasks/0/completed`, as a JSON pointer.
fn pointer(path: &str) -> Option<String> {
    if path.starts_with('/') {
        return Some(path.to_owned());
    }
    let mut pointer = String::new();
    let mut rest = path.strip_prefix('.').unwrap_or(path);
    while !rest.is_empty() {
        let (step, behind) = match rest.strip_prefix('[') {
            Some(inner) => bracketed(inner)?,
            None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
        };
        if step.is_empty() {
            return None;
        }
        pointer = pointer + "/" + &step.replace('~', "~0").replace('/', "~1");
        rest = match behind.strip_prefix('.') {
            Some("") => return None,
            Some(behind) => behind,
            None if behind.is_empty() || behind.starts_with('[') => behind,
            None => return None,
        };
    }
    Some(pointer)
}

/// What stands in brackets, a number or a quoted name, and what stands behind them.
fn bracketed(inner: &str) -> Option<(&str, &str)> {
    for quote in ['\'', '"'] {
        if let Some(quoted) = inner.strip_prefix(quote) {
            let (name, behind) = quoted.split_once(quote)?;
            return Some((name, behind.strip_prefix(']')?));
        }
    }
    let (number, behind) = inner.split_once(']')?;
    number.bytes().all(|digit| digit.is_ascii_digit()).then_some((number, behind))
}

#[cfg(test)]
mod tests {
    use super::pointer;

    #[test]
    fn paths_are_read_as_people_and_as_json_write_them() {
        for (path, expected) in [
            (".task.completed", "/task/completed"),
            ("task", "/task"),
            ("l[0].x", "/l/0/x"),
            ("[12][3]", "/12/3"),
            ("l[1]['a.b/c'].d", "/l/1/a.b~1c/d"),
            ("l[\"a~\"]", "/l/a~0"),
            ("/l/0/x", "/l/0/x"),
            ("", ""),
        ] {
            assert_eq!(pointer(path).as_deref(), Some(expected), "{path}");
        }
        for path in ["a..b", "a.", "l[", "l[x]", "l[0", "l[]", "l[0]x", "l['a]", "..a", "l.[0"] {
            assert_eq!(pointer(path), None, "{path}");
        }
    }
}
