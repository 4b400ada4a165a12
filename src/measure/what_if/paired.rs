//! The same items answered twice.

use crate::compare::paired::{exact_mcnemar, tango};

/// The same items answered before and after: how many became wrong, and how many right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Right before, wrong after.
    pub lost: u64,
    /// Wrong before, right after.
    pub gained: u64,
    pub of: u64,
}

impl Paired {
    pub fn add(&mut self, right: [bool; 2]) {
        self.of += 1;
        match right {
            [true, false] => self.lost += 1,
            [false, true] => self.gained += 1,
            [true, true] | [false, false] => {}
        }
    }

    /// How likely so uneven a split is by chance alone: `McNemar`'s exact test, two-sided.
    pub fn p(self) -> f64 {
        exact_mcnemar(self.lost, self.gained)
    }

    /// By how much the share of right answers grew.
    pub fn difference(self) -> Option<f64> {
        (self.of > 0).then(|| (self.gained as f64 - self.lost as f64) / self.of as f64)
    }

    /// Tango's interval (95 %) of that.
    pub fn interval(self) -> [f64; 2] {
        tango(self.lost, self.gained, self.of)
    }
}
