//! Two trees as one, with a choice wherever they differ.

use super::lines::Lines;
use super::{Edit, Part};
use crate::rulebook::problem::Mark;
use crate::rulebook::source::{Entry, Node, Value};

/// A value of the earlier tree and of the later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Both<'a>(pub(super) [Option<&'a Node>; 2]);

impl<'a> Both<'a> {
    pub(super) fn of(values: &'a [Option<Node>; 2]) -> Self {
        Self(values.each_ref().map(Option::as_ref))
    }

    pub(super) fn get(self, key: &str) -> Self {
        Self(self.0.map(|node| node.and_then(|node| node.get(key))))
    }

    pub(super) fn any(self) -> Option<&'a Node> {
        self.0[0].or(self.0[1])
    }

    /// The later value, as it is.
    pub(super) fn later(self) -> Option<Piece> {
        self.0[1].cloned().map(Piece::Same)
    }

    /// Whether two values are the same, wherever they stand.
    pub(super) fn is_same(self) -> bool {
        let [before, after] = self.0.map(|node| node.map(Node::to_json));
        before == after
    }

    /// A table of what becomes of each key: of those of the later table, then those that only the earlier one has.
    pub(super) fn table(self, mut piece: impl FnMut(&str, Self) -> Option<Piece>) -> Piece {
        let [before, after] = self.0.map(|node| entries(node).iter().map(|entry| &*entry.key));
        let mut keys: Vec<&str> = after.collect();
        let gone: Vec<&str> = before.filter(|key| !keys.contains(key)).collect();
        keys.extend(gone);
        let pieces = keys.into_iter();
        let pieces = pieces.filter_map(|key| Some((key.to_owned(), piece(key, self.get(key))?)));
        Piece::Table(pieces.collect())
    }
}

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
    Choice(usize, [Option<Node>; 2]),
    Table(Vec<(String, Piece)>),
    List(Vec<Piece>),
    Lines(Lines),
}

impl Piece {
    pub(super) fn choice(edit: usize, both: Both<'_>) -> Self {
        Self::Choice(edit, both.0.map(Option::<&Node>::cloned))
    }

    /// The tree that comes of choosing; `None` where nothing is left.
    pub(super) fn build(&self, pick: &dyn Fn(usize) -> Pick) -> Option<Node> {
        Some(plain(match self {
            Self::Same(node) => return Some(node.clone()),
            Self::Choice(edit, [before, after]) => {
                return match pick(*edit) {
                    Pick::Before => before.clone(),
                    Pick::After => after.clone(),
                    Pick::Either => before.as_ref().or(after.as_ref()).cloned(),
                };
            }
            Self::Table(pieces) => {
                let built = |(key, piece): &(String, Self)| Some(entry(key, piece.build(pick)?));
                Value::Table(pieces.iter().filter_map(built).collect())
            }
            Self::List(pieces) => {
                Value::List(pieces.iter().filter_map(|piece| piece.build(pick)).collect())
            }
            Self::Lines(lines) => Value::List(lines.build(pick)),
        }))
    }
}

/// The edits noted so far.
#[derive(Debug, Default)]
pub(super) struct Walk {
    pub(super) edits: Vec<Edit>,
}

impl Walk {
    /// Notes an edit and gives its number.
    pub(super) fn note(&mut self, part: Part, of: &str, key: &str, both: Both<'_>) -> usize {
        let [before, after] = both.0.map(|node| node.map(words));
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
        if both.is_same() { both.later() } else { Some(self.choice(part, of, key, both)) }
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

/// Conditions read as such, other tables key by key.
fn unbounded(node: &Node) -> String {
    let joined =
        |nodes: &[Node], word: &str| nodes.iter().map(unbounded).collect::<Vec<_>>().join(word);
    let part = |Entry { key, node, .. }: &Entry| match (key.as_str(), node.elements()) {
        ("any", Some(elements)) => format!("({})", joined(elements, " or ")),
        ("all", Some(elements)) => format!("({})", joined(elements, " and ")),
        ("contains", Some(elements)) => format!("contains '{}'", joined(elements, "', '")),
        ("regex", _) => format!("matches /{}/", unbounded(node)),
        ("signal" | "type" | "severity", _) => unbounded(node),
        (key, _) => format!("{key} {}", unbounded(node)),
    };
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::List(elements) => joined(elements, ", "),
        Value::Table(entries) => entries.iter().map(part).collect::<Vec<_>>().join(" "),
        Value::Date | Value::Null => String::new(),
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

pub(super) fn entry(key: &str, node: Node) -> Entry {
    Entry { key: key.to_owned(), key_mark: Mark::default(), node }
}

/// The entries of a table; none where there is no table.
pub(super) fn entries(node: Option<&Node>) -> &[Entry] {
    node.and_then(Node::entries).unwrap_or_default()
}

/// The elements of a list; none where there is no list.
pub(super) fn elements(node: Option<&Node>) -> &[Node] {
    node.and_then(Node::elements).unwrap_or_default()
}
