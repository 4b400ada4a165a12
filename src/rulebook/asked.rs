//! The questions of a rulebook, for those who have the hits of an exchange and not its texts.

use super::Rulebook;
use super::matching::{LeafSet, bits};
use super::model::Condition;
use super::observe::{Observing, Watch};
use crate::verdict::SignalSet;
use std::collections::BTreeSet;
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
        for (_, condition) in self.in_order(which) {
            leaves.add(condition.rests_on().1);
        }
        leaves
    }

    /// The signals that hold when these questions are answered with yes, and no others.
    pub(crate) fn signals_when(&self, which: Observing, yes: LeafSet) -> SignalSet {
        self.signals_given(which, yes, None)
    }

    /// The same, where one signal holds or does not, whatever it asks.
    pub(crate) fn signals_where(
        &self,
        which: Observing,
        yes: LeafSet,
        forced: (usize, bool),
    ) -> SignalSet {
        self.signals_given(which, yes, Some(forced))
    }

    fn signals_given(
        &self,
        which: Observing,
        yes: LeafSet,
        forced: Option<(usize, bool)>,
    ) -> SignalSet {
        let signals = self.watches(which).map(|watch| watch.signals.when(yes, forced));
        signals.fold(SignalSet::default(), |all, some| SignalSet(all.0 | some.0))
    }

    /// The signals that are observed on one kind of reply, in the order of the rulebook.
    pub(crate) fn observed_signals(&self, which: Observing) -> Vec<usize> {
        let signals: BTreeSet<usize> = self.in_order(which).map(|(signal, _)| *signal).collect();
        signals.into_iter().collect()
    }

    /// For each question that is asked of one kind of reply, the signals that rest on it.
    pub(crate) fn signals_by_question(&self, which: Observing) -> Vec<SignalSet> {
        let resting = |question: usize| {
            let signals = self.watches(which).flat_map(|it| it.signals.resting_on(question));
            signals.fold(SignalSet::default(), with)
        };
        (0..self.asked.len()).map(resting).collect()
    }

    /// For each signal, the signals that it rests on, and itself.
    pub(crate) fn signals_below(&self, which: Observing) -> Vec<SignalSet> {
        let mut below = vec![SignalSet::default(); self.signals.len()];
        // Each signal comes after those that it rests on.
        for (signal, condition) in self.in_order(which) {
            let rests_on = bits(condition.rests_on().0.0).map(|other| below[other].0);
            below[*signal] = SignalSet(rests_on.fold(1 << signal, |all, some| all | some));
        }
        below
    }

    /// The signals that decide about errors, and those that decide whether a failure is hidden.
    pub(crate) fn deciding_signals(&self) -> [SignalSet; 2] {
        let [mut errors, mut hidden] = [SignalSet::default(); 2];
        self.factors.iter().for_each(|factor| errors.insert(factor.signal));
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

    fn in_order(&self, which: Observing) -> impl Iterator<Item = &(usize, Condition)> {
        self.watches(which).flat_map(|watch| &watch.signals.in_order)
    }

    fn watches(&self, which: Observing) -> impl Iterator<Item = &Watch> {
        let of_errors = (which != Observing::Successes).then_some(&self.observer.errors);
        let of_successes = (which != Observing::Errors).then_some(&self.observer.successes);
        of_errors.into_iter().chain(of_successes)
    }
}

fn with(signals: SignalSet, signal: usize) -> SignalSet {
    SignalSet(signals.0 | 1 << signal)
}
