//! Ordered, named lines laid over others.

use super::merge::merge_tables;
use super::node::{Node, Value};
use crate::rulebook::problem::{Mark, Problems, did_you_mean};

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
pub(super) fn merge_lines(base: &mut Node, change: Node, problems: &Problems) {
    let (Value::List(lines), Value::List(changes)) = (&mut base.value, change.value) else {
        return;
    };
    for mut change in changes {
        let neighbour = take_neighbour(&mut change);
        let known = name_of(&change).and_then(|name| position(lines, name));
        let line = match known {
            Some(at) => {
                let mut line = lines.remove(at);
                let excluded: &[&str] = EXCLUDING
                    .iter()
                    .find(|(key, _)| change.get(key).is_some())
                    .map_or(&[], |(_, excluded)| excluded);
                if let Some(entries) = line.entries_mut() {
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
            Some((side, name, mark)) => match (position(lines, name), side) {
                (Some(at), Side::Before) => at,
                (Some(at), Side::After) => at + 1,
                (None, _) => {
                    problems.error_with_help(
                        *mark,
                        format!("unknown line `{name}`"),
                        did_you_mean(name, lines.iter().filter_map(name_of)),
                    );
                    end
                }
            },
        };
        lines.insert(place.min(lines.len()), line);
    }
}

/// On which side of its neighbour a line is put.
#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

/// Takes `before` or `after` off a line.
fn take_neighbour(line: &mut Node) -> Option<(Side, String, Mark)> {
    let entries = line.entries_mut()?;
    let at = entries.iter().position(|entry| {
        matches!(entry.key.as_str(), "before" | "after") && entry.node.text().is_some()
    })?;
    let entry = entries.remove(at);
    let side = if entry.key == "before" { Side::Before } else { Side::After };
    Some((side, entry.node.text().unwrap_or_default().to_owned(), entry.node.mark))
}

pub(super) fn name_of(line: &Node) -> Option<&str> {
    line.get("name").and_then(Node::text)
}

pub(super) fn position(lines: &[Node], name: &str) -> Option<usize> {
    lines.iter().position(|line| name_of(line) == Some(name))
}
