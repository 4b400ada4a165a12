//! A comparison as tables: every flip, and every group.

use crate::compare::{Comparison, Entry, Flip, Group, Proof, Said, Side};
use crate::store::{Cell, FolderError, ReportError, Table, TableFile};
use std::fs;
use std::path::Path;

/// Writes the tables `flips` and `groups` into a folder. Each file takes the place of an earlier one
/// only when all of them are whole.
pub fn write_tables(
    folder: &Path,
    comparison: &Comparison,
    sides: [&Side; 2],
) -> Result<(), ReportError> {
    let failed = |source| FolderError::io(folder, source);
    fs::create_dir_all(folder).map_err(failed)?;
    let building =
        tempfile::Builder::new().prefix(".tapecheck-").tempdir_in(folder).map_err(failed)?;
    let mut flips = TableFile::create_in(building.path(), Table::Flips)?;
    let causes: Vec<String> = comparison.groups.iter().map(cause_names).collect();
    for flip in &comparison.flips {
        let group = flip.group.and_then(|at| {
            Some((comparison.groups.get(at as usize)?, causes.get(at as usize)?.as_str()))
        });
        flips.push(&flip_row(flip, group, sides))?;
    }
    flips.finish()?;
    let mut groups = TableFile::create_in(building.path(), Table::Groups)?;
    for (group, causes) in comparison.groups.iter().zip(&causes) {
        groups.push(&group_row(group, causes))?;
    }
    groups.finish()?;
    for table in Table::OF_COMPARISONS {
        for name in table.formats().iter().map(|format| table.file_name(*format)) {
            let place = folder.join(&name);
            let moved = fs::rename(building.path().join(&name), &place);
            moved.map_err(|source| FolderError::io(&place, source))?;
        }
    }
    Ok(())
}

/// The names of the causes, as a JSON array.
fn cause_names(group: &Group) -> String {
    let names = group.explanation.causes.iter().map(|cause| cause.name.as_str());
    names.collect::<serde_json::Value>().to_string()
}

fn flip_row<'c>(
    flip: &Flip,
    group: Option<(&'c Group, &'c str)>,
    [before, after]: [&'c Side; 2],
) -> Vec<Cell<'c>> {
    let from = at(before, flip.before);
    let to = at(after, flip.after);
    let (side, entry) = match (to, from) {
        (Some((entry, _)), _) => (after, Some(entry)),
        (None, from) => (before, from.map(|(entry, _)| entry)),
    };
    let name = |number: Option<u32>| number.map_or("", |number| side.names.get(number));
    let mut row: Vec<Cell<'c>> = vec![
        entry.map_or(String::new(), |entry| entry.key.to_string()).into(),
        from.map_or(Cell::Empty, |(entry, _)| entry.key.to_string().into()),
        entry.map_or(String::new(), |entry| entry.request.to_string()).into(),
        name(entry.map(|entry| entry.file)).into(),
        entry.map_or(0, |entry| u64::from(entry.line)).into(),
        name(entry.map(|entry| entry.server)).into(),
        name(entry.map(|entry| entry.tool)).into(),
        flip.kind.name().into(),
        flip.matched.map(super::super::Matched::name).into(),
        group.map(|(group, _)| group.id.as_str()).into(),
        group.map(|(group, _)| group.explanation.origin.name()).into(),
        group.map(|(group, _)| group.explanation.proof.name()).into(),
        group.map(|(_, causes)| causes).into(),
    ];
    for said in [from, to] {
        let said = said.map(|(_, said)| said);
        row.extend([
            said.map(|said| said.class.name()).into(),
            said.map(|said| said.standing().answer.name()).into(),
            said.map_or(Cell::Empty, |said| said.confidence.into()),
            said.and_then(|said| said.score).map_or(Cell::Empty, Cell::from),
            said.and_then(|said| said.decided_by.as_deref()).into(),
        ]);
    }
    row
}

fn at(side: &Side, place: Option<u32>) -> Option<(&Entry, &Said)> {
    let entry = &side.entries[place? as usize];
    Some((entry, side.said_of(entry.said)))
}

fn group_row<'c>(group: &'c Group, causes: &'c str) -> Vec<Cell<'c>> {
    let Group { id, kind, explanation, from, to, exchanges, servers, tools, .. } = group;
    let changes = explanation.causes.iter().map(|cause| cause.change.as_str());
    let reason = match &explanation.proof {
        Proof::Proved | Proof::Narrowed => None,
        Proof::Observed(reason) => Some(reason.as_str()),
    };
    vec![
        id.as_str().into(),
        kind.name().into(),
        explanation.origin.name().into(),
        causes.into(),
        changes.collect::<Vec<_>>().join("; ").into(),
        explanation.proof.name().into(),
        reason.into(),
        from.class.name().into(),
        to.class.name().into(),
        from.answer.name().into(),
        to.answer.name().into(),
        (*exchanges).into(),
        (*servers).into(),
        (*tools).into(),
    ]
}
