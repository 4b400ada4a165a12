//! What to make of a result: the same functions for recorded results and for verdicts.
//!
//! Confidence and quality are shares from 0 to 1 here.

use super::scales::SCALES;

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Interpretation {
        Excellent = "excellent",
        Acceptable = "acceptable",
        BelowThreshold = "below_threshold",
        SurelyInvalid = "surely_invalid",
        MaybeInvalid = "maybe_invalid",
        Invalid = "invalid",
    }
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Decision {
        Accept = "accept",
        AcceptWithWarnings = "accept_with_warnings",
        Reject = "reject",
        /// Somebody should look.
        Review = "review",
    }
}

impl Interpretation {
    /// What is said to people.
    pub fn text(self) -> &'static str {
        match self {
            Self::Excellent => "✅ Output is excellent and ready to use",
            Self::Acceptable => "⚠️ Output is acceptable but could be improved",
            Self::BelowThreshold => "⚠️ Output is valid but quality is below threshold",
            Self::SurelyInvalid => "❌ Output is invalid (high confidence)",
            Self::MaybeInvalid => "❓ Output may be invalid (low confidence, manual review needed)",
            Self::Invalid => "❌ Output is invalid",
        }
    }
}

/// What a result says: of a valid output how good it is, of an invalid one how sure that is.
pub fn interpretation(valid: bool, confidence: f64, quality: f64) -> Interpretation {
    match valid {
        true if quality >= 0.8 => Interpretation::Excellent,
        true if quality >= 0.6 => Interpretation::Acceptable,
        true => Interpretation::BelowThreshold,
        false if confidence > 0.8 => Interpretation::SurelyInvalid,
        false if confidence < 0.5 => Interpretation::MaybeInvalid,
        false => Interpretation::Invalid,
    }
}

/// What to do: look at an unsure result, whatever it says; else reject errors, pass on warnings.
pub fn decision(valid: bool, confidence: f64, warnings: u32) -> Decision {
    match valid {
        _ if needs_review(confidence) => Decision::Review,
        true if warnings == 0 => Decision::Accept,
        true => Decision::AcceptWithWarnings,
        false => Decision::Reject,
    }
}

pub fn needs_review(confidence: f64) -> bool {
    confidence < SCALES.review_below
}

pub fn is_good_enough(valid: bool, quality: f64) -> bool {
    valid && quality >= SCALES.accepted_from
}

/// How many outputs would be accepted as the demanded quality is lowered from attempt to attempt.
///
/// The rungs are decimal numbers: 0.8 less 0.1 is 0.7 here, although doubles subtracted give
/// 0.7000000000000001, which a quality of 0.7 would miss.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RetryLadder {
    valid: u64,
    /// How many are accepted at a rung, but not above it.
    accepted: Vec<u64>,
}

impl RetryLadder {
    /// The demanded qualities, from the first attempt on.
    pub fn rungs() -> &'static [f64] {
        &SCALES.rungs
    }

    /// The first rung at which an output is accepted, by its place.
    pub fn rung_of(valid: bool, quality: f64) -> Option<usize> {
        Self::rungs().iter().position(|rung| valid && quality >= *rung)
    }

    pub fn add(&mut self, valid: bool, quality: f64) {
        self.add_equal(1, valid, quality);
    }

    /// Counts so many outputs that are alike.
    pub fn add_equal(&mut self, count: u64, valid: bool, quality: f64) {
        self.valid += if valid { count } else { 0 };
        self.accepted.resize(Self::rungs().len(), 0);
        if let Some(rung) = Self::rung_of(valid, quality) {
            self.accepted[rung] += count;
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.valid += other.valid;
        self.accepted.resize(Self::rungs().len(), 0);
        self.accepted.iter_mut().zip(&other.accepted).for_each(|(count, other)| *count += other);
    }

    pub fn valid(&self) -> u64 {
        self.valid
    }

    /// Each rung, how many valid outputs it accepts, and their share (`None` where none was valid).
    pub fn shares(&self) -> impl Iterator<Item = (f64, u64, Option<f64>)> {
        let mut accepted = 0;
        Self::rungs().iter().enumerate().map(move |(at, rung)| {
            accepted += self.accepted.get(at).copied().unwrap_or(0);
            let share = (self.valid > 0).then(|| accepted as f64 / self.valid as f64);
            (*rung, accepted, share)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(number: f64) -> f64 {
        number.next_down()
    }

    #[test]
    fn interpretations_change_exactly_at_their_boundaries() {
        let valid = |quality| interpretation(true, 0.1, quality);
        assert_eq!(valid(0.8), Interpretation::Excellent);
        assert_eq!(valid(below(0.8)), Interpretation::Acceptable);
        assert_eq!(valid(0.6), Interpretation::Acceptable);
        assert_eq!(valid(below(0.6)), Interpretation::BelowThreshold);
        let invalid = |confidence| interpretation(false, confidence, 1.0);
        assert_eq!(invalid(0.8_f64.next_up()), Interpretation::SurelyInvalid);
        assert_eq!(invalid(0.8), Interpretation::Invalid);
        assert_eq!(invalid(0.5), Interpretation::Invalid);
        assert_eq!(invalid(below(0.5)), Interpretation::MaybeInvalid);
    }

    #[test]
    fn an_unsure_result_is_reviewed_before_anything_else() {
        assert_eq!(decision(true, below(0.6), 0), Decision::Review);
        assert_eq!(decision(false, 0.2, 3), Decision::Review);
        assert_eq!(decision(true, 0.6, 0), Decision::Accept);
        assert_eq!(decision(true, 0.6, 1), Decision::AcceptWithWarnings);
        assert_eq!(decision(false, 0.6, 1), Decision::Reject);
    }

    #[test]
    fn valid_is_not_yet_good_enough() {
        assert!(is_good_enough(true, 0.7));
        assert!(!is_good_enough(true, below(0.7)) && !is_good_enough(false, 1.0));
    }

    #[test]
    fn every_rung_of_the_ladder_accepts_what_the_ones_above_it_do() {
        let mut ladder = RetryLadder::default();
        for (valid, quality) in [(true, 0.8), (true, 0.7), (true, 0.55), (true, 0.2), (false, 1.0)]
        {
            ladder.add(valid, quality);
        }
        let shares: Vec<_> = ladder.shares().collect();
        assert_eq!(
            shares,
            [(0.8, 1, Some(0.25)), (0.7, 2, Some(0.5)), (0.6, 2, Some(0.5)), (0.5, 3, Some(0.75))]
        );
        assert_eq!(ladder.valid(), 4);
        assert_eq!(RetryLadder::default().shares().last(), Some((0.5, 0, None)));
    }

    #[test]
    fn a_rung_accepts_the_quality_it_names() {
        assert_eq!(RetryLadder::rungs(), [0.8, 0.7, 0.6, 0.5]);
        let rungs = RetryLadder::rungs().iter().map(|quality| RetryLadder::rung_of(true, *quality));
        assert!(rungs.eq([Some(0), Some(1), Some(2), Some(3)]));
        assert_eq!(RetryLadder::rung_of(true, below(0.5)), None);
        assert_eq!(RetryLadder::rung_of(false, 0.9), None);
    }
}
