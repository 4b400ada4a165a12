//! Why a history could not be read or written.

use crate::compare::SideError;
use crate::store::FolderError;
use std::io;
use std::path::PathBuf;

/// A history could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// There is nothing at this place.
    #[error("{} does not exist; name the folder of a history, as `tapecheck run --history` keeps it", .0.display())]
    Missing(PathBuf),
    /// Something else is there.
    #[error("{} is not a tapecheck history: it has no file named NIGHT--COLLECTION--RUN.parquet", .0.display())]
    NoStore(PathBuf),
    /// The folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// There is no run as it was asked for.
    #[error("{} has no run {what}", dir.display())]
    NoSuchRun {
        dir: PathBuf,
        /// Its name or its night.
        what: String,
    },
    /// A file of another version is not replaced.
    #[error("{} is left as it is: {reason}", file.display())]
    Kept { file: PathBuf, reason: String },
    /// A run does not say when it was made.
    #[error("{} does not record when it was made", .0.display())]
    NoNight(PathBuf),
    /// A run does not say what it is a run of.
    #[error("{} does not record its input", .0.display())]
    NoCollection(PathBuf),
    /// A run that is to be added cannot be read.
    #[error(transparent)]
    Run(#[from] SideError),
    /// A file could not be written or removed.
    #[error(transparent)]
    Folder(#[from] FolderError),
}
