//! What precision means where failures are as frequent as in somebody's own traffic.
//!
//! Labelled calls are often chosen for their failures, so the share of alarms that are true among them says
//! little of traffic with few failures. Recall and the rate of false alarms do not depend on how many
//! failures there are, and precision follows from both.

use super::{Estimate, Question};
use crate::labels::Label;
use crate::measure::accuracy::{Confusion, Share};
use serde::Serialize;

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

impl Among {
    fn questions(self) -> &'static [Question] {
        match self {
            Self::Errors => &[Question::Errors],
            Self::Successes => &[Question::Successes],
            Self::All => &Question::ALL,
        }
    }

    /// What is measured; `None` where there is no failure among them, or nothing else.
    fn of(self, table: &Confusion, servers: &[Confusion], seed: u64) -> Option<BaseRates> {
        let (recall, false_alarms) = self.rates(table);
        let precision_at = FAILURE_RATES.map(|failures| {
            let measure = |table: &Confusion| {
                let (recall, false_alarms) = self.rates(table);
                precision(recall.value()?, false_alarms.value()?, failures)
            };
            let ends = || {
                let [recall, alarms] = [recall, false_alarms].map(Share::interval);
                let low = precision(recall.low, alarms.high, failures);
                low.zip(precision(recall.high, alarms.low, failures))
            };
            let precision = Estimate::of((table, servers), measure, ends, seed);
            PrecisionAt { failures, precision }
        });
        let both = recall.of > 0 && false_alarms.of > 0;
        both.then_some(BaseRates { among: self, recall, false_alarms, precision_at })
    }

    /// Failures that are found, and others that are called failures.
    fn rates(self, table: &Confusion) -> (Share, Share) {
        let called = |truth: Label| -> u64 {
            Question::ALL.iter().map(|it| table.count(truth, Some(it.failure()))).sum()
        };
        let share = |truth: fn(Question) -> Label| {
            let labels = self.questions().iter().map(|question| truth(*question));
            let both = labels.map(|label| (called(label), table.of(label)));
            let (hits, of) = both.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
            Share { hits, of }
        };
        (share(Question::failure), share(Question::fine))
    }
}

/// Of what is called a failure, the share that is one; `None` where nothing is.
fn precision(recall: f64, false_alarms: f64, failures: f64) -> Option<f64> {
    let (found, alarmed) = (recall * failures, false_alarms * (1.0 - failures));
    (found + alarmed > 0.0).then(|| found / (found + alarmed))
}

pub(super) fn base_rates(table: &Confusion, servers: &[Confusion], seed: u64) -> Vec<BaseRates> {
    Among::ALL.into_iter().filter_map(|among| among.of(table, servers, seed)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::stats::Means;
    use Label::{BusinessLogic, HiddenFailure, Ok, ToolFailure};

    fn server(counts: &[(Label, Label, usize)]) -> Confusion {
        let mut table = Confusion::default();
        for (truth, answer, times) in counts {
            for _ in 0..*times {
                table.add(*truth, Some(*answer));
            }
        }
        table
    }

    fn measured(servers: &[Confusion]) -> Vec<BaseRates> {
        let mut table = Confusion::default();
        for server in servers {
            table.merge(server);
        }
        base_rates(&table, servers, 1)
    }

    #[test]
    fn precision_falls_with_the_share_of_failures() {
        // Nine of ten failures are found, one of a hundred others is called one.
        let one = server(&[
            (HiddenFailure, HiddenFailure, 9),
            (HiddenFailure, Ok, 1),
            (Ok, Ok, 99),
            (Ok, HiddenFailure, 1),
        ]);
        let found = measured(&[one.clone(), one]);
        let [successes, all] = &found[..] else { panic!("no errors: {found:?}") };
        assert_eq!((successes.among, all.among), (Among::Successes, Among::All));
        assert_eq!(successes.recall, Share { hits: 18, of: 20 });
        assert_eq!(successes.false_alarms, Share { hits: 2, of: 200 });
        let of = |row: &BaseRates| {
            row.precision_at.map(|it| it.precision.value.map(|it| format!("{it:.4}")))
        };
        // 0.9 of 1 % and 1 % of 99 %; 0.9 of 5 % and 1 % of 95 %; 0.9 of 20 % and 1 % of 80 %.
        assert_eq!(of(successes), ["0.4762", "0.8257", "0.9574"].map(|it| Some(it.to_owned())));
        assert_eq!(of(all), of(successes));
    }

    #[test]
    fn no_false_alarm_yet_is_no_promise() {
        let one = server(&[(ToolFailure, ToolFailure, 10), (BusinessLogic, BusinessLogic, 30)]);
        let found = measured(&[one.clone(), one]);
        let rare = found[0].precision_at[0].precision;
        assert_eq!((rare.value, rare.by), (Some(1.0), Some(Means::Wilson)));
        assert!(rare.interval.expect("two servers").low < 0.2, "{rare:?}");
    }
}
