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
        for (_, expression) in self.watch(which).facts.in_order() {
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
        self.watch(which).facts.when(yes)
    }

    /// The same, where one fact holds or does not, whatever it asks.
    pub(crate) fn facts_where(
        &self,
        which: Observing,
        yes: LeafSet,
        forced: (usize, bool),
    ) -> FactSet {
        self.watch(which).facts.with(yes, Some(forced))
    }

    /// The facts that are observed on one kind of reply, in the order of the rulebook.
    pub(crate) fn observed_facts(&self, which: Observing) -> Vec<usize> {
        let watched = self.watch(which).facts.in_order().iter();
        let mut facts: Vec<usize> = watched.map(|(fact, _)| *fact).collect();
        facts.sort_unstable();
        facts
    }

    /// For each question that is asked of one kind of reply, the facts that rest on it.
    pub(crate) fn facts_by_question(&self, which: Observing) -> Vec<FactSet> {
        let mut resting = vec![FactSet::default(); self.asked.len()];
        // Each fact comes after those that it rests on.
        for (fact, expression) in self.watch(which).facts.in_order() {
            expression.for_each(&mut |part| match part {
                Expression::Leaf(leaf) => resting[*leaf].insert(*fact),
                Expression::Fact(other) => {
                    for facts in resting.iter_mut().filter(|facts| facts.has(*other)) {
                        facts.insert(*fact);
                    }
                }
                Expression::All(_) | Expression::Any(_) | Expression::Not(_) => {}
            });
        }
        resting
    }

    /// For each fact, the facts that it rests on, and itself.
    pub(crate) fn facts_below(&self, which: Observing) -> Vec<FactSet> {
        let mut below = vec![FactSet::default(); self.facts.len()];
        // Each fact comes after those that it rests on.
        for (fact, expression) in self.watch(which).facts.in_order() {
            let mut own = FactSet::default();
            own.insert(*fact);
            expression.for_each(&mut |part| {
                if let Expression::Fact(other) = part {
                    own.0 |= below[*other].0;
                }
            });
            below[*fact] = own;
        }
        below
    }

    /// The facts that decide about errors, and those that decide whether a failure is hidden.
    pub(crate) fn deciding_facts(&self) -> [FactSet; 2] {
        let [mut errors, mut hidden] = [FactSet::default(); 2];
        for factor in &self.factors {
            errors.insert(factor.fact);
        }
        let lines = self.decide.iter().map(|line| &line.condition);
        let kinds = self.error_kinds.iter().map(|kind| &kind.condition);
        for condition in lines.chain(kinds).chain(&self.errors.unreachable) {
            condition.add_facts_to(&mut errors);
        }
        if let Some(condition) = &self.hidden_failure {
            condition.add_facts_to(&mut hidden);
        }
        [errors, hidden]
    }

    fn watch(&self, which: Observing) -> &Watch {
        match which {
            Observing::Errors => &self.observer.errors,
            Observing::Successes => &self.observer.successes,
        }
    }
}
