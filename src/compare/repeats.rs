//! Exchanges with one content that were judged differently, as happens under different schemas:
//! which of them came first depends on the names of tapes, so the count of those before does not tell
//! them apart. Those of which the same is said belong together.

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
    let mut left = (left_a, left_b);
    for [of_a, of_b] in contents.into_values() {
        settle_one((a, of_a), (b, of_b), partners, &mut left);
    }
    left.0.sort_unstable();
    left.1.sort_unstable();
    left
}

/// By content: the places on either side of repeats that were put together and do not say the same.
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

/// The repeats of one content: first those that say the same, then the others in their order.
fn settle_one(
    (a, of_a): (&Side, Vec<u32>),
    (b, of_b): (&Side, Vec<u32>),
    partners: &mut [Partner],
    left: &mut Left,
) {
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
        let said = &b.said[b.entries[place as usize].said as usize];
        let found = numbers.iter().find_map(|number| {
            let places = by_said.get_mut(number)?;
            if a.said[*number as usize].says_the_same_as(said) { places.pop() } else { None }
        });
        match found {
            Some(other) => {
                taken.insert(other);
                partners[place as usize] = Some((other, Matched::Exchange));
            }
            None => others.push(place),
        }
    }
    let mut rest = of_a.into_iter().filter(|place| !taken.contains(place));
    for place in others {
        match rest.next() {
            Some(other) => partners[place as usize] = Some((other, Matched::Exchange)),
            None => left.1.push(place),
        }
    }
    left.0.extend(rest);
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
}
