//! Exchanges with the same content, put together by what was said of them.

use super::{Matched, Matching, Side};
use crate::tape::Key;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// Repeats of which more different things are said stay as they are: every one would have to be held
/// against every other.
const MOST_DIFFERENT: usize = 64;

/// Repeats of one content are told apart by how many came before, which depends on what else was
/// recorded, and on an order that a baseline does not keep. Where something different is said of them,
/// as tools list other schemas, each is put together with one of which the same is said, if there is
/// any: otherwise nothing that changed would look like changes there and back.
pub(super) fn pair_alike([before, after]: [&Side; 2], matching: &mut Matching) {
    let key_of = |at: u32| before.entries[at as usize].key;
    let is_exchange = |matched: Matched| matched == Matched::Exchange;
    let pairs = matching.pairs.iter().enumerate().filter(|(_, pair)| is_exchange(pair.2));
    let repeated: HashSet<Key> = pairs
        .clone()
        .filter(|(_, (one, ..))| before.entries[*one as usize].before > 0)
        .map(|(_, (one, ..))| key_of(*one))
        .collect();
    if repeated.is_empty() {
        return;
    }
    let mut alike = Alike { sides: [before, after], known: HashMap::new() };
    let mut differing: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for (place, (one, other, _)) in pairs.filter(|(_, (one, ..))| repeated.contains(&key_of(*one)))
    {
        let said = (before.entries[*one as usize].said, after.entries[*other as usize].said);
        if !alike.is_said(said) {
            differing.entry(key_of(*one)).or_default().push(place);
        }
    }
    for places in differing.into_values().filter(|places| places.len() > 1) {
        alike.pair(&places, matching);
    }
}

struct Alike<'a> {
    sides: [&'a Side; 2],
    /// Whether two things that were said are the same.
    known: HashMap<(u32, u32), bool>,
}

impl Alike<'_> {
    fn is_said(&mut self, (one, other): (u32, u32)) -> bool {
        let [before, after] = self.sides;
        let (first, second) = (&before.said[one as usize], &after.said[other as usize]);
        *self.known.entry((one, other)).or_insert_with(|| first.says_the_same_as(second))
    }

    /// Deals the partners of some pairs out again.
    fn pair(&mut self, places: &[usize], matching: &mut Matching) {
        let [before, after] = self.sides;
        let mut partners: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut wanting: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        // The last of a list is taken first, and the first are to meet the first.
        for place in places.iter().rev() {
            let (one, other, _) = matching.pairs[*place];
            partners.entry(before.entries[one as usize].said).or_default().push(one);
            wanting.entry(after.entries[other as usize].said).or_default().push(*place);
        }
        if partners.len().max(wanting.len()) > MOST_DIFFERENT {
            return;
        }
        for (other, wanting) in &mut wanting {
            for (one, partners) in &mut partners {
                while self.is_said((*one, *other)) && !wanting.is_empty() {
                    let Some(partner) = partners.pop() else { break };
                    if let Some(place) = wanting.pop() {
                        matching.pairs[place].0 = partner;
                    }
                }
            }
        }
        // What is left keeps its order.
        let mut left: Vec<u32> = partners.into_values().flatten().collect();
        let mut alone: Vec<usize> = wanting.into_values().flatten().collect();
        left.sort_unstable();
        alone.sort_unstable();
        for (place, partner) in alone.into_iter().zip(left) {
            matching.pairs[place].0 = partner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{error, said, side};
    use super::super::{Said, match_sides};
    use super::*;
    use crate::verdict::Classification;

    /// A side of repeats of one exchange, of which these things are said in this order.
    fn repeats(order: &[u32]) -> Side {
        let failed = error(Classification::Error, false);
        let said = vec![said(), failed, Said { confidence: 50.0, ..said() }];
        let exchanges: Vec<_> = order.iter().map(|said| (7_u128, "a", *said)).collect();
        let mut side = side("repeats", said, &exchanges);
        for (before, entry) in (0..).zip(&mut side.entries) {
            entry.before = before;
        }
        side
    }

    /// What is said of each exchange before and after.
    fn paired(before: &[u32], after: &[u32]) -> Vec<(u32, u32)> {
        let (one, other) = (repeats(before), repeats(after));
        let mut matching = match_sides(&one, &other);
        let count = matching.pairs.len();
        pair_alike([&one, &other], &mut matching);
        let firsts: HashSet<u32> = matching.pairs.iter().map(|(one, ..)| *one).collect();
        assert_eq!(firsts.len(), count, "nobody has two partners");
        let said = |(one_at, other_at, _): &(u32, u32, Matched)| {
            (one.entries[*one_at as usize].said, other.entries[*other_at as usize].said)
        };
        matching.pairs.iter().map(said).collect()
    }

    #[test]
    fn another_order_is_no_change() {
        assert_eq!(paired(&[0, 1, 2, 0], &[2, 0, 0, 1]), [(2, 2), (0, 0), (0, 0), (1, 1)]);
    }

    #[test]
    fn what_did_change_is_still_seen_once() {
        assert_eq!(paired(&[0, 1, 0], &[1, 1, 0]), [(0, 1), (1, 1), (0, 0)]);
        assert_eq!(paired(&[0, 0, 1], &[1, 2, 0]), [(1, 1), (0, 2), (0, 0)]);
        assert_eq!(paired(&[0, 0], &[1, 2]), [(0, 1), (0, 2)]);
    }
}
