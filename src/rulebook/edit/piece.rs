//! Two trees as one, with a choice wherever they differ.

use super::lines::Lines;
use super::walk::Both;
use crate::rulebook::problem::Mark;
use crate::rulebook::source::{Entry, Node, Value};

/// Which side a choice falls on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    Before,
    After,
    /// Whatever is there, of something that only one side has.
    Either,
}

/// A part of the two trees.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Same(Node),
    Choice { edit: usize, before: Option<Node>, after: Option<Node> },
    Table(Vec<(String, Piece)>),
    List(Vec<Piece>),
    Lines(Lines),
}

impl Piece {
    pub(super) fn choice(edit: usize, both: Both<'_>) -> Self {
        Self::Choice { edit, before: both.before.cloned(), after: both.after.cloned() }
    }

    /// The tree that comes of choosing; `None` where nothing is left.
    pub(super) fn build(&self, pick: &dyn Fn(usize) -> Pick) -> Option<Node> {
        match self {
            Self::Same(node) => Some(node.clone()),
            Self::Choice { edit, before, after } => match pick(*edit) {
                Pick::Before => before.clone(),
                Pick::After => after.clone(),
                Pick::Either => before.as_ref().or(after.as_ref()).cloned(),
            },
            Self::Table(pieces) => {
                let entries = pieces.iter().filter_map(|(key, piece)| {
                    Some(Entry {
                        key: key.clone(),
                        key_mark: Mark::default(),
                        node: piece.build(pick)?,
                    })
                });
                Some(plain(Value::Table(entries.collect())))
            }
            Self::List(pieces) => {
                let elements = pieces.iter().filter_map(|piece| piece.build(pick));
                Some(plain(Value::List(elements.collect())))
            }
            Self::Lines(lines) => Some(plain(Value::List(lines.build(pick)))),
        }
    }
}

/// A value that stands nowhere.
pub(super) fn plain(value: Value) -> Node {
    Node { mark: Mark::default(), value }
}

/// A text that stands nowhere.
pub(super) fn text(text: &str) -> Node {
    plain(Value::Text(text.to_owned()))
}

/// Whether two values are the same, wherever they stand.
pub(super) fn same(before: Option<&Node>, after: Option<&Node>) -> bool {
    before.map(Node::to_json) == after.map(Node::to_json)
}

/// The entries of a table; none where there is no table.
pub(super) fn entries(node: Option<&Node>) -> &[Entry] {
    node.and_then(Node::entries).unwrap_or_default()
}

/// The elements of a list; none where there is no list.
pub(super) fn elements(node: Option<&Node>) -> &[Node] {
    node.and_then(Node::elements).unwrap_or_default()
}
