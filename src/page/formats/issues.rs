//! The issues of a run, one after the other.

use super::super::PageError;
use crate::store::{Table, TableReader, TextColumn};
use std::path::Path;

/// An issue, as it was recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issue<'a> {
    /// The exchange; empty where it is about a session as a whole.
    pub(super) key: &'a str,
    pub(super) file: &'a str,
    pub(super) line: u64,
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) severity: &'a str,
    pub(super) kind: &'a str,
    pub(super) message: &'a str,
    pub(super) location: &'a str,
}

/// Goes through the issues of a run in corpus order.
pub(super) fn each(folder: &Path, mut see: impl FnMut(Issue<'_>)) -> Result<(), PageError> {
    let mut table = TableReader::open(folder, Table::Issues)?;
    for group in 0..table.groups() {
        let [key, file, server, tool, severity, kind, message, location] =
            ["key", "file", "server", "tool", "severity", "type", "message", "location"]
                .map(|name| table.texts(group, name));
        let (key, file, server, tool) = (key?, file?, server?, tool?);
        let (severity, kind, message, location) = (severity?, kind?, message?, location?);
        let lines = table.ints(group, "line")?;
        for row in 0..table.rows(group) {
            let line = lines.get(row).and_then(|line| u64::try_from(*line).ok());
            see(Issue {
                key: text(&key, row),
                file: text(&file, row),
                line: line.unwrap_or_default(),
                server: text(&server, row),
                tool: text(&tool, row),
                severity: text(&severity, row),
                kind: text(&kind, row),
                message: text(&message, row),
                location: text(&location, row),
            });
        }
    }
    Ok(())
}

fn text(column: &TextColumn, row: usize) -> &str {
    column.get(row).unwrap_or_default()
}
