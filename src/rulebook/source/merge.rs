//! A rulebook laid over the one that it extends: by name, piece by piece.

use super::merge_lines::{merge_lines, name_of, position};
use super::node::{Entry, Node, Value};
use super::section::texts_of;
use crate::rulebook::problem::{Mark, Problems, did_you_mean};

/// How deep the tables of a section are merged key by key; below that, a value replaces a value.
fn depth_of(section: &str) -> usize {
    match section {
        "endings" | "metadata" => 3,
        "factors" | "overall" => 2,
        _ => 1,
    }
}

pub(super) fn merge(base: Node, child: Node, problems: &Problems) -> Node {
    let mut merged = base;
    let Value::Table(mut changes) = child.value else { return merged };
    merged.mark = child.mark;
    let Some(entries) = merged.entries_mut() else { return merged };
    // Examples belong to the rulebook that makes them: what extends it may well decide otherwise.
    entries.retain(|entry| !matches!(entry.key.as_str(), "examples" | "about" | "extends"));
    for signal in entries.iter_mut().filter(|entry| entry.key == "signals") {
        for signal in signal.node.entries_mut().into_iter().flatten() {
            if let Some(parts) = signal.node.entries_mut() {
                parts.retain(|part| !matches!(part.key.as_str(), "yes" | "no"));
            }
        }
    }
    if let Some(at) = changes.iter().position(|entry| entry.key == "remove") {
        remove(entries, &changes.remove(at).node, problems);
    }
    // A table has no key twice: what was added is not looked for again.
    let own = entries.len();
    for change in changes {
        let Some(place) = entries[..own].iter().position(|entry| entry.key == change.key) else {
            if change.key == "extends" {
                continue;
            }
            entries.push(without_places(change, problems));
            continue;
        };
        let base = &mut entries[place].node;
        match change.key.as_str() {
            "lists" => merge_named(base, change, problems, merge_list),
            "signals" => merge_named(base, change, problems, merge_signal),
            "decide" | "error_kinds" | "certainty" => merge_lines(base, change.node, problems),
            section => merge_tables(base, change.node, depth_of(section)),
        }
    }
    merged
}

/// A section that the base does not have at all.
fn without_places(change: Entry, problems: &Problems) -> Entry {
    match change.key.as_str() {
        "lists" => {
            let mut empty = Node { mark: change.node.mark, value: Value::Table(Vec::new()) };
            let (key, key_mark) = (change.key.clone(), change.key_mark);
            merge_named(&mut empty, change, problems, merge_list);
            Entry { key, key_mark, node: empty }
        }
        _ => change,
    }
}

/// Lays a table over a table, key by key down to a depth; anything else replaces what was there.
pub(super) fn merge_tables(base: &mut Node, change: Node, depth: usize) {
    match (&mut base.value, change.value) {
        (Value::Table(entries), Value::Table(changes)) if depth > 0 => {
            base.mark = change.mark;
            let own = entries.len();
            for change in changes {
                match entries[..own].iter_mut().find(|entry| entry.key == change.key) {
                    Some(entry) => {
                        entry.key_mark = change.key_mark;
                        merge_tables(&mut entry.node, change.node, depth - 1);
                    }
                    None => entries.push(change),
                }
            }
        }
        (_, value) => *base = Node { mark: change.mark, value },
    }
}

/// How a named thing is laid over the thing of that name, if there is one.
type Overlay = fn(Option<&Node>, Entry, &Problems) -> Entry;

/// So many lists or signals a file may have: each is looked for among the others.
const MOST_NAMED: usize = 2000;

fn merge_named(base: &mut Node, change: Entry, problems: &Problems, overlay: Overlay) {
    let Value::Table(changes) = change.node.value else {
        base.value = change.node.value;
        base.mark = change.node.mark;
        return;
    };
    if let Some(first) = changes.get(MOST_NAMED) {
        let message = format!("`{}` can have at most {MOST_NAMED} tables", change.key);
        problems.error(first.key_mark, message);
        return;
    }
    let Some(entries) = base.entries_mut() else { return };
    for change in changes {
        match entries.iter().position(|entry| entry.key == change.key) {
            Some(at) => entries[at] = overlay(Some(&entries[at].node), change, problems),
            None => entries.push(overlay(None, change, problems)),
        }
    }
}

/// A signal replaces the signal of its name; only its `about` is kept where it brings none.
fn merge_signal(base: Option<&Node>, mut change: Entry, _: &Problems) -> Entry {
    inherit(base, &mut change, &["about"]);
    change
}

fn inherit(base: Option<&Node>, change: &mut Entry, keys: &[&str]) {
    let Some(old) = base.and_then(Node::entries) else { return };
    if let Some(new) = change.node.entries_mut() {
        for entry in old {
            if keys.contains(&entry.key.as_str()) && !new.iter().any(|e| e.key == entry.key) {
                new.push(entry.clone());
            }
        }
    }
}

/// A list with `entries` or `groups` replaces its namesake; one with `add` or `remove` changes it.
fn merge_list(base: Option<&Node>, mut change: Entry, problems: &Problems) -> Entry {
    let replaces = ["entries", "groups"].iter().any(|key| change.node.get(key).is_some());
    let changes = ["add", "remove"].iter().any(|key| change.node.get(key).is_some());
    if replaces {
        // Both at once is reported when the list is compiled, as keys that do not belong there.
        inherit(base, &mut change, &["about", "match"]);
        return change;
    }
    let Some(base) = base else {
        if changes {
            let message = format!("unknown list `{}`; a new list needs `entries`", change.key);
            problems.error(change.key_mark, message);
            // Read as a new list, so that the one mistake is not reported in three ways.
            let parts = change.node.entries_mut().into_iter().flatten();
            for part in parts.filter(|part| matches!(part.key.as_str(), "add" | "remove")) {
                let groups = matches!(part.node.value, Value::Table(_));
                let key = if groups { "groups" } else { "entries" };
                key.clone_into(&mut part.key);
            }
        }
        return change;
    };
    let mut merged = base.clone();
    let Some(parts) = change.node.entries_mut() else { return change };
    for part in std::mem::take(parts) {
        match part.key.as_str() {
            "add" => add_to_list(&mut merged, part.node),
            "remove" => {
                for (text, mark) in texts_of(&part.node, problems) {
                    remove_from_list(&mut merged, text, mark, problems);
                }
            }
            _ => merge_tables(
                &mut merged,
                Node { mark: part.key_mark, value: Value::Table(vec![part]) },
                1,
            ),
        }
    }
    Entry { node: merged, ..change }
}

/// Adds texts: a plain list to the entries, a table to the groups of its headings.
fn add_to_list(list: &mut Node, added: Node) {
    let (key, mark) = match added.value {
        Value::Table(_) => ("groups", added.mark),
        _ => ("entries", added.mark),
    };
    let Some(parts) = list.entries_mut() else { return };
    match parts.iter_mut().find(|part| part.key == key) {
        None => parts.push(Entry { key: key.to_owned(), key_mark: mark, node: added }),
        Some(part) => match (&mut part.node.value, added.value) {
            (Value::Table(groups), Value::Table(more)) => {
                for group in more {
                    match groups.iter_mut().find(|old| old.key == group.key) {
                        Some(old) => append(&mut old.node, group.node),
                        None => groups.push(group),
                    }
                }
            }
            (_, value) => append(&mut part.node, Node { mark, value }),
        },
    }
}

fn append(list: &mut Node, more: Node) {
    match (&mut list.value, more.value) {
        (Value::List(elements), Value::List(more)) => elements.extend(more),
        (Value::List(elements), value) => elements.push(Node { mark: more.mark, value }),
        (old, value) => *old = value,
    }
}

fn remove_from_list(list: &mut Node, text: &str, mark: Mark, problems: &Problems) {
    let same =
        |node: &Node| node.text().is_some_and(|old| old.to_lowercase() == text.to_lowercase());
    let mut known = Vec::new();
    let mut removed = false;
    for part in list.entries_mut().into_iter().flatten() {
        let holders: Vec<&mut Node> = match (part.key.as_str(), &mut part.node.value) {
            ("entries", _) => vec![&mut part.node],
            ("groups", Value::Table(groups)) => {
                groups.iter_mut().map(|group| &mut group.node).collect()
            }
            _ => Vec::new(),
        };
        for holder in holders {
            if let Value::List(elements) = &mut holder.value {
                let before = elements.len();
                elements.retain(|element| !same(element));
                removed |= elements.len() < before;
                known.extend(elements.iter().filter_map(|e| e.text().map(str::to_owned)));
            }
        }
    }
    if !removed {
        problems.error_with_help(
            mark,
            format!("the list has no entry `{text}` to remove"),
            did_you_mean(text, known.iter().map(String::as_str)),
        );
    }
}

fn remove(base: &mut [Entry], removal: &Node, problems: &Problems) {
    let Some(sections) = removal.entries() else {
        problems.error(removal.mark, format!("expected a table, not {}", removal.kind()));
        return;
    };
    for section in sections {
        let path: &[&str] = match section.key.as_str() {
            "lists" => &["lists"],
            "signals" => &["signals"],
            "factors" => &["factors"],
            "decide" => &["decide"],
            "error_kinds" => &["error_kinds"],
            "certainty" => &["certainty"],
            "counted" => &["metadata", "counted"],
            other => {
                let known = [
                    "lists",
                    "signals",
                    "factors",
                    "decide",
                    "error_kinds",
                    "certainty",
                    "counted",
                ];
                problems.error_with_help(
                    section.key_mark,
                    format!("nothing can be removed from `{other}`"),
                    did_you_mean(other, known)
                        .or_else(|| Some(format!("known: {}", known.join(", ")))),
                );
                continue;
            }
        };
        for (name, mark) in texts_of(&section.node, problems) {
            if let Err(help) = remove_named(base, path, name) {
                let message = format!("unknown name `{name}` in `remove`");
                problems.error_with_help(mark, message, help);
            } else if path == ["decide"] {
                remove_certainty(base, name);
            }
        }
    }
}

/// How sure a decision line is goes with it.
fn remove_certainty(base: &mut [Entry], line: &str) {
    let sections = base.iter_mut().filter(|section| section.key == "certainty");
    for lines in sections.filter_map(|section| section.node.elements_mut()) {
        lines.retain(|it| it.get("decided_by").and_then(Node::text) != Some(line));
    }
}

/// Removes one named thing; the error is a suggestion, if there is one.
fn remove_named(base: &mut [Entry], path: &[&str], name: &str) -> Result<(), Option<String>> {
    let [section, deeper @ ..] = path else { return Err(None) };
    let Some(section) = base.iter_mut().find(|entry| entry.key == *section) else {
        return Err(None);
    };
    match &mut section.node.value {
        Value::Table(entries) if !deeper.is_empty() => remove_named(entries, deeper, name),
        Value::Table(entries) => match entries.iter().position(|entry| entry.key == name) {
            Some(at) => {
                entries.remove(at);
                Ok(())
            }
            None => Err(did_you_mean(name, entries.iter().map(|entry| entry.key.as_str()))),
        },
        Value::List(lines) => match position(lines, name) {
            Some(at) => {
                lines.remove(at);
                Ok(())
            }
            None => Err(did_you_mean(name, lines.iter().filter_map(name_of))),
        },
        _ => Err(None),
    }
}
