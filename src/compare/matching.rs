//! Which exchange of one side is which of the other.

use super::repeats::{settle, settle_requests};
use super::{Entry, Matched, Side};
use crate::tape::Key;
use hashbrown::HashMap;

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
    let left = match_exchanges(before, after, left, &mut partners);
    let left = settle(a, b, left, &mut partners);
    let left = settle_requests(a, b, left, &mut partners);
    let (only_a, only_b) = match_requests(before, after, left, &mut partners);
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

/// Matches what is left by the names of exchanges.
fn match_exchanges(
    a: &[Entry],
    b: &[Entry],
    (left_a, left_b): Left,
    partners: &mut [Partner],
) -> Left {
    if left_a.is_empty() || left_b.is_empty() {
        return (left_a, left_b);
    }
    let mut by_name: HashMap<(Key, u32), usize> =
        left_a.iter().enumerate().map(|(at, place)| (name(&a[*place as usize]), at)).collect();
    let mut is_taken = vec![false; left_a.len()];
    let only_b = left_b.into_iter().filter(|place| {
        let found = by_name.remove(&name(&b[*place as usize]));
        if let Some(at) = found {
            partners[*place as usize] = Some((left_a[at], Matched::Exchange));
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

/// Matches what is left by requests, of which each side has at most one left.
fn match_requests(
    a: &[Entry],
    b: &[Entry],
    (left_a, left_b): Left,
    partners: &mut [Partner],
) -> Left {
    if left_a.is_empty() || left_b.is_empty() {
        return (left_a, left_b);
    }
    let mut by_request: HashMap<Key, usize> = HashMap::with_capacity(left_a.len());
    for (at, place) in left_a.iter().enumerate().rev() {
        by_request.insert(a[*place as usize].request, at);
    }
    let mut is_taken = vec![false; left_a.len()];
    let only_b = left_b.into_iter().filter(|place| {
        let found = by_request.remove(&b[*place as usize].request);
        if let Some(at) = found {
            partners[*place as usize] = Some((left_a[at], Matched::Request));
            is_taken[at] = true;
        }
        found.is_none()
    });
    let only_b = only_b.collect();
    (untaken(left_a, &is_taken), only_b)
}

#[cfg(test)]
mod tests {
    use super::super::{Header, Names, WHOLE_KEY};
    use super::*;
    use crate::report::RulebookName;
    use proptest::prelude::*;

    /// A side that lists these exchanges, each a request and one of its replies.
    fn side(exchanges: &[(u8, u8)]) -> Side {
        let mut seen: HashMap<(u8, u8), u32> = HashMap::new();
        let entry = |exchange: &(u8, u8)| {
            let before = seen.entry(*exchange).or_default();
            *before += 1;
            Entry {
                key: Key(u128::from(exchange.0) << 8 | u128::from(exchange.1)),
                before: *before - 1,
                said: 0,
                request: Key(exchange.0.into()),
                server: 0,
                tool: 0,
                file: 0,
                line: 0,
            }
        };
        let entries = exchanges.iter().map(entry).collect();
        let header = Header {
            name: String::new(),
            corpus_digest: String::new(),
            rulebook: RulebookName { name: String::new(), digest: String::new() },
            checks: None,
            version: None,
            rejects: None,
            rejected_files: None,
            overall_confidence: None,
            seconds: None,
        };
        Side {
            header,
            rulebook: None,
            said: Vec::new(),
            entries,
            names: Names::default(),
            key_digits: WHOLE_KEY,
        }
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
