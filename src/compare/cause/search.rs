//! The smallest set of changes that, put back, brings the earlier verdict.

use std::collections::BTreeSet;

/// How many sets are tried for one pair of verdicts before the search is cut off.
const MOST_TRIED: usize = 1500;

/// How many smallest sets are kept of those that do equally well.
const MOST_KEPT: usize = 24;

/// Changes that only work together, in ways that do the same.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Each of these does it; all are of one size.
    pub(super) ways: Vec<Vec<usize>>,
}

impl Item {
    /// A change that stands for itself.
    pub(super) fn single(change: usize) -> Self {
        Self { ways: vec![vec![change]] }
    }

    fn weight(&self) -> usize {
        self.ways.first().map_or(1, Vec::len)
    }
}

/// What the search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The smallest sets; there is none smaller.
    Smallest(Vec<Vec<usize>>),
    /// A set of which nothing can be left out.
    Narrowed(Vec<usize>),
    /// Nothing brings it back.
    Nothing,
}

/// Looks for the smallest sets. `returns` says whether the earlier verdict returns with these changes
/// put back.
pub(super) fn smallest(items: &[Item], returns: &mut dyn FnMut(&[usize]) -> bool) -> Found {
    let heaviest: usize = items.iter().map(Item::weight).sum();
    let mut search = Search { items, returns, tried: 0, found: Vec::new() };
    for weight in 1..=heaviest {
        search.try_all(&mut Vec::new(), 0, weight);
        if !search.found.is_empty() {
            return Found::Smallest(search.sets());
        }
        if search.tried >= MOST_TRIED {
            break;
        }
    }
    search.narrow()
}

/// Begins with everything and leaves out whatever can be left out.
pub(super) fn narrow(items: &[Item], returns: &mut dyn FnMut(&[usize]) -> bool) -> Found {
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
            if self.tried >= MOST_TRIED || self.found.len() >= MOST_KEPT {
                return;
            }
            if let Some(left) = left.checked_sub(self.items[at].weight()) {
                chosen.push(at);
                self.try_all(chosen, at + 1, left);
                chosen.pop();
            }
        }
    }

    fn narrow(mut self) -> Found {
        let all: Vec<usize> = (0..self.items.len()).collect();
        if self.works(&all) { Found::Narrowed(self.narrowed(all)) } else { Found::Nothing }
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

    #[test]
    fn the_smallest_sets_are_found_all_of_them() {
        let mut returns =
            |set: &[usize]| set.contains(&1) && (set.contains(&3) || set.contains(&4));
        let found = smallest(&singles(6), &mut returns);
        assert_eq!(found, Found::Smallest(vec![vec![1, 3], vec![1, 4]]));
    }

    #[test]
    fn items_weigh_what_they_hold_and_their_ways_are_told() {
        let items = [
            Item { ways: vec![vec![0, 1, 2]] },
            Item { ways: vec![vec![3], vec![4]] },
            Item::single(5),
        ];
        let mut returns =
            |set: &[usize]| set.contains(&0) || (set.contains(&3) && set.contains(&5));
        let found = smallest(&items, &mut returns);
        assert_eq!(found, Found::Smallest(vec![vec![3, 5], vec![4, 5]]));
    }

    #[test]
    fn where_there_are_too_many_nothing_can_be_left_out_of_what_is_found() {
        let wanted = [3, 17, 40, 41, 59];
        let mut returns = |set: &[usize]| wanted.iter().all(|change| set.contains(change));
        assert_eq!(smallest(&singles(60), &mut returns), Found::Narrowed(wanted.to_vec()));
    }

    #[test]
    fn sometimes_nothing_helps() {
        assert_eq!(smallest(&singles(3), &mut |_| false), Found::Nothing);
        assert_eq!(smallest(&[], &mut |_| true), Found::Narrowed(Vec::new()));
    }
}
