//! Shares of different items before and after: how likely chance makes so large a rise.

use super::paired::holm;
use statrs::function::factorial::ln_binomial;

/// How many of so many items count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub hits: u64,
    pub of: u64,
}

impl Share {
    pub fn add(&mut self, other: Self) {
        self.hits += other.hits;
        self.of += other.of;
    }

    pub fn percent(self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64 * 100.0
    }
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

    fn share(hits: u64, of: u64) -> Share {
        Share { hits, of }
    }

    fn close(found: f64, wanted: f64) {
        assert!((found / wanted - 1.0).abs() <= 1e-9, "{found} instead of {wanted}");
    }

    #[test]
    fn published_tests_hold() {
        // Fisher's tea: 3 of 4 cups told right, 1 of 4 wrong: 17 of 70 one-sided.
        close(rise(share(1, 4), share(3, 4)), 17.0 / 70.0);
        // Agresti (1992): all eight of one kind, none of the other.
        close(rise(share(0, 8), share(8, 8)), 1.0 / 12_870.0);
        close(rise(share(5, 5), share(5, 5)), 1.0);
        close(rise(share(0, 9), share(0, 3)), 1.0);
        close(rise(share(3, 3), share(0, 7)), 1.0);
    }

    #[test]
    fn many_items_agree_with_the_sum_of_all_chances() {
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
            close(rise(before, after), wanted);
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
