//! A baseline from its file.

use super::error::{BaselineError, Wrong};
use super::model::Baseline;
use super::place::kept_rulebook;
use super::read_text;
use super::text::FORMAT;
use std::path::Path;
use std::sync::Arc;

/// Reads a baseline, together with the rulebook that judged it where that is
/// kept among the snapshots.
pub fn read(path: &Path) -> Result<Baseline, BaselineError> {
    let bytes = std::fs::read(path)
        .map_err(|source| BaselineError::Unreadable { path: path.to_owned(), source })?;
    let mut baseline = from_bytes(bytes, &path.to_string_lossy())
        .map_err(|wrong| BaselineError::Wrong { path: path.to_owned(), wrong })?;
    // SNAPSHOTS/COLLECTION/RULEBOOK.snap
    let own = path.parent();
    // One that lies elsewhere has its rulebook beside it.
    let folders = [own.and_then(Path::parent), own];
    let mut kept =
        folders.iter().flatten().filter_map(|folder| kept_rulebook(folder, &baseline.side.header));
    let rulebook = kept.next();
    baseline.side.rulebook = rulebook.map(Arc::new);
    Ok(baseline)
}

fn from_bytes(bytes: Vec<u8>, name: &str) -> Result<Baseline, Wrong> {
    let text = String::from_utf8(bytes).map_err(|_| Wrong::NoHeader)?;
    if text.starts_with(FORMAT) {
        return Err(Wrong::line(
            1,
            "the three lines `---`, `source: tapecheck snapshot`, `---` before it are missing",
        ));
    }
    read_text::read(&text, name)
}
