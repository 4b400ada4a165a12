//! What a finished run says, taken for a baseline.

use super::model::{Baseline, Note, Notes};
use crate::compare::Side;
use crate::store::{ReportError, Table, TableReader};
use crate::verdict::harmless;
use std::path::Path;

impl Baseline {
    /// What a finished run says, as a baseline in which all of it is accepted. [`Baseline::places`] leads from it to the
    /// side, which tells more: where exchanges stand and which patterns hit.
    pub fn of_run(folder: &Path, side: Side) -> Result<Self, ReportError> {
        Ok(Self::of(side, read_notes(folder)?))
    }
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
