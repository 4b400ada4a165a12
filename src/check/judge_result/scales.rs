//! The bands and thresholds by which results are read, from `scales.toml`.

use serde::Deserialize;
use std::sync::LazyLock;

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
    confidence: Vec<Band>,
    quality: Vec<Band>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::IssueType;

    #[test]
    fn a_band_begins_with_its_lowest_number_and_the_outer_ones_have_no_end() {
        let of = |number| confidence_band(number).name.as_str();
        let numbers = [7.0, 0.9, 0.899, 0.7, 0.5, 0.499, 0.3, 0.29, -1.0, f64::NAN];
        let names = "very_high very_high high high medium low low very_low very_low very_low";
        assert_eq!(numbers.map(of).join(" "), names);
        let of = |number| quality_band(number).name.as_str();
        let names = "excellent good fair poor very_poor";
        assert_eq!([0.95, 0.85, 0.69, 0.35, 0.1].map(of).join(" "), names);
    }

    #[test]
    fn the_file_is_in_order() {
        for bands in [&SCALES.confidence, &SCALES.quality] {
            assert!(bands.windows(2).all(|pair| pair[0].from > pair[1].from));
        }
        assert!(SCALES.rungs.windows(2).all(|pair| pair[0] > pair[1]));
        assert!((SCALES.review_below..SCALES.mismatch.from).contains(&SCALES.mismatch.own));
        let known = |name: &String| IssueType::named(name).is_some();
        assert!(SCALES.mismatch.doubtful.iter().all(known));
        assert!(SCALES.blocking.iter().all(known));
    }
}
