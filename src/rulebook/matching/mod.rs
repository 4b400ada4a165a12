//! Looking for patterns: one pass per text, regexes only where their literals stand.

mod call;
mod field;
mod fold;
mod javascript;
mod lazy;
mod prefilter;
mod requirements;
mod text_search;

pub(super) use call::Call;
pub(super) use field::{FieldMatcher, Search, Sought};
pub(super) use fold::Script;
pub(crate) use javascript::{Dialect, as_javascript};
pub(crate) use lazy::{LazyRegex, TextForms};
pub(crate) use requirements::Requirements;

use crate::verdict::Hit;
use std::ops::Range;

/// The questions that a text answered with yes, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeafSet([u128; Self::WORDS]);

impl LeafSet {
    const WORDS: usize = 3;
    pub(crate) const CAPACITY: usize = 128 * Self::WORDS;

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
        (0..Self::WORDS)
            .flat_map(move |at| bits(self.0[at] & !other.0[at]).map(move |bit| bit + 128 * at))
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
pub(super) struct Matches {
    pub(super) leaves: LeafSet,
    /// The first place of each pattern that matched.
    pub(super) hits: Vec<Hit>,
    /// Whether other patterns hit since words of the call were left out of the text.
    pub(super) hits_left_out: bool,
}

impl Matches {
    fn add(&mut self, leaf: usize, hit: Hit) {
        self.leaves.insert(leaf);
        self.hits.push(hit);
    }
}

/// Which bytes are of a kind.
pub(crate) struct Kind([bool; 256]);

/// ASCII letters and digits.
pub(crate) const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

impl Kind {
    pub(crate) const fn of(bytes: &[u8]) -> Self {
        Self([false; 256]).and(bytes)
    }

    pub(crate) const fn and(mut self, bytes: &[u8]) -> Self {
        let mut at = 0;
        while at < bytes.len() {
            self.0[bytes[at] as usize] = true;
            at += 1;
        }
        self
    }

    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

pub(crate) fn long_runs<'t>(
    text: &'t [u8],
    least: usize,
    kind: &'static Kind,
) -> impl Iterator<Item = Range<usize>> + 't {
    let is_of = |byte| kind.has(byte);
    // Every run that is long enough covers one of the places that are looked at.
    let mut at = least - 1;
    std::iter::from_fn(move || {
        while let Some(byte) = text.get(at) {
            if !is_of(*byte) {
                at += least;
                continue;
            }
            let start = text[..at].iter().rposition(|byte| !is_of(*byte)).map_or(0, |it| it + 1);
            let end = text[at..].iter().position(|byte| !is_of(*byte));
            let end = end.map_or(text.len(), |length| at + length);
            at = end + least;
            if end - start >= least {
                return Some(start..end);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    static LETTER: Kind = Kind::of(LETTERS);

    proptest! {
        #[test]
        fn no_run_is_missed(text in "[ab .]{0,60}", least in 1_usize..6) {
            let found: Vec<&str> =
                long_runs(text.as_bytes(), least, &LETTER).map(|run| &text[run]).collect();
            let words = text.split(|c: char| !c.is_ascii_alphabetic());
            let expected: Vec<&str> = words.filter(|word| word.len() >= least).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
