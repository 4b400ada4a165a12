//! The questions of a rulebook, for those who have the hits of an exchange and not its texts.

use super::Rulebook;
use super::matching::LeafSet;
use super::observe::{Expression, Observer, Observing, Watch};
use crate::verdict::SignalSet;
use std::ops::Range;

/// A question put to one field: it is answered with yes where one of its patterns hits.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Its patterns, as numbers into the rulebook's.
    pub(crate) patterns: Range<usize>,
    pub(crate) holder: Holder,
    /// How they are read, where list, text, field and kind leave that open.
    pub(crate) reading: String,
}

/// Where patterns stand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Holder {
    List(String),
    /// Right in a signal.
    Signal(String),
}

impl Rulebook {
    pub(crate) fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// The question that each pattern answers.
    pub(crate) fn questions(&self) -> Vec<usize> {
        let mut questions = vec![0; self.patterns.len()];
        for (question, asked) in self.asked.iter().enumerate() {
            questions[asked.patterns.clone()].fill(question);
        }
        questions
    }

    /// The numbers of the questions that are asked of one kind of reply.
    pub(crate) fn asked_of(&self, which: Observing) -> LeafSet {
        let mut leaves = LeafSet::default();
        for (_, expression) in self.watches(which).flat_map(|watch| watch.signals.in_order()) {
            expression.for_each(&mut |part| {
                if let Expression::Leaf(leaf) = part {
                    leaves.insert(*leaf);
                }
            });
        }
        leaves
    }

    /// The signals that hold when these questions are answered with yes, and no others.
    pub(crate) fn signals_when(&self, which: Observing, yes: LeafSet) -> SignalSet {
        let signals = self.watches(which).map(|watch| watch.signals.when(yes));
        signals.fold(SignalSet::default(), |all, some| SignalSet(all.0 | some.0))
    }

    /// The same, where one signal holds or does not, whatever it asks.
    pub(crate) fn signals_where(
        &self,
        which: Observing,
        yes: LeafSet,
        forced: (usize, bool),
    ) -> SignalSet {
        let signals = self.watches(which).map(|watch| watch.signals.with(yes, Some(forced)));
        signals.fold(SignalSet::default(), |all, some| SignalSet(all.0 | some.0))
    }

    /// The signals that are observed on one kind of reply, in the order of the rulebook.
    pub(crate) fn observed_signals(&self, which: Observing) -> Vec<usize> {
        let watched = self.watches(which).flat_map(|watch| watch.signals.in_order());
        let mut signals: Vec<usize> = watched.map(|(signal, _)| *signal).collect();
        signals.sort_unstable();
        signals.dedup();
        signals
    }

    /// For each question that is asked of one kind of reply, the signals that rest on it.
    pub(crate) fn signals_by_question(&self, which: Observing) -> Vec<SignalSet> {
        let mut resting = vec![SignalSet::default(); self.asked.len()];
        // Each signal comes after those that it rests on.
        for (signal, expression) in self.watches(which).flat_map(|watch| watch.signals.in_order()) {
            expression.for_each(&mut |part| match part {
                Expression::Leaf(leaf) => resting[*leaf].insert(*signal),
                Expression::Signal(other) => {
                    for signals in resting.iter_mut().filter(|signals| signals.has(*other)) {
                        signals.insert(*signal);
                    }
                }
                Expression::All(_) | Expression::Any(_) | Expression::Not(_) => {}
            });
        }
        resting
    }

    /// For each signal, the signals that it rests on, and itself.
    pub(crate) fn signals_below(&self, which: Observing) -> Vec<SignalSet> {
        let mut below = vec![SignalSet::default(); self.signals.len()];
        // Each signal comes after those that it rests on.
        for (signal, expression) in self.watches(which).flat_map(|watch| watch.signals.in_order()) {
            let mut own = SignalSet::default();
            own.insert(*signal);
            expression.for_each(&mut |part| {
                if let Expression::Signal(other) = part {
                    own.0 |= below[*other].0;
                }
            });
            below[*signal] = own;
        }
        below
    }

    /// The signals that decide about errors, and those that decide whether a failure is hidden.
    pub(crate) fn deciding_signals(&self) -> [SignalSet; 2] {
        let [mut errors, mut hidden] = [SignalSet::default(); 2];
        for factor in &self.factors {
            errors.insert(factor.signal);
        }
        let lines = self.decide.iter().map(|line| &line.condition);
        let kinds = self.error_kinds.iter().map(|kind| &kind.condition);
        for condition in lines.chain(kinds).chain(&self.errors.unreachable) {
            condition.add_signals_to(&mut errors);
        }
        if let Some(condition) = &self.hidden_failure {
            condition.add_signals_to(&mut hidden);
        }
        [errors, hidden]
    }

    fn watches(&self, which: Observing) -> impl Iterator<Item = &Watch> {
        let Observer { errors, successes } = &self.observer;
        let [errors, successes] = match which {
            Observing::Errors => [Some(errors), None],
            Observing::Successes => [None, Some(successes)],
            Observing::HiddenFailures => [Some(errors), Some(successes)],
        };
        errors.into_iter().chain(successes)
    }
}
