//! Averaged confidences, added up exactly.

use crate::rulebook::Overall;
use crate::verdict::Classification;

/// The sum of weighted confidences in millionths: whole numbers can be added apart, in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Confidences(i64);

const MILLION: f64 = 1e6;

impl Confidences {
    #[expect(clippy::cast_possible_truncation, reason = "casts from floats saturate")]
    pub fn of(overall: &Overall, class: Classification, confidence: f64) -> Self {
        Self((confidence * overall.weights[class as usize] * MILLION).round() as i64)
    }

    /// Those of so many exchanges that have the same.
    pub fn times(&self, times: u64) -> Self {
        Self(self.0.saturating_mul(i64::try_from(times).unwrap_or(i64::MAX)))
    }

    /// The average over this many exchanges, 0 to 100.
    pub fn average(&self, exchanges: u64, overall: &Overall) -> f64 {
        if exchanges == 0 {
            return overall.empty;
        }
        // The full score is 100 for each exchange.
        let full = exchanges as f64 * 100.0 * MILLION;
        self.0 as f64 / full * 100.0
    }

    pub fn merge(&mut self, other: &Self) {
        self.0 = self.0.saturating_add(other.0);
    }

    pub fn millionths(&self) -> i64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_average_is_exact() {
        let guide = crate::rulebook::Rulebook::builtin("guide").expect("built in").overall;
        assert_eq!(guide, Overall { weights: [1.0, 0.7, 0.3, 0.2, 0.0], empty: 0.0 });
        let mut confidences = Confidences::default();
        for (class, confidence) in [
            (Classification::FullyWorking, 100.0),
            (Classification::PartiallyWorking, 70.0),
            (Classification::FullyWorking, 100.0),
        ] {
            confidences.merge(&Confidences::of(&guide, class, confidence));
        }
        assert_eq!(confidences.average(3, &guide).to_bits(), 83.0_f64.to_bits());
        let nothing = Confidences::default().average(0, &guide);
        assert_eq!(nothing.to_bits(), 0.0_f64.to_bits());
    }
}
