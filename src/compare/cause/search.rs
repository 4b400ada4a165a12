//! The smallest set of changes that, put back, brings the earlier verdict.

use std::collections::BTreeSet;

/// How many sets are tried for one pair of verdicts. Sets of a size of which there are more are not begun
/// with: what is left untried of them could be the answer.
const MOST_TRIED: usize = 1500;

/// How many sets are tried for all pairs of two sides together. Pairs that come after that are told of
/// by single changes, or by a set of which nothing can be left out.
pub(super) const MOST_TRIED_IN_ALL: usize = 30_000;

/// How many smallest sets are kept of those that do equally well.
const MOST_KEPT: usize = 24;

/// Changes that only work together, in ways that do the same.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Each of these does it; all are of one size.
    pub(super) ways: Vec<Vec<usize>>,
}

impl Item {
    pub(super) fn single(change: usize) -> Self {
        Self { ways: vec![vec![change]] }
    }

    fn weight(&self) -> usize {
        self.ways.first().map_or(1, Vec::len)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Causes {
    /// The smallest sets; there is none smaller.
    Smallest(Vec<Vec<usize>>),
    /// A set of which nothing can be left out.
    Narrowed(Vec<usize>),
    Nothing,
}

/// `returns` says whether the earlier verdict returns with these changes put back, `room` how many sets may
/// still be tried in all. Single items always are.
pub(super) fn smallest(
    items: &[Item],
    room: &mut usize,
    returns: &mut dyn FnMut(&[usize]) -> bool,
) -> Causes {
    let most = (*room).min(MOST_TRIED).max(items.len());
    let mut search = Search { items, returns, tried: 0, found: Vec::new() };
    for (weight, sets) in sets_by_weight(items).into_iter().enumerate().skip(1) {
        if !search.found.is_empty() || search.tried.saturating_add(sets) > most {
            break;
        }
        search.try_all(&mut Vec::new(), 0, weight);
    }
    *room = room.saturating_sub(search.tried);
    if search.found.is_empty() { search.narrow() } else { Causes::Smallest(search.sets()) }
}

/// How many sets there are of each weight, from none on.
fn sets_by_weight(items: &[Item]) -> Vec<usize> {
    let mut sets = vec![1_usize];
    for weight in items.iter().map(Item::weight) {
        sets.resize(sets.len() + weight, 0);
        for at in (weight..sets.len()).rev() {
            sets[at] = sets[at].saturating_add(sets[at - weight]);
        }
    }
    sets
}

/// Begins with everything and leaves out whatever can be left out.
pub(super) fn narrow(items: &[Item], returns: &mut dyn FnMut(&[usize]) -> bool) -> Causes {
    Search { items, returns, tried: 0, found: Vec::new() }.narrow()
}

struct Search<'a> {
    items: &'a [Item],
    returns: &'a mut dyn FnMut(&[usize]) -> bool,
    tried: usize,
    /// The sets that work, as numbers of items.
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Tries all sets that have exactly this weight left to spend on the items from here on.
    fn try_all(&mut self, chosen: &mut Vec<usize>, from: usize, left: usize) {
        if left == 0 {
            self.tried += 1;
            if self.works(chosen) {
                self.found.push(chosen.clone());
            }
            return;
        }
        for at in from..self.items.len() {
            if self.found.len() >= MOST_KEPT {
                return;
            }
            if let Some(left) = left.checked_sub(self.items[at].weight()) {
                chosen.push(at);
                self.try_all(chosen, at + 1, left);
                chosen.pop();
            }
        }
    }

    fn narrow(mut self) -> Causes {
        let all: Vec<usize> = (0..self.items.len()).collect();
        if self.works(&all) { Causes::Narrowed(self.narrowed(all)) } else { Causes::Nothing }
    }

    fn works(&mut self, items: &[usize]) -> bool {
        let changes: Vec<usize> =
            items.iter().filter_map(|at| self.items[*at].ways.first()).flatten().copied().collect();
        (self.returns)(&changes)
    }

    /// Leaves out whatever can be left out, first half by half, then one by one until nothing more can.
    fn narrowed(&mut self, mut kept: Vec<usize>) -> Vec<usize> {
        let mut step = kept.len().div_ceil(2).max(1);
        loop {
            let before = kept.len();
            let mut from = 0;
            while from < kept.len() {
                let mut fewer = kept.clone();
                fewer.drain(from..(from + step).min(kept.len()));
                if self.works(&fewer) { kept = fewer } else { from += step }
            }
            match step {
                1 if kept.len() == before => break,
                1 => {}
                _ => step = step.div_ceil(2),
            }
        }
        let changes = kept.iter().filter_map(|at| self.items[*at].ways.first());
        let changes: BTreeSet<usize> = changes.flatten().copied().collect();
        changes.into_iter().collect()
    }

    /// The sets of changes that were found, in all their ways, as many as are kept.
    fn sets(&self) -> Vec<Vec<usize>> {
        let mut sets = BTreeSet::new();
        for found in &self.found {
            let mut partial: Vec<Vec<usize>> = vec![Vec::new()];
            for item in found {
                let ways = &self.items[*item].ways;
                partial = partial
                    .iter()
                    .flat_map(|set| ways.iter().map(|way| [&set[..], way].concat()))
                    .take(MOST_KEPT)
                    .collect();
            }
            sets.extend(partial.into_iter().map(|mut set| {
                set.sort_unstable();
                set
            }));
        }
        sets.into_iter().take(MOST_KEPT).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn singles(count: usize) -> Vec<Item> {
        (0..count).map(Item::single).collect()
    }

    type Returns = fn(&[usize]) -> bool;

    #[test]
    fn sets_are_found_as_listed() {
        fn has(set: &[usize], wanted: &[usize]) -> bool {
            wanted.iter().all(|change| set.contains(change))
        }
        let weighty = vec![
            Item { ways: vec![vec![0, 1, 2]] },
            Item { ways: vec![vec![3], vec![4]] },
            Item::single(5),
        ];
        let rows: [(Vec<Item>, Returns, Causes); 5] = [
            (
                singles(6),
                |set| has(set, &[1, 3]) || has(set, &[1, 4]),
                Causes::Smallest(vec![vec![1, 3], vec![1, 4]]),
            ),
            // Items weigh what they hold, and their ways are told.
            (
                weighty,
                |set| has(set, &[0]) || has(set, &[3, 5]),
                Causes::Smallest(vec![vec![3, 5], vec![4, 5]]),
            ),
            // Where there are too many, nothing can be left out of what is found.
            (
                singles(60),
                |set| has(set, &[3, 17, 40, 41, 59]),
                Causes::Narrowed(vec![3, 17, 40, 41, 59]),
            ),
            (singles(3), |_| false, Causes::Nothing),
            (Vec::new(), |_| true, Causes::Narrowed(Vec::new())),
        ];
        for (items, mut returns, found) in rows {
            assert_eq!(smallest(&items, &mut { MOST_TRIED_IN_ALL }, &mut returns), found);
        }
    }

    #[test]
    fn a_size_with_too_many_sets_is_not_begun() {
        let mut tried = 0;
        let mut returns = |set: &[usize]| {
            tried += usize::from(set.len() == 3);
            [7, 20, 31].iter().all(|change| set.contains(change))
        };
        let found = smallest(&singles(44), &mut { MOST_TRIED_IN_ALL }, &mut returns);
        assert_eq!(found, Causes::Narrowed(vec![7, 20, 31]));
        assert!(tried < 10, "{tried} of 13,244 sets of three were tried");
    }

    #[test]
    fn without_room_single_changes_are_still_found_and_others_narrowed() {
        let mut room = 10;
        let found = smallest(&singles(20), &mut room, &mut |set: &[usize]| set.contains(&17));
        assert_eq!((found, room), (Causes::Smallest(vec![vec![17]]), 0));
        let mut both = |set: &[usize]| set.contains(&3) && set.contains(&17);
        assert_eq!(smallest(&singles(20), &mut room, &mut both), Causes::Narrowed(vec![3, 17]));
        let mut room = MOST_TRIED_IN_ALL;
        let found = smallest(&singles(20), &mut room, &mut both);
        assert_eq!(found, Causes::Smallest(vec![vec![3, 17]]), "with room it is known");
    }
}
