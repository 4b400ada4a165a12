//! One of several runs that read a corpus together: whole files, one after the other, of about equal size.

use super::sidecar::{scenarios_path, tools_path};
use super::walk::{FileFound, MANIFEST, Walk};
use super::{Bounds, CorpusError, Input};
use crate::program::may_hold_a_reply;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use xxhash_rust::xxh3::Xxh3;

/// More parts than files help nobody.
const MOST: u32 = 100_000;

/// Which of several parts: `2/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// From 1.
    pub number: u32,
    pub of: u32,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let part = text.split_once('/').and_then(|(number, of)| {
            Some(Self { number: number.parse().ok()?, of: of.parse().ok()? })
        });
        part.filter(|part| (1..=part.of).contains(&part.number) && part.of <= MOST)
            .ok_or_else(|| format!("write NUMBER/PARTS, such as 1/8, with at most {MOST} parts"))
    }
}

/// The files of a part, by their places in the walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub(super) start: u64,
    /// The first file behind it; `None` of the last part.
    pub(super) end: Option<u64>,
    pub(super) bytes: u64,
    /// A hash of the names and sizes of all files, which has to be the same for every part.
    pub files: String,
}

impl Share {
    pub(super) fn of(inputs: &[Input], bounds: &Bounds, part: Part) -> Result<Self, CorpusError> {
        let mut hash = Xxh3::new();
        let mut sizes = Vec::new();
        for found in Walk::new(inputs, bounds)? {
            let (kind, name, size) = match &found {
                FileFound::File { name, path } => {
                    (0, name, std::fs::metadata(path).map_or(0, |metadata| metadata.len()))
                }
                FileFound::Note(note) => (1, &note.file, 0),
                FileFound::Unreadable(unreadable) => (2, &unreadable.file, 0),
                FileFound::Stdin => return Err(CorpusError::PartOfPipe),
            };
            hash.update(&[kind]);
            hash.update(&(name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
            hash.update(&size.to_le_bytes());
            sizes.push(size);
        }
        let numbers = numbers_of(&sizes, part.of);
        let start = numbers.partition_point(|number| *number < part.number);
        let end = numbers.partition_point(|number| *number <= part.number);
        Ok(Self {
            start: start as u64,
            end: (part.number < part.of).then_some(end as u64),
            bytes: sizes[start..end].iter().sum(),
            files: format!("{:032x}", hash.digest128()),
        })
    }
}

/// The files of a part and those beside them, as far as names tell, and files that any part may need: what shows
/// that a folder is a run, and replies that are too large for a recording.
pub fn files_of(
    inputs: &[Input],
    bounds: &Bounds,
    part: Part,
) -> Result<BTreeSet<PathBuf>, CorpusError> {
    let Share { start, end, .. } = Share::of(inputs, bounds, part)?;
    let mut files = BTreeSet::new();
    for (number, found) in (0..).zip(Walk::new(inputs, bounds)?) {
        let FileFound::File { path, .. } = found else { continue };
        if number >= start && end.is_none_or(|end| number < end) {
            let beside = [Some(tools_path(&path)), scenarios_path(&path)];
            files.extend(beside.into_iter().flatten().filter(|path| path.is_file()));
            files.insert(path);
        } else if path.file_name().is_some_and(|it| it == MANIFEST) || may_hold_a_reply(&path) {
            files.insert(path);
        }
    }
    Ok(files)
}

/// The part of each file, from 1: the one in which its first byte stands, where all files are one behind the other and
/// are cut into parts of equal size.
fn numbers_of(sizes: &[u64], parts: u32) -> Vec<u32> {
    let total = sizes.iter().map(|size| u128::from(*size)).sum::<u128>().max(1);
    let mut before = 0;
    let number = |size: &u64| {
        let number = before * u128::from(parts) / total;
        before += u128::from(*size);
        u32::try_from(number).unwrap_or(parts).saturating_add(1).min(parts)
    };
    sizes.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parts_are_written_as_a_number_and_how_many_there_are() {
        assert_eq!("2/8".parse(), Ok(Part { number: 2, of: 8 }));
        assert_eq!(Part { number: 2, of: 8 }.to_string(), "2/8");
        for wrong in ["", "2", "0/8", "9/8", "1/0", "a/b", "1/8/8", "-1/8", "1/100001"] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong:?} is no part");
        }
    }

    #[test]
    fn files_of_equal_size_are_dealt_out_evenly() {
        assert_eq!(numbers_of(&[5; 6], 3), [1, 1, 2, 2, 3, 3]);
        assert_eq!(numbers_of(&[0, 0, 0], 2), [1, 1, 1]);
        assert_eq!(numbers_of(&[100, 1, 1, 0], 2), [1, 2, 2, 2]);
    }

    proptest! {
        #[test]
        fn every_file_is_in_one_part_and_parts_are_in_order(
            sizes in proptest::collection::vec(prop_oneof![Just(0), 0_u64..100, any::<u64>()], 0..60),
            parts in 1_u32..20,
        ) {
            let numbers = numbers_of(&sizes, parts);
            prop_assert_eq!(numbers.len(), sizes.len());
            prop_assert!(numbers.is_sorted());
            prop_assert!(numbers.iter().all(|number| (1..=parts).contains(number)));
        }
    }
}
