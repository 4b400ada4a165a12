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
    use super::super::testing::{Scene, scene};
    use super::*;
    use crate::recording::Key;

    fn traffic(scene: &Scene) -> Traffic {
        scene.evidence(|evidence| Traffic::of(evidence, 95.0))
    }

    #[test]
    fn requests_match_where_most_of_them_were_made_again() {
        // So many calls of both sides, and of either alone, each with a request of its own.
        for (both, only_before, only_after, is_repeated) in [
            (100, 0, 0, true),
            (95, 5, 5, true),
            (19, 1, 400, true),
            (100, 0, 900, true),
            (50, 50, 0, true),
            (57, 40, 3, true),
            (20, 488, 0, true),
            (94, 6, 6, false),
            (0, 9, 9, false),
            (9, 51, 0, false),
            (55, 40, 5, false),
        ] {
            let calls = format!(
                "{both} a worked -> worked; {only_before} a worked -> -; {only_after} a - -> worked"
            );
            let found = traffic(&scene(&calls));
            assert_eq!(found == Traffic::Repeated, is_repeated, "{calls}");
        }
    }

    #[test]
    fn a_request_that_is_repeated_all_night_does_not_make_nights_match() {
        let polled = |times_each: [usize; 3]| {
            let mut side =
                scene(&format!("{} a worked -> worked", times_each.iter().sum::<usize>())).after;
            let requests =
                (0_u128..).zip(times_each).flat_map(|(request, times)| vec![request; times]);
            for (entry, request) in side.entries.iter_mut().zip(requests) {
                entry.request = Key(request);
            }
            side
        };
        let one = polled([40, 50, 60]);
        assert_eq!(traffic(&Scene::of(one.clone(), one.clone())), Traffic::Repeated);
        let found = traffic(&Scene::of(one, polled([41, 50, 59])));
        assert!(matches!(found, Traffic::Other(percent) if percent < 34.0));
    }
}
