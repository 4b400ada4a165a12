//! The bands and thresholds by which results are read, from `scales.toml`.

use serde::Deserialize;
use std::sync::LazyLock;

pub(super) static SCALES: LazyLock<Scales> = LazyLock::new(|| {
    toml::from_str(include_str!("scales.toml")).expect("the file of scales is in order")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scales {
    confidence: Vec<Band>,
    quality: Vec<Band>,
    pub(super) review: Review,
    pub(super) acceptance: Acceptance,
    pub(super) ladder: Ladder,
    pub(super) blocking: Blocking,
    pub(super) mismatch: Mismatch,
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
pub(super) struct Review {
    pub(super) below: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Acceptance {
    pub(super) quality: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ladder {
    pub(super) rungs: Vec<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Blocking {
    pub(super) types: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mismatch {
    pub(super) from: f64,
    pub(super) own: f64,
    pub(super) doubtful: Vec<String>,
    pub(super) anywhere: Vec<String>,
}

/// The bands of confidence, from the highest down.
pub fn confidence_bands() -> &'static [Band] {
    &SCALES.confidence
}

/// The bands of quality, from the highest down.
pub fn quality_bands() -> &'static [Band] {
    &SCALES.quality
}

/// The band of a confidence from 0 to 1.
pub fn confidence_band(confidence: f64) -> &'static Band {
    band(confidence_bands(), confidence)
}

/// The band of a quality from 0 to 1.
pub fn quality_band(quality: f64) -> &'static Band {
    band(quality_bands(), quality)
}

/// Numbers beyond the ends of a scale belong to the band at that end.
fn band(bands: &'static [Band], number: f64) -> &'static Band {
    let found = bands.iter().find(|band| number >= band.from);
    found.or(bands.last()).expect("a scale has bands")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::IssueType;

    fn names(band: fn(f64) -> &'static Band, numbers: &[f64]) -> Vec<&'static str> {
        numbers.iter().map(|number| band(*number).name.as_str()).collect()
    }

    #[test]
    fn a_band_begins_with_its_lowest_number() {
        assert_eq!(
            names(confidence_band, &[1.0, 0.9, 0.899, 0.7, 0.5, 0.499, 0.3, 0.29, 0.0]),
            [
                "very_high",
                "very_high",
                "high",
                "high",
                "medium",
                "low",
                "low",
                "very_low",
                "very_low"
            ]
        );
        assert_eq!(
            names(quality_band, &[0.95, 0.85, 0.69, 0.35, 0.1]),
            ["excellent", "good", "fair", "poor", "very_poor"]
        );
    }

    #[test]
    fn numbers_off_the_scale_belong_to_its_ends() {
        assert_eq!(
            names(confidence_band, &[7.0, -1.0, f64::NAN]),
            ["very_high", "very_low", "very_low"]
        );
    }

    #[test]
    fn the_file_is_in_order() {
        for bands in [confidence_bands(), quality_bands()] {
            assert!(bands.windows(2).all(|pair| pair[0].from > pair[1].from));
        }
        assert!(SCALES.ladder.rungs.windows(2).all(|pair| pair[0] > pair[1]));
        assert!((SCALES.review.below..SCALES.mismatch.from).contains(&SCALES.mismatch.own));
        let known = |name: &String| IssueType::named(name).is_some();
        assert!(SCALES.mismatch.doubtful.iter().all(known));
        assert!(SCALES.blocking.types.iter().all(known));
    }
}
