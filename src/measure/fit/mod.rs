//! Weights and thresholds from labelled exchanges.
//!
//! What a rulebook says of an error reply depends on few things: which signals hold, what their factors
//! weigh, and what the score is held against. So labelled exchanges come to a few hundred cells of signals
//! and labels, over which any choice of numbers is tried in microseconds, and the search is an exact one
//! over small readable numbers. A number is only changed where that pays: what the labels say nothing
//! about stays as its author wrote it.

mod cells;
mod certainty;
mod objective;
mod search;

pub use certainty::{Answered, fit_certainty};
pub use objective::{Counts, Objective, UnknownObjective};

use crate::compare::{Observations, Patterns};
use crate::measure::accuracy::Item;
use crate::rulebook::Rulebook;
use cells::{Cell, Example};
use search::{Search, numbers, with_numbers};

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
        Some(Example { signals, label: item.label, server: item.server })
    });
    fit_examples(&examples.collect::<Vec<_>>(), start, settings)
}

/// The same for error replies of which it is known what holds.
fn fit_examples(examples: &[Example], start: &Rulebook, settings: &Settings) -> Rulebook {
    let cells = Cell::all(examples, start);
    let given = numbers(start);
    with_numbers(start, &Search::new(&cells, start, settings, &given).best())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::labels::Label;
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
                let label = Label::of_name(label).expect("a label");
                let servers = 0..servers.parse().expect("how many");
                examples.extend(servers.map(|server| Example { signals, label, server }));
            }
            let fitted = fit_examples(&examples, &book, &Settings::default());
            let again = fit_examples(&examples, &fitted, &Settings::default());
            assert_eq!(numbers(&again), numbers(&fitted), "what is right already stays");
            let right = |rules: &Rulebook| {
                let is_right = |it: &&Example| {
                    rules.decide(it.signals).business_logic == (it.label == Label::BusinessLogic)
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
