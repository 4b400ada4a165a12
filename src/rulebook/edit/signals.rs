//! Lists entry by entry, and signals part by part.

use super::part::Part;
use super::piece::{Piece, elements, entries, plain, same, text};
use super::walk::{Both, Walk};
use crate::rulebook::source::{Entry, Node, Value, elements_of};

/// What says nothing about what a signal observes, a regex's name among it.
const WORDS: [&str; 4] = ["about", "name", "yes", "no"];

/// The named lists. One that only one side has is there in any case: only signals make something of it.
pub(super) fn lists(walk: &mut Walk, both: Both<'_>) -> Piece {
    both.table(|name, both| {
        let is_in_both = both.before.is_some() && both.after.is_some();
        let [before, after] = [both.before, both.after].map(|list| list.map(flattened));
        let entries = match (before, after) {
            (Some(before), Some(after)) => texts(walk, Part::Entry, name, [&before, &after]),
            (only, other) => {
                let texts = only.or(other).unwrap_or_default();
                Piece::List(texts.iter().map(|entry| Piece::Same(text(entry))).collect())
            }
        };
        let matching = both.get("match");
        let matching = if is_in_both {
            walk.whole(Part::Matching, name, "match", matching)
        } else {
            matching.before.or(matching.after).cloned().map(Piece::Same)
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
            walk.choice(part, of, entry, Both { before: None, after: Some(&node) })
        });
    }
    for entry in before.iter().filter(|entry| !after.contains(entry)) {
        let both = Both { before: Some(&text(entry)), after: None };
        pieces.push(walk.choice(part, of, entry, both));
    }
    Piece::List(pieces)
}

pub(super) fn signals(walk: &mut Walk, both: Both<'_>) -> Piece {
    both.table(|name, both| {
        let [before, after] = [both.before, both.after].map(|signal| signal.map(definition));
        let both = Both { before: before.as_ref(), after: after.as_ref() };
        Some(signal(walk, name, both))
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
    let (Some(before), Some(after)) = (both.before, both.after) else {
        return walk.choice(Part::Signal, name, "", both);
    };
    let noted = walk.edits.len();
    let piece = expression(walk, name, Both::of(before, after));
    // An entry is known by its signal and its text, so no text may stand in two lists of the signal.
    let ambiguous = {
        let mut texts = [before, after].map(inline_texts).concat();
        let all = texts.len();
        let entries = walk.edits[noted..].iter().filter(|edit| edit.part == Part::OwnEntry);
        let edited: Vec<&str> = entries.map(|edit| edit.key.as_str()).collect();
        texts.retain(|text| edited.contains(&text.as_str()));
        all > 0 && texts.len() > edited.len()
    };
    if !ambiguous {
        return piece;
    }
    walk.edits.truncate(noted);
    walk.choice(Part::Definition, name, "", both)
}

fn inline_texts(node: &Node) -> Vec<String> {
    match &node.value {
        Value::Table(parts) => parts
            .iter()
            .flat_map(|part| match (part.key.as_str(), part.node.text()) {
                // A text there is the name of a list.
                ("contains", Some(_)) => Vec::new(),
                ("contains" | "equals", _) => texts_in(&part.node),
                _ => inline_texts(&part.node),
            })
            .collect(),
        Value::List(parts) => parts.iter().flat_map(inline_texts).collect(),
        _ => Vec::new(),
    }
}

fn expression(walk: &mut Walk, signal: &str, both: Both<'_>) -> Piece {
    let whole = |walk: &mut Walk| walk.choice(Part::Definition, signal, "", both);
    if let Some(node) = both.after
        && same(both.before, both.after)
    {
        return Piece::Same(node.clone());
    }
    let Some(operator) = operator(both) else { return whole(walk) };
    let inner = both.get(operator);
    let piece = match operator {
        "any" | "all" => parts(walk, signal, inner),
        "not" => expression(walk, signal, inner),
        "regex" => {
            let [before, after] = [inner.before, inner.after].map(|text| text.and_then(Node::text));
            let key = before.or(after).unwrap_or_default();
            // Where the regex is the same, it is read in another way.
            let sides = if same(inner.before, inner.after) { both } else { inner };
            return Piece::choice(walk.note(Part::Regex, signal, key, sides), both);
        }
        _ => match (inner.before, inner.after) {
            (Some(before), Some(after)) if lists_texts(before) && lists_texts(after) => {
                let [before, after] = [before, after].map(texts_in);
                texts(walk, Part::OwnEntry, signal, [&before, &after])
            }
            _ => return whole(walk),
        },
    };
    // The other keys are the same in both.
    let others = entries(both.after).iter().filter(|part| part.key != operator);
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
    let has = |key: &str| both.get(key).before.is_some() && both.get(key).after.is_some();
    let operator = OPERATORS.into_iter().find(|key| has(key))?;
    let others_are_the_same = both
        .keys()
        .into_iter()
        .filter(|key| *key != operator)
        .all(|key| same(both.get(key).before, both.get(key).after));
    (operator == "regex" || others_are_the_same).then_some(operator)
}

/// The parts of an `any` or `all`. What is in both stays; what is left over on both sides is compared
/// in its order, and what is left then came or went.
fn parts(walk: &mut Walk, signal: &str, both: Both<'_>) -> Piece {
    let [before, after] = [both.before, both.after].map(elements);
    let mut old: Vec<&Node> = before.iter().collect();
    let mut new: Vec<Option<&Node>> = Vec::new();
    for part in after {
        match old.iter().position(|other| same(Some(other), Some(part))) {
            Some(at) => {
                old.remove(at);
                new.push(None);
            }
            None => new.push(Some(part)),
        }
    }
    let left = new.iter().flatten().count();
    let mut pieces = Vec::new();
    let pairs = left == old.len();
    for (part, is_new) in after.iter().zip(new) {
        let partner = is_new.and_then(|_| {
            let at = old.iter().position(|other| pairs || is_akin(other, part))?;
            Some(old.remove(at))
        });
        pieces.push(match (is_new, partner) {
            (None, _) => Piece::Same(part.clone()),
            (Some(part), Some(partner)) => expression(walk, signal, Both::of(partner, part)),
            (Some(part), None) => {
                came_or_went(walk, signal, Both { before: None, after: Some(part) })
            }
        });
    }
    for part in old {
        pieces.push(came_or_went(walk, signal, Both { before: Some(part), after: None }));
    }
    Piece::List(pieces)
}

/// Whether two parts are the same with some texts changed.
fn is_akin(before: &Node, after: &Node) -> bool {
    let [before, after] = [before, after].map(inline_texts);
    before.iter().any(|text| after.contains(text))
}

fn came_or_went(walk: &mut Walk, signal: &str, both: Both<'_>) -> Piece {
    let part = both.before.or(both.after);
    let regex = part.and_then(|part| part.get("regex")).and_then(Node::text);
    let edit = match regex {
        Some(regex) => walk.note(Part::Regex, signal, regex, both.get("regex")),
        None => walk.note(Part::Question, signal, "", both),
    };
    Piece::choice(edit, both)
}
