//! Which exchange of one side is which of the other.
//!
//! Exchanges are put together within a key, and what is left of them within a request. There, those of
//! which the same is said come first, wherever they stand: equal exchanges are judged differently under
//! another schema. Then come those that stand at the same line of the same recording, then the others in
//! the order of recording and line. What is left over was added or is gone.

use super::{Entry, Matched, Side};
use crate::recording::Key;
use hashbrown::HashMap;
use std::cmp::Ordering;
use std::collections::VecDeque;
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

/// Where one side has fewer digits of keys, as many are looked at of the other.
pub fn match_sides(a: &Side, b: &Side) -> Matching {
    let digits = a.key_digits.min(b.key_digits);
    let [a, b] = [a, b].map(|side| side.with_digits(digits));
    let (a, b) = (&*a, &*b);
    let mut matcher =
        Matcher { a, b, partners: vec![None; b.entries.len()], same_verdict: HashMap::new() };
    let left = matcher.match_in_step();
    let left = matcher.match_within(|entry| entry.key, Matched::Exchange, left);
    let (only_a, only_b) = matcher.match_within(|entry| entry.request, Matched::Request, left);
    let pairs = (0..).zip(matcher.partners);
    let pairs = pairs.filter_map(|(place, partner)| partner.map(|(one, how)| (one, place, how)));
    Matching { pairs: pairs.collect(), only_a, only_b }
}

/// Places on either side that have no partner yet, in order.
type Left = (Vec<u32>, Vec<u32>);

fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

struct Matcher<'s> {
    a: &'s Side,
    b: &'s Side,
    /// What each entry of the second side was matched with, and how.
    partners: Vec<Option<(u32, Matched)>>,
    /// Whether the same is said by two numbers, one of each side.
    same_verdict: HashMap<(u32, u32), bool>,
}

impl<'s> Matcher<'s> {
    /// Two runs mostly list the same exchanges in the same order, and say the same of most.
    fn match_in_step(&mut self) -> Left {
        let (a, b) = (&self.a.entries, &self.b.entries);
        let (mut left_a, mut left_b) = (Vec::new(), Vec::new());
        let (mut at_a, mut at_b) = (0, 0);
        while let (Some(one), Some(other)) = (a.get(at_a), b.get(at_b)) {
            let (skipped_a, skipped_b) = if one.key != other.key {
                realigned(&a[at_a..], &b[at_b..])
            } else if self.says_the_same(one.verdict, other.verdict) {
                self.partners[at_b] = Some((narrow(at_a), Matched::Exchange));
                at_a += 1;
                at_b += 1;
                continue;
            } else {
                (1, 1)
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

    /// Matches what is left of each key or request.
    fn match_within(&mut self, key: fn(&Entry) -> Key, how: Matched, left: Left) -> Left {
        let (left_a, left_b) = left;
        if left_a.is_empty() || left_b.is_empty() {
            return (left_a, left_b);
        }
        let by_key_a = by_key(self.a, left_a, key);
        let by_key_b = by_key(self.b, left_b, key);
        let (mut rest_a, mut rest_b) = (by_key_a.as_slice(), by_key_b.as_slice());
        let (mut only_a, mut only_b) = (Vec::new(), Vec::new());
        while let (Some((one, _)), Some((other, _))) = (rest_a.first(), rest_b.first()) {
            let next = *one.min(other);
            let (of_a, of_b) = (take_of(&mut rest_a, next), take_of(&mut rest_b, next));
            match (of_a, of_b) {
                ([(_, one)], [(_, other)]) => self.partners[*other as usize] = Some((*one, how)),
                (of_a, []) => only_a.extend(of_a.iter().map(|(_, place)| *place)),
                ([], of_b) => only_b.extend(of_b.iter().map(|(_, place)| *place)),
                (of_a, of_b) => {
                    let [of_a, of_b] =
                        [of_a, of_b].map(|of| of.iter().map(|(_, place)| *place).collect());
                    let (left_a, left_b) = self.match_equals(of_a, of_b, how);
                    only_a.extend(left_a);
                    only_b.extend(left_b);
                }
            }
        }
        only_a.extend(rest_a.iter().map(|(_, place)| *place));
        only_b.extend(rest_b.iter().map(|(_, place)| *place));
        only_a.sort_unstable();
        only_b.sort_unstable();
        (only_a, only_b)
    }

    /// Matches exchanges that have the key or the request in common.
    fn match_equals(&mut self, mut of_a: Vec<u32>, mut of_b: Vec<u32>, how: Matched) -> Left {
        of_a.sort_by(|one, other| by_place(self.a, *one, *other));
        of_b.sort_by(|one, other| by_place(self.b, *one, *other));
        // What is said has few numbers: those that say the same have the first of them in common.
        let mut firsts: Vec<(&Side, u32)> = Vec::new();
        let mut number_of = |side: &'s Side, verdict| {
            let known = firsts
                .iter()
                .position(|(of, first)| of.verdict(*first).says_the_same_as(side.verdict(verdict)));
            known.unwrap_or_else(|| {
                firsts.push((side, verdict));
                firsts.len() - 1
            })
        };
        let mut verdicts = [HashMap::new(), HashMap::new()];
        for (number, (side, places)) in [(self.a, &of_a), (self.b, &of_b)].into_iter().enumerate() {
            for place in places {
                let verdict = side.entries[*place as usize].verdict;
                verdicts[number].entry(verdict).or_insert_with(|| number_of(side, verdict));
            }
        }
        let [verdicts_a, verdicts_b] = verdicts;
        let (a, b) = (self.a, self.b);
        let said_a = |place: u32| verdicts_a[&a.entries[place as usize].verdict];
        let said_b = |place: u32| verdicts_b[&b.entries[place as usize].verdict];
        let left = self.match_by(
            (of_a, of_b),
            how,
            |at| (said_a(at), recorded_at(a, at)),
            |at| (said_b(at), recorded_at(b, at)),
        );
        let left = self.match_by(left, how, said_a, said_b);
        let left = self.match_by(left, how, |at| recorded_at(a, at), |at| recorded_at(b, at));
        self.match_by(left, how, |_| (), |_| ())
    }

    /// Matches what has something in common, the first with the first.
    fn match_by<T: Eq + Hash>(
        &mut self,
        (left_a, left_b): Left,
        how: Matched,
        of_a: impl Fn(u32) -> T,
        of_b: impl Fn(u32) -> T,
    ) -> Left {
        let mut waiting: HashMap<T, VecDeque<u32>> = HashMap::new();
        for place in &left_b {
            waiting.entry(of_b(*place)).or_default().push_back(*place);
        }
        let is_left_a = |place: &u32| {
            let partner = waiting.get_mut(&of_a(*place)).and_then(VecDeque::pop_front);
            if let Some(partner) = partner {
                self.partners[partner as usize] = Some((*place, how));
            }
            partner.is_none()
        };
        let left_a = left_a.into_iter().filter(is_left_a).collect();
        let is_left_b = |place: &u32| self.partners[*place as usize].is_none();
        (left_a, left_b.into_iter().filter(is_left_b).collect())
    }

    fn says_the_same(&mut self, one: u32, other: u32) -> bool {
        let (a, b) = (self.a, self.b);
        let same = || a.verdict(one).says_the_same_as(b.verdict(other));
        *self.same_verdict.entry((one, other)).or_insert_with(same)
    }
}

/// How far to look for where two sides meet again.
const WINDOW: usize = 16;

/// How many entries of either side to skip until both may go on alike.
fn realigned(a: &[Entry], b: &[Entry]) -> (usize, usize) {
    let key = |entry: &Entry| entry.key;
    let (one, other) = (a.first().map(key), b.first().map(key));
    let meeting = (1..WINDOW).find_map(|skipped| {
        if b.get(skipped).map(key) == one {
            Some((0, skipped))
        } else if a.get(skipped).map(key) == other {
            Some((skipped, 0))
        } else {
            None
        }
    });
    meeting.unwrap_or((1, 1))
}

/// Places sorted by their keys.
fn by_key(side: &Side, places: Vec<u32>, key: fn(&Entry) -> Key) -> Vec<(Key, u32)> {
    let mut sorted: Vec<(Key, u32)> =
        places.into_iter().map(|place| (key(&side.entries[place as usize]), place)).collect();
    sorted.sort_unstable();
    sorted
}

/// Takes the places of a key off the front.
fn take_of<'p>(places: &mut &'p [(Key, u32)], key: Key) -> &'p [(Key, u32)] {
    let end = places.iter().take_while(|(of, _)| *of == key).count();
    let (taken, rest) = places.split_at(end);
    *places = rest;
    taken
}

fn recorded_at(side: &Side, place: u32) -> (&str, u32) {
    let entry = &side.entries[place as usize];
    (side.names.get(entry.file), entry.line)
}

fn by_place(side: &Side, one: u32, other: u32) -> Ordering {
    recorded_at(side, one).cmp(&recorded_at(side, other)).then(one.cmp(&other))
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;
    use crate::store::NamedVerdict;
    use proptest::prelude::*;

    /// A side that lists these exchanges: the request, one of its replies, and what is said of it.
    fn side(exchanges: &[(u8, u8, u8)]) -> Side {
        let verdict =
            |issue: usize| NamedVerdict { issues: vec![issue.to_string()], ..testing::verdict() };
        let listed: Vec<_> = exchanges
            .iter()
            .map(|(request, reply, verdict)| {
                let key = u128::from(*request) << 64 | u128::from(*reply);
                (key, "acme", u32::from(*verdict))
            })
            .collect();
        testing::side("listed", (0..4).map(verdict).collect(), &listed)
    }

    fn exchanges() -> impl Strategy<Value = Vec<(u8, u8, u8)>> {
        proptest::collection::vec((0_u8..12, 0_u8..4, 0_u8..3), 0..60)
    }

    /// How many exchanges of one kind can be put together at most.
    fn in_common<T: Ord>(a: &[T], b: &[T]) -> usize {
        let mut kinds: Vec<&T> = a.iter().collect();
        kinds.sort_unstable();
        kinds.dedup();
        let count = |of: &[T], kind: &T| of.iter().filter(|one| *one == kind).count();
        kinds.into_iter().map(|kind| count(a, kind).min(count(b, kind))).sum()
    }

    /// Each exchange is in one place of the matching; as many as can be are matched by key and verdict,
    /// then by key, then by request.
    fn assert_fits(one: &[(u8, u8, u8)], other: &[(u8, u8, u8)]) {
        let Matching { pairs, only_a, only_b } = match_sides(&side(one), &side(other));
        let mut of_a: Vec<u32> = pairs.iter().map(|(at, ..)| *at).chain(only_a.clone()).collect();
        let mut of_b: Vec<u32> = pairs.iter().map(|(_, at, _)| *at).chain(only_b.clone()).collect();
        of_a.sort_unstable();
        of_b.sort_unstable();
        assert!(of_a.into_iter().eq(0..narrow(one.len())));
        assert!(of_b.into_iter().eq(0..narrow(other.len())));
        assert!(only_a.is_sorted() && only_b.is_sorted());
        assert!(pairs.is_sorted_by_key(|(_, at, _)| *at));
        let (mut same, mut by_key) = (0, 0);
        for (at, partner, how) in &pairs {
            let (earlier, later) = (one[*at as usize], other[*partner as usize]);
            assert_eq!(earlier.0, later.0);
            let has_key = (earlier.0, earlier.1) == (later.0, later.1);
            assert_eq!(has_key, *how == Matched::Exchange);
            by_key += usize::from(has_key);
            same += usize::from(earlier == later);
        }
        assert_eq!(same, in_common(one, other));
        let keys = |of: &[(u8, u8, u8)]| of.iter().map(|it| (it.0, it.1)).collect::<Vec<_>>();
        assert_eq!(by_key, in_common(&keys(one), &keys(other)));
        let requests = |of: &[(u8, u8, u8)]| of.iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(pairs.len(), in_common(&requests(one), &requests(other)));
    }

    proptest! {
        #[test]
        fn as_many_are_matched_as_can_be(a in exchanges(), b in exchanges()) {
            assert_fits(&a, &b);
        }

        #[test]
        fn edits_of_a_long_list_are_found(
            edits in proptest::collection::vec((0_usize..300, 0_u8..5), 0..9),
        ) {
            let before: Vec<(u8, u8, u8)> = (0..=255).map(|number| (number, 0, 0)).collect();
            let mut after = before.clone();
            for (at, edit) in edits {
                let at = at % after.len();
                match edit {
                    0 => drop(after.remove(at)),
                    1 => after.insert(at, (7, 9, 0)),
                    2 => after[at].1 += 1,
                    3 => after[at].2 = 1,
                    _ => after.rotate_left(at),
                }
            }
            assert_fits(&before, &after);
        }
    }
}
