//! The measures that count most, with intervals; and what precision means where failures are as frequent as in
//! somebody's own traffic.
//!
//! Labelled calls are often chosen for their failures, so the share of alarms that are true among them says
//! little of traffic with few failures. Recall and the rate of false alarms do not depend on how many
//! failures there are, and precision follows from both.

use super::Question;
use super::bootstrap::{RESAMPLES, interval};
use crate::count::tally::Interval;
use crate::labels::Class;
use crate::measure::accuracy::{Confusion, Share};
use serde::Serialize;

/// A measure and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// What it comes to; `None` where a class is missing.
    pub value: Option<f64>,
    /// Where it may lie (95 %); `None` where there are too few servers, or of a class.
    pub interval: Option<Interval>,
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
    fn of(
        servers: &[Confusion],
        measure: impl Fn(&Confusion) -> Option<f64>,
        ends: impl Fn(&Confusion) -> Option<(f64, f64)>,
        seed: u64,
    ) -> Self {
        let table = Confusion::of_all(servers);
        let (interval, by) = match interval(servers, &measure, seed) {
            Some(Interval { low, high }) if high - low < 1e-9 => {
                (ends(&table).map(|(low, high)| Interval { low, high }), Means::Wilson)
            }
            drawn => (drawn, Means::Draws),
        };
        Self { value: measure(&table), interval, by: interval.map(|_| by) }
    }

    /// Of the mean of shares.
    fn of_shares(servers: &[Confusion], shares: fn(&Confusion) -> Vec<Share>, seed: u64) -> Self {
        let value = |table: &Confusion| mean(shares(table).into_iter().map(Share::value));
        let ends = |table: &Confusion| {
            let intervals: Vec<_> = shares(table).into_iter().map(Share::interval).collect();
            let low = mean(intervals.iter().map(|it| Some(it.low)));
            low.zip(mean(intervals.iter().map(|it| Some(it.high))))
        };
        Self::of(servers, value, ends, seed)
    }
}

/// The mean; `None` of nothing, or where one is missing.
fn mean(numbers: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let numbers: Vec<f64> = numbers.collect::<Option<_>>()?;
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

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
    /// Of the replies that are said to have failed without `isError`, those that have.
    pub unflagged_failure_precision: Estimate,
    /// Of the replies that failed without `isError`, those that are said to.
    pub unflagged_failure_recall: Estimate,
    /// Of the replies that are said to have refused without `isError`, those that have.
    pub unflagged_refusal_precision: Estimate,
    /// Of the replies that refused without `isError`, those that are said to.
    pub unflagged_refusal_recall: Estimate,
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
    /// Each measure: its name, what it is and what it comes to.
    pub fn estimates(&self) -> [(&'static str, &'static str, Estimate); 5] {
        let mean = "mean recall of both classes";
        [
            ("errors, balanced accuracy", mean, self.balanced_accuracy),
            ("hidden failures, precision", "precision", self.hidden_precision),
            ("hidden failures, recall", "recall", self.hidden_recall),
            ("hidden failures, balanced accuracy", mean, self.hidden_balanced_accuracy),
            ("all labels, accuracy", "accuracy", self.accuracy),
        ]
    }

    /// Of servers that have labels.
    pub fn of(servers: &[Confusion], seed: u64) -> Self {
        let estimate = |shares| Estimate::of_shares(servers, shares, seed);
        Self {
            balanced_accuracy: estimate(|table| recalls(table, Question::Errors)),
            hidden_balanced_accuracy: estimate(|table| recalls(table, Question::Successes)),
            hidden_precision: estimate(|table| vec![table.precision(Class::Hidden)]),
            hidden_recall: estimate(|table| vec![table.recall(Class::Hidden)]),
            unflagged_failure_precision: estimate(|it| vec![it.precision(Class::HiddenFailure)]),
            unflagged_failure_recall: estimate(|it| vec![it.recall(Class::HiddenFailure)]),
            unflagged_refusal_precision: estimate(|it| vec![it.precision(Class::HiddenRefusal)]),
            unflagged_refusal_recall: estimate(|it| vec![it.recall(Class::HiddenRefusal)]),
            accuracy: estimate(|table| vec![table.accuracy()]),
            servers: servers.len() as u64,
            draws: RESAMPLES,
        }
    }
}

fn recalls(table: &Confusion, question: Question) -> Vec<Share> {
    question.labels().map(|label| table.recall(label)).to_vec()
}

/// The shares of failures for which precision is computed.
pub const FAILURE_RATES: [f64; 3] = [0.01, 0.05, 0.2];

named! {
    /// The calls among which failures are looked for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Among {
        /// Errors, of which some are failures of the tool.
        Errors = "errors",
        /// Replies that claim success, of which some hide a failure.
        Successes = "successes",
        All = "all",
    }
}

/// What failures among some calls are found with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BaseRates {
    pub among: Among,
    pub recall: Share,
    /// Of the other calls, those that are called failures.
    pub false_alarms: Share,
    pub precision_at: [PrecisionAt; FAILURE_RATES.len()],
}

/// Of the calls that are called failures, those that are, where this share of all are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PrecisionAt {
    pub failures: f64,
    pub precision: Estimate,
}

impl BaseRates {
    /// Of each kind of calls among which there are failures and others.
    pub(super) fn all(servers: &[Confusion], seed: u64) -> Vec<Self> {
        let of = |among: Among| {
            let [recall, false_alarms] = among.rates(&Confusion::of_all(servers));
            let precision_at = |failures| {
                let measure = |table: &Confusion| {
                    let [recall, alarms] = among.rates(table).map(Share::value);
                    precision(recall?, alarms?, failures)
                };
                let ends = |_: &Confusion| {
                    let [recall, alarms] = [recall, false_alarms].map(Share::interval);
                    let low = precision(recall.low, alarms.high, failures);
                    low.zip(precision(recall.high, alarms.low, failures))
                };
                let precision = Estimate::of(servers, measure, ends, seed);
                PrecisionAt { failures, precision }
            };
            (recall.of > 0 && false_alarms.of > 0).then(|| {
                let precision_at = FAILURE_RATES.map(precision_at);
                Self { among, recall, false_alarms, precision_at }
            })
        };
        Among::ALL.into_iter().filter_map(of).collect()
    }
}

impl Among {
    /// Failures that are found, and others that are called failures. Of labels that do not say whether it was one,
    /// nothing is counted.
    fn rates(self, table: &Confusion) -> [Share; 2] {
        const FLAGGED: [&[Class]; 2] = [&[Class::Failed], &[Class::Refused]];
        const UNFLAGGED: [&[Class]; 2] =
            [&[Class::HiddenFailure], &[Class::Worked, Class::HiddenRefusal]];
        let among: &[[&[Class]; 2]] = match self {
            Self::Errors => &[FLAGGED],
            Self::Successes => &[UNFLAGGED],
            Self::All => &[FLAGGED, UNFLAGGED],
        };
        let called = |truth: Class| -> u64 {
            let failures = [Class::Failed, Class::HiddenFailure].into_iter();
            failures.map(|answer| table.exactly(truth, Some(answer))).sum()
        };
        [0, 1].map(|kind| {
            let classes = among.iter().flat_map(|kinds| kinds[kind]).copied();
            Share {
                hits: classes.clone().map(called).sum(),
                of: classes.map(|truth| table.of(truth)).sum(),
            }
        })
    }
}

/// Of what is called a failure, the share that is one; `None` where nothing is.
fn precision(recall: f64, false_alarms: f64, failures: f64) -> Option<f64> {
    let (found, alarmed) = (recall * failures, false_alarms * (1.0 - failures));
    (found + alarmed > 0.0).then(|| found / (found + alarmed))
}
