//! What a finished run says, taken for a baseline.

use super::model::{Baseline, Note, Notes};
use crate::compare::{Side, SideError, read_run};
use crate::store::{ReportError, Table, TableReader};
use crate::verdict::harmless;
use std::path::Path;

impl Baseline {
    /// What a finished run says, as a baseline in which all of it is accepted.
    pub fn of_run(folder: &Path) -> Result<Self, SideError> {
        let notes = read_notes(folder)?;
        Ok(Self::of(read_run(folder)?, notes))
    }
}

/// The same; and as a side, which tells more: where exchanges stand and which patterns hit.
/// [`Baseline::places`] leads from the one to the other.
pub fn both_of_run(folder: &Path) -> Result<(Baseline, Side), SideError> {
    let side = read_run(folder)?;
    let notes = read_notes(folder)?;
    Ok((Baseline::of(side.clone(), notes), side))
}

/// The notes of a run's exchanges, in the order of its rows.
fn read_notes(folder: &Path) -> Result<Notes, ReportError> {
    let mut table = TableReader::open(folder, Table::Verdicts)?;
    let mut notes = Notes::new();
    for group in 0..table.groups() {
        let [ids, texts] = [table.texts(group, "id")?, table.texts(group, "reply_excerpt")?];
        notes.extend((0..ids.rows.len()).map(|row| Note {
            id: ids.get(row).map(Into::into),
            text: texts.get(row).map(start).filter(|text| !text.is_empty()).map(Into::into),
        }));
    }
    Ok(notes)
}

/// The first words of a text, of at most 60 characters.
fn start(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(30).collect();
    harmless(&words.join(" ")).chars().take(60).collect()
}
