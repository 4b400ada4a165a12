//! The quick answer: a schema as a small program that walks a reply's text without building a tree.
//!
//! It accepts what certainly conforms, and knows what most output schemas consist of; all the rest is for
//! the full validator. An object with a key twice means its last value: such objects are accepted only
//! when every occurrence is acceptable.

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
    /// Accepts nothing: no value conforms, or only the full validator can tell.
    Unsure,
    Same(usize),
    All(Box<[usize]>),
    AnyOf(Box<[usize]>),
    Rules(Box<Rules>),
}

/// The assertions of one schema object, sorted by the kind of value they concern.
#[derive(Debug, Default, PartialEq)]
struct Rules {
    /// The kinds that are allowed and of which every assertion is known.
    kinds: KindSet,
    only_integers: bool,
    literals: Option<Box<[Literal]>>,
    number: Option<NumberRules>,
    string: Option<StringRules>,
    array: Option<ArrayRules>,
    object: Option<ObjectRules>,
}

#[derive(Debug, PartialEq)]
struct ArrayRules {
    prefix: Box<[usize]>,
    rest: Option<usize>,
    least: u64,
    most: u64,
}

#[derive(Debug, PartialEq)]
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

#[derive(Debug, PartialEq)]
struct Member {
    name: Box<str>,
    node: Option<usize>,
}

/// Kinds of values; every kind unless it is said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KindSet(u8);

impl Default for KindSet {
    fn default() -> Self {
        Self::ALL
    }
}

impl KindSet {
    const NONE: Self = Self(0);
    const ALL: Self = Self(0b11_1111);

    const fn of(kind: Kind) -> Self {
        Self(1 << kind as u8)
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

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Program {
    /// The kinds that a node can accept, as far as is known of the nodes it stands on.
    fn possible_kinds(&self, node: &Node) -> KindSet {
        let known = |node: &usize| self.kinds[*node];
        match node {
            Node::Unsure => KindSet::NONE,
            Node::Rules(rules) => {
                let of_literals = rules.literals.as_ref().map_or(KindSet::ALL, |literals| {
                    let kinds = literals.iter().map(|literal| KindSet::of(literal.kind()));
                    kinds.fold(KindSet::NONE, KindSet::with)
                });
                rules.kinds.within(of_literals)
            }
            Node::Any => KindSet::ALL,
            Node::Same(other) => known(other),
            Node::All(parts) => parts.iter().map(known).fold(KindSet::ALL, KindSet::within),
            Node::AnyOf(parts) => parts.iter().map(known).fold(KindSet::NONE, KindSet::with),
        }
    }
}
