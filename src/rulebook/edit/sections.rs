//! The sections that are not about signals.

use super::lines::Lines;
use super::part::Part;
use super::piece::{Piece, elements, entries, same, text};
use super::signals::{lists, signals};
use super::walk::{Both, Walk};
use crate::rulebook::source::{Node, Value};

/// The sections of two rulebooks as one. What cannot change a verdict is taken from the later one.
pub(super) fn rulebook(walk: &mut Walk, both: Both<'_>) -> Piece {
    let sections = both.keys().into_iter().filter_map(|key| {
        let inner = both.get(key);
        let piece = match key {
            "name" => Piece::Same(text("put back")),
            "about" | "certainty" | "examples" => return None,
            "lists" => lists(walk, inner),
            "signals" => signals(walk, inner),
            "factors" => factors(walk, inner),
            "score" => settings(walk, Part::Score, key, inner),
            "decide" => {
                let parts = [Part::Line, Part::LinePlace];
                Piece::Lines(Lines::between(walk, inner, parts, &mut decision_line))
            }
            "error_kinds" => {
                let parts = [Part::ErrorKind, Part::ErrorKindPlace];
                Piece::Lines(Lines::between(walk, inner, parts, &mut error_kind))
            }
            "hidden_failure" => hidden_failure(walk, inner)?,
            "errors" => errors(walk, inner),
            "endings" => endings(walk, inner),
            "text" => settings(walk, Part::Text, key, inner),
            "metadata" => settings(walk, Part::Metadata, key, inner),
            "schema" => settings(walk, Part::Schema, key, inner),
            "criteria" => criteria(walk, inner),
            _ => Piece::Same(inner.after?.clone()),
        };
        Some((key.to_owned(), piece))
    });
    Piece::Table(sections.collect())
}

/// Settings that can change no verdict.
const IDLE: [(Part, &str); 3] = [
    (Part::Text, "evidence_units"),
    (Part::Metadata, "counted"),
    (Part::Metadata, "distinct_types"),
];

fn settings(walk: &mut Walk, part: Part, of: &str, both: Both<'_>) -> Piece {
    let pieces = both.keys().into_iter().filter_map(|key| {
        let inner = both.get(key);
        let piece = if IDLE.contains(&(part, key)) {
            inner.after.cloned().map(Piece::Same)
        } else {
            walk.whole(part, of, key, inner)
        };
        Some((key.to_owned(), piece?))
    });
    Piece::Table(pieces.collect())
}

fn factors(walk: &mut Walk, both: Both<'_>) -> Piece {
    let factors = both.keys().into_iter().filter_map(|name| {
        let factor = both.get(name);
        let piece = if factor.before.is_none() || factor.after.is_none() {
            walk.whole(Part::Factor, name, "", factor)?
        } else {
            table([
                ("weight", walk.whole(Part::Weight, name, "weight", factor.get("weight"))),
                ("signal", walk.whole(Part::Factor, name, "", factor.get("signal"))),
            ])
        };
        Some((name.to_owned(), piece))
    });
    Piece::Table(factors.collect())
}

fn table<const N: usize>(pieces: [(&str, Option<Piece>); N]) -> Piece {
    let pieces = pieces.into_iter();
    Piece::Table(pieces.filter_map(|(key, piece)| Some((key.to_owned(), piece?))).collect())
}

fn decision_line(walk: &mut Walk, name: &str, both: Both<'_>) -> Piece {
    let condition = walk.whole(Part::LineCondition, name, "if", both.get("if"));
    let threshold = both.get("threshold");
    let returned = both.get("return");
    let answers = if threshold.before.is_some() == threshold.after.is_some() {
        [
            walk.whole(Part::Threshold, name, "threshold", threshold),
            walk.whole(Part::Answer, name, "return", returned),
        ]
    } else {
        // One edit, of two keys: a line has one of them.
        let [before, after] = [both.before, both.after].map(|line| line.map(answer));
        let both = Both { before: before.as_ref(), after: after.as_ref() };
        let edit = walk.note(Part::Answer, name, "return", both);
        [threshold, returned].map(|both| Some(Piece::choice(edit, both)))
    };
    let [threshold, returned] = answers;
    let name = Some(Piece::Same(text(name)));
    table([("name", name), ("if", condition), ("threshold", threshold), ("return", returned)])
}

/// What a decision line says, without its name and its condition.
fn answer(line: &Node) -> Node {
    let said =
        entries(Some(line)).iter().filter(|entry| !matches!(entry.key.as_str(), "name" | "if"));
    super::piece::plain(Value::Table(said.cloned().collect()))
}

fn error_kind(walk: &mut Walk, name: &str, both: Both<'_>) -> Piece {
    let condition = walk.whole(Part::ErrorKindCondition, name, "if", both.get("if"));
    table([("name", Some(Piece::Same(text(name)))), ("if", condition)])
}

fn hidden_failure(walk: &mut Walk, both: Both<'_>) -> Option<Piece> {
    let condition = walk.whole(Part::HiddenFailure, "hidden_failure", "if", both.get("if"))?;
    Some(Piece::Table(vec![("if".to_owned(), condition)]))
}

fn errors(walk: &mut Walk, both: Both<'_>) -> Piece {
    let mut setting = |part, key| walk.whole(part, "errors", key, both.get(key));
    table([
        ("policy", setting(Part::Errors, "policy")),
        ("question", setting(Part::Errors, "question")),
        ("unreachable", setting(Part::Unreachable, "unreachable")),
    ])
}

fn endings(walk: &mut Walk, both: Both<'_>) -> Piece {
    let endings = both.keys().into_iter().map(|name| {
        let meaning = both.get(name);
        let mut setting = |key| walk.whole(Part::Ending, name, key, meaning.get(key));
        let [class, confidence, is_valid] = ["class", "confidence", "is_valid"].map(&mut setting);
        let issue = issue(walk, name, meaning.get("issue"));
        let parts = [
            ("class", class),
            ("confidence", confidence),
            ("is_valid", is_valid),
            ("issue", issue),
        ];
        (name.to_owned(), table(parts))
    });
    Piece::Table(endings.collect())
}

/// The issue of an ending: how it is worded is no matter.
fn issue(walk: &mut Walk, of: &str, both: Both<'_>) -> Option<Piece> {
    let told = |key| {
        let both = both.get(key);
        same(both.before, both.after)
    };
    if both.before.is_some() == both.after.is_some() && told("severity") && told("type") {
        return both.after.cloned().map(Piece::Same);
    }
    let [before, after] = [both.before, both.after].map(|issue| {
        let parts = entries(issue).iter();
        let parts = parts.filter(|part| matches!(part.key.as_str(), "severity" | "type"));
        let parts: Vec<_> = parts.cloned().collect();
        (!parts.is_empty()).then(|| super::piece::plain(Value::Table(parts)))
    });
    let told = Both { before: before.as_ref(), after: after.as_ref() };
    Some(Piece::choice(walk.note(Part::Ending, of, "issue", told), both))
}

fn criteria(walk: &mut Walk, both: Both<'_>) -> Piece {
    let [before, after] = [both.before, both.after].map(elements);
    let named = |criteria: &'_ [Node], name: &str| {
        criteria.iter().find(|other| name_of(other) == name).cloned()
    };
    let mut every: Vec<&str> = after.iter().map(name_of).collect();
    every.extend(before.iter().map(name_of).filter(|name| named(after, name).is_none()));
    let pieces = every.into_iter().filter_map(|name| {
        let [before, after] = [before, after].map(|criteria| named(criteria, name));
        let both = Both { before: before.as_ref(), after: after.as_ref() };
        walk.whole(Part::Criterion, name, "", both)
    });
    Piece::List(pieces.collect())
}

fn name_of(criterion: &Node) -> &str {
    criterion.get("name").and_then(Node::text).unwrap_or_default()
}
