//! How causes are named and worded.

use crate::compare::{Cause, CauseKind};
use crate::rulebook::edit::{Edit, Part};

/// How the edits of one part of a rulebook are told. In names and words, `{of}` and `{key}` stand for
/// what was edited, `{before}` and `{after}` for how it was and is, `{change}` for both.
struct Wording {
    kind: CauseKind,
    name: &'static str,
    changed: &'static str,
    gone: &'static str,
    new: &'static str,
}

const fn same(kind: CauseKind, name: &'static str, words: &'static str) -> Wording {
    Wording { kind, name, changed: words, gone: words, new: words }
}

/// How what can come and go is told.
macro_rules! whole {
    ($kind:ident, $name:literal, $what:literal, $changed:literal) => {
        Wording {
            kind: CauseKind::$kind,
            name: $name,
            changed: $changed,
            gone: concat!($what, " is gone"),
            new: concat!($what, " is new"),
        }
    };
}

const fn wording(part: Part) -> Wording {
    use CauseKind::{Condition, DecisionLine, Ending, Pattern, Setting, Signal, Threshold, Weight};
    match part {
        Part::Entry | Part::OwnEntry => Wording {
            kind: Pattern,
            name: "{of}/{key}",
            changed: "",
            gone: "pattern '{key}' no longer matches",
            new: "pattern '{key}' now matches",
        },
        Part::Regex => Wording {
            kind: Pattern,
            name: "{of}/{key}",
            changed: "regex of {of} '{before}' -> '{after}'",
            gone: "pattern '{key}' no longer matches",
            new: "pattern '{key}' now matches",
        },
        Part::Matching => same(Pattern, "lists.{of}.match", "matching of list {of} {change}"),
        Part::Question => Wording {
            kind: Signal,
            name: "signals.{of}/{either}",
            changed: "",
            gone: "{of} no longer looks for: {before}",
            new: "{of} now looks for: {after}",
        },
        Part::Definition => same(Signal, "signals.{of}", "signal {of} is defined differently"),
        Part::Signal => whole!(Signal, "signals.{of}", "signal {of}", ""),
        Part::Factor => {
            whole!(Weight, "factors.{of}", "factor {of}", "factor {of} uses another signal")
        }
        Part::Weight => same(Weight, "factors.{of}.weight", "weight of {of} {change}"),
        Part::Score => same(Weight, "score.{key}", "{key} of the score {change}"),
        Part::Line => whole!(DecisionLine, "decide.{of}", "decision line \"{of}\"", ""),
        Part::LinePlace => same(DecisionLine, "decide.{of}.place", "decision line \"{of}\" moved"),
        Part::LineCondition => {
            same(DecisionLine, "decide.{of}.if", "condition of \"{of}\" {change}")
        }
        Part::Threshold => {
            same(Threshold, "decide.{of}.threshold", "threshold of \"{of}\" {change}")
        }
        Part::Answer => same(DecisionLine, "decide.{of}.return", "answer of \"{of}\" {change}"),
        Part::ErrorKind => whole!(Condition, "error_kinds.{of}", "error kind \"{of}\"", ""),
        Part::ErrorKindPlace => {
            same(Condition, "error_kinds.{of}.place", "error kind \"{of}\" moved")
        }
        Part::ErrorKindCondition => {
            same(Condition, "error_kinds.{of}.if", "condition of error kind \"{of}\" {change}")
        }
        Part::HiddenFailure => {
            same(Condition, "hidden_failure.if", "condition of a hidden failure {change}")
        }
        Part::Unreachable => {
            same(Condition, "errors.unreachable", "condition of unreachable {change}")
        }
        Part::Ending => same(Ending, "endings.{of}.{key}", "{key} of ending {of} {change}"),
        Part::Errors | Part::Text | Part::Metadata | Part::Schema => {
            same(Setting, "{section}.{key}", "{section}.{key} {change}")
        }
        Part::Criterion => whole!(
            Setting,
            "criteria.{of}",
            "criterion {of}",
            "criterion {of} is defined differently"
        ),
    }
}

/// An edit of a rulebook as a cause.
pub fn of_edit(edit: &Edit) -> Cause {
    let Wording { kind, name, changed, gone, new } = wording(edit.part);
    let words = match (&edit.before, &edit.after) {
        (Some(_), None) => gone,
        (None, Some(_)) => new,
        (Some(_), Some(_)) | (None, None) => changed,
    };
    let [before, after] = [&edit.before, &edit.after].map(|value| value.as_deref());
    let change = format!("{} -> {}", before.unwrap_or("none"), after.unwrap_or("none"));
    let values = [
        ("{of}", edit.of.as_str()),
        ("{section}", edit.of.as_str()),
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
