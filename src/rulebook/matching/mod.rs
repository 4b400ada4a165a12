//! Looking for patterns: one pass per text, regexes only where their literals stand.

mod call;
mod doors;
mod field;
mod fold;
mod gate;
mod javascript;
mod lazy;
mod narrow;
mod runs;
mod sieve;

pub(super) use call::Call;
pub(crate) use doors::Doors;
pub(super) use field::{FieldMatcher, Search, Sought};
pub(super) use fold::Script;
pub(crate) use javascript::{Dialect, as_javascript};
pub(crate) use lazy::{LazyRegex, Seen};
pub(crate) use runs::{Kind, LETTERS, long_runs};

use crate::verdict::Hit;

/// The questions that a text answered with yes, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeafSet([u128; 2]);

impl LeafSet {
    pub(crate) const CAPACITY: usize = 256;

    pub(crate) fn has(self, leaf: usize) -> bool {
        self.0[leaf / 128] >> (leaf % 128) & 1 == 1
    }

    pub(crate) fn insert(&mut self, leaf: usize) {
        self.0[leaf / 128] |= 1 << (leaf % 128);
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }

    pub(crate) fn without(self, other: Self) -> impl Iterator<Item = usize> {
        let ([first, second], others) = (self.0, other.0);
        bits(first & !others[0]).chain(bits(second & !others[1]).map(|bit| bit + 128))
    }
}

/// The places of the bits that are set.
pub(super) fn bits(mut bits: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then_some(bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        next
    })
}

/// What was found so far in the texts of one exchange.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) leaves: LeafSet,
    /// The first place of each pattern that matched.
    pub(super) hits: Vec<Hit>,
    /// Whether other patterns hit since words of the call were left out of the text.
    pub(super) hits_left_out: bool,
}

impl Found {
    fn add(&mut self, leaf: usize, hit: Hit) {
        self.leaves.insert(leaf);
        self.hits.push(hit);
    }
}
