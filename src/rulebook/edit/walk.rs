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

/// What an edit that is being noted is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    pub(super) part: Part,
    pub(super) of: &'a str,
    pub(super) key: &'a str,
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
    pub(super) fn note(&mut self, about: About<'_>, both: Both<'_>) -> usize {
        self.edits.push(Edit {
            part: about.part,
            of: about.of.to_owned(),
            key: about.key.to_owned(),
            before: both.before.map(words),
            after: both.after.map(words),
        });
        self.edits.len() - 1
    }

    /// A value that is replaced as a whole; `None` where neither has it.
    pub(super) fn whole(&mut self, about: About<'_>, both: Both<'_>) -> Option<Piece> {
        if same(both.before, both.after) {
            return both.after.cloned().map(Piece::Same);
        }
        let edit = self.note(about, both);
        Some(Piece::Choice { edit, before: both.before.cloned(), after: both.after.cloned() })
    }
}
