//! What goes through two trees and notes the edits.

use super::part::{Edit, Part};
use super::piece::{Piece, same};
use super::words::words;
use crate::rulebook::source::Node;

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
