//! Why a history could not be read or written.

use crate::compare::SideError;
use crate::store::FolderError;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("{} does not exist; name the folder of a history, as `tapecheck run --history` keeps it", .0.display())]
    Missing(PathBuf),
    #[error("{} is not a tapecheck history: it has no file named NIGHT--COLLECTION--RUN.parquet", .0.display())]
    NoStore(PathBuf),
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} has no run or night {what}", dir.display())]
    NoSuchRun { dir: PathBuf, what: String },
    /// A file of another version is not replaced.
    #[error("{} is left as it is: {reason}", file.display())]
    Kept { file: PathBuf, reason: String },
    #[error("{} does not record when it was made", .0.display())]
    NoNight(PathBuf),
    #[error("{} does not record its input", .0.display())]
    NoCollection(PathBuf),
    #[error(transparent)]
    Run(#[from] SideError),
    #[error(transparent)]
    Folder(#[from] FolderError),
}
