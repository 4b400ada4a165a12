//! Labelled error replies that are the same to a rulebook's numbers, taken together.

use crate::labels::Label;
use crate::rulebook::{Decision, Rulebook};
use crate::verdict::SignalSet;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// A labelled error reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Example {
    pub(super) signals: SignalSet,
    /// What people say the truth is; of no use but for the two kinds of error.
    pub(super) label: Label,
    /// Whose it is; only sameness counts.
    pub(super) server: u32,
}

/// Error replies of one label that the same factors and the same line decide about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) factors: Vec<usize>,
    pub(super) line: Line,
    pub(super) label: Label,
    pub(super) weight: f64,
}

/// What decides about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Line {
    /// Nothing that a number changes.
    Settled(Label),
    /// The threshold of this decision line.
    Threshold(usize),
}

impl Cell {
    /// Takes examples together. Each server counts by the root of its examples in a class: more of the
    /// same says more, but not as much more.
    pub(super) fn all(examples: &[Example], rulebook: &Rulebook) -> Vec<Self> {
        let decided = [Label::BusinessLogic, Label::ToolFailure];
        let examples = examples.iter().filter(|example| decided.contains(&example.label));
        let mut sizes: BTreeMap<(u32, Label), u32> = BTreeMap::new();
        for example in examples.clone() {
            *sizes.entry((example.server, example.label)).or_default() += 1;
        }
        let mut weights: BTreeMap<(u128, Label), f64> = BTreeMap::new();
        for example in examples {
            let size = sizes[&(example.server, example.label)];
            *weights.entry((example.signals.0, example.label)).or_default() +=
                1.0 / f64::from(size).sqrt();
        }
        let mut cells: IndexMap<(Vec<usize>, Line, Label), f64> = IndexMap::new();
        for ((signals, label), weight) in weights {
            let signals = SignalSet(signals);
            let factors = rulebook.factors.iter().enumerate();
            let present = factors.filter(|(_, factor)| signals.has(factor.signal));
            let present: Vec<usize> = present.map(|(at, _)| at).collect();
            let line = Line::of(rulebook, signals);
            *cells.entry((present, line, label)).or_default() += weight;
        }
        let cell = |((factors, line, label), weight)| Self { factors, line, label, weight };
        cells.into_iter().map(cell).collect()
    }
}

impl Line {
    fn of(rulebook: &Rulebook, signals: SignalSet) -> Self {
        let at = rulebook.decide.iter().position(|line| line.condition.holds(signals));
        match at.map(|at| (at, rulebook.decide[at].decision)) {
            Some((at, Decision::Threshold(_))) => Self::Threshold(at),
            Some((_, Decision::Return(true))) => Self::Settled(Label::BusinessLogic),
            Some((_, Decision::Return(false))) | None => Self::Settled(Label::ToolFailure),
        }
    }
}
