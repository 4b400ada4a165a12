//! What can go wrong while tables are written or read.

use super::folder::FolderError;
use polars_error::PolarsError;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("cannot encode rows: {0}")]
    Encode(#[from] PolarsError),
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: PolarsError },
    #[error("{} was written by another version: its column {column} is missing or of another type; run again", path.display())]
    Columns {
        path: PathBuf,
        /// The first column that differs.
        column: String,
    },
    #[error("{} is damaged: {reason}; run again", path.display())]
    Damaged { path: PathBuf, reason: String },
}
