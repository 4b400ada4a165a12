//! How probable what was counted is by chance.

use statrs::function::beta::ln_beta;
use statrs::function::gamma::ln_gamma;

/// Terms of continued fractions and of tails smaller than this share of the whole no longer count.
const ENOUGH: f64 = 1e-12;
/// Continued fractions converge long before so many steps where they converge at all.
const MOST_STEPS: u32 = 20_000;

/// How probable Student's t strays so far or farther, either way.
pub(super) fn student(t: f64, degrees: f64) -> f64 {
    beta(degrees / (degrees + t * t), degrees / 2.0, 0.5)
}

/// How probable at least `least` of `trials` succeed; neither needs to be a whole number.
pub(super) fn binomial(least: f64, trials: f64, chance: f64) -> f64 {
    if least <= 0.0 {
        1.0
    } else if least > trials {
        0.0
    } else {
        beta(chance, least, trials - least + 1.0)
    }
}

/// The same where trials come in kinds of unequal chance, so that the number of successes varies
/// `spread` times as much as it would otherwise.
pub(super) fn spread_binomial(least: f64, trials: f64, chance: f64, spread: f64) -> f64 {
    if least <= 0.0 {
        return 1.0;
    }
    if least > trials || trials < 2.0 {
        return if least > trials { 0.0 } else { chance };
    }
    // One kind a history long would be all or nothing: no spread is larger.
    let kinship = ((spread - 1.0) / (trials - 1.0)).clamp(1e-9, 0.999);
    let total = 1.0 / kinship - 1.0;
    let (a, b) = (chance * total, (1.0 - chance) * total);
    let ways = ln_gamma(trials + 1.0) - ln_gamma(least + 1.0) - ln_gamma(trials - least + 1.0);
    let mut term = (ways + ln_beta(a + least, b + trials - least) - ln_beta(a, b)).exp();
    let mut tail = 0.0;
    let mut successes = least;
    while successes <= trials && term > tail * ENOUGH {
        tail += term;
        term *= (trials - successes) / (successes + 1.0) * (a + successes)
            / (b + trials - successes - 1.0);
        successes += 1.0;
    }
    tail.min(1.0)
}

/// The regularized incomplete beta function. That of `statrs` stops after 140 steps, which is too early where counts
/// are large.
fn beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (a * x.ln() + b * (-x).ln_1p() - ln_beta(a, b)).exp();
    let whole = if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    };
    whole.clamp(0.0, 1.0)
}

/// Its continued fraction, by Lentz's method (Press and others, Numerical Recipes).
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let never_zero = |number: f64| if number.abs() < 1e-300 { 1e-300 } else { number };
    let mut above = 1.0;
    let mut below = 1.0 / never_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut whole = below;
    for step in (1..MOST_STEPS).map(f64::from) {
        let place = a + 2.0 * step;
        for term in [
            step * (b - step) * x / ((place - 1.0) * place),
            -(a + step) * (a + b + step) * x / (place * (place + 1.0)),
        ] {
            below = 1.0 / never_zero(1.0 + term * below);
            above = never_zero(1.0 + term / above);
            whole *= below * above;
        }
        if (below * above - 1.0).abs() < ENOUGH {
            break;
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, wanted: f64, within: f64) {
        assert!((found / wanted - 1.0).abs() <= within, "{found} instead of {wanted}");
    }

    #[test]
    fn student_is_as_tables_have_it() {
        close(student(12.706_204_736, 1.0), 0.05, 1e-9);
        close(student(2.228_138_852, 10.0), 0.05, 1e-8);
        close(student(4.586_894, 10.0), 0.001, 1e-5);
        // With so many degrees it is the normal distribution.
        close(student(3.290_526_731, 1e9), 0.001, 1e-5);
    }

    #[test]
    fn binomials_are_summed_up() {
        close(binomial(9.0, 10.0, 0.5), 11.0 / 1024.0, 1e-12);
        close(binomial(2.0, 3.0, 0.1), 0.028, 1e-12);
        close(binomial(5.0, 5.0, 0.05), 0.05_f64.powi(5), 1e-12);
        close(binomial(0.0, 5.0, 0.05), 1.0, 0.0);
        assert!(binomial(6.0, 5.0, 0.05) <= 0.0);
    }

    #[test]
    fn trials_that_stick_together_stray_farther() {
        // Two trials of one kind, a quarter alike: both succeed with 0.5 * (0.5 + 0.5 * 0.25).
        close(spread_binomial(2.0, 2.0, 0.5, 1.25), 0.5 * (0.5 + 0.5 * 0.25), 1e-9);
        close(spread_binomial(9.0, 10.0, 0.5, 1.0), 11.0 / 1024.0, 1e-5);
        let spread: Vec<f64> =
            [1.0, 2.0, 3.0].map(|spread| spread_binomial(18.0, 20.0, 0.5, spread)).into();
        assert!(spread.is_sorted() && spread[0] * 10.0 < spread[2], "{spread:?}");
    }
}
