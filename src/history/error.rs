//! Why a history could not be read or written.

use crate::compare::SideError;
use crate::report::{FolderError, ReportError};
use std::io;
use std::path::PathBuf;

/// A history could not be read or written as a whole.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// There is nothing at this place.
    #[error("{} does not exist; name the folder of a history, as `tapecheck run --history` keeps it", .0.display())]
    Missing(PathBuf),
    /// Something else is there.
    #[error("{} is not a history of tapecheck: nothing in it is named run-… or compacted-…", .0.display())]
    NoStore(PathBuf),
    /// The folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process puts the same history together.
    #[error("{} is just being compacted by another process", .0.display())]
    Busy(PathBuf),
    /// There is no run as it was asked for.
    #[error("{} holds no run {what}", dir.display())]
    NoSuchRun {
        /// The folder.
        dir: PathBuf,
        /// Its name or its night.
        what: String,
    },
    /// A partition can be neither removed nor written anew.
    #[error("{} is left as it is: {reason}", partition.display())]
    Kept {
        /// Its folder.
        partition: PathBuf,
        /// Why.
        reason: String,
    },
    /// A run does not say when it was made.
    #[error("{} does not say when it was made", .0.display())]
    NoNight(PathBuf),
    /// A run does not say what it is a run of.
    #[error("{} does not say what was judged", .0.display())]
    NoCollection(PathBuf),
    /// A run that is to be added cannot be read.
    #[error(transparent)]
    Run(#[from] SideError),
    /// A file could not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A table could not be written.
    #[error(transparent)]
    Table(#[from] ReportError),
    /// What was written does not read back.
    #[error("what was put together does not read back ({0}); nothing was removed")]
    NotWhole(String),
}
