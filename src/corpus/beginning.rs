//! The beginning of a corpus: its first segments, which are kept together as one thing.
//!
//! Most nights add tapes behind those of the nights before, so that all before them is as it was.

use super::segment::{Segment, SegmentName};
use xxhash_rust::xxh3::Xxh3;

/// A beginning of more files is not kept: they are remembered until it is found.
const MOST_FILES: usize = 1 << 18;

/// What the first segments of a corpus are called together, and how many they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BeginningName {
    /// A hash of the segments' names.
    pub name: u128,
    /// How many segments it has.
    pub segments: u32,
}

/// The segments so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beginning {
    /// `None` where one of them has no name.
    name: Option<BeginningName>,
    files: usize,
}

impl Default for Beginning {
    fn default() -> Self {
        Self { name: Some(BeginningName::default()), files: 0 }
    }
}

impl Beginning {
    /// What the segments so far are called, if they are worth keeping.
    pub(super) fn name(self) -> Option<BeginningName> {
        self.name.filter(|_| self.files <= MOST_FILES)
    }

    /// Whether a longer one can have a name.
    pub(super) fn can_go_on(self) -> bool {
        self.name.is_some() && self.files <= MOST_FILES
    }

    /// The segments so far and the next one.
    pub(super) fn and(self, segment: &Segment) -> Self {
        let then = |(before, SegmentName(next)): (BeginningName, SegmentName)| {
            let mut hasher = Xxh3::new();
            hasher.update(&before.name.to_le_bytes());
            hasher.update(&next.to_le_bytes());
            BeginningName { name: hasher.digest128(), segments: before.segments.saturating_add(1) }
        };
        let name = self.name.zip(segment.name).map(then);
        Self { name, files: self.files + segment.files.len() }
    }
}
