//! What baselines there are, without reading all that was accepted.

use super::counts::Counts;
use super::error::{BaselineError, Wrong};
use super::header::{Lines, Preamble, read as read_header};
use super::origin::Origin;
use super::text::{TOOL, VERDICTS};
use super::wrap::joined;
use crate::compare::Header;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

/// The header of a baseline.
#[derive(Clone, Debug)]
pub struct Peek {
    /// What it was made of.
    pub header: Header,
    /// Where what it was made of lies.
    pub origin: Origin,
    /// How many exchanges it is about.
    pub exchanges: u64,
    /// Exchanges by class and answer, as it tells them.
    pub counts: Counts,
}

/// Reads the header of a baseline.
pub fn peek(path: &Path) -> Result<Peek, BaselineError> {
    let text = header_text(path).map_err(|source| match source.kind() {
        io::ErrorKind::InvalidData => {
            BaselineError::Wrong { path: path.to_owned(), wrong: Wrong::NoHeader }
        }
        _ => BaselineError::Unreadable { path: path.to_owned(), source },
    })?;
    let preamble = read_header(&mut Lines::of_file(&text), &path.to_string_lossy())
        .map_err(|wrong| BaselineError::Wrong { path: path.to_owned(), wrong })?;
    let Preamble { header, origin, exchanges, counts, .. } = preamble;
    Ok(Peek { header, origin, exchanges, counts })
}

/// The lines before the exchanges.
fn header_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    for line in BufReader::new(File::open(path)?).lines() {
        let line = line?;
        if line.starts_with(TOOL) || line == VERDICTS {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    Ok(joined(&text))
}
