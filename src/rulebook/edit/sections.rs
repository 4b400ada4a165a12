//! The sections that are not about signals.

use super::lines::Lines;
use super::part::Part;
use super::piece::{Piece, elements, entries, plain, same, text};
use super::signals::{lists, signals};
use super::walk::{Both, Walk};
use crate::rulebook::source::{Node, Value};

/// What the settings of each section are about; a setting that is not named is what all others of its section are.
const SETTINGS: [(&str, &str, Part); 14] = [
    ("decide", "if", Part::LineCondition),
    ("decide", "return", Part::Answer),
    ("decide", "threshold", Part::Threshold),
    ("endings", "", Part::Ending),
    ("error_kinds", "if", Part::ErrorKindCondition),
    ("errors", "unreachable", Part::Unreachable),
    ("errors", "", Part::Errors),
    ("factors", "weight", Part::Weight),
    ("factors", "", Part::Factor),
    ("hidden_failure", "if", Part::HiddenFailure),
    ("metadata", "", Part::Metadata),
    ("schema", "", Part::Schema),
    ("score", "", Part::Score),
    ("text", "", Part::Text),
];

/// Settings that can change no verdict.
const IDLE: [&str; 6] =
    ["about", "counted", "distinct_types", "evidence", "evidence_units", "name"];

/// The sections of two rulebooks as one. What cannot change a verdict is taken from the later one.
pub(super) fn rulebook(walk: &mut Walk, both: Both<'_>) -> Piece {
    let section = |walk: &mut Walk, key: &str, inner: Both<'_>| {
        Some(match key {
            "name" => Piece::Same(text("put back")),
            "about" | "certainty" | "examples" => return None,
            "lists" => lists(walk, inner),
            "signals" => signals(walk, inner),
            "factors" => factors(walk, inner),
            "decide" => {
                let parts = [Part::Line, Part::LinePlace];
                Piece::Lines(Lines::between(walk, inner, parts, &mut decision_line))
            }
            "error_kinds" => {
                let parts = [Part::ErrorKind, Part::ErrorKindPlace];
                let mut inside =
                    |walk: &mut Walk, name: &str, both: Both<'_>| settings(walk, key, name, both);
                Piece::Lines(Lines::between(walk, inner, parts, &mut inside))
            }
            "endings" => inner.table(|name, meaning| Some(ending(walk, name, meaning))),
            "criteria" => criteria(walk, inner),
            _ if SETTINGS.iter().any(|(section, ..)| *section == key) => {
                settings(walk, key, key, inner)
            }
            _ => Piece::Same(inner.after?.clone()),
        })
    };
    both.table(|key, inner| section(walk, key, inner))
}

/// The settings of a section, or of a thing in it, one by one.
fn settings(walk: &mut Walk, section: &str, of: &str, both: Both<'_>) -> Piece {
    both.table(|key, inner| setting(walk, section, of, (key, inner)))
}

fn setting(
    walk: &mut Walk,
    section: &str,
    of: &str,
    (key, both): (&str, Both<'_>),
) -> Option<Piece> {
    let is_meant = |(of, setting, _): &&(&str, &str, Part)| {
        *of == section && (*setting == key || setting.is_empty())
    };
    match SETTINGS.iter().find(is_meant).filter(|_| !IDLE.contains(&key)) {
        Some((_, _, part)) => walk.whole(*part, of, key, both),
        None => both.after.or(both.before).cloned().map(Piece::Same),
    }
}

fn factors(walk: &mut Walk, both: Both<'_>) -> Piece {
    both.table(|name, factor| {
        if factor.before.is_none() || factor.after.is_none() {
            return walk.whole(Part::Factor, name, "", factor);
        }
        Some(factor.table(|key, inner| match key {
            "signal" => walk.whole(Part::Factor, name, "", inner),
            _ => setting(walk, "factors", name, (key, inner)),
        }))
    })
}

fn decision_line(walk: &mut Walk, name: &str, both: Both<'_>) -> Piece {
    let threshold = both.get("threshold");
    if threshold.before.is_some() == threshold.after.is_some() {
        return settings(walk, "decide", name, both);
    }
    // One edit, of two keys: a line has one of them.
    let [before, after] = [both.before, both.after].map(|line| line.map(answer));
    let edit = walk.note(
        Part::Answer,
        name,
        "return",
        Both { before: before.as_ref(), after: after.as_ref() },
    );
    both.table(|key, inner| match key {
        "return" | "threshold" => Some(Piece::choice(edit, inner)),
        _ => setting(walk, "decide", name, (key, inner)),
    })
}

/// What a decision line says, without its name and its condition.
fn answer(line: &Node) -> Node {
    only(line, |key| !matches!(key, "name" | "if"))
}

fn only(table: &Node, keep: impl Fn(&str) -> bool) -> Node {
    let kept = entries(Some(table)).iter().filter(|entry| keep(&entry.key));
    plain(Value::Table(kept.cloned().collect()))
}

/// How the issue of an ending is worded is no matter.
fn ending(walk: &mut Walk, name: &str, both: Both<'_>) -> Piece {
    both.table(|key, inner| {
        if key != "issue" {
            return setting(walk, "endings", name, (key, inner));
        }
        let told = |issue: Option<&Node>| {
            let told = only(issue?, |key| matches!(key, "severity" | "type"));
            (!entries(Some(&told)).is_empty()).then_some(told)
        };
        let [before, after] = [inner.before, inner.after].map(told);
        let told = Both { before: before.as_ref(), after: after.as_ref() };
        if inner.before.is_some() == inner.after.is_some() && same(told.before, told.after) {
            return inner.after.cloned().map(Piece::Same);
        }
        Some(Piece::choice(walk.note(Part::Ending, name, "issue", told), inner))
    })
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
