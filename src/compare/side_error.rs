//! Why something that was judged once could not be read.

use crate::store::{FORMAT, MANIFEST, RULEBOOK, ReportError};
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum SideError {
    #[error("{} does not exist; name the folder of a run, as `tapecheck run --out` left it", .0.display())]
    Missing(PathBuf),
    #[error("{} is not a tapecheck run: it has no {MANIFEST}", .0.display())]
    NoRun(PathBuf),
    #[error("{} is part {number} of {of} of a run", path.display())]
    Part { path: PathBuf, number: u32, of: u32 },
    #[error("{} was changed after tapecheck wrote it: {reason}; run again", path.display())]
    Manifest { path: PathBuf, reason: String },
    #[error("{} is a run of format {format}, but this version of tapecheck reads {FORMAT}", path.display())]
    OtherFormat { path: PathBuf, format: String, command: String },
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Table(#[from] ReportError),
    #[error("{} has no {RULEBOOK}: an earlier version of tapecheck wrote the run; run again", .0.display())]
    NoRulebook(PathBuf),
    #[error("{} is not the run's rulebook: {reason}; run again", path.display())]
    OtherRulebook {
        path: PathBuf,
        /// How it shows.
        reason: String,
    },
}
