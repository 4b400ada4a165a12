//! Which exchanges of two sides belong together.

use super::{Matched, Side};
use crate::tape::Key;
use hashbrown::HashMap;
use std::collections::VecDeque;

/// Exchanges of two sides that belong together, and those that stand alone, by their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// What both have.
    pub pairs: Vec<(u32, u32, Matched)>,
    /// What only the first has.
    pub only_a: Vec<u32>,
    /// What only the second has.
    pub only_b: Vec<u32>,
}

/// Matches the exchanges of two sides, first by their content, then by their requests.
#[must_use]
pub fn match_sides(a: &Side, b: &Side) -> Matching {
    let mut matching = Matching::default();
    let mut by_key: HashMap<(Key, u32), u32> =
        (0..).zip(&a.entries).map(|(at, entry)| ((entry.key, entry.before), at)).collect();
    let mut left = Vec::new();
    for (at, entry) in (0..).zip(&b.entries) {
        match by_key.remove(&(entry.key, entry.before)) {
            Some(earlier) => matching.pairs.push((earlier, at, Matched::Exchange)),
            None => left.push((at, entry.request)),
        }
    }
    let mut rest: Vec<u32> = by_key.into_values().collect();
    rest.sort_unstable();
    let mut by_request: HashMap<Key, VecDeque<u32>> = HashMap::new();
    for at in &rest {
        by_request.entry(a.entries[*at as usize].request).or_default().push_back(*at);
    }
    for (at, request) in left {
        match by_request.get_mut(&request).and_then(VecDeque::pop_front) {
            Some(earlier) => matching.pairs.push((earlier, at, Matched::Request)),
            None => matching.only_b.push(at),
        }
    }
    matching.only_a = by_request.into_values().flatten().collect();
    matching.only_a.sort_unstable();
    matching
}
