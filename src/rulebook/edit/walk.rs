//! What goes through two trees and notes the edits.

use super::part::{Edit, Part};
use super::piece::{Piece, same};
use crate::rulebook::source::{Entry, Node, Value};

/// The edits noted so far.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) edits: Vec<Edit>,
}

/// A value of the two trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both<'a> {
    pub(super) before: Option<&'a Node>,
    pub(super) after: Option<&'a Node>,
}

impl<'a> Both<'a> {
    pub(super) fn of(before: &'a Node, after: &'a Node) -> Self {
        Self { before: Some(before), after: Some(after) }
    }

    pub(super) fn get(self, key: &str) -> Self {
        let get = |node: Option<&'a Node>| node.and_then(|node| node.get(key));
        Self { before: get(self.before), after: get(self.after) }
    }

    /// A table of what becomes of each key.
    pub(super) fn table(self, mut piece: impl FnMut(&str, Self) -> Option<Piece>) -> Piece {
        let keys = self.keys().into_iter();
        let pieces = keys.filter_map(|key| Some((key.to_owned(), piece(key, self.get(key))?)));
        Piece::Table(pieces.collect())
    }

    /// The keys of the later table, then those that only the earlier one has.
    pub(super) fn keys(self) -> Vec<&'a str> {
        let of = |node: Option<&'a Node>| {
            node.and_then(Node::entries).unwrap_or_default().iter().map(|entry| entry.key.as_str())
        };
        let mut keys: Vec<&str> = of(self.after).collect();
        keys.extend(of(self.before).filter(|key| !of(self.after).any(|other| other == *key)));
        keys
    }
}

impl Walk {
    /// Notes an edit and gives its number.
    pub(super) fn note(&mut self, part: Part, of: &str, key: &str, both: Both<'_>) -> usize {
        let [before, after] = [both.before, both.after].map(|node| node.map(words));
        self.edits.push(Edit { part, of: of.to_owned(), key: key.to_owned(), before, after });
        self.edits.len() - 1
    }

    /// Notes an edit that replaces a value as a whole.
    pub(super) fn choice(&mut self, part: Part, of: &str, key: &str, both: Both<'_>) -> Piece {
        Piece::choice(self.note(part, of, key, both), both)
    }

    /// A value that is replaced as a whole; `None` where neither has it.
    pub(super) fn whole(
        &mut self,
        part: Part,
        of: &str,
        key: &str,
        both: Both<'_>,
    ) -> Option<Piece> {
        if same(both.before, both.after) {
            return both.after.cloned().map(Piece::Same);
        }
        Some(self.choice(part, of, key, both))
    }
}

/// How many characters a value is shown with.
const MOST: usize = 120;

/// A value as people read it.
fn words(node: &Node) -> String {
    let words = unbounded(node);
    match words.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", &words[..at]),
        None => words,
    }
}

fn unbounded(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::List(elements) => joined(elements, ", "),
        Value::Table(entries) => table(entries),
        Value::Date | Value::Null => String::new(),
    }
}

fn joined(elements: &[Node], word: &str) -> String {
    elements.iter().map(unbounded).collect::<Vec<_>>().join(word)
}

/// Conditions read as such, other tables key by key.
fn table(entries: &[Entry]) -> String {
    let part = |entry: &Entry| match (entry.key.as_str(), entry.node.elements()) {
        ("any", Some(elements)) => format!("({})", joined(elements, " or ")),
        ("all", Some(elements)) => format!("({})", joined(elements, " and ")),
        ("contains", Some(elements)) => {
            let texts: Vec<String> =
                elements.iter().map(|text| format!("'{}'", unbounded(text))).collect();
            format!("contains {}", texts.join(", "))
        }
        ("regex", _) => format!("matches /{}/", unbounded(&entry.node)),
        ("signal" | "type" | "severity", _) => unbounded(&entry.node),
        (key, _) => format!("{key} {}", unbounded(&entry.node)),
    };
    entries.iter().map(part).collect::<Vec<_>>().join(" ")
}
