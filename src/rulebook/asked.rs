//! The questions of a rulebook, for those who have the hits of an exchange and not its texts.

use super::Rulebook;
use super::matching::LeafSet;
use super::observe::{Expression, Observing, Watch};
use crate::verdict::FactSet;
use std::ops::Range;

/// A question put to one field: it is answered with yes where one of its patterns hits.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Its patterns, as numbers into the rulebook's.
    pub(crate) patterns: Range<usize>,
    /// Where its patterns stand.
    pub(crate) holder: Holder,
    /// How they are read, where list, text, field and kind leave that open.
    pub(crate) reading: String,
}

/// Where patterns stand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Holder {
    /// In a list with a name.
    List(String),
    /// Right in a fact.
    Fact(String),
}

impl Rulebook {
    /// The questions, by their number.
    pub(crate) fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// The numbers of the questions that are asked of one kind of reply.
    pub(crate) fn asked_of(&self, which: Observing) -> LeafSet {
        let mut leaves = LeafSet::default();
        for (_, expression) in &self.watch(which).facts {
            expression.for_each(&mut |part| {
                if let Expression::Leaf(leaf) = part {
                    leaves.insert(*leaf);
                }
            });
        }
        leaves
    }

    /// The facts that hold when these questions are answered with yes, and no others.
    pub(crate) fn facts_when(&self, which: Observing, yes: LeafSet) -> FactSet {
        self.watch(which).facts_when(yes)
    }

    fn watch(&self, which: Observing) -> &Watch {
        match which {
            Observing::Errors => &self.observer.errors,
            Observing::Successes => &self.observer.successes,
        }
    }
}
