//! What was changed between two rulebooks, as edits that can be put back one by one.
//!
//! The two trees become one, with a choice wherever they differ. Any choice of edits to put back gives
//! a rulebook: as text, or compiled for deciding only.

mod piece;
mod sections;

use super::Rulebook;
use super::compile::{Purpose, compile};
use super::problem::Problems;
use super::source::{Node, Value};
use piece::{Both, Pick, Piece, Walk, entries, entry};
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
pub struct Edits {
    all: Vec<Edit>,
    piece: Piece,
}

impl Edits {
    /// The edits that lead from one rulebook to another; `None` where the text of one is not kept.
    pub fn between(before: &Rulebook, after: &Rulebook) -> Option<Self> {
        let parse = |rulebook: &Rulebook| Node::parse(&rulebook.resolved, 0, &Problems::default());
        let trees = [before, after].map(parse);
        if trees.iter().any(|tree| entries(tree.as_ref()).is_empty()) {
            return None;
        }
        let mut walk = Walk::default();
        let piece = sections::rulebook(&mut walk, Both::of(&trees));
        Some(Self { all: walk.edits, piece })
    }

    /// The edits, in the rulebook's order.
    pub fn all(&self) -> &[Edit] {
        &self.all
    }

    /// The later rulebook with some edits put back, as TOML. It may be none that can be used: an edit
    /// can rest on another.
    pub fn put_back(&self, edits: &[usize]) -> String {
        // A signal that only one side has stays while something rests on it.
        let mut kept = BTreeSet::new();
        loop {
            let tree = self.build(&|edit| match self.all[edit].reach() {
                Reach::Telling if kept.contains(&edit) => Pick::Either,
                _ if edits.contains(&edit) => Pick::Before,
                _ => Pick::After,
            });
            let missing = self.missing_signals(&tree);
            let before = kept.len();
            kept.extend(missing);
            if kept.len() == before {
                return tree.resolved_toml();
            }
        }
    }

    /// The later rulebook with some edits put back, for telling signals from hits. Every entry of either
    /// rulebook is in its lists and every signal of either is there and observed on all replies: who asks
    /// must leave out what is not meant. Only edits that reach signals count.
    pub(crate) fn observing(&self, edits: &[usize]) -> Option<Rulebook> {
        let mut tree = self.all_there(edits);
        for section in tree.entries_mut()? {
            if section.key == "errors"
                && let Some(errors) = section.node.entries_mut()
            {
                errors.retain(|setting| setting.key != "question");
                errors.push(entry("question", piece::text("all")));
            }
        }
        for_deciding(tree, &["criteria", "hidden_failure"])
    }

    /// The later rulebook with some edits put back, for deciding from signals. Its signals have the numbers
    /// that they have in [`Self::observing`], and observe nothing. Edits that reach signals do not count.
    pub(crate) fn deciding(&self, edits: &[usize]) -> Option<Rulebook> {
        let mut tree = self.all_there(edits);
        let signals = tree.entries_mut()?.iter_mut().filter(|section| section.key == "signals");
        for signal in signals.filter_map(|section| section.node.entries_mut()).flatten() {
            let nothing = entry("equals", piece::text("nothing"));
            signal.node = piece::plain(Value::Table(vec![nothing]));
        }
        for_deciding(tree, &["criteria", "lists"])
    }

    fn all_there(&self, edits: &[usize]) -> Node {
        self.build(&|edit| match self.all[edit].reach() {
            Reach::Hits | Reach::Telling => Pick::Either,
            Reach::Signals | Reach::Decision if edits.contains(&edit) => Pick::Before,
            Reach::Signals | Reach::Decision | Reach::Text | Reach::Schema | Reach::Criteria => {
                Pick::After
            }
        })
    }

    fn build(&self, pick: &dyn Fn(usize) -> Pick) -> Node {
        let empty = || piece::plain(Value::Table(Vec::new()));
        self.piece.build(pick).unwrap_or_else(empty)
    }

    /// The edits about signals that the tree rests on and does not have.
    fn missing_signals(&self, tree: &Node) -> Vec<usize> {
        const RESTING: [&str; 6] =
            ["signals", "factors", "decide", "error_kinds", "hidden_failure", "errors"];
        let signals = entries(tree.get("signals"));
        let mut named = BTreeSet::new();
        for section in RESTING.iter().filter_map(|section| tree.get(section)) {
            texts_and_keys(section, &mut named);
        }
        let is_missing = |edit: &Edit| {
            let is_there = || signals.iter().any(|signal| signal.key == edit.of);
            edit.part == Part::Signal && named.contains(edit.of.as_str()) && !is_there()
        };
        let edits = self.all.iter().enumerate();
        edits.filter(|(_, edit)| is_missing(edit)).map(|(at, _)| at).collect()
    }
}

/// Compiles a tree without some of its sections.
fn for_deciding(mut tree: Node, without: &[&str]) -> Option<Rulebook> {
    tree.entries_mut()?.retain(|section| !without.contains(&section.key.as_str()));
    let problems = Problems::default();
    let compiled = compile(&tree, Purpose::Deciding, &problems);
    compiled.filter(|_| !problems.has_errors())
}

/// Every text and every key of a tree: among them are all signals that it rests on.
fn texts_and_keys<'a>(node: &'a Node, into: &mut BTreeSet<&'a str>) {
    into.extend(node.text());
    for entry in entries(Some(node)) {
        into.insert(&entry.key);
        texts_and_keys(&entry.node, into);
    }
    for element in piece::elements(Some(node)) {
        texts_and_keys(element, into);
    }
}

/// One difference between two rulebooks that can change a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub part: Part,
    /// Whose: the name of a list, a signal, a factor, a line, an outcome; the section's where it has
    /// no named things.
    pub of: String,
    /// Which entry or which setting of it; empty where it is the whole.
    pub key: String,
    /// How it was, in words; `None` where it was not there.
    pub before: Option<String>,
    /// How it is, in words; `None` where it is no longer there.
    pub after: Option<String>,
}

/// What an edit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// An entry of a list with a name.
    Entry,
    /// An entry of the texts that stand right in a signal.
    OwnEntry,
    Matching,
    Regex,
    /// One of the parts of a signal's definition.
    Question,
    Definition,
    Signal,
    /// A factor: whether it is there, and which signal it weighs.
    Factor,
    Weight,
    Score,
    Line,
    LinePlace,
    LineCondition,
    Threshold,
    /// What a decision line answers, where it is not a threshold before and after.
    Answer,
    ErrorKind,
    ErrorKindPlace,
    ErrorKindCondition,
    HiddenFailure,
    Unreachable,
    /// What an error means, and when the question is asked.
    Errors,
    Ending,
    Text,
    Metadata,
    Schema,
    Criterion,
}

/// What it takes to know what an edit does to an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The hits tell: it adds or takes away a pattern.
    Hits,
    /// The hits tell, once the signals are compiled with the edit put back.
    Signals,
    /// The signals tell, once what is decided by them is compiled with the edit put back.
    Decision,
    /// Nothing is decided by it; only which signals are told.
    Telling,
    /// The reply's text has to be looked at again.
    Text,
    /// The reply has to be held against its schema again.
    Schema,
    /// The exchange has to be held against the criteria again.
    Criteria,
}

impl Edit {
    pub fn reach(&self) -> Reach {
        match self.part {
            Part::Entry | Part::OwnEntry => Reach::Hits,
            Part::Matching | Part::Regex | Part::Question | Part::Definition => Reach::Signals,
            Part::Factor
            | Part::Weight
            | Part::Score
            | Part::Line
            | Part::LinePlace
            | Part::LineCondition
            | Part::Threshold
            | Part::Answer
            | Part::ErrorKind
            | Part::ErrorKindPlace
            | Part::ErrorKindCondition
            | Part::HiddenFailure
            | Part::Unreachable
            | Part::Errors
            | Part::Ending => Reach::Decision,
            Part::Signal => Reach::Telling,
            Part::Text => Reach::Text,
            Part::Metadata | Part::Schema => Reach::Schema,
            Part::Criterion => Reach::Criteria,
        }
    }
}
