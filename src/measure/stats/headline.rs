//! The measures that count most, with intervals.

use super::Question;
use super::bootstrap::{RESAMPLES, interval};
use crate::count::tally::Interval;
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Share};
use serde::Serialize;

/// A measure and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// What it comes to; `None` where a class is missing.
    pub value: Option<f64>,
    /// Where it may lie (95 %); `None` where there are too few servers, or of a class.
    pub interval: Option<Interval>,
    /// How the interval was found.
    #[serde(rename = "interval_by")]
    pub by: Option<Means>,
}

named! {
    /// How an interval was found.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Means {
        /// The middle 95 % of what the measure comes to where servers are drawn with replacement.
        Draws = "draws",
        /// Wilson's, of the shares that the measure is made of, since all draws come to the same: where
        /// nothing was wrong, or nothing right, drawing again says nothing of what was not seen.
        Wilson = "wilson",
    }
}

impl Estimate {
    /// Of a measure; `ends` is where it may lie by the intervals of its shares, in case no draw differs.
    pub(super) fn of(
        (table, servers): (&Confusion, &[Confusion]),
        measure: impl Fn(&Confusion) -> Option<f64>,
        ends: impl Fn() -> Option<(f64, f64)>,
        seed: u64,
    ) -> Self {
        let drawn = interval(servers, &measure, seed);
        let (interval, by) = match drawn {
            Some(Interval { low, high }) if high - low < 1e-9 => {
                (ends().map(|(low, high)| Interval { low, high }), Means::Wilson)
            }
            drawn => (drawn, Means::Draws),
        };
        Self { value: measure(table), interval, by: interval.map(|_| by) }
    }

    /// Of the mean of shares.
    fn of_shares(
        tables: (&Confusion, &[Confusion]),
        shares: fn(&Confusion) -> Vec<Share>,
        seed: u64,
    ) -> Self {
        let value = |table: &Confusion| mean(shares(table).into_iter().map(Share::value));
        let end = |end: fn(Interval) -> f64| {
            mean(shares(tables.0).iter().map(|share| Some(end(share.interval()))))
        };
        Self::of(tables, value, || end(|it| it.low).zip(end(|it| it.high)), seed)
    }
}

/// The mean; `None` of nothing, or where one is missing.
fn mean(numbers: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

/// The measures that count most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Headline {
    /// Of the two kinds of error, the mean of what is found.
    pub balanced_accuracy: Estimate,
    /// Of the replies that are said to hide a failure, those that do.
    #[serde(rename = "hidden_failure_precision")]
    pub hidden_precision: Estimate,
    /// Of the replies that hide a failure, those that are said to.
    #[serde(rename = "hidden_failure_recall")]
    pub hidden_recall: Estimate,
    /// Of replies that claim success, the mean of what is found of those that failed and of the others.
    #[serde(rename = "hidden_failure_balanced_accuracy")]
    pub hidden_balanced_accuracy: Estimate,
    /// Of all labelled exchanges, those that are answered rightly.
    pub accuracy: Estimate,
    /// How many servers have labels.
    pub servers: u64,
    /// How often they are drawn for the intervals.
    pub draws: u32,
}

impl Headline {
    pub fn of(table: &Confusion, servers: &[Confusion], seed: u64) -> Self {
        let estimate = |shares| Estimate::of_shares((table, servers), shares, seed);
        Self {
            balanced_accuracy: estimate(|table| recalls(table, Question::Errors)),
            hidden_balanced_accuracy: estimate(|table| recalls(table, Question::Successes)),
            hidden_precision: estimate(|table| vec![table.precision(Label::HiddenFailure)]),
            hidden_recall: estimate(|table| vec![table.recall(Label::HiddenFailure)]),
            accuracy: estimate(|table| vec![table.accuracy()]),
            servers: servers.iter().filter(|server| server.items() > 0).count() as u64,
            draws: RESAMPLES,
        }
    }
}

fn recalls(table: &Confusion, question: Question) -> Vec<Share> {
    vec![table.recall(question.fine()), table.recall(question.failure())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use Label::{BusinessLogic, ToolFailure};

    #[test]
    fn what_was_never_wrong_is_not_sure_to_be_right() {
        let mut server = Confusion::default();
        for label in [BusinessLogic, ToolFailure] {
            for _ in 0..8 {
                server.add(label, Some(label));
            }
        }
        let servers = vec![server; 4];
        let mut table = Confusion::default();
        for server in &servers {
            table.merge(server);
        }
        let found = Headline::of(&table, &servers, 1).balanced_accuracy;
        assert_eq!((found.value, found.by), (Some(1.0), Some(Means::Wilson)));
        // Wilson's interval of 32 out of 32 begins at 32 / (32 + 1.96²), for either class.
        let interval = found.interval.expect("an interval");
        assert!((interval.low - 0.8928).abs() < 1e-3, "{interval:?}");
        assert!((interval.high - 1.0).abs() < 1e-9, "{interval:?}");
        let mut failed = servers;
        failed[0].add(BusinessLogic, Some(ToolFailure));
        failed[1].add(ToolFailure, None);
        assert_eq!(Headline::of(&table, &failed, 1).balanced_accuracy.by, Some(Means::Draws));
    }
}
