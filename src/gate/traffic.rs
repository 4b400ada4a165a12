//! Whether a night repeats what it is held against, or has other traffic.

use super::Evidence;
use crate::compare::shortened;
use std::collections::HashMap;

/// So many different requests without a new one are a part of the earlier ones, however few of them.
const CANNOT_BE_CHANCE: usize = 10;

/// How much of the requests is the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Traffic {
    /// The later side repeats the requests of the earlier one, or most of them.
    Repeated,
    /// It has other requests; only so many percent are the same.
    Other(f64),
}

impl Traffic {
    /// Different requests are counted, and only those that both sides have equally often are the same: a
    /// request that is made again and again every night is in every night, however often. New requests
    /// beside all of the earlier ones change nothing, and where half of them or more are missing without
    /// new ones, they are gone.
    pub(super) fn of(evidence: &Evidence<'_>, least_matched: f64) -> Self {
        let Evidence { before, after, .. } = evidence;
        let digits = before.key_digits.min(after.key_digits);
        let mut requests: HashMap<u128, [u64; 2]> = HashMap::new();
        for (at, side) in [before, after].into_iter().enumerate() {
            for entry in &side.entries {
                requests.entry(shortened(entry.request, digits).0).or_default()[at] += 1;
            }
        }
        let count =
            |is: fn(&[u64; 2]) -> bool| requests.values().filter(|counts| is(counts)).count();
        let equal = count(|[before, after]| before == after);
        let [of_before, of_after] = [count(|counts| counts[0] > 0), count(|counts| counts[1] > 0)];
        let percent = |of: usize| equal as f64 / of.max(1) as f64 * 100.0;
        let repeats = |of: usize| percent(of) >= least_matched;
        let is_part = 2 * of_after >= of_before || of_after >= CANNOT_BE_CHANCE;
        if repeats(of_before) || (repeats(of_after) && is_part) {
            Self::Repeated
        } else {
            Self::Other(percent(of_before))
        }
    }

    /// Why a rule for the same requests says nothing of other ones.
    pub(super) fn words(self) -> String {
        match self {
            Self::Repeated => {
                "both sides have the same requests, so calls are compared one by one".to_owned()
            }
            Self::Other(percent) => {
                format!(
                    "the sides have different requests ({percent:.1} % in common), so rates are \
                     compared"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Pair, Scene, fine, pair, scene, times};
    use super::*;
    use crate::compare::Side;
    use crate::recording::Key;

    fn held(before: &Side, after: &Side) -> Traffic {
        let scene = Scene { before: before.clone(), after: after.clone(), ..scene(&[]) };
        let Scene { before, after, comparison, labels, today } = &scene;
        let (comparison, labels, today) = (comparison, labels, *today);
        Traffic::of(&Evidence { before, after, comparison, labels, today }, 95.0)
    }

    /// So many exchanges of both sides, and of either alone, each with a request of its own.
    fn of(both: usize, only_before: usize, only_after: usize) -> Traffic {
        let mut pairs = times(both, &pair("a", fine(), fine()));
        pairs.extend(times(only_before, &Pair { after: None, ..pair("a", fine(), fine()) }));
        pairs.extend(times(only_after, &Pair { before: None, ..pair("a", fine(), fine()) }));
        let scene = scene(&pairs);
        held(&scene.before, &scene.after)
    }

    #[test]
    fn requests_match_where_most_of_them_were_made_again() {
        for (both, only_before, only_after) in [
            (100, 0, 0),
            (95, 5, 5),
            (19, 1, 400),
            (100, 0, 900),
            (50, 50, 0),
            (57, 40, 3),
            (20, 488, 0),
        ] {
            let found = of(both, only_before, only_after);
            assert_eq!(found, Traffic::Repeated, "{both} {only_before} {only_after}");
        }
        for (both, only_before, only_after) in [(94, 6, 6), (0, 9, 9), (9, 51, 0), (55, 40, 5)] {
            let found = of(both, only_before, only_after);
            assert!(matches!(found, Traffic::Other(_)), "{both} {only_before} {only_after}");
        }
    }

    #[test]
    fn a_request_that_is_repeated_all_night_does_not_make_nights_match() {
        let polled = |times_each: [usize; 3]| {
            let mut side = scene(&times(times_each.iter().sum(), &pair("a", fine(), fine()))).after;
            let requests =
                (0_u128..).zip(times_each).flat_map(|(request, times)| vec![request; times]);
            for (entry, request) in side.entries.iter_mut().zip(requests) {
                entry.request = Key(request);
            }
            side
        };
        let one = polled([40, 50, 60]);
        assert_eq!(held(&one, &one), Traffic::Repeated);
        assert!(
            matches!(held(&one, &polled([41, 50, 59])), Traffic::Other(percent) if percent < 34.0)
        );
    }
}
