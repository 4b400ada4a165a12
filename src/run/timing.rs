//! How long validation takes. It is another time in every run, so that only what promises no equal bytes tells it.

use crate::store::ValidationTime;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The longest that a validation may take, by the document of the contract `todo`.
const MOST: Duration = Duration::from_millis(10);

/// What the validation of exchanges took.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Timing {
    exchanges: u64,
    total: Duration,
    longest: Duration,
    above_most: u64,
    /// Those whose requests have a recorded duration.
    timed: u64,
    total_of_timed: Duration,
    requests_ms: f64,
}

impl Timing {
    /// Adds an exchange, with the recorded duration of its request.
    pub(super) fn add(&mut self, took: Duration, request_ms: Option<f64>) {
        self.exchanges += 1;
        self.total += took;
        self.longest = self.longest.max(took);
        self.above_most += u64::from(took > MOST);
        if let Some(request_ms) = request_ms.filter(|recorded| *recorded > 0.0) {
            self.timed += 1;
            self.total_of_timed += took;
            self.requests_ms += request_ms;
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.exchanges += other.exchanges;
        self.total += other.total;
        self.longest = self.longest.max(other.longest);
        self.above_most += other.above_most;
        self.timed += other.timed;
        self.total_of_timed += other.total_of_timed;
        self.requests_ms += other.requests_ms;
    }

    pub(super) fn told(&self) -> ValidationTime {
        let share = milliseconds(self.total_of_timed) / self.requests_ms;
        ValidationTime {
            exchanges: self.exchanges,
            mean_ms: milliseconds(self.total) / self.exchanges.max(1) as f64,
            longest_ms: milliseconds(self.longest),
            above_10_ms: self.above_most,
            timed: self.timed,
            share_of_requests: (self.timed > 0).then_some(share),
        }
    }
}

pub(super) fn milliseconds(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_that_of_requests_with_a_duration() {
        let (mut one, mut other) = (Timing::default(), Timing::default());
        let mean = |timing: &Timing| timing.told().mean_ms;
        assert!(mean(&one).abs() < f64::EPSILON, "nothing took no time");
        assert_eq!(one.told().share_of_requests, None, "without requests there is no share");
        one.add(Duration::from_micros(300), Some(20.0));
        one.add(Duration::from_micros(100), None);
        other.add(Duration::from_micros(500), Some(60.0));
        other.add(Duration::from_micros(100), Some(0.0));
        one.merge(&other);
        let ValidationTime {
            exchanges,
            mean_ms,
            longest_ms,
            above_10_ms,
            timed,
            share_of_requests,
        } = one.told();
        assert_eq!((exchanges, timed), (4, 2), "a duration of nothing was not measured");
        assert_eq!(above_10_ms, 0, "the longest took half a millisecond");
        assert!((mean_ms - 0.25).abs() < 1e-9, "{mean_ms}");
        assert!((longest_ms - 0.5).abs() < 1e-9, "{longest_ms}");
        let share = share_of_requests.expect("two requests have durations");
        assert!((share - 0.8 / 80.0).abs() < 1e-12, "{share}");
        other.add(MOST, None);
        other.add(MOST + Duration::from_nanos(1), None);
        one.merge(&other);
        assert_eq!(one.told().above_10_ms, 1, "10 ms are within the bound");
    }
}
