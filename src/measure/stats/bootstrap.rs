//! Intervals for measures of items that come in clusters.
//!
//! Replies of one server resemble each other, so that an interval which took them for independent would
//! be too narrow. Servers are drawn with replacement instead, as many as there are, and the measure is
//! taken of all their items; the middle 95 % of what comes out is the interval.

use crate::count::tally::Interval;
use crate::measure::accuracy::Confusion;

/// How often servers are drawn.
pub const RESAMPLES: u32 = 2_000;

/// Numbers that look random and depend on a seed alone (Steele, Lea and Flood's `SplitMix64`).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The next number below a bound that is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high half of a product: evenly enough for bounds far below 2^64.
        let wide = u128::from(self.roll()) * bound as u128;
        usize::try_from(wide >> 64).unwrap_or_default()
    }
}

/// The interval of a measure (95 %) by drawing servers. `None` where there are fewer than two, or where
/// the measure cannot be taken of nearly all draws.
pub fn interval(
    servers: &[Confusion],
    measure: impl Fn(&Confusion) -> Option<f64>,
    seed: u64,
) -> Option<Interval> {
    interval_of_draws(servers.len(), seed, |places| {
        let mut drawn = Confusion::default();
        places.for_each(|place| drawn.merge(&servers[place]));
        measure(&drawn)
    })
}

/// The same of a measure that takes the places of drawn servers.
pub fn interval_of_draws(
    servers: usize,
    seed: u64,
    measure: impl Fn(&mut dyn Iterator<Item = usize>) -> Option<f64>,
) -> Option<Interval> {
    if servers < 2 {
        return None;
    }
    let mut dice = Dice::new(seed);
    let mut found = Vec::with_capacity(RESAMPLES as usize);
    for _ in 0..RESAMPLES {
        found.extend(measure(&mut (0..servers).map(|_| dice.below(servers))));
    }
    // Where many draws lack a class, the rest is no fair picture of what may happen.
    if found.len() * 10 < RESAMPLES as usize * 9 {
        return None;
    }
    found.sort_unstable_by(f64::total_cmp);
    Some(Interval { low: quantile(&found, 0.025), high: quantile(&found, 0.975) })
}

/// A quantile of sorted numbers, straight between its neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in a list of a few thousand"
    )]
    let at = below as usize;
    let next = sorted[(at + 1).min(sorted.len() - 1)];
    sorted[at] + (place - below) * (next - sorted[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_fall_as_published() {
        // The first numbers of SplitMix64 from the seed 1234567.
        let mut dice = Dice::new(1_234_567);
        let rolled = [dice.roll(), dice.roll(), dice.roll()];
        assert_eq!(
            rolled,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
        let mut counts = [0; 5];
        for _ in 0..5_000 {
            counts[dice.below(5)] += 1;
        }
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let close = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found}");
        close(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.5), 3.0);
        close(quantile(&[0.0, 10.0], 0.025), 0.25);
        close(quantile(&[7.0], 0.975), 7.0);
    }
}
