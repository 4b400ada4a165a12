//! What is different section by section: lists entry by entry, signals part by part.

use super::Part;
use super::piece::{Both, Lines, Piece, Walk, elements, entries, plain, text};
use crate::rulebook::source::{Entry, Node, Value, elements_of};

/// What the settings of each section are about; a setting that is not named is what all others of its section are.
const SETTINGS: [(&str, &str, Part); 14] = [
    ("decide", "if", Part::LineCondition),
    ("decide", "return", Part::Answer),
    ("decide", "threshold", Part::Threshold),
    ("endings", "", Part::Ending),
    ("error_kinds", "", Part::ErrorKindCondition),
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
const IDLE: [&str; 7] =
    ["about", "counted", "distinct_types", "evidence", "evidence_units", "name", "retry"];

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
    let gone = before.iter().filter(|it| after.iter().all(|other| other.name() != it.name()));
    let every = after.iter().chain(gone).map(Node::name);
    let pieces = every.filter_map(|named| {
        let both = [before, after].map(|all| all.iter().find(|other| other.name() == named));
        walk.whole(Part::Criterion, named, "", Both(both))
    });
    Piece::List(pieces.collect())
}

/// What says nothing about what a signal observes, a regex's name among it.
const WORDS: [&str; 4] = ["about", "name", "yes", "no"];

/// The named lists. One that only one side has is there in any case: only signals make something of it.
fn lists(walk: &mut Walk, both: Both<'_>) -> Piece {
    both.table(|name, both| {
        let flat = both.0.map(|list| list.map(flattened));
        let matching = both.get("match");
        let (entries, matching) = if let [Some(before), Some(after)] = &flat {
            let entries = texts(walk, Part::Entry, name, [before, after]);
            (entries, walk.whole(Part::Matching, name, "match", matching))
        } else {
            let entries = flat.into_iter().flatten().flatten();
            let entries = entries.map(|entry| Piece::Same(text(&entry))).collect();
            (Piece::List(entries), matching.any().cloned().map(Piece::Same))
        };
        let mut parts = vec![("entries".to_owned(), entries)];
        parts.extend(matching.map(|matching| ("match".to_owned(), matching)));
        Some(Piece::Table(parts))
    })
}

/// The entries of a list as they are looked for, whatever heading they stand under.
fn flattened(list: &Node) -> Vec<String> {
    let groups = entries(list.get("groups")).iter().map(|group| &group.node);
    groups.chain(list.get("entries")).flat_map(texts_in).collect()
}

fn texts_in(node: &Node) -> Vec<String> {
    elements_of(node).iter().filter_map(Node::text).map(str::to_lowercase).collect()
}

/// Two lists of texts: each text that only one of them has is an edit.
fn texts(walk: &mut Walk, part: Part, of: &str, [before, after]: [&[String]; 2]) -> Piece {
    let mut pieces = Vec::new();
    for entry in after {
        let node = text(entry);
        pieces.push(if before.contains(entry) {
            Piece::Same(node)
        } else {
            walk.choice(part, of, entry, Both([None, Some(&node)]))
        });
    }
    for entry in before.iter().filter(|entry| !after.contains(entry)) {
        pieces.push(walk.choice(part, of, entry, Both([Some(&text(entry)), None])));
    }
    Piece::List(pieces)
}

fn signals(walk: &mut Walk, both: Both<'_>) -> Piece {
    both.table(|name, both| {
        let definitions = both.0.map(|signal| signal.map(definition));
        Some(signal(walk, name, Both::of(&definitions)))
    })
}

fn definition(node: &Node) -> Node {
    plain(match &node.value {
        Value::Table(parts) => {
            let kept = parts.iter().filter(|part| !WORDS.contains(&part.key.as_str()));
            let kept = kept.map(|part| Entry { node: definition(&part.node), ..part.clone() });
            Value::Table(kept.collect())
        }
        Value::List(elements) => Value::List(elements.iter().map(definition).collect()),
        other => other.clone(),
    })
}

fn signal(walk: &mut Walk, name: &str, both: Both<'_>) -> Piece {
    let [Some(before), Some(after)] = both.0 else {
        return walk.choice(Part::Signal, name, "", both);
    };
    let noted = walk.edits.len();
    let piece = expression(walk, name, both);
    // An entry is known by its signal and its text, so no text may stand in two lists of the signal.
    let entries = walk.edits[noted..].iter().filter(|edit| edit.part == Part::OwnEntry);
    let edited: Vec<&str> = entries.map(|edit| edit.key.as_str()).collect();
    let texts = [before, after].map(inline_texts).concat();
    if texts.iter().filter(|text| edited.contains(&text.as_str())).count() <= edited.len() {
        return piece;
    }
    walk.edits.truncate(noted);
    walk.choice(Part::Definition, name, "", both)
}

fn inline_texts(node: &Node) -> Vec<String> {
    let of_part = |part: &Entry| match (part.key.as_str(), part.node.text()) {
        // A text there is the name of a list.
        ("contains", Some(_)) => Vec::new(),
        ("contains" | "equals", _) => texts_in(&part.node),
        _ => inline_texts(&part.node),
    };
    let of_elements = elements(Some(node)).iter().flat_map(inline_texts);
    entries(Some(node)).iter().flat_map(of_part).chain(of_elements).collect()
}

fn expression(walk: &mut Walk, signal: &str, both: Both<'_>) -> Piece {
    if let Some(same) = both.later().filter(|_| both.is_same()) {
        return same;
    }
    let Some(operator) = operator(both) else {
        return walk.choice(Part::Definition, signal, "", both);
    };
    let inner = both.get(operator);
    let piece = match (operator, inner.0) {
        ("any" | "all", _) => parts(walk, signal, inner),
        ("not", _) => expression(walk, signal, inner),
        ("regex", _) => {
            let key = inner.any().and_then(Node::text).unwrap_or_default();
            // Where the regex is the same, it is read in another way.
            let sides = if inner.is_same() { both } else { inner };
            return Piece::choice(walk.note(Part::Regex, signal, key, sides), both);
        }
        (_, [Some(before), Some(after)]) if lists_texts(before) && lists_texts(after) => {
            let [before, after] = [before, after].map(texts_in);
            texts(walk, Part::OwnEntry, signal, [&before, &after])
        }
        _ => return walk.choice(Part::Definition, signal, "", both),
    };
    // The other keys are the same in both.
    let others = entries(both.0[1]).iter().filter(|part| part.key != operator);
    let mut table = vec![(operator.to_owned(), piece)];
    table.extend(others.map(|part| (part.key.clone(), Piece::Same(part.node.clone()))));
    Piece::Table(table)
}

/// Whether it is a list of texts in its own right, and not the name of one.
fn lists_texts(node: &Node) -> bool {
    node.elements().is_some_and(|elements| elements.iter().all(|text| text.text().is_some()))
}

/// The key that two tables differ in, if all others are the same; for regexes, whatever differs.
fn operator(both: Both<'_>) -> Option<&'static str> {
    const OPERATORS: [&str; 6] = ["any", "all", "not", "regex", "contains", "equals"];
    let is_in_both = |key: &&str| both.get(key).0.iter().all(Option::is_some);
    let operator = OPERATORS.into_iter().find(is_in_both)?;
    let mut keys = both.0.into_iter().flat_map(entries).map(|entry| entry.key.as_str());
    let others_are_same = keys.all(|key| key == operator || both.get(key).is_same());
    (operator == "regex" || others_are_same).then_some(operator)
}

/// The parts of an `any` or `all`. What is in both stays; what is left over on both sides is compared
/// in its order, and what is left then came or went.
fn parts(walk: &mut Walk, signal: &str, both: Both<'_>) -> Piece {
    let [before, after] = both.0.map(elements);
    let mut old: Vec<&Node> = before.iter().collect();
    let stays = after.iter().map(|part| {
        let same = old.iter().position(|other| Both([Some(other), Some(part)]).is_same());
        same.map(|at| old.remove(at)).is_some()
    });
    let stays: Vec<bool> = stays.collect();
    let pairs = stays.iter().filter(|stays| !**stays).count() == old.len();
    let mut pieces = Vec::new();
    for (part, stays) in after.iter().zip(stays) {
        if stays {
            pieces.push(Piece::Same(part.clone()));
            continue;
        }
        let partner = old.iter().position(|other| pairs || is_akin(other, part));
        pieces.push(match partner.map(|at| old.remove(at)) {
            Some(partner) => expression(walk, signal, Both([Some(partner), Some(part)])),
            None => came_or_went(walk, signal, Both([None, Some(part)])),
        });
    }
    for part in old {
        pieces.push(came_or_went(walk, signal, Both([Some(part), None])));
    }
    Piece::List(pieces)
}

/// Whether two parts are the same with some texts changed.
fn is_akin(before: &Node, after: &Node) -> bool {
    let [before, after] = [before, after].map(inline_texts);
    before.iter().any(|text| after.contains(text))
}

fn came_or_went(walk: &mut Walk, signal: &str, both: Both<'_>) -> Piece {
    let regex = both.get("regex");
    let edit = match regex.any().and_then(Node::text) {
        Some(text) => walk.note(Part::Regex, signal, text, regex),
        None => walk.note(Part::Question, signal, "", both),
    };
    Piece::choice(edit, both)
}
