//! What sessions amount to, and intervals of shares.

mod sessions;

pub use sessions::{AllSessions, FirstIssue, SessionIssues, Sessions};

use serde::Serialize;
use serde::ser::{SerializeStruct as _, Serializer};

/// How sure a share is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many count.
    pub hits: u64,
    pub of: u64,
}

impl Share {
    /// The share; `None` of nothing.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }

    /// The share; 0 of nothing.
    pub fn percent(self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64 * 100.0
    }

    pub fn add(&mut self, other: Self) {
        self.hits += other.hits;
        self.of += other.of;
    }

    /// Wilson's interval (95 %).
    pub fn interval(self) -> Interval {
        wilson(self.hits, self.of)
    }
}

impl Serialize for Share {
    /// With the share and its interval, which are null of nothing.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Share", 4)?;
        object.serialize_field("hits", &self.hits)?;
        object.serialize_field("of", &self.of)?;
        object.serialize_field("share", &self.value())?;
        object.serialize_field("interval", &(self.of > 0).then(|| self.interval()))?;
        object.end()
    }
}

/// The standard normal quantile for two-sided 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's score interval (95 %) for `hits` of `total`.
pub fn wilson(hits: u64, total: u64) -> Interval {
    if total == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let n = total as f64;
    let share = hits as f64 / n;
    let z2 = Z * Z;
    let middle = share + z2 / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    // At the ends the exact answer is known, and rounding must not step over it.
    let low = if hits == 0 { 0.0 } else { ((middle - reach) / scale).max(0.0) };
    let high = if hits == total { 1.0 } else { ((middle + reach) / scale).min(1.0) };
    Interval { low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(interval: Interval, low: f64, high: f64) -> bool {
        (interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5
    }

    #[test]
    fn known_values_hold() {
        // Newcombe (1998), table I: 81/263, 15/148, 0/20, 1/29 by the score method.
        assert!(close(wilson(81, 263), 0.2553, 0.3662));
        assert!(close(wilson(15, 148), 0.0624, 0.1605));
        assert!(close(wilson(0, 20), 0.0, 0.1611));
        assert!(close(wilson(1, 29), 0.0061, 0.1718));
    }

    #[test]
    fn nothing_counted_says_nothing() {
        assert_eq!(wilson(0, 0), Interval { low: 0.0, high: 1.0 });
        assert!((wilson(7, 7).high - 1.0).abs() < f64::EPSILON);
    }
}
