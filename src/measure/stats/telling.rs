//! How much an observation tells about the truth.

use crate::measure::accuracy::Share;

/// Labelled replies to one question, split by whether something holds of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Of the failures, those of which it holds.
    pub failures: Share,
    /// Of those that are no failures, those of which it holds.
    pub fine: Share,
}

impl Split {
    fn labelled(self) -> u64 {
        self.failures.of + self.fine.of
    }

    /// Of how many labelled ones it holds.
    fn hits(self) -> u64 {
        self.failures.hits + self.fine.hits
    }

    /// Of those of which it holds, the share of failures.
    pub fn failing(self) -> Share {
        Share { hits: self.failures.hits, of: self.hits() }
    }

    /// `SpamAssassin`'s S/O, with failures for spam: how often it holds of failures, divided by that plus
    /// how often it holds of the others. 1 is failures only, 0 the others only, 0.5 says nothing.
    pub fn s_o(self) -> Option<f64> {
        let (failures, fine) = (self.failures.value()?, self.fine.value()?);
        let sum = failures + fine;
        (sum > 0.0).then(|| failures / sum)
    }

    /// How much knowing whether it holds tells of the truth, in bits.
    pub fn information_gain(self) -> Option<f64> {
        let all = self.labelled();
        if all == 0 {
            return None;
        }
        let base = entropy(self.failures.of, all);
        let missing = self.failures.of - self.failures.hits;
        let parts = [(self.failures.hits, self.hits()), (missing, all - self.hits())];
        let left = parts.map(|(failures, of)| of as f64 / all as f64 * entropy(failures, of));
        // Rounding may leave a trace below nothing.
        Some((base - left.iter().sum::<f64>()).max(0.0))
    }

    /// How many times likelier a failure is where it holds than anywhere.
    pub fn failure_lift(self) -> Option<f64> {
        lift(self.failing(), Share { hits: self.failures.of, of: self.labelled() })
    }

    /// How many times likelier something else than a failure is where it holds than anywhere.
    pub fn fine_lift(self) -> Option<f64> {
        let where_it_holds = Share { hits: self.fine.hits, of: self.hits() };
        lift(where_it_holds, Share { hits: self.fine.of, of: self.labelled() })
    }
}

fn lift(here: Share, anywhere: Share) -> Option<f64> {
    let (here, anywhere) = (here.value()?, anywhere.value()?);
    (anywhere > 0.0).then(|| here / anywhere)
}

/// The entropy of a share, in bits.
fn entropy(hits: u64, of: u64) -> f64 {
    if of == 0 {
        return 0.0;
    }
    let part = |count: u64| {
        let share = count as f64 / of as f64;
        if count == 0 { 0.0 } else { -share * share.log2() }
    };
    part(hits) + part(of - hits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(failures: [u64; 2], fine: [u64; 2]) -> Split {
        let share = |[hits, of]: [u64; 2]| Share { hits, of };
        Split { failures: share(failures), fine: share(fine) }
    }

    fn close(found: Option<f64>, wanted: f64) {
        let found = found.expect("a number");
        assert!((found - wanted).abs() < 5e-7, "{found} instead of {wanted}");
    }

    #[test]
    fn measures_of_a_split_that_was_worked_out_by_hand() {
        // 10 failures, 6 of them hit; 30 others, 3 of them hit.
        let some = split([6, 10], [3, 30]);
        close(some.s_o(), 0.6 / 0.7);
        assert_eq!(some.failing(), Share { hits: 6, of: 9 });
        close(some.failure_lift(), (6.0 / 9.0) / 0.25);
        close(some.fine_lift(), (3.0 / 9.0) / 0.75);
        // H(1/4) = 0.8112781; 9/40 H(6/9) + 31/40 H(4/31) = 0.225 * 0.9182958 + 0.775 * 0.5547782.
        close(some.information_gain(), 0.811_278_1 - 0.206_616_6 - 0.429_953_1);
    }

    #[test]
    fn what_splits_perfectly_tells_all_and_what_holds_everywhere_nothing() {
        let perfect = split([5, 5], [0, 5]);
        close(perfect.information_gain(), 1.0);
        close(perfect.s_o(), 1.0);
        close(perfect.failure_lift(), 2.0);
        let everywhere = split([5, 5], [20, 20]);
        close(everywhere.information_gain(), 0.0);
        close(everywhere.s_o(), 0.5);
        close(everywhere.fine_lift(), 1.0);
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        assert_eq!(split([0, 0], [0, 0]).information_gain(), None);
        assert_eq!(split([0, 0], [3, 4]).s_o(), None, "no failure is labelled");
        assert_eq!(split([0, 4], [0, 4]).s_o(), None, "it never holds");
        assert_eq!(split([0, 4], [0, 4]).failure_lift(), None);
        close(split([0, 4], [0, 4]).information_gain(), 0.0);
    }
}
