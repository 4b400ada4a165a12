//! What other programs read: recorded text written so that it stays text there, and the parts of SARIF
//! that all our logs have.

mod escape;
mod sarif;

pub(crate) use escape::{command, property, xml};
pub(crate) use sarif::{Log, location, message};

use crate::verdict::harmless;

/// Text fit to be printed: it acts neither on a terminal nor on a runner that reads its log.
pub(crate) fn plain(text: &str) -> String {
    harmless(text).replace("##[", "## [")
}

/// A tape's path, where the tapes lie in a folder of the repository.
pub(crate) fn below(folder: &str, file: &str) -> String {
    match folder.trim_end_matches('/') {
        "" if folder.is_empty() => file.to_owned(),
        folder => format!("{folder}/{file}"),
    }
}
