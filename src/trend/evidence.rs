//! The test: recent nights against those before, stratum by stratum.
//!
//! Given how many exchanges each stratum has on either side and how many count in all, the number
//! that counts in the recent nights is a sum of hypergeometric ones (Mantel and Haenszel, 1959).

use super::chance::{binomial, spread_binomial, student};
use super::counts::Sums;

/// Below this variance a sum of chances is told by a bound that holds for any such sum.
const LITTLE: f64 = 25.0;
/// From this variance on counts are lopsided no more.
const MUCH: f64 = 100.0;
/// Below [`MUCH`], nights are taken to vary by so many standard errors more than they seem to.
const DOUBT: f64 = 1.5;
/// What is assumed of a spread before anything is learned, and how surely, in degrees of freedom.
const ASSUMED_SPREAD: f64 = 1.0;
const ASSUMED: f64 = 4.0;
/// From so many degrees of freedom on, nights that do not vary more than exchanges are believed.
const PLAIN: f64 = 34.0;
/// No test is asked for more than what this many standard deviations (squared) leave: 0.27 %.
const LEAST_SQUARE: f64 = 9.0;

/// What strata with exchanges on both sides add up to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// Exchanges of the recent nights that can be compared.
    pub of: f64,
    pub hits: f64,
    /// Those that would count by the shares of both sides together.
    expected: f64,
    /// Those that would count by the shares of the nights before.
    pub usual: f64,
    variance: f64,
    /// No more than so many can count, and so many not.
    room: [f64; 2],
    /// Exchanges of the nights before in these strata.
    of_before: f64,
    /// How far the shares of strata are from those before, each by how much is known of it, and how
    /// much that is in all.
    difference: [f64; 2],
}

impl Evidence {
    /// Adds a stratum: exchanges and hits of the recent nights, then of those before.
    #[inline]
    pub(super) fn add(&mut self, [of, hits]: [f64; 2], [of_before, hits_before]: [f64; 2]) {
        if of <= 0.0 || of_before <= 0.0 {
            return;
        }
        let all = of + of_before;
        let all_hits = hits + hits_before;
        self.of += of;
        self.hits += hits;
        self.usual += of * hits_before / of_before;
        self.of_before += of_before;
        self.difference[0] += (hits * of_before - hits_before * of) / all;
        self.difference[1] += of * of_before / all;
        let share = all_hits / all;
        let expected = of * share;
        self.expected += expected;
        // At least two exchanges, so that nothing is divided by zero.
        self.variance += expected * (1.0 - share) * of_before / (all - 1.0);
        self.room[0] += of.min(all_hits);
        self.room[1] += of.min(all - all_hits);
    }

    pub(super) fn between(recent: &Sums, before: &Sums) -> Self {
        let mut evidence = Self::default();
        for (recent, before) in recent.0.iter().zip(&before.0) {
            evidence.add(*recent, *before);
        }
        evidence
    }

    /// The share by the nights before; never 0 or 1, which no number of nights tells.
    fn usual_share(&self) -> f64 {
        let least = 0.5 / (self.of_before + 1.0);
        (self.usual / self.of).clamp(least, 1.0 - least)
    }

    /// How far the share is from that of the nights before.
    pub(super) fn shift(&self) -> Shift {
        let found = (self.hits + 0.5) / (self.of + 1.0);
        Shift { by: found - self.usual_share(), least: 0.5 / (self.of + 1.0) }
    }

    /// How much more probable what was counted is by the nights before than by these with a shift, as a
    /// logarithm. Shares are shifted and not odds: where one server of many fails, it fails as much
    /// whatever the others do that night.
    pub(super) fn speaks_for_usual(&self, shift: Shift) -> f64 {
        if self.of <= 0.0 {
            return 0.0;
        }
        let usual = self.usual_share();
        let shifted = (usual + shift.by).clamp(shift.least, 1.0 - shift.least);
        self.hits * (usual / shifted).ln()
            + (self.of - self.hits) * ((1.0 - usual) / (1.0 - shifted)).ln()
    }

    /// The square of how far what was counted is from what was expected, and the variance.
    pub(super) fn square(&self) -> [f64; 2] {
        let distance = self.hits - self.expected;
        [distance * distance, self.variance]
    }

    /// How far it is, in standard deviations squared; 0 where nothing could differ.
    pub(super) fn deviation(&self) -> f64 {
        let [square, variance] = self.square();
        if variance > 0.0 { square / variance } else { 0.0 }
    }

    pub(super) fn is_up(&self) -> bool {
        self.hits > self.expected
    }

    /// The recent share, were strata mixed as in the nights before: the share of those, moved by Mantel
    /// and Haenszel's difference. Shares of strata weighed by the nights before would leave out those
    /// that are rarely called, which in most nights have no exchange.
    pub(super) fn adjusted(&self, [of_before, hits_before]: [f64; 2]) -> Option<f64> {
        let [difference, known] = self.difference;
        let share = |known: f64| (hits_before / of_before + difference / known).clamp(0.0, 1.0);
        (known > 0.0).then(|| share(known))
    }

    /// How probable something like it is by chance, where nights vary so much; `None` where it is
    /// nothing to look at twice.
    pub(super) fn chance(&self, spread: Spread) -> Option<f64> {
        let square = self.deviation() / spread.factor;
        if square < LEAST_SQUARE {
            return None;
        }
        // Where nights vary no more than exchanges do, that is all there is to learn about them.
        let is_plain = spread.factor <= 1.0 && spread.degrees >= PLAIN;
        let degrees = if is_plain { 4.0 * spread.degrees } else { spread.degrees };
        let by_variance = student(square.sqrt(), degrees);
        Some(by_variance.max(2.0 * self.tail(spread)).min(1.0))
    }

    /// One side, counted: Student's distribution makes too little of how lopsided counts are.
    fn tail(&self, spread: Spread) -> f64 {
        let up = [self.hits, self.expected];
        let down = [self.of - self.hits, self.of - self.expected];
        let (many, few, room) =
            if self.is_up() { (up, down, self.room[0]) } else { (down, up, self.room[1]) };
        if self.variance >= MUCH {
            return tails(self.variance, spread.factor, many, few);
        }
        let [counted, expected] = many;
        if self.variance < LITTLE && spread.doubted <= 1.0 {
            // Hoeffding (1956): no sum of so many chances with this mean strays farther.
            return binomial(counted, room, (expected / room).min(1.0));
        }
        // With one stratum and a long time before, it is as if drawn with replacement.
        let drawn = expected * (1.0 - expected / self.of);
        let variance = self.variance * spread.doubted;
        if self.variance < LITTLE {
            spread_binomial(counted, self.of, expected / self.of, spread.doubted)
        } else if variance > drawn {
            spread_binomial(counted, self.of, expected / self.of, variance / drawn)
        } else {
            tails(variance, 1.0, many, few)
        }
    }
}

/// How far a share is from another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    by: f64,
    /// No share is taken to be less, nor its complement.
    least: f64,
}

/// How probable it is that more than expected are so many and fewer than expected so few, the larger of the
/// two: by binomial distributions with the mean and variance of what was counted, divided by a scale.
fn tails(variance: f64, scale: f64, many: [f64; 2], few: [f64; 2]) -> f64 {
    let chance = |expected: f64| (1.0 - variance / expected).clamp(1e-5, 1.0 - 1e-9);
    let share = chance(many[1]);
    let [counted, expected] = many.map(|number| number / scale);
    let by_many = binomial(counted, expected / share, share);
    let share = chance(few[1]);
    let [counted, expected] = few.map(|number| number / scale);
    let trials = expected / share;
    let by_few =
        if counted < trials { binomial(trials - counted, trials, 1.0 - share) } else { 1.0 };
    by_many.max(by_few)
}

/// How much more nights vary than exchanges drawn one by one would.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    /// So many times the variance, at least 1.
    pub factor: f64,
    /// The same, for safety's sake somewhat more.
    pub doubted: f64,
    /// How surely that is known.
    pub degrees: f64,
}

/// Sums that a spread is estimated by: squared distances, variances, and what the squares vary by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Squares([f64; 3]);

impl Squares {
    /// Of one night against those before.
    pub(super) fn of(evidence: &Evidence) -> Self {
        let [square, variance] = evidence.square();
        // A sum of small chances has squares that vary more than those of a normal one.
        Self([square, variance, variance * (variance + 0.5)])
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] + other.0[at]))
    }

    pub(super) fn less(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] - other.0[at]))
    }

    pub(super) fn spread(self) -> Spread {
        let [squares, variances, varying] = self.0;
        let learned = if varying > 0.0 { variances * variances / varying } else { 0.0 };
        let found = if learned > 0.0 { squares / variances } else { 0.0 };
        let degrees = learned + ASSUMED;
        let found = (found * learned + ASSUMED_SPREAD * ASSUMED) / degrees;
        Spread {
            factor: found.max(1.0),
            doubted: (found * (1.0 + DOUBT * (2.0 / degrees).sqrt())).max(1.0),
            degrees,
        }
    }
}
