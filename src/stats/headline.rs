//! The measures that count most, with intervals.

use super::bootstrap::interval;
use super::{Question, balanced};
use crate::accuracy::Confusion;
use crate::label::Label;
use crate::tally::Interval;

/// A measure and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// What it comes to; `None` where a class is missing.
    pub value: Option<f64>,
    /// The middle 95 % of what it comes to where servers are drawn with replacement; `None` where there
    /// are too few of them, or of a class.
    pub interval: Option<Interval>,
}

/// The measures that count most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headline {
    /// Of the two kinds of error, the mean of what is found.
    pub balanced_accuracy: Estimate,
    /// Of replies that claim success, the mean of what is found of those that failed and of the others.
    pub hidden_balanced_accuracy: Estimate,
    /// Of the replies that are said to hide a failure, those that do.
    pub hidden_precision: Estimate,
    /// Of the replies that hide a failure, those that are said to.
    pub hidden_recall: Estimate,
    /// Of all labelled exchanges, those that are answered rightly.
    pub accuracy: Estimate,
    /// How many servers have labels.
    pub servers: u64,
}

impl Headline {
    /// Takes them of what was said, and of what was said of each server.
    #[must_use]
    pub fn of(table: &Confusion, servers: &[Confusion], seed: u64) -> Self {
        let estimate = |measure: fn(&Confusion) -> Option<f64>| Estimate {
            value: measure(table),
            interval: interval(servers, measure, seed),
        };
        Self {
            balanced_accuracy: estimate(Confusion::balanced_accuracy),
            hidden_balanced_accuracy: estimate(|table| balanced(table, Question::Successes)),
            hidden_precision: estimate(|table| table.precision(Label::HiddenFailure).value()),
            hidden_recall: estimate(|table| table.recall(Label::HiddenFailure).value()),
            accuracy: estimate(|table| table.accuracy().value()),
            servers: servers.iter().filter(|server| server.items() > 0).count() as u64,
        }
    }
}
