//! How causes are named and worded.

use crate::compare::{Cause, CauseKind};
use crate::rulebook::edit::{Edit, Part};

/// How the edits of one part of a rulebook are told: what kind of cause they are, its name, and what became of
/// it where it was changed, and where it is gone or new if that is told otherwise. In all of them, `{of}` and
/// `{key}` stand for what was edited, `{before}` and `{after}` for how it was and is, `{change}` for both.
type Wording = (CauseKind, &'static str, &'static str, Option<[&'static str; 2]>);

const fn wording(part: Part) -> Wording {
    use CauseKind::{Condition, DecisionLine, Ending, Pattern, Setting, Signal, Threshold, Weight};
    const MATCHES: Option<[&str; 2]> =
        Some(["pattern '{key}' no longer matches", "pattern '{key}' now matches"]);
    match part {
        Part::Entry | Part::OwnEntry => (Pattern, "{of}/{key}", "", MATCHES),
        Part::Regex => (Pattern, "{of}/{key}", "regex of {of} '{before}' -> '{after}'", MATCHES),
        Part::Matching => (Pattern, "lists.{of}.match", "matching of list {of} {change}", None),
        Part::Question => {
            let words = ["{of} no longer looks for: {before}", "{of} now looks for: {after}"];
            (Signal, "signals.{of}/{either}", "", Some(words))
        }
        Part::Definition => (Signal, "signals.{of}", "signal {of} is defined differently", None),
        Part::Signal => {
            (Signal, "signals.{of}", "", Some(["signal {of} is gone", "signal {of} is new"]))
        }
        Part::Factor => {
            let words = ["factor {of} is gone", "factor {of} is new"];
            (Weight, "factors.{of}", "factor {of} uses another signal", Some(words))
        }
        Part::Weight => (Weight, "factors.{of}.weight", "weight of {of} {change}", None),
        Part::Score => (Weight, "score.{key}", "{key} of the score {change}", None),
        Part::Line => {
            let words = ["decision line \"{of}\" is gone", "decision line \"{of}\" is new"];
            (DecisionLine, "decide.{of}", "", Some(words))
        }
        Part::LinePlace => {
            (DecisionLine, "decide.{of}.place", "decision line \"{of}\" moved", None)
        }
        Part::LineCondition => {
            (DecisionLine, "decide.{of}.if", "condition of \"{of}\" {change}", None)
        }
        Part::Threshold => {
            (Threshold, "decide.{of}.threshold", "threshold of \"{of}\" {change}", None)
        }
        Part::Answer => (DecisionLine, "decide.{of}.return", "answer of \"{of}\" {change}", None),
        Part::ErrorKind => {
            let words = ["error kind \"{of}\" is gone", "error kind \"{of}\" is new"];
            (Condition, "error_kinds.{of}", "", Some(words))
        }
        Part::ErrorKindPlace => {
            (Condition, "error_kinds.{of}.place", "error kind \"{of}\" moved", None)
        }
        Part::ErrorKindCondition => {
            let words = "condition of error kind \"{of}\" {change}";
            (Condition, "error_kinds.{of}.if", words, None)
        }
        Part::HiddenFailure => {
            (Condition, "hidden_failure.if", "condition of a hidden failure {change}", None)
        }
        Part::Unreachable => {
            (Condition, "errors.unreachable", "condition of unreachable {change}", None)
        }
        Part::Ending => (Ending, "endings.{of}.{key}", "{key} of ending {of} {change}", None),
        Part::Errors | Part::Text | Part::Metadata | Part::Schema => {
            (Setting, "{of}.{key}", "{of}.{key} {change}", None)
        }
        Part::Criterion => {
            let words = ["criterion {of} is gone", "criterion {of} is new"];
            (Setting, "criteria.{of}", "criterion {of} is defined differently", Some(words))
        }
    }
}

/// An edit of a rulebook as a cause.
pub fn of_edit(edit: &Edit) -> Cause {
    let (kind, name, changed, whole) = wording(edit.part);
    let words = match (&edit.before, &edit.after, whole) {
        (Some(_), None, Some([gone, _])) => gone,
        (None, Some(_), Some([_, new])) => new,
        (_, _, _) => changed,
    };
    let [before, after] = [&edit.before, &edit.after].map(|value| value.as_deref());
    let change = format!("{} -> {}", before.unwrap_or("none"), after.unwrap_or("none"));
    let values = [
        ("{of}", edit.of.as_str()),
        ("{key}", edit.key.as_str()),
        ("{before}", before.unwrap_or("none")),
        ("{after}", after.unwrap_or("none")),
        ("{change}", &change),
        ("{either}", before.or(after).unwrap_or_default()),
    ];
    Cause { kind, name: filled(name, &values), change: filled(words, &values) }
}

/// Something that differs beside rulebooks.
pub(super) fn cause(kind: CauseKind, name: impl Into<String>, change: String) -> Cause {
    Cause { kind, name: name.into(), change }
}

pub(super) fn reply(before: &str, after: &str) -> Cause {
    let change = format!("the reply is now {after}, it was {before}");
    cause(CauseKind::Reply, format!("reply.{after}"), change)
}

/// A keyword of the output schema is met again, or no longer met.
pub(super) fn schema_keyword(keyword: &str, is_met: bool) -> Cause {
    let is_met = if is_met { "met again" } else { "no longer met" };
    let change = format!("keyword `{keyword}` of the output schema is {is_met}");
    cause(CauseKind::SchemaKeyword, format!("schema/{keyword}"), change)
}

/// Anything else about the output schema.
pub(super) fn schema(before: &str, after: &str) -> Cause {
    let change = format!("output schema {before} -> {after}");
    cause(CauseKind::SchemaKeyword, format!("schema/{after}"), change)
}

pub(super) fn issue(kind: &str, is_raised: bool) -> Cause {
    let is_raised = if is_raised { "appeared" } else { "is no longer raised" };
    cause(CauseKind::IssueType, format!("issues/{kind}"), format!("issue {kind} {is_raised}"))
}

/// Fills a wording in, in one pass, since values may look like what stands for values.
fn filled(wording: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = wording;
    while let Some(at) = rest.find('{') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let value = values.iter().find(|(mark, _)| rest.starts_with(mark));
        let (mark, value) = value.copied().unwrap_or(("{", "{"));
        text.push_str(value);
        rest = &rest[mark.len()..];
    }
    text + rest
}
