//! Which of many are counted one by one, so that memory does not grow with the corpus.

use serde::{Deserialize, Serialize};

/// A bound on what is counted one by one: of all that come those with the smallest hashes are, whatever order they come in.
/// What once is beyond it stays so, since others with smaller hashes only become more, and no size ever shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::count) struct Bound {
    /// How much there is room for: so many, or so many bytes.
    most: usize,
    /// The smallest hash that is beyond.
    end: Option<u64>,
}

impl Bound {
    pub(in crate::count) const fn of(most: usize) -> Self {
        Self { most, end: None }
    }

    pub(in crate::count) fn most(self) -> usize {
        self.most
    }

    pub(in crate::count) fn admits(self, hash: u64) -> bool {
        self.end.is_none_or(|end| hash < end)
    }

    /// Lowers the bound to what there is room for, given the hashes and sizes of all that are counted one by one.
    pub(in crate::count) fn fit(&mut self, sizes: impl Iterator<Item = (u64, usize)> + Clone) {
        let sizes = sizes.filter(|(hash, _)| self.admits(*hash));
        if sizes.clone().map(|(_, size)| size).sum::<usize>() <= self.most {
            return;
        }
        let mut sizes: Vec<(u64, usize)> = sizes.collect();
        sizes.sort_unstable();
        let mut room = self.most;
        for (hash, size) in sizes {
            let Some(left) = room.checked_sub(size) else {
                self.end = Some(hash);
                return;
            };
            room = left;
        }
    }

    /// Takes over what another stretch of the corpus reached.
    pub(in crate::count) fn lower(&mut self, other: Self) {
        self.end = self.end.into_iter().chain(other.end).min();
    }
}
