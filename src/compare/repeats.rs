//! Exchanges with one content that were judged differently, as happens under different schemas:
//! which of them came first depends on the names of tapes, so the count of those before does not tell
//! them apart. Those of which the same is said belong together. So it is with several new replies to
//! one request.

use super::matching::{Left, Partner};
use super::{Entry, Matched, Side};
use crate::tape::Key;
use hashbrown::{HashMap, HashSet};

/// Puts repeats together of which the same is said, wherever their numbers put them with others.
pub(super) fn settle(a: &Side, b: &Side, left: Left, partners: &mut [Partner]) -> Left {
    let mut contents = unsettled(a, b, partners);
    if contents.is_empty() {
        return left;
    }
    let (left_a, left_b) = left;
    let (left_a, left_b) = (
        set_apart(left_a, |place| a.entries[place as usize].key, &mut contents, 0),
        set_apart(left_b, |place| b.entries[place as usize].key, &mut contents, 1),
    );
    let settling = Settling { a, b, matched: Matched::Exchange };
    settling.all(contents, partners, (left_a, left_b))
}

/// Puts new replies together that answer one request, of which there are several on either side.
pub(super) fn settle_requests(a: &Side, b: &Side, left: Left, partners: &mut [Partner]) -> Left {
    let (left_a, left_b) = left;
    if left_a.is_empty() || left_b.is_empty() {
        return (left_a, left_b);
    }
    let mut counts: HashMap<Key, [u32; 2]> = HashMap::new();
    for (number, (side, places)) in [(a, &left_a), (b, &left_b)].into_iter().enumerate() {
        for place in places {
            counts.entry(side.entries[*place as usize].request).or_default()[number] += 1;
        }
    }
    let several = counts
        .into_iter()
        .filter(|(_, [of_a, of_b])| *of_a > 0 && *of_b > 0 && (*of_a > 1 || *of_b > 1));
    let mut requests: Contents = several.map(|(key, _)| (key, Default::default())).collect();
    if requests.is_empty() {
        return (left_a, left_b);
    }
    let request = |side: &Side, place: u32| side.entries[place as usize].request;
    let left = (
        set_apart(left_a, |place| request(a, place), &mut requests, 0),
        set_apart(left_b, |place| request(b, place), &mut requests, 1),
    );
    Settling { a, b, matched: Matched::Request }.all(requests, partners, left)
}

/// By content or request: the places on either side that are to be put together.
type Contents = HashMap<Key, [Vec<u32>; 2]>;

fn unsettled(a: &Side, b: &Side, partners: &mut [Partner]) -> Contents {
    let repeated: HashSet<Key> = [a, b]
        .into_iter()
        .flat_map(|side| side.entries.iter().filter(|entry| entry.before > 0))
        .map(|entry| entry.key)
        .collect();
    let mut contents = Contents::new();
    if repeated.is_empty() {
        return contents;
    }
    let mut known: HashMap<(u32, u32), bool> = HashMap::new();
    for (at, partner) in (0..).zip(partners.iter_mut()) {
        let Some((other, Matched::Exchange)) = *partner else { continue };
        let Entry { key, said, .. } = b.entries[at as usize];
        let both = (a.entries[other as usize].said, said);
        let mut is_settled = || *known.entry(both).or_insert_with(|| says_the_same(a, b, both));
        if repeated.contains(&key) && !is_settled() {
            let [of_a, of_b] = contents.entry(key).or_default();
            of_a.push(other);
            of_b.push(at);
            *partner = None;
        }
    }
    contents
}

/// Takes those out of a list whose content is to be settled.
fn set_apart(
    left: Vec<u32>,
    key: impl Fn(u32) -> Key,
    contents: &mut Contents,
    side: usize,
) -> Vec<u32> {
    let mut others = Vec::with_capacity(left.len());
    for place in left {
        match contents.get_mut(&key(place)) {
            Some(sides) => sides[side].push(place),
            None => others.push(place),
        }
    }
    others
}

/// Two sides whose repeats are put together.
struct Settling<'s> {
    a: &'s Side,
    b: &'s Side,
    /// By what they are repeats.
    matched: Matched,
}

impl Settling<'_> {
    fn all(&self, contents: Contents, partners: &mut [Partner], mut left: Left) -> Left {
        for places in contents.into_values() {
            self.one(places, partners, &mut left);
        }
        left.0.sort_unstable();
        left.1.sort_unstable();
        left
    }

    /// First those that say the same, then the others in their order.
    fn one(&self, [of_a, of_b]: [Vec<u32>; 2], partners: &mut [Partner], left: &mut Left) {
        let Self { a, b, matched } = *self;
        // What is said has few numbers, so a place is looked for among those of one number only.
        let mut by_said: HashMap<u32, Vec<u32>> = HashMap::new();
        for place in of_a.iter().rev() {
            by_said.entry(a.entries[*place as usize].said).or_default().push(*place);
        }
        let mut numbers: Vec<u32> = by_said.keys().copied().collect();
        numbers.sort_unstable();
        let mut taken = HashSet::new();
        let mut others = Vec::new();
        for place in of_b {
            let said = b.entries[place as usize].said;
            let found = numbers.iter().find_map(|number| {
                let places = by_said.get_mut(number)?;
                if says_the_same(a, b, (*number, said)) { places.pop() } else { None }
            });
            match found {
                Some(other) => {
                    taken.insert(other);
                    partners[place as usize] = Some((other, matched));
                }
                None => others.push(place),
            }
        }
        let mut rest = of_a.into_iter().filter(|place| !taken.contains(place));
        for place in others {
            match rest.next() {
                Some(other) => partners[place as usize] = Some((other, matched)),
                None => left.1.push(place),
            }
        }
        left.0.extend(rest);
    }
}

fn says_the_same(a: &Side, b: &Side, (one, other): (u32, u32)) -> bool {
    let (one, other) = (a.said.get(one as usize), b.said.get(other as usize));
    one.zip(other).is_none_or(|(one, other)| one.says_the_same_as(other))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{said, side};
    use super::super::{Said, match_sides};
    use super::*;

    /// A side of exchanges with one content, of which this is said in turn.
    fn repeats(issues: &[&str]) -> Side {
        let said = issues.iter().map(|issue| Said { issues: vec![(*issue).to_owned()], ..said() });
        let exchanges: Vec<_> = (0..).zip(issues).map(|(number, _)| (7, "acme", number)).collect();
        let mut side = side("repeats", said.collect(), &exchanges);
        for (before, entry) in (0..).zip(&mut side.entries) {
            entry.before = before;
        }
        side
    }

    #[test]
    fn repeats_of_which_the_same_is_said_belong_together() {
        let pairs = |a: &[&str], b: &[&str]| {
            let matching = match_sides(&repeats(a), &repeats(b));
            let pairs = matching.pairs.into_iter().map(|(one, other, _)| (one, other));
            (pairs.collect::<Vec<_>>(), matching.only_a, matching.only_b)
        };
        assert_eq!(pairs(&["x", "y", "z"], &["z", "x", "y"]).0, [(2, 0), (0, 1), (1, 2)]);
        assert_eq!(pairs(&["x", "y"], &["y", "w"]), (vec![(1, 0), (0, 1)], vec![], vec![]));
        assert_eq!(pairs(&["x", "y", "z"], &["z"]), (vec![(2, 0)], vec![0, 1], vec![]));
        assert_eq!(pairs(&["x"], &["y", "x"]), (vec![(0, 1)], vec![], vec![0]));
    }

    #[test]
    fn new_replies_to_one_request_belong_together_by_what_is_said() {
        let replies = |first: u128, issues: &[&str]| {
            let mut side = repeats(issues);
            for (key, entry) in (first..).zip(&mut side.entries) {
                (entry.key, entry.before, entry.request) = (Key(key), 0, Key(1));
            }
            side
        };
        let matching = match_sides(&replies(10, &["x", "y", "z"]), &replies(20, &["w", "x", "y"]));
        let request = Matched::Request;
        assert_eq!(matching.pairs, [(2, 0, request), (0, 1, request), (1, 2, request)]);
        let fewer = match_sides(&replies(10, &["x"]), &replies(20, &["w", "x"]));
        assert_eq!((fewer.pairs, fewer.only_b), (vec![(0, 1, request)], vec![0]));
    }
}
