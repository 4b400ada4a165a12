//! Accepted verdicts, kept as text that people review.

mod changes;
mod file;
mod model;
mod snapshot_path;
mod writing;

#[cfg(test)]
mod tests;

pub use changes::{Change, Changes, Moved, apply, changes};
pub use file::{FORMAT, Head, peek, read};
pub use model::{Baseline, verdict};
pub use snapshot_path::{
    Origin, SnapshotPath, kept_rulebook, only_place, places, rulebook_file, unused_rulebooks,
};
pub use writing::{SnapshotsLock, forget_pending, keep_rulebook, remove};

use crate::store::FolderError;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: {wrong}", path.display())]
    Wrong { path: PathBuf, wrong: Wrong },
    #[error("another review or check is writing these snapshots: {} is locked", .0.display())]
    Locked(PathBuf),
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// What is wrong with a file that ought to be a baseline.
#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    #[error(
        "line {line} is a merge conflict marker; resolve the conflict, or take either side and run `tapecheck review --list`"
    )]
    Conflict {
        /// The line, from 1.
        line: usize,
    },
    #[error(
        "not a tapecheck baseline: it does not begin with the lines `---`, `source: tapecheck snapshot`, `---` and an object with `tapecheck_baseline`; restore it, or remove it and run `tapecheck review RECORDINGS --all`"
    )]
    NoHeader,
    #[error(
        "it was written by another version of tapecheck (its format is {found}, this program reads {}); use that version, or move the file away and run `tapecheck review RECORDINGS --all`",
        FORMAT
    )]
    Format {
        /// The number in its first line.
        found: String,
    },
    #[error(
        "line {line}: {what}; was it edited by hand? Restore it, and use `tapecheck review` to change what is accepted"
    )]
    Line {
        /// The line, from 1.
        line: usize,
        what: String,
    },
    #[error(
        "its head counts {stated} {name}, but there are {found}: lines were edited, lost or added; restore it, and use `tapecheck review` to change what is accepted"
    )]
    Counts { name: String, stated: u64, found: u64 },
    #[error(
        "it was edited after it was written: its head has the digest {stated}, its contents {found}; restore it from version control, or move it away and run `tapecheck review RECORDINGS --all`; `tapecheck review` changes what is accepted"
    )]
    Edited {
        /// The digest in the header.
        stated: String,
        found: String,
    },
}

impl Wrong {
    pub(super) fn line(line: usize, what: impl Into<String>) -> Self {
        Self::Line { line, what: what.into() }
    }
}
