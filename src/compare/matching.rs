//! Which exchange of one side is which of the other.

use super::repeats::{settle, settle_requests};
use super::{Entry, Matched, Side};
use crate::tape::Key;
use hashbrown::HashMap;
use std::hash::Hash;

/// The exchanges of two sides, put together. Numbers are places among the entries of a side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// Exchanges that both have, in the order of the second side.
    pub pairs: Vec<(u32, u32, Matched)>,
    /// Exchanges that only the first side has, in its order.
    pub only_a: Vec<u32>,
    /// Exchanges that only the second side has, in its order.
    pub only_b: Vec<u32>,
}

/// Puts exchanges together that are the same; and of what is left those that have the same request:
/// where there are several, first those of which the same is said, then the first with the first one on
/// the other side, and so on.
#[must_use]
pub fn match_sides(a: &Side, b: &Side) -> Matching {
    let (before, after) = (&a.entries, &b.entries);
    let mut partners = vec![None; after.len()];
    let left = match_in_step(before, after, &mut partners);
    let by_name = (Matched::Exchange, name);
    let left = match_by(by_name, (before, after), left, &mut partners);
    let left = settle(a, b, left, &mut partners);
    let left = settle_requests(a, b, left, &mut partners);
    // Of a request each side has at most one left.
    let by_request = (Matched::Request, |entry: &Entry| entry.request);
    let (only_a, only_b) = match_by(by_request, (before, after), left, &mut partners);
    let pairs = (0..).zip(partners);
    let pairs = pairs.filter_map(|(place, partner)| partner.map(|(one, how)| (one, place, how)));
    Matching { pairs: pairs.collect(), only_a, only_b }
}

/// What an entry of the second side was matched with, and how.
pub(super) type Partner = Option<(u32, Matched)>;

/// Places on either side that have no partner yet, in order.
pub(super) type Left = (Vec<u32>, Vec<u32>);

/// What is one exchange on both sides.
fn name(entry: &Entry) -> (Key, u32) {
    (entry.key, entry.before)
}

fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// Walks both sides at once: two runs mostly list the same exchanges in the same order.
fn match_in_step(a: &[Entry], b: &[Entry], partners: &mut [Partner]) -> Left {
    let (mut left_a, mut left_b) = (Vec::new(), Vec::new());
    let (mut at_a, mut at_b) = (0, 0);
    while let (Some(one), Some(other)) = (a.get(at_a), b.get(at_b)) {
        let (skipped_a, skipped_b) = if name(one) == name(other) {
            partners[at_b] = Some((narrow(at_a), Matched::Exchange));
            at_a += 1;
            at_b += 1;
            continue;
        } else {
            realigned(&a[at_a..], &b[at_b..])
        };
        left_a.extend((at_a..at_a + skipped_a).map(narrow));
        left_b.extend((at_b..at_b + skipped_b).map(narrow));
        at_a += skipped_a;
        at_b += skipped_b;
    }
    left_a.extend((at_a..a.len()).map(narrow));
    left_b.extend((at_b..b.len()).map(narrow));
    (left_a, left_b)
}

/// How far to look for where two sides meet again.
const WINDOW: usize = 16;

/// How many entries of either side to skip until both may go on alike.
fn realigned(a: &[Entry], b: &[Entry]) -> (usize, usize) {
    let (one, other) = (a.first().map(name), b.first().map(name));
    let meeting = (1..WINDOW).find_map(|skipped| {
        if b.get(skipped).map(name) == one {
            Some((0, skipped))
        } else if a.get(skipped).map(name) == other {
            Some((skipped, 0))
        } else {
            None
        }
    });
    meeting.unwrap_or((1, 1))
}

/// Matches what is left by what is equal on both sides, the first with the first.
fn match_by<K: Eq + Hash>(
    (matched, key): (Matched, impl Fn(&Entry) -> K),
    (a, b): (&[Entry], &[Entry]),
    (left_a, left_b): Left,
    partners: &mut [Partner],
) -> Left {
    if left_a.is_empty() || left_b.is_empty() {
        return (left_a, left_b);
    }
    // Backwards, so that the first stays of several.
    let by_key = left_a.iter().enumerate().rev();
    let mut by_key: HashMap<K, usize> =
        by_key.map(|(at, place)| (key(&a[*place as usize]), at)).collect();
    let mut is_taken = vec![false; left_a.len()];
    let only_b = left_b.into_iter().filter(|place| {
        let found = by_key.remove(&key(&b[*place as usize]));
        if let Some(at) = found {
            partners[*place as usize] = Some((left_a[at], matched));
            is_taken[at] = true;
        }
        found.is_none()
    });
    let only_b = only_b.collect();
    (untaken(left_a, &is_taken), only_b)
}

fn untaken(places: Vec<u32>, is_taken: &[bool]) -> Vec<u32> {
    let places = places.into_iter().zip(is_taken).filter(|(_, is_taken)| !**is_taken);
    places.map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use proptest::prelude::*;

    /// A side that lists these exchanges, each a request and one of its replies.
    fn side(exchanges: &[(u8, u8)]) -> Side {
        let key = |(request, reply): &(u8, u8)| u128::from(*request) << 64 | u128::from(*reply);
        let listed: Vec<_> = exchanges.iter().map(|exchange| (key(exchange), "acme", 0)).collect();
        let mut side = samples::side("listed", Vec::new(), &listed);
        let mut seen: HashMap<Key, u32> = HashMap::new();
        for entry in &mut side.entries {
            let before = seen.entry(entry.key).or_default();
            entry.before = *before;
            *before += 1;
        }
        side
    }

    /// The same, by looking at every pair.
    fn naive(a: &Side, b: &Side) -> Matching {
        let mut partners = vec![None; b.entries.len()];
        let mut taken = vec![false; a.entries.len()];
        let same_name: fn(&Entry, &Entry) -> bool = |one, other| name(one) == name(other);
        let same_request: fn(&Entry, &Entry) -> bool = |one, other| one.request == other.request;
        for (how, is_same) in [(Matched::Exchange, same_name), (Matched::Request, same_request)] {
            for (at, other) in b.entries.iter().enumerate() {
                let free = |one: &usize| !taken[*one] && is_same(&a.entries[*one], other);
                if partners[at].is_none()
                    && let Some(one) = (0..taken.len()).find(free)
                {
                    taken[one] = true;
                    partners[at] = Some((narrow(one), how));
                }
            }
        }
        let alone = |is_alone: Vec<bool>| {
            (0..).zip(is_alone).filter(|(_, alone)| *alone).map(|(place, _)| place).collect()
        };
        Matching {
            only_a: alone(taken.iter().map(|taken| !taken).collect()),
            only_b: alone(partners.iter().map(Option::is_none).collect()),
            pairs: (0..)
                .zip(partners)
                .filter_map(|(at, partner)| partner.map(|(one, how)| (one, at, how)))
                .collect(),
        }
    }

    fn exchanges() -> impl Strategy<Value = Vec<(u8, u8)>> {
        proptest::collection::vec((0_u8..12, 0_u8..4), 0..60)
    }

    proptest! {
        #[test]
        fn matches_are_those_that_looking_at_every_pair_gives(a in exchanges(), b in exchanges()) {
            let (a, b) = (side(&a), side(&b));
            prop_assert_eq!(match_sides(&a, &b), naive(&a, &b));
        }

        #[test]
        fn edits_of_a_long_list_are_found(
            edits in proptest::collection::vec((0_usize..300, 0_u8..4), 0..9),
        ) {
            let before: Vec<(u8, u8)> = (0..=255).map(|number| (number, 0)).collect();
            let mut after = before.clone();
            for (at, edit) in edits {
                let at = at % after.len();
                match edit {
                    0 => drop(after.remove(at)),
                    1 => after.insert(at, (7, 9)),
                    2 => after[at].1 += 1,
                    _ => after.rotate_left(at),
                }
            }
            let (a, b) = (side(&before), side(&after));
            prop_assert_eq!(match_sides(&a, &b), naive(&a, &b));
        }
    }

    #[test]
    fn a_new_reply_to_a_request_is_matched_with_the_old_one() {
        let matching =
            match_sides(&side(&[(1, 1), (2, 1), (2, 2)]), &side(&[(2, 3), (2, 2), (3, 1)]));
        assert_eq!(matching.pairs, [(1, 0, Matched::Request), (2, 1, Matched::Exchange)]);
        assert_eq!((matching.only_a, matching.only_b), (vec![0], vec![2]));
    }
}
