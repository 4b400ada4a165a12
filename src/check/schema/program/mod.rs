//! The quick answer: a schema as a small program that walks a reply's text without building a tree.
//!
//! It covers what most output schemas consist of and gives no answer for all the rest, so it
//! may be incomplete but never wrong. An object with a key twice means its last value, which a walk
//! from front to back cannot know when it meets the first: such objects are accepted only when every
//! occurrence is acceptable, and are never refused on account of one occurrence.

mod build;
mod scalar;
mod walk;

use crate::json::Kind;
use scalar::{Literal, NumberRules, StringRules};

#[derive(Debug)]
pub(super) struct Program {
    nodes: Vec<Node>,
    /// For each node, the kinds of value it can accept at all.
    kinds: Vec<KindSet>,
    root: usize,
}

#[derive(Debug)]
enum Node {
    Any,
    Never,
    Unsure,
    Same(usize),
    All(Box<[usize]>),
    AnyOf(Box<[usize]>),
    OneOf(Box<[usize]>),
    Rules(Box<Rules>),
}

/// The assertions of one schema object, sorted by the kind of value they concern.
#[derive(Debug)]
struct Rules {
    /// The kinds that `type` allows.
    kinds: KindSet,
    /// The kinds for which there is an assertion that the program does not know.
    unsure: KindSet,
    only_integers: bool,
    literals: Option<Box<[Literal]>>,
    number: Option<NumberRules>,
    string: Option<StringRules>,
    array: Option<ArrayRules>,
    object: Option<ObjectRules>,
}

#[derive(Debug)]
struct ArrayRules {
    prefix: Box<[usize]>,
    rest: Option<usize>,
    least: u64,
    most: u64,
}

#[derive(Debug)]
struct ObjectRules {
    members: Box<[Member]>,
    /// Places of the members by name, where there are too many to try one after the other.
    places: Option<hashbrown::HashMap<Box<str>, usize>>,
    /// One bit for each of the first 64 members that must be present.
    required: u64,
    rest: Option<usize>,
    least: u64,
    most: u64,
}

#[derive(Debug)]
struct Member {
    name: Box<str>,
    node: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KindSet(u8);

impl KindSet {
    const NONE: Self = Self(0);
    const ALL: Self = Self(0b11_1111);

    const fn of(kind: Kind) -> Self {
        Self(match kind {
            Kind::Null => 1,
            Kind::Bool => 2,
            Kind::Number => 4,
            Kind::String => 8,
            Kind::Array => 16,
            Kind::Object => 32,
        })
    }

    const fn has(self, kind: Kind) -> bool {
        self.0 & Self::of(kind).0 != 0
    }

    const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn within(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Program {
    /// The kinds that a node can accept, as far as is known of the nodes it stands on.
    fn possible_kinds(&self, node: &Node) -> KindSet {
        let known = |node: &usize| self.kinds[*node];
        match node {
            Node::Never => KindSet::NONE,
            Node::Rules(rules) => rules.kinds.within(rules.literal_kinds()),
            Node::Any | Node::Unsure => KindSet::ALL,
            Node::Same(other) => known(other),
            Node::All(parts) => parts.iter().map(known).fold(KindSet::ALL, KindSet::within),
            Node::AnyOf(parts) | Node::OneOf(parts) => {
                parts.iter().map(known).fold(KindSet::NONE, KindSet::with)
            }
        }
    }
}

impl Rules {
    fn literal_kinds(&self) -> KindSet {
        self.literals.as_ref().map_or(KindSet::ALL, |literals| {
            literals
                .iter()
                .map(|literal| KindSet::of(literal.kind()))
                .fold(KindSet::NONE, KindSet::with)
        })
    }
}
