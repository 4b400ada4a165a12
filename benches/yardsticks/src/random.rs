//! Reproducible randomness: the same seed gives the same corpus on every machine.

/// A `SplitMix64` generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator that belongs to one purpose and one number under a seed.
    #[must_use]
    pub fn new(seed: u64, purpose: u64, number: u64) -> Self {
        let mut mixed = Self(seed ^ purpose.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        let start = mixed.next() ^ number.wrapping_mul(0x9FB2_1C65_1E98_DF25);
        let mut random = Self(start);
        random.next();
        random
    }

    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "an endless source is no iterator here")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be zero.
    #[expect(clippy::missing_panics_doc, reason = "the result is below a usize")]
    pub fn below(&mut self, bound: usize) -> usize {
        let wide = u128::from(self.next()) * (bound as u128);
        usize::try_from(wide >> 64).expect("below bound, which is a usize")
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in `permille` of 1,000 cases.
    pub fn chance(&mut self, permille: usize) -> bool {
        self.below(1000) < permille
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A number below `bound` that is small more often than large.
    pub fn skewed_below(&mut self, bound: usize) -> usize {
        let first = self.below(bound);
        let second = self.below(bound);
        first * second / bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let draw = |seed| {
            let mut random = Random::new(seed, 1, 2);
            [random.below(1000), random.below(1000), random.below(1000)]
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn chances_come_out_about_right() {
        let mut random = Random::new(1, 1, 1);
        let hits = (0..100_000).filter(|_| random.chance(180)).count();
        assert!((17_000..19_000).contains(&hits), "{hits}");
    }
}
