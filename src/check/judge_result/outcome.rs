//! What to make of a result: the same functions for recorded results and for verdicts.
//!
//! Confidence and quality are shares from 0 to 1 here.

use serde::Deserialize;
use std::sync::LazyLock;

/// The bands and thresholds by which results are read.
pub(super) static SCALES: LazyLock<Scales> = LazyLock::new(|| {
    toml::from_str(include_str!("scales.toml")).expect("the file of scales is in order")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scales {
    pub(super) review_below: f64,
    pub(super) accepted_from: f64,
    pub(super) rungs: Vec<f64>,
    pub(super) blocking: Vec<String>,
    pub(super) mismatch: Mismatch,
    pub(super) confidence: Vec<Band>,
    pub(super) quality: Vec<Band>,
}

/// A range of a scale that has a name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// The name used in tables and files.
    pub name: String,
    /// The name shown to people.
    pub label: String,
    /// The lowest number that belongs to it.
    pub from: f64,
    pub meaning: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mismatch {
    pub(super) from: f64,
    pub(super) own: f64,
    pub(super) doubtful: Vec<String>,
    pub(super) anywhere: Vec<String>,
}

/// The band of a confidence from 0 to 1.
pub fn confidence_band(confidence: f64) -> &'static Band {
    band(&SCALES.confidence, confidence)
}

/// The band of a quality from 0 to 1.
pub fn quality_band(quality: f64) -> &'static Band {
    band(&SCALES.quality, quality)
}

/// Numbers beyond the ends of a scale belong to the band at that end.
fn band(bands: &'static [Band], number: f64) -> &'static Band {
    let found = bands.iter().find(|band| number >= band.from);
    found.or(bands.last()).expect("a scale has bands")
}

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
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, Deserialize)]
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
