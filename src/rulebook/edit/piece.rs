//! Two trees as one, with a choice wherever they differ.

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

/// The lines of two trees. Some lines keep their order and are anchors; the others stand behind one of
/// them, in the earlier tree or in the later.
#[derive(Clone, Debug)]
pub(super) struct Lines(Vec<Line>);

#[derive(Clone, Debug)]
struct Line {
    piece: Piece,
    /// The edit by which it comes, goes or moves; anchors have none.
    edit: Option<usize>,
    /// Its place in the earlier tree and in the later.
    places: [Option<AnchorAndLine>; 2],
}

/// The anchor that comes before, and the place among all lines.
type AnchorAndLine = (usize, usize);

impl Lines {
    /// The lines of two trees; `inside` compares two lines of one name. The parts are that of a line and that
    /// of its place.
    pub(super) fn between(
        walk: &mut Walk,
        both: Both<'_>,
        [of_line, of_place]: [Part; 2],
        inside: &mut dyn FnMut(&mut Walk, &str, Both<'_>) -> Piece,
    ) -> Self {
        let [before, after] = both.0.map(elements);
        let names =
            [before, after].map(|lines| lines.iter().map(Node::name).collect::<Vec<&str>>());
        let at_before = |name: &str| names[0].iter().position(|other| *other == name);
        let common: Vec<usize> = names[1].iter().filter_map(|name| at_before(name)).collect();
        let anchors = longest_rising(&common);
        let is_anchor = |name: &str| at_before(name).is_some_and(|at| anchors.contains(&at));
        let places = names.each_ref().map(|names| {
            let mut anchor = 0;
            let place = |(at, name): (usize, &&str)| {
                anchor += usize::from(is_anchor(name));
                (anchor, at)
            };
            names.iter().enumerate().map(place).collect::<Vec<AnchorAndLine>>()
        });
        let mut lines = Vec::new();
        for ((line, name), place) in after.iter().zip(&names[1]).zip(&places[1]) {
            let old = at_before(name);
            let both = Both([old.map(|at| &before[at]), Some(line)]);
            let (edit, piece) = if old.is_some() {
                let moves = !is_anchor(name);
                let edit = moves.then(|| walk.note(of_place, name, "", Both([None; 2])));
                (edit, inside(walk, name, both))
            } else {
                (Some(walk.note(of_line, name, "", both)), Piece::Same(line.clone()))
            };
            lines.push(Line { piece, edit, places: [old.map(|at| places[0][at]), Some(*place)] });
        }
        for ((line, name), place) in before.iter().zip(&names[0]).zip(&places[0]) {
            if !names[1].contains(name) {
                let edit = Some(walk.note(of_line, name, "", Both([Some(line), None])));
                let piece = Piece::Same(line.clone());
                lines.push(Line { piece, edit, places: [Some(*place), None] });
            }
        }
        Self(lines)
    }

    /// The lines that come of choosing, in order. What no line can reach is left out.
    pub(super) fn build(&self, pick: &dyn Fn(usize) -> Pick) -> Vec<Node> {
        let mut placed: Vec<((usize, u8, usize), Node)> = Vec::new();
        for Line { piece, edit, places: [before, after] } in &self.0 {
            let (place, rank) = match edit.map(pick) {
                None => (after, 0),
                Some(Pick::Before) => (before, 1),
                Some(Pick::After | Pick::Either) => (after, 2),
            };
            let (Some((anchor, at)), Some(node)) = (place, piece.build(pick)) else { continue };
            placed.push(((*anchor, rank, *at), node));
        }
        placed.sort_by_key(|(place, _)| *place);
        let mut lines: Vec<Node> = placed.into_iter().map(|(_, node)| node).collect();
        let applies = ["if", "of", "endings"];
        let is_last = |line: &Node| applies.iter().all(|key| line.get(key).is_none());
        if let Some(always) = lines.iter().position(is_last) {
            lines.truncate(always + 1);
        }
        lines
    }
}

/// The longest rising run of a sequence of different numbers, gaps allowed.
fn longest_rising(numbers: &[usize]) -> Vec<usize> {
    let mut best: Vec<Vec<usize>> = Vec::new();
    for (at, number) in numbers.iter().enumerate() {
        let runs = best.iter().zip(&numbers[..at]).filter(|(_, last)| *last < number);
        let longest = runs.map(|(run, _)| run).max_by_key(|run| run.len());
        let mut run = longest.cloned().unwrap_or_default();
        run.push(*number);
        best.push(run);
    }
    best.into_iter().max_by_key(Vec::len).unwrap_or_default()
}
