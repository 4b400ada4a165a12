//! A rulebook laid over the one that it extends: by name, piece by piece.

use super::node::{Entry, Node, Value};
use super::section::{elements_of, texts_of};
use crate::rulebook::problem::{Mark, Problems, hint};

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
    for mut change in changes {
        let place = entries[..own].iter().position(|entry| entry.key == change.key);
        match (change.key.as_str(), place) {
            ("extends", None) => {}
            ("lists", None) => {
                let mut lists = Node { mark: change.node.mark, value: Value::Table(Vec::new()) };
                merge_named(&mut lists, &mut change, problems, merge_list);
                entries.push(Entry { node: lists, ..change });
            }
            (_, None) => entries.push(change),
            ("lists", Some(at)) => {
                merge_named(&mut entries[at].node, &mut change, problems, merge_list);
            }
            ("signals", Some(at)) => {
                merge_named(&mut entries[at].node, &mut change, problems, merge_signal);
            }
            ("decide" | "error_kinds" | "certainty", Some(at)) => {
                merge_lines(&mut entries[at].node, change.node, problems);
            }
            (section, Some(at)) => {
                merge_tables(&mut entries[at].node, change.node, depth_of(section));
            }
        }
    }
    merged
}

/// Lays a table over a table, key by key down to a depth; anything else replaces what was there.
fn merge_tables(base: &mut Node, change: Node, depth: usize) {
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

fn merge_named(base: &mut Node, change: &mut Entry, problems: &Problems, overlay: Overlay) {
    let Some(changes) = change.node.entries_mut().map(std::mem::take) else {
        base.clone_from(&change.node);
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
    let has = |keys: [&str; 2]| keys.iter().any(|key| change.node.get(key).is_some());
    if has(["entries", "groups"]) {
        // Both at once is reported when the list is compiled, as keys that do not belong there.
        inherit(base, &mut change, &["about", "match"]);
        return change;
    }
    let changes = has(["add", "remove"]);
    let Some(parts) = change.node.entries_mut() else { return change };
    let Some(base) = base else {
        if changes {
            let message = format!("unknown list `{}`; a new list needs `entries`", change.key);
            problems.error(change.key_mark, message);
            // Read as a new list, so that the one mistake is not reported in three ways.
            for part in parts.iter_mut().filter(|it| it.key == "add" || it.key == "remove") {
                part.key = holder_of(&part.node).to_owned();
            }
        }
        return change;
    };
    let mut merged = base.clone();
    for part in std::mem::take(parts) {
        match part.key.as_str() {
            "add" => add_to_list(&mut merged, part.node),
            "remove" => {
                for (text, mark) in texts_of(&part.node, problems) {
                    remove_from_list(&mut merged, text, mark, problems);
                }
            }
            _ => {
                let value = Value::Table(vec![part]);
                merge_tables(&mut merged, Node { mark: change.key_mark, value }, 1);
            }
        }
    }
    Entry { node: merged, ..change }
}

/// Where in a list texts stand: a plain list among the entries, a table in the groups of its headings.
fn holder_of(texts: &Node) -> &'static str {
    if texts.entries().is_some() { "groups" } else { "entries" }
}

fn add_to_list(list: &mut Node, added: Node) {
    let (key, mark) = (holder_of(&added), added.mark);
    let Some(parts) = list.entries_mut() else { return };
    let entry = |key: &str, node| Entry { key: key.to_owned(), key_mark: mark, node };
    let Some(part) = parts.iter_mut().find(|part| part.key == key) else {
        parts.push(entry(key, added));
        return;
    };
    match (&mut part.node.value, added.value) {
        (Value::Table(groups), Value::Table(more)) => {
            for group in more {
                match groups.iter_mut().find(|old| old.key == group.key) {
                    Some(old) => append(&mut old.node, &group.node),
                    None => groups.push(group),
                }
            }
        }
        (_, value) => append(&mut part.node, &Node { mark, value }),
    }
}

fn append(list: &mut Node, more: &Node) {
    let all = [elements_of(list), elements_of(more)].concat();
    list.value = Value::List(all);
}

fn remove_from_list(list: &mut Node, text: &str, mark: Mark, problems: &Problems) {
    let same =
        |node: &Node| node.text().is_some_and(|old| old.to_lowercase() == text.to_lowercase());
    let (mut known, mut is_removed) = (Vec::new(), false);
    for part in list.entries_mut().into_iter().flatten() {
        let holders: Vec<&mut Node> = match (part.key.as_str(), &mut part.node.value) {
            ("entries", _) => vec![&mut part.node],
            ("groups", Value::Table(groups)) => groups.iter_mut().map(|it| &mut it.node).collect(),
            _ => Vec::new(),
        };
        for elements in holders.into_iter().filter_map(Node::elements_mut) {
            let before = elements.len();
            elements.retain(|element| !same(element));
            is_removed |= elements.len() < before;
            known.extend(elements.iter().filter_map(|e| e.text().map(str::to_owned)));
        }
    }
    if !is_removed {
        let message = format!("the list has no entry `{text}` to remove");
        problems.error_with_help(mark, message, hint(text, known.iter().map(String::as_str)));
    }
}

/// Where the things of each section of `remove` stand.
const REMOVABLE: [(&str, &[&str]); 7] = [
    ("lists", &["lists"]),
    ("signals", &["signals"]),
    ("factors", &["factors"]),
    ("decide", &["decide"]),
    ("error_kinds", &["error_kinds"]),
    ("certainty", &["certainty"]),
    ("counted", &["metadata", "counted"]),
];

fn remove(base: &mut [Entry], removal: &Node, problems: &Problems) {
    let Some(sections) = removal.entries() else {
        problems.error(removal.mark, format!("expected a table, not {}", removal.kind()));
        return;
    };
    for section in sections {
        let Some((_, path)) = REMOVABLE.iter().find(|(name, _)| *name == section.key) else {
            let help = hint(&section.key, REMOVABLE.map(|(name, _)| name));
            let message = format!("nothing can be removed from `{}`", section.key);
            problems.error_with_help(section.key_mark, message, help);
            continue;
        };
        for (name, mark) in texts_of(&section.node, problems) {
            let mut holder = base.iter_mut().find(|it| it.key == path[0]).map(|it| &mut it.node);
            for key in &path[1..] {
                let entries = holder.and_then(Node::entries_mut);
                let entry = entries.and_then(|it| it.iter_mut().find(|it| it.key == *key));
                holder = entry.map(|entry| &mut entry.node);
            }
            let find = |names: Vec<&str>| problems.find("name", name, mark, names);
            match holder.map(|holder| &mut holder.value) {
                Some(Value::Table(entries)) => {
                    if let Some(at) = find(entries.iter().map(|it| it.key.as_str()).collect()) {
                        entries.remove(at);
                    }
                }
                Some(Value::List(lines)) => {
                    if let Some(at) = find(lines.iter().map(Node::name).collect()) {
                        lines.remove(at);
                    }
                }
                _ => _ = find(Vec::new()),
            }
            if section.key == "decide" {
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

/// Keys of a line that take others away from the line of the same name, unless they come with it.
const EXCLUDING: [(&str, &[&str]); 5] = [
    ("return", &["threshold"]),
    ("threshold", &["return"]),
    ("certainty", &["near", "far"]),
    ("near", &["certainty"]),
    ("far", &["certainty"]),
];

/// Lays ordered, named lines over others. A line of a known name changes it in place, a new one goes
/// where its `before` or `after` says, or else before a closing line that always applies.
fn merge_lines(base: &mut Node, change: Node, problems: &Problems) {
    let (Value::List(lines), Value::List(changes)) = (&mut base.value, change.value) else {
        return;
    };
    for mut change in changes {
        let neighbour = change.entries_mut().and_then(|entries| {
            let is_place = |it: &Entry| {
                matches!(it.key.as_str(), "before" | "after") && it.node.text().is_some()
            };
            Some(entries.remove(entries.iter().position(is_place)?))
        });
        let name = change.get("name").and_then(Node::text);
        let known = lines.iter().position(|line| name == Some(line.name()));
        let line = match known {
            Some(at) => {
                let mut line = lines.remove(at);
                let excluding = EXCLUDING.iter().find(|(key, _)| change.get(key).is_some());
                if let (Some((_, excluded)), Some(entries)) = (excluding, line.entries_mut()) {
                    entries.retain(|entry| !excluded.contains(&entry.key.as_str()));
                }
                merge_tables(&mut line, change, 1);
                line
            }
            None => change,
        };
        let closing = usize::from(lines.last().is_some_and(|last| last.get("if").is_none()));
        let end = lines.len() - closing;
        let place = match &neighbour {
            None => known.unwrap_or(end),
            Some(Entry { key, node, .. }) => {
                let at = problems.find(
                    "line",
                    node.text().unwrap_or_default(),
                    node.mark,
                    lines.iter().map(Node::name),
                );
                at.map_or(end, |at| at + usize::from(key == "after"))
            }
        };
        lines.insert(place.min(lines.len()), line);
    }
}
