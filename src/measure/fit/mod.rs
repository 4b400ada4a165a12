//! Weights and thresholds from labelled exchanges.
//!
//! What a rulebook says of an error reply depends on few things: which signals hold, what their factors
//! weigh, and what the score is held against. So labelled exchanges come to a few hundred cells of signals
//! and labels, over which any choice of numbers is tried in microseconds, and the search is an exact one
//! over small readable numbers. A number is only changed where that pays: what the labels say nothing
//! about stays as its author wrote it.

mod certainty;
mod objective;
mod search;

pub use certainty::{Answered, fit_certainty};
pub use objective::{Counts, Objective, UnknownObjective};

use crate::compare::{Observations, Patterns};
use crate::labels::{Class, Label};
use crate::measure::accuracy::Item;
use crate::rulebook::{Decision, Rulebook};
use crate::verdict::SignalSet;
use indexmap::IndexMap;
use search::{Search, numbers, with_numbers};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub objective: Objective,
    /// Patterns that count as not there.
    pub without: Patterns,
    /// Which of several equally good ways the search goes.
    pub seed: u64,
    /// No weight is further from 0, and none changes its sign.
    pub largest: f64,
    /// Weights are multiples of this.
    pub step: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            objective: Objective::BalancedAccuracy,
            without: Patterns::default(),
            seed: 0,
            largest: 4.0,
            step: 1.0,
        }
    }
}

/// A rulebook with its weights and thresholds fitted to labelled exchanges.
pub fn fit(
    observations: &Observations<'_>,
    items: &[Item],
    start: &Rulebook,
    settings: &Settings,
) -> Rulebook {
    let examples = items.iter().filter_map(|item| {
        let signals = observations.signals(item.verdict, &settings.without);
        // Replies of which nothing is asked are not decided by numbers.
        observations.conclusion(item.verdict, start, signals)?.weighing?;
        let label = match item.label.label() {
            Label::Refused => Class::Refused,
            Label::Failed => Class::Failed,
            Label::Worked | Label::Hidden => return None,
        };
        Some(Example { signals, label, server: item.server })
    });
    fit_examples(&examples.collect::<Vec<_>>(), start, settings)
}

/// The same for error replies of which it is known what holds.
fn fit_examples(examples: &[Example], start: &Rulebook, settings: &Settings) -> Rulebook {
    let cells = Cell::all(examples, start);
    let given = numbers(start);
    with_numbers(start, &Search::new(&cells, start, settings, &given).best())
}

/// A labelled error reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Example {
    pub(super) signals: SignalSet,
    /// What people say the truth is; of no use but for the two kinds of error.
    pub(super) label: Class,
    /// Whose it is; only sameness counts.
    pub(super) server: u32,
}

/// Error replies of one label that the same factors and the same line decide about.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) factors: Vec<usize>,
    pub(super) line: Line,
    pub(super) label: Class,
    pub(super) weight: f64,
}

/// What decides about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Line {
    /// Nothing that a number changes.
    Settled(Class),
    /// The threshold of this decision line.
    Threshold(usize),
}

impl Cell {
    /// Takes examples together. Each server counts by the root of its examples in a class: more of the
    /// same says more, but not as much more.
    pub(super) fn all(examples: &[Example], rulebook: &Rulebook) -> Vec<Self> {
        let decided = [Class::Refused, Class::Failed];
        let examples = examples.iter().filter(|example| decided.contains(&example.label));
        let mut sizes: BTreeMap<(u32, Class), u32> = BTreeMap::new();
        for example in examples.clone() {
            *sizes.entry((example.server, example.label)).or_default() += 1;
        }
        let mut weights: BTreeMap<(u128, Class), f64> = BTreeMap::new();
        for example in examples {
            let size = sizes[&(example.server, example.label)];
            *weights.entry((example.signals.0, example.label)).or_default() +=
                1.0 / f64::from(size).sqrt();
        }
        let mut cells: IndexMap<(Vec<usize>, Line, Class), f64> = IndexMap::new();
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
            Some((_, Decision::Return(true))) => Self::Settled(Class::Refused),
            Some((_, Decision::Return(false))) | None => Self::Settled(Class::Failed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::labels::Class;
    use crate::verdict::SignalSet;

    #[test]
    fn numbers_are_fitted_as_their_cases_say() {
        let book = include_str!("../../../tests/cases/fit.toml");
        let book = Rulebook::from_toml(book, "fit.toml").expect("a rulebook");
        cases::check("tests/cases/fit.txt", |case| {
            let mut examples = Vec::new();
            for line in case.text.lines().filter(|line| *line != "nothing") {
                let (servers, words) = line.split_once(" of ").expect("servers of a word");
                let (word, label) = words.split_once(" as ").expect("a word as what it is");
                let mut signals = SignalSet::default();
                let holds = book.signals.iter().position(|signal| signal.name == word);
                signals.insert(holds.expect("a signal"));
                let label = Class::of_name(label).expect("a class");
                let servers = 0..servers.parse().expect("how many");
                examples.extend(servers.map(|server| Example { signals, label, server }));
            }
            let fitted = fit_examples(&examples, &book, &Settings::default());
            let again = fit_examples(&examples, &fitted, &Settings::default());
            assert_eq!(numbers(&again), numbers(&fitted), "what is right already stays");
            let right = |rules: &Rulebook| {
                let is_right = |it: &&Example| {
                    rules.decide(it.signals).business_logic == (it.label == Class::Refused)
                };
                format!(
                    "{} right: {:?}\n",
                    examples.iter().filter(is_right).count(),
                    numbers(rules)
                )
            };
            right(&book) + &right(&fitted)
        });
    }
}
