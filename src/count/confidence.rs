//! Averaged confidences, added up exactly.

use crate::rulebook::Overall;
use crate::verdict::Classification;

/// The sum of weighted confidences.
///
/// Floating-point sums depend on their order; this one is kept in whole units, so that stretches of a
/// corpus can be added up apart and in any order and the average is the same to the last bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Confidences(i128);

/// Units of one are two to this power: parts as small as shares of shares are kept to their last bit.
const UNITS: i32 = 80;

impl Confidences {
    /// The class and confidence of one exchange.
    pub fn of(overall: &Overall, class: Classification, confidence: f64) -> Self {
        Self(in_units(confidence * overall.weights[class as usize]))
    }

    /// Those of so many exchanges that have the same.
    pub fn times(&self, times: u64) -> Self {
        Self(self.0.saturating_mul(i128::from(times)))
    }

    /// The average over this many exchanges, 0 to 100.
    pub fn average(&self, exchanges: u64, overall: &Overall) -> f64 {
        if exchanges == 0 {
            return overall.empty;
        }
        let sum = self.0 as f64 * 0.5_f64.powi(UNITS);
        // The full score is 100 for each exchange; such sums are exact.
        let full = exchanges as f64 * 100.0;
        sum / full * 100.0
    }
}

impl Confidences {
    /// Adds what other exchanges added up to.
    pub fn merge(&mut self, other: &Self) {
        self.0 = self.0.saturating_add(other.0);
    }

    /// The sum in millionths, cut off.
    pub fn millionths(&self) -> i64 {
        // Half of the bits first: the whole product would not fit.
        i64::try_from(((self.0 >> (UNITS / 2)) * 1_000_000) >> (UNITS / 2)).unwrap_or(i64::MAX)
    }
}

/// A number in units; what is smaller than one is cut off.
#[expect(clippy::cast_possible_truncation, reason = "casts from floats cut off and saturate")]
fn in_units(number: f64) -> i128 {
    // Scaling by a power of two is exact.
    (number * 2.0_f64.powi(UNITS)) as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERALL: Overall = Overall { weights: [1.0, 0.7, 0.3, 0.2, 0.0], empty: 0.0 };

    #[test]
    fn the_worked_average_is_exact() {
        let guide = crate::rulebook::Rulebook::builtin("guide").expect("built in");
        for overall in [&OVERALL, &guide.overall] {
            let mut confidences = Confidences::default();
            confidences.merge(&Confidences::of(overall, Classification::FullyWorking, 100.0));
            confidences.merge(&Confidences::of(overall, Classification::PartiallyWorking, 70.0));
            confidences.merge(&Confidences::of(overall, Classification::FullyWorking, 100.0));
            assert_eq!(confidences.average(3, overall).to_bits(), 83.0_f64.to_bits());
            let nothing = Confidences::default().average(0, overall);
            assert_eq!(nothing.to_bits(), 0.0_f64.to_bits());
        }
    }

    #[test]
    fn the_weights_of_the_guide_are_those_of_its_document() {
        let guide = crate::rulebook::Rulebook::builtin("guide").expect("built in");
        assert_eq!(guide.overall, OVERALL);
    }

    #[test]
    fn parts_add_up_to_the_last_bit_in_any_order() {
        let classes = Classification::ALL;
        let confidences: Vec<_> =
            (0..100_u32).map(|n| (classes[n as usize % 5], f64::from(n % 9) / 0.09)).collect();
        let mut whole = Confidences::default();
        let mut cut = Confidences::default();
        for (class, confidence) in &confidences {
            whole.merge(&Confidences::of(&OVERALL, *class, *confidence));
        }
        for chunk in confidences.chunks(7).rev() {
            let mut part = Confidences::default();
            for (class, confidence) in chunk {
                part.merge(&Confidences::of(&OVERALL, *class, *confidence));
            }
            cut.merge(&part);
        }
        assert_eq!(whole, cut);
    }
}
