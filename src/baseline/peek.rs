//! What baselines there are, without reading all that was accepted.

use super::counts::Counts;
use super::error::{BaselineError, Wrong};
use super::header::{Lines, Told, read as read_header};
use super::model::Version;
use super::origin::Origin;
use super::parquet;
use crate::compare::Header;
use std::path::Path;

/// The header of a baseline.
#[derive(Clone, Debug)]
pub struct Peek {
    /// The version of its grammar.
    pub version: Version,
    /// What it was made of.
    pub header: Header,
    /// Where what it was made of lies.
    pub origin: Origin,
    /// How many exchanges it is about.
    pub exchanges: u64,
    /// Exchanges by class and answer, as it tells them.
    pub counts: Counts,
}

/// Reads the header of a baseline of any form and version.
pub fn peek(path: &Path) -> Result<Peek, BaselineError> {
    let bytes = std::fs::read(path)
        .map_err(|source| BaselineError::Unreadable { path: path.to_owned(), source })?;
    let told =
        told(bytes, path).map_err(|wrong| BaselineError::Wrong { path: path.to_owned(), wrong })?;
    let Told { version, header, origin, exchanges, counts, .. } = told;
    Ok(Peek { version, header, origin, exchanges, counts })
}

fn told(bytes: Vec<u8>, path: &Path) -> Result<Told, Wrong> {
    let name = path.to_string_lossy();
    let text = if parquet::is_parquet(path, &bytes) {
        parquet::header_text(path)?
    } else {
        String::from_utf8(bytes).map_err(|_| Wrong::NoHeader)?
    };
    read_header(&mut Lines::of_file(&text), &name)
}
