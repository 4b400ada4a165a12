//! What can go wrong while tables are written or read.

use super::folder::FolderError;
use polars_error::PolarsError;
use std::path::PathBuf;

/// A table could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file of the run could not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Rows could not be encoded.
    #[error("cannot encode rows: {0}")]
    Encode(#[from] PolarsError),
    /// A table could not be read back.
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: PolarsError },
    /// A table has other columns than it should.
    #[error("{} was written by another version: its column {column} is missing or of another type; run again", path.display())]
    Columns {
        path: PathBuf,
        /// The first column that differs.
        column: String,
    },
    /// A table says something that cannot be.
    #[error("{} is damaged: {reason}; run again", path.display())]
    Damaged { path: PathBuf, reason: String },
}
