//! Shares before and after: how likely chance makes so large a difference, and intervals.

pub use crate::count::tally::Share;
use statrs::distribution::{ContinuousCDF as _, Normal};
use statrs::function::factorial::ln_binomial;
use std::f64::consts::LN_2;

/// The standard normal quantile for two-sided 95 %.
const Z: f64 = 1.959_963_984_540_054;
/// How far what is expected must be from the least and the most that is possible.
const NORMAL: f64 = 5.0;
/// Halvings of an interval no longer than 2: what is left is less than a float can tell.
const HALVINGS: usize = 60;

/// `McNemar`'s exact test, two-sided: how likely so uneven a split of the items that changed is, if
/// each of them might as well have changed the other way.
pub fn exact_mcnemar(lost: u64, gained: u64) -> f64 {
    if lost == gained {
        return 1.0;
    }
    let all = lost + gained;
    let mut few = lost.min(gained);
    let mut term = (ln_binomial(all, few) - all as f64 * LN_2).exp();
    let mut tail = term;
    // Terms shrink ever faster away from the middle, so that this ends long before `few` items.
    while few > 0 && term > tail * f64::EPSILON / 16.0 {
        term *= few as f64 / (all - few + 1) as f64;
        tail += term;
        few -= 1;
    }
    (2.0 * tail).min(1.0)
}

/// Tango's score interval (95 %) of the difference of two shares of the same `of` items, of which
/// `gained` count only after and `lost` only before.
pub fn tango(lost: u64, gained: u64, of: u64) -> [f64; 2] {
    if of == 0 {
        return [-1.0, 1.0];
    }
    let difference = (gained as f64 - lost as f64) / of as f64;
    let score = |assumed: f64| score(assumed, [lost as f64, gained as f64], of as f64);
    let bisect = |mut inside: f64, mut outside: f64| {
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(inside, outside);
            if score(middle).abs() < Z { inside = middle } else { outside = middle }
        }
        f64::midpoint(inside, outside)
    };
    [bisect(difference, -1.0), bisect(difference, 1.0)]
}

/// How many standard errors lie between what was counted and an assumed difference.
fn score(assumed: f64, [lost, gained]: [f64; 2], of: f64) -> f64 {
    let b = (2.0 * of - gained + lost) * assumed - gained - lost;
    let c = -lost * assumed * (1.0 - assumed);
    let root = (b * b - 8.0 * of * c).max(0.0).sqrt();
    // The likeliest share of those lost; written so that nothing cancels.
    let share = if b > 0.0 { -2.0 * c / (b + root) } else { (root - b) / (4.0 * of) };
    let variance = of * (2.0 * share + assumed * (1.0 - assumed));
    let distance = gained - lost - of * assumed;
    if distance == 0.0 { 0.0 } else { distance / variance.max(0.0).sqrt() }
}

/// Holm's correction: p-values made honest about how many there are, in their order.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut corrected = vec![1.0; values.len()];
    let mut least = 0.0_f64;
    for (rank, at) in order.into_iter().enumerate() {
        least = least.max(values[at] * (values.len() - rank) as f64).min(1.0);
        corrected[at] = least;
    }
    corrected
}

/// Fisher's exact test, one-sided: how likely so many or more of the items that count are among the later
/// ones, if each of them might as well be among the earlier ones.
pub fn rise(before: Share, after: Share) -> f64 {
    let hits = before.hits + after.hits;
    let is_fall = after.hits as f64 * (before.of as f64) < before.hits as f64 * after.of as f64;
    if is_fall {
        // What is small is summed up: how likely there are fewer among the later ones.
        let fewer = after.hits.checked_sub(1).filter(|_| before.hits < before.of);
        return fewer.map_or(1.0, |fewer| {
            let more = Share { hits: before.hits + 1, ..before };
            1.0 - rise(Share { hits: fewer, ..after }, more)
        });
    }
    let ways = ln_binomial(after.of, after.hits) + ln_binomial(before.of, before.hits);
    let mut term = (ways - ln_binomial(before.of + after.of, hits)).exp();
    let mut tail = term;
    // Terms shrink ever faster away from the middle.
    for here in after.hits..hits.min(after.of) {
        let to = (hits - here) as f64 * (after.of - here) as f64;
        let from = (here + 1) as f64 * (before.of + here + 1 - hits) as f64;
        term *= to / from;
        tail += term;
        if term <= tail * f64::EPSILON / 16.0 {
            break;
        }
    }
    tail.min(1.0)
}

/// Cochran, Mantel and Haenszel's test, one-sided and with their correction for whole numbers: how likely so
/// many or more of the items that count are among the later ones of all parts together, if within each part each
/// of them might as well be among the earlier ones; and by how much the share rose within parts. So it does not
/// matter which parts there are more of. `None` where the normal distribution does not hold (Mantel and
/// Fleiss, 1980).
pub fn rise_within(parts: &[[Share; 2]]) -> Option<(f64, f64)> {
    let [mut excess, mut variance, mut weights] = [0.0; 3];
    let [mut expected, mut least, mut most] = [0.0; 3];
    for [before, after] in parts.iter().filter(|shares| shares.iter().all(|share| share.of > 0)) {
        let [earlier, later] = [before.of, after.of].map(|of| of as f64);
        let (all, hits) = (earlier + later, (before.hits + after.hits) as f64);
        let here = hits * later / all;
        expected += here;
        least += (hits - earlier).max(0.0);
        most += hits.min(later);
        excess += after.hits as f64 - here;
        variance += here * (all - hits) * earlier / (all * (all - 1.0));
        weights += earlier * later / all;
    }
    let is_normal = (expected - least).min(most - expected) >= NORMAL;
    let distance = (excess - 0.5) / variance.sqrt();
    is_normal.then(|| (Normal::standard().sf(distance), excess / weights))
}

/// The least p-value that [`rise`] could give for as many items of which as many count.
fn least(before: Share, after: Share) -> f64 {
    let hits = before.hits + after.hits;
    let all = hits.min(after.of);
    rise(Share { hits: hits - all, ..before }, Share { hits: all, ..after })
}

/// Which rises chance does not explain, of all that were looked at: the p-value of each that is below
/// `significance` after Holm's correction over those that could be (Tarone, 1990). Whether one could be is
/// told by sums that are the same whatever came before or after.
pub fn rises(shares: &[[Share; 2]], significance: f64) -> Vec<Option<f64>> {
    let leasts: Vec<f64> = shares.iter().map(|[before, after]| least(*before, *after)).collect();
    let mut sorted = leasts.clone();
    sorted.sort_by(f64::total_cmp);
    // The smallest number of tests that pays for all that could be found then.
    let tests = (1..=shares.len().max(1)).find(|tests| {
        let level = significance / *tests as f64;
        sorted.partition_point(|least| *least < level) <= *tests
    });
    let level = significance / tests.unwrap_or(1) as f64;
    let tested: Vec<usize> = (0..shares.len()).filter(|at| leasts[*at] < level).collect();
    let values: Vec<f64> = tested.iter().map(|at| rise(shares[*at][0], shares[*at][1])).collect();
    let mut found = vec![None; shares.len()];
    for (at, p) in tested.into_iter().zip(holm(&values)) {
        found[at] = (p < significance).then_some(p);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, published: f64, within: f64) {
        assert!((found - published).abs() <= within, "{found} instead of {published}");
    }

    fn equal(found: f64, wanted: f64) {
        close(found / wanted, 1.0, 1e-9);
    }

    fn share(hits: u64, of: u64) -> Share {
        Share { hits, of }
    }

    #[test]
    fn published_tests_hold() {
        // Armitage and Berry (1994), p. 127: two media for tubercle bacilli, 12 against 2.
        close(exact_mcnemar(12, 2), 0.0129, 5e-5);
        close(exact_mcnemar(2, 12), 0.0129, 5e-5);
        // Fagerland, Lydersen and Laake (2013): airway reactivity of 21 children, 1 against 7.
        close(exact_mcnemar(1, 7), 0.0703, 5e-5);
        // Fisher's tea: 3 of 4 cups told right, 1 of 4 wrong: 17 of 70 one-sided.
        equal(rise(share(1, 4), share(3, 4)), 17.0 / 70.0);
        // Agresti (1992): all eight of one kind, none of the other.
        equal(rise(share(0, 8), share(8, 8)), 1.0 / 12_870.0);
        equal(rise(share(5, 5), share(5, 5)), 1.0);
        equal(rise(share(0, 9), share(0, 3)), 1.0);
        equal(rise(share(3, 3), share(0, 7)), 1.0);
        // Bickel, Hammel and O'Connell (1975): six departments of Berkeley admit 512 of 825 men and 89 of 108 women,
        // and so on; the statistic of the test in R is 1.4269, p = 0.2323 two-sided. Of all together fewer are.
        let departments = [
            [share(512, 825), share(89, 108)],
            [share(353, 560), share(17, 25)],
            [share(120, 325), share(202, 593)],
            [share(138, 417), share(131, 375)],
            [share(53, 191), share(94, 393)],
            [share(22, 373), share(24, 341)],
        ];
        let (p, more) = rise_within(&departments).expect("many");
        close(2.0 * p, 0.2323, 5e-5);
        assert!(more > 0.0, "{more}");
        assert_eq!(rise_within(&[[share(0, 100), share(9, 100)]]), None, "too few for that");
        assert!(rise_within(&[[share(0, 100), share(10, 100)]]).is_some());
        assert_eq!(rise_within(&[[share(0, 0), share(90, 100)]]), None, "nothing to compare with");
    }

    #[test]
    fn many_items_agree_with_the_binomial_summed_up_one_by_one() {
        let by_hand = |few: u64, all: u64| {
            let mut term = (-(all as f64) * LN_2).exp();
            let mut tail = term;
            for k in 1..=few {
                term *= (all - k + 1) as f64 / k as f64;
                tail += term;
            }
            2.0 * tail
        };
        for (few, many) in [(0, 1), (0, 40), (9, 31), (200, 250), (480, 520), (450, 570)] {
            let (found, wanted) = (exact_mcnemar(few, many), by_hand(few, few + many));
            close(found / wanted, 1.0, 1e-9);
        }
        // Beyond what can be summed up, the normal distribution is near: 2 and 4 standard deviations.
        close(exact_mcnemar(499_000, 501_000), 0.045_5, 1e-3);
        close(exact_mcnemar(498_000, 502_000) / 6.33e-5, 1.0, 0.01);
        assert!(exact_mcnemar(0, 1_000_000) < 1e-300);
        assert!((exact_mcnemar(7, 7) - 1.0).abs() < f64::EPSILON);
        assert!((exact_mcnemar(0, 0) - 1.0).abs() < f64::EPSILON);
    }

    #[test]
    fn published_intervals_hold() {
        // Fagerland, Lydersen and Laake (2014), Tango's method: airway reactivity, 1 against 7 of 21.
        let [low, high] = tango(7, 1, 21);
        close(low, -0.517, 5e-4);
        close(high, -0.026, 5e-4);
    }

    #[test]
    fn intervals_mirror_and_hold_what_was_counted() {
        for (lost, gained, of) in
            [(0, 0, 5), (3, 9, 40), (0, 40, 40), (12, 2, 50), (1, 0, 1_000_000)]
        {
            let [low, high] = tango(lost, gained, of);
            let [other_low, other_high] = tango(gained, lost, of);
            close(low, -other_high, 1e-12);
            close(high, -other_low, 1e-12);
            let difference = (gained as f64 - lost as f64) / of as f64;
            assert!(-1.0 <= low && low <= difference && difference <= high && high <= 1.0);
        }
        // Nothing changed: the score method's own closed form.
        close(tango(0, 0, 100)[1], Z * Z / (100.0 + Z * Z), 1e-12);
        assert_eq!(tango(0, 0, 0).map(f64::to_bits), [-1.0_f64, 1.0].map(f64::to_bits));
    }

    #[test]
    fn holm_asks_more_of_the_least_than_of_the_next() {
        // Holm's own order: 0.01 * 4, 0.02 * 3, 0.03 * 2, 0.04 * 1, never decreasing.
        let corrected = holm(&[0.03, 0.01, 0.04, 0.02]);
        for (found, wanted) in corrected.into_iter().zip([0.06, 0.04, 0.06, 0.06]) {
            close(found, wanted, 1e-12);
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn many_different_items_agree_with_the_sum_of_all_chances() {
        for (before, after) in [
            (share(10, 1000), share(40, 1100)),
            (share(400, 700), share(390, 600)),
            (share(900, 1000), share(10, 1000)),
            (share(0, 50), share(4, 60)),
        ] {
            let hits = before.hits + after.hits;
            let chance = |here: u64| {
                let ways = ln_binomial(after.of, here) + ln_binomial(before.of, hits - here);
                (ways - ln_binomial(before.of + after.of, hits)).exp()
            };
            let low = after.hits.max(hits.saturating_sub(before.of));
            let wanted: f64 = (low..=hits.min(after.of)).map(chance).sum();
            equal(rise(before, after), wanted);
        }
    }

    #[test]
    fn what_could_never_be_found_costs_nothing() {
        let quiet = [share(0, 30), share(0, 30)];
        let broken = [share(0, 8), share(8, 8)];
        let mut shares = vec![quiet; 500];
        shares.push(broken);
        let found = rises(&shares, 0.001);
        assert!(found[500].is_some_and(|p| p < 0.001));
        assert_eq!(found.iter().flatten().count(), 1);
        // Where as many could be found, each pays for all.
        let busy = [share(20, 40), share(20, 40)];
        let mut shares = vec![busy; 500];
        shares.push(broken);
        assert_eq!(rises(&shares, 0.001)[500], None);
        assert!(rises(&[], 0.001).is_empty());
    }
}
