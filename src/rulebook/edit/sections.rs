//! The sections that are not about signals.

use super::Part;
use super::lines::{Lines, name};
use super::piece::{Both, Piece, Walk, elements, entries, plain, text};
use super::signals::{lists, signals};
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
            _ => return inner.later(),
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
        None => both.later().or(both.any().cloned().map(Piece::Same)),
    }
}

fn factors(walk: &mut Walk, both: Both<'_>) -> Piece {
    both.table(|name, factor| {
        if factor.0.iter().any(Option::is_none) {
            return walk.whole(Part::Factor, name, "", factor);
        }
        Some(factor.table(|key, inner| match key {
            "signal" => walk.whole(Part::Factor, name, "", inner),
            _ => setting(walk, "factors", name, (key, inner)),
        }))
    })
}

fn decision_line(walk: &mut Walk, name: &str, both: Both<'_>) -> Piece {
    let [before, after] = both.get("threshold").0.map(|threshold| threshold.is_some());
    if before == after {
        return settings(walk, "decide", name, both);
    }
    // One edit, of two keys: a line has one of them.
    let says = |line: &Node| only(line, |key| matches!(key, "return" | "threshold"));
    let answers = both.0.map(|line| line.map(says));
    let edit = walk.note(Part::Answer, name, "return", Both::of(&answers));
    both.table(|key, inner| match key {
        "return" | "threshold" => Some(Piece::choice(edit, inner)),
        _ => setting(walk, "decide", name, (key, inner)),
    })
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
        let told = inner.0.map(|issue| {
            let told = only(issue?, |key| matches!(key, "severity" | "type"));
            (!entries(Some(&told)).is_empty()).then_some(told)
        });
        let is_in_both = inner.0[0].is_some() == inner.0[1].is_some();
        if is_in_both && Both::of(&told).is_same() {
            return inner.later();
        }
        Some(Piece::choice(walk.note(Part::Ending, name, "issue", Both::of(&told)), inner))
    })
}

fn criteria(walk: &mut Walk, both: Both<'_>) -> Piece {
    let [before, after] = both.0.map(elements);
    let gone = before.iter().filter(|it| after.iter().all(|other| name(other) != name(it)));
    let every = after.iter().chain(gone).map(name);
    let pieces = every.filter_map(|named| {
        let both = [before, after].map(|all| all.iter().find(|other| name(other) == named));
        walk.whole(Part::Criterion, named, "", Both(both))
    });
    Piece::List(pieces.collect())
}
