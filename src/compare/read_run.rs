//! A side from the folder of a run.

use super::Side;
use std::path::{Path, PathBuf};

/// A run cannot be read back.
#[derive(Debug, thiserror::Error)]
pub enum SideError {
    /// Not there.
    #[error("cannot read {}", .0.display())]
    Unreadable(PathBuf),
}

/// Reads what a run left behind.
pub fn read_run(folder: &Path) -> Result<Side, SideError> {
    Err(SideError::Unreadable(folder.to_owned()))
}
