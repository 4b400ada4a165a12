//! What is wrong in a run, one after the other: its issues, and the exchanges that failed or are invalid without
//! an issue that says so.

use super::super::PageError;
use crate::rulebook::Rulebook;
use crate::store::{Table, TableReader, TextColumn};
use crate::verdict::{Outcome, Severity};
use std::path::Path;

/// An issue, as it was recorded, or a bad outcome.
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

/// The type that an outcome has among issues; `None` of one that is nothing wrong.
pub(super) fn kind_of(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Failed => Some("outcome_failed"),
        Outcome::Invalid => Some("outcome_invalid"),
        Outcome::NotSent | Outcome::Unknown | Outcome::Refused | Outcome::Worked => None,
    }
}

/// The outcome that has this type among issues.
pub(super) fn outcome_of(kind: &str) -> Option<Outcome> {
    Outcome::ALL.into_iter().find(|outcome| kind_of(*outcome) == Some(kind))
}

/// Goes through all that is wrong in a run: its issues in corpus order, then its bad outcomes.
pub(super) fn each(
    folder: &Path,
    rulebook: &Rulebook,
    mut see: impl FnMut(Issue<'_>),
) -> Result<(), PageError> {
    each_issue(folder, &mut see)?;
    each_outcome(folder, rulebook, &mut see)
}

/// An exchange with an issue of severity `error` was seen already.
fn each_outcome(
    folder: &Path,
    rulebook: &Rulebook,
    see: &mut impl FnMut(Issue<'_>),
) -> Result<(), PageError> {
    let mut table = TableReader::open(folder, Table::Verdicts)?;
    for group in 0..table.groups() {
        let outcomes = table.texts(group, "outcome")?;
        let errors = table.ints(group, "errors")?;
        let bad: Vec<(usize, Outcome, &'static str)> = (0..table.rows(group))
            .filter(|row| errors.get(*row) == Some(&0))
            .filter_map(|row| {
                let name = outcomes.get(row)?;
                let outcome = Outcome::ALL.into_iter().find(|known| known.name() == name)?;
                Some((row, outcome, kind_of(outcome)?))
            })
            .collect();
        if bad.is_empty() {
            continue;
        }
        let [key, file, server, tool] =
            ["key", "file", "server", "tool"].map(|name| table.texts(group, name));
        let (key, file, server, tool) = (key?, file?, server?, tool?);
        let lines = table.ints(group, "line")?;
        for (row, outcome, kind) in bad {
            let line = lines.get(row).and_then(|line| u64::try_from(*line).ok());
            see(Issue {
                key: text(&key, row),
                file: text(&file, row),
                line: line.unwrap_or_default(),
                server: text(&server, row),
                tool: text(&tool, row),
                severity: Severity::Error.name(),
                kind,
                message: rulebook.sentence(outcome),
                location: "",
            });
        }
    }
    Ok(())
}

fn each_issue(folder: &Path, see: &mut impl FnMut(Issue<'_>)) -> Result<(), PageError> {
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
