//! A comparison as tables: every flip, and every group.

use crate::compare::{ByLabel, Comparison, Entry, Flip, Group, Proof, Side};
use crate::store::{Cell, NamedVerdict, ReportError, ResultTables, Table};
use std::path::Path;

/// Writes the tables `flips` and `groups` into a folder. Of the later verdicts that are told in part, if any are, nothing but
/// class and answer is.
pub fn write_tables(
    folder: &Path,
    comparison: &Comparison,
    sides: [&Side; 2],
    is_in_part: &[bool],
) -> Result<(), ReportError> {
    let mut tables = ResultTables::begin(folder)?;
    let causes: Vec<String> = comparison.groups.iter().map(cause_names).collect();
    let groups: Vec<(&Group, &str)> =
        comparison.groups.iter().zip(causes.iter().map(String::as_str)).collect();
    let flips = comparison.flips.iter().map(|flip| {
        let group = flip.group.and_then(|at| groups.get(at as usize).copied());
        flip_row(flip, group, sides, is_in_part)
    });
    tables.write(Table::Flips, flips)?;
    tables.write(Table::Groups, groups.iter().map(|(group, causes)| group_row(group, causes)))?;
    Ok(tables.finish(&Table::OF_COMPARISONS)?)
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
    is_in_part: &[bool],
) -> Vec<Cell<'c>> {
    let from = at(before, flip.before);
    let to = at(after, flip.after);
    let (side, entry) = match (to, from) {
        (Some((entry, _)), _) => (after, Some(entry)),
        (None, from) => (before, from.map(|(entry, _)| entry)),
    };
    let name = |number: Option<u32>| number.map_or("", |number| side.names.get(number));
    let mut row: Vec<Cell<'c>> = vec![
        entry.map(|entry| entry.key).into(),
        from.map(|(entry, _)| entry.key).into(),
        entry.map(|entry| entry.request).into(),
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
    let is_whole = |(entry, _): &(&Entry, _)| is_in_part.get(entry.verdict as usize) != Some(&true);
    for (verdict, whole) in [(from, from), (to, to.filter(is_whole))] {
        let [verdict, whole] = [verdict, whole].map(|it| it.map(|(_, verdict)| verdict));
        row.extend([
            verdict.map(|verdict| verdict.class.name()).into(),
            verdict.map(|verdict| verdict.standing().answer.name()).into(),
            whole.map_or(Cell::Empty, |verdict| verdict.confidence.into()),
            whole.and_then(|verdict| verdict.score).map_or(Cell::Empty, Cell::from),
            whole.and_then(|verdict| verdict.decided_by.as_deref()).into(),
        ]);
    }
    row.push(flip.by_label.map(ByLabel::name).into());
    row
}

fn at(side: &Side, place: Option<u32>) -> Option<(&Entry, &NamedVerdict)> {
    let entry = &side.entries[place? as usize];
    Some((entry, side.verdict(entry.verdict)))
}

fn group_row<'c>(group: &'c Group, causes: &'c str) -> Vec<Cell<'c>> {
    let Group { id, kind, explanation, from, to, exchanges, servers, tools, by_labels, .. } = group;
    let labelled = |by_label| {
        if by_labels.is_empty() { Cell::Empty } else { by_labels.get(by_label).into() }
    };
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
        labelled(ByLabel::NowRight),
        labelled(ByLabel::NowWrong),
    ]
}
