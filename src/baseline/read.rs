//! A baseline from its file.

use super::error::{BaselineError, Wrong};
use super::model::Baseline;
use super::read_text;
use std::path::Path;

/// Reads a baseline of any form and version.
pub fn read(path: &Path) -> Result<Baseline, BaselineError> {
    let bytes = std::fs::read(path)
        .map_err(|source| BaselineError::Unreadable { path: path.to_owned(), source })?;
    let name = path.to_string_lossy();
    let text = String::from_utf8(bytes).map_err(|_| Wrong::NoHeader);
    text.and_then(|text| read_text::read(&text, &name))
        .map_err(|wrong| BaselineError::Wrong { path: path.to_owned(), wrong })
}
