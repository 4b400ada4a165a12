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
    use crate::labels::Label;
    use crate::rulebook::Decision;
    use crate::verdict::SignalSet;

    const BOOK: &str = r#"
name = "two words"
extends = "guide"
remove = { decide = ["mcp code", "nothing in the text", "strong operational error", "validation tool"], factors = ["mcp_code", "business_pattern", "http_status", "structured_error", "test_data", "validation_tool"] }
[signals.refused]
contains = ["refused"]
[signals.crashed]
contains = ["crashed"]
[signals.rare]
contains = ["rare"]
[factors]
refused = { weight = 0 }
crashed = { weight = 3 }
rare = { weight = 2 }
[score]
denominator = 4
"#;

    fn book() -> Rulebook {
        Rulebook::from_toml(BOOK, "test").expect("a rulebook")
    }

    fn example(book: &Rulebook, words: &[&str], label: Label, server: u32) -> Example {
        let mut signals = SignalSet::default();
        for (at, signal) in book.signals.iter().enumerate() {
            if words.contains(&signal.name.as_str()) {
                signals.insert(at);
            }
        }
        Example { signals, label, server }
    }

    fn examples(book: &Rulebook) -> Vec<Example> {
        use Label::{BusinessLogic, ToolFailure};
        let refused = (0..5).map(|server| example(book, &["refused"], BusinessLogic, server));
        let crashed = (0..5).map(|server| example(book, &["crashed"], ToolFailure, server));
        refused.chain(crashed).collect()
    }

    #[test]
    fn numbers_are_found_that_tell_two_words_apart_and_others_stay() {
        let book = book();
        let fitted = fit_examples(&examples(&book), &book, &Settings::default());
        let is_right = |rules: &Rulebook, example: &Example| {
            rules.decide(example.signals).business_logic == (example.label == Label::BusinessLogic)
        };
        assert!(!examples(&book).iter().all(|example| is_right(&book, example)));
        assert!(examples(&book).iter().all(|example| is_right(&fitted, example)));
        let weight = |name: &str| {
            let factors = &fitted.factors;
            factors.iter().find(|factor| factor.name == name).map(|factor| factor.weight)
        };
        assert_eq!(weight("rare"), Some(2.0), "no label says anything about it");
        let Some(Decision::Threshold(threshold)) = fitted.decide.last().map(|line| line.decision)
        else {
            panic!("the last line has a threshold");
        };
        assert!((0.0..=1.0).contains(&threshold));
    }

    #[test]
    fn the_same_seed_finds_the_same_numbers_and_what_is_right_already_stays() {
        let book = book();
        let once = fit_examples(&examples(&book), &book, &Settings::default());
        let twice = fit_examples(&examples(&book), &book, &Settings::default());
        assert_eq!(numbers(&once), numbers(&twice));
        let again = fit_examples(&examples(&book), &once, &Settings::default());
        assert_eq!(numbers(&again), numbers(&once));
        let nothing = fit_examples(&[], &book, &Settings::default());
        assert_eq!(numbers(&nothing), numbers(&book));
    }
}
