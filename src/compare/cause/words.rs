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

pub(super) fn of_edit(edit: &Edit) -> Cause {
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

/// What else can be different, beside rulebooks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Difference<'a> {
    /// A pattern hits, or does not, in another reply.
    Hit {
        pattern: &'a str,
        now: bool,
    },
    /// The judged text, where no single pattern tells.
    Text,
    Reply {
        before: &'a str,
        after: &'a str,
    },
    /// A keyword of the output schema is met again, or no longer met.
    SchemaKeyword {
        now: bool,
        keyword: &'a str,
    },
    /// Anything else about the output schema.
    Schema {
        before: &'a str,
        after: &'a str,
    },
    Issue {
        kind: &'a str,
        now: bool,
    },
    /// The confidence that a recorded result states.
    Confidence {
        before: &'a str,
        after: &'a str,
    },
    Signal {
        signal: &'a str,
        now: bool,
    },
    /// Another decision line answers.
    Line {
        before: &'a str,
        after: &'a str,
    },
    Criterion {
        criterion: &'a str,
        now: bool,
    },
    /// The way in which the call ended means something else.
    Meaning {
        before: &'a str,
        after: &'a str,
    },
}

pub(super) fn of_difference(difference: &Difference<'_>) -> Cause {
    use CauseKind::{
        DecisionLine, Ending, IssueType, Pattern, Reply, SchemaKeyword, Setting, Signal,
    };
    let none = "";
    let (kind, name, words, values) = match *difference {
        Difference::Hit { pattern, now } => {
            let words =
                if now { "pattern '{2}' now matches" } else { "pattern '{2}' no longer matches" };
            (Pattern, "{1}", words, [pattern, last(pattern)])
        }
        Difference::Text => (Reply, "reply.text", "the reply has other text", [none, none]),
        Difference::Reply { before, after } => {
            (Reply, "reply.{2}", "the reply is now {2}, it was {1}", [before, after])
        }
        Difference::SchemaKeyword { now, keyword } => {
            let words = if now {
                "keyword `{1}` of the output schema is met again"
            } else {
                "keyword `{1}` of the output schema is no longer met"
            };
            (SchemaKeyword, "schema/{1}", words, [keyword, none])
        }
        Difference::Schema { before, after } => {
            (SchemaKeyword, "schema/{2}", "output schema {1} -> {2}", [before, after])
        }
        Difference::Issue { kind, now } => {
            let words = if now { "issue {1} appeared" } else { "issue {1} is no longer raised" };
            (IssueType, "issues/{1}", words, [kind, none])
        }
        Difference::Confidence { before, after } => {
            (Reply, "reply.confidence", "stated confidence {1} -> {2}", [before, after])
        }
        Difference::Signal { signal, now } => {
            let words = if now { "signal {1} is now on" } else { "signal {1} is now off" };
            (Signal, "signals.{1}", words, [signal, none])
        }
        Difference::Line { before, after } => {
            (DecisionLine, "decide.{2}", "decided by \"{2}\", not \"{1}\"", [before, after])
        }
        Difference::Criterion { criterion, now } => {
            let words = if now { "criterion {1} is met" } else { "criterion {1} is no longer met" };
            (Setting, "criteria.{1}", words, [criterion, none])
        }
        Difference::Meaning { before, after } => (Ending, "verdict", "{1} -> {2}", [before, after]),
    };
    let values = [("{1}", values[0]), ("{2}", values[1])];
    Cause { kind, name: filled(name, &values), change: filled(words, &values) }
}

/// The pattern in a pattern's name.
fn last(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, pattern)| pattern)
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
