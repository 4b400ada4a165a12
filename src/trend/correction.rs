//! How improbable a change must be, since so many are looked for.

use super::counts::{Counts, WINDOWS};

/// At most this share of calls may show a change where none is. The promise is 1 in 100; what is left
/// covers that the spread of nights is only estimated.
pub(super) const FALSE_ALARMS: f64 = 0.008;
/// So many nights before the recent ones are needed at least.
pub(super) const FEWEST_BEFORE: usize = 3;
/// What the recent nights get of it: two are given more, since that is when people want to know.
const SHARES: [f64; 6] = [0.1, 0.5, 0.1, 0.1, 0.1, 0.1];
/// Half for windows that end in the last night, half for all earlier ones.
const LATEST: f64 = 0.5;

/// How many tests there are, by the recent nights they are of; of the last night and of all earlier.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tests([[u64; WINDOWS.len()]; 2]);

impl Tests {
    /// Counts the tests of a series: all that could find anything. `is_last` tells whether a night is
    /// the last one there is, `first` is the first that is looked at.
    pub(super) fn count(&mut self, counts: &Counts, nights: Looked) {
        let mut sums = [0; 2];
        for night in 0..counts.nights.len() {
            let [of, hits] = counts.total(night);
            sums = [sums[0] + of, sums[1] + hits];
            let varies = sums[1] > 0 && sums[1] < sums[0];
            if !varies || night < nights.first {
                continue;
            }
            let group = &mut self.0[usize::from(!nights.is_last(night))];
            for (window, count) in WINDOWS.iter().zip(group) {
                *count += u64::from(night + 1 >= window + FEWEST_BEFORE);
            }
        }
    }

    /// The tests of several series, or of the same many times.
    pub(super) fn plus(mut self, other: Self) -> Self {
        for (sum, more) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *sum += more;
        }
        self
    }

    pub(super) fn times(mut self, times: u32) -> Self {
        self.0.iter_mut().flatten().for_each(|count| *count *= u64::from(times.max(1)));
        self
    }

    pub(super) fn all(&self) -> u64 {
        self.0.iter().flatten().sum()
    }

    /// How improbable must be what a test finds.
    pub(super) fn level(&self, is_last: bool, window: usize) -> f64 {
        let of_group = if is_last { LATEST } else { 1.0 - LATEST };
        let tests = self.0[usize::from(!is_last)][window].max(1);
        FALSE_ALARMS * of_group * SHARES[window] / tests as f64
    }
}

/// Which of a series' nights are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looked {
    pub first: usize,
    /// The number of the night that is the last there is, where the series has exchanges in it.
    pub last: Option<usize>,
}

impl Looked {
    pub(super) fn is_last(self, night: usize) -> bool {
        self.last == Some(night)
    }
}
