//! What was measured as tables.

use super::View;
use crate::count::tally::Interval;
use crate::labels::Label;
use crate::measure::accuracy::Share;
use crate::measure::stats::{Mistake, Slice, Usage};
use crate::store::{Cell, NamedVerdict, ReportError, ResultTables, Table};
use crate::verdict::cut;
use std::path::Path;

/// So much of a text is kept.
const TEXT: usize = 600;

type Row<'c> = Vec<Cell<'c>>;

/// Writes the tables of statistics into a folder; tables of which nothing was measured are not there.
pub fn write_tables(folder: &Path, view: &View<'_>) -> Result<(), ReportError> {
    let stats = view.stats;
    let mut tables = ResultTables::begin(folder)?;
    let things = [Table::StatsPatterns, Table::StatsSignals, Table::StatsFactors];
    for (table, usages) in things.into_iter().zip(&stats.usages) {
        tables.write(table, usages.iter().map(usage_row))?;
    }
    let servers = stats.servers.iter().map(|slice| slice_row(view, slice));
    tables.write(Table::StatsServers, servers)?;
    if let Some(truth) = &stats.truth {
        tables.write(Table::StatsCalibration, calibration_rows(view))?;
        let mistakes = truth.mistakes.iter().map(|mistake| mistake_row(view, mistake));
        tables.write(Table::StatsMistakes, mistakes)?;
    }
    Ok(tables.finish(&Table::OF_STATS)?)
}

fn optional<'c>(number: Option<f64>) -> Cell<'c> {
    number.map_or(Cell::Empty, Cell::Float)
}

/// A share and its interval.
fn within<'c>(share: Share) -> [Cell<'c>; 3] {
    if share.of == 0 {
        return [Cell::Empty, Cell::Empty, Cell::Empty];
    }
    let Interval { low, high } = share.interval();
    [optional(share.value()), low.into(), high.into()]
}

fn json_names<'c>(names: &[String]) -> Cell<'c> {
    serde_json::Value::from(names).to_string().into()
}

fn usage_row(usage: &Usage) -> Row<'_> {
    let Interval { low, high } = usage.replies.interval();
    let mut row: Row<'_> = vec![
        usage.name.as_str().into(),
        usage.question.name().into(),
        usage.replies.hits.into(),
        usage.replies.of.into(),
        usage.replies.value().unwrap_or(0.0).into(),
        low.into(),
        high.into(),
        usage.alone.hits.into(),
        usage.servers.into(),
        optional(usage.weight),
        if usage.signals.is_empty() { Cell::Empty } else { json_names(&usage.signals) },
        usage.without.map(|without| without.righted).into(),
        usage.without.map(|without| without.wronged).into(),
        optional(usage.without.and_then(|without| without.help)),
    ];
    for label in Label::ALL {
        let share = usage.of_class(label);
        row.extend([share.hits.into(), share.of.into()]);
        row.extend(within(share));
        row.extend(within(usage.toward(label)));
    }
    row
}

fn slice_row<'v>(view: &View<'v>, slice: &'v Slice) -> Row<'v> {
    let held_out = view.stats.truth.as_ref().and_then(|truth| truth.held_out.as_ref().ok());
    let fold =
        held_out.and_then(|held_out| held_out.folds.iter().find(|fold| fold.server == slice.name));
    let wrong_left_out = fold.map(|fold| {
        let right = fold.table.accuracy();
        right.of - right.hits
    });
    let mut row: Row<'v> = vec![
        slice.name.as_str().into(),
        slice.exchanges.into(),
        slice.table.items().into(),
        slice.wrong().into(),
        optional(slice.table.balanced_accuracy()),
        wrong_left_out.into(),
    ];
    row.extend(within(slice.table.accuracy()));
    for label in Label::ALL {
        row.push(slice.table.of(label).into());
        row.extend(within(slice.table.recall(label)));
        row.extend(within(slice.table.precision(label)));
    }
    row
}

fn calibration_rows<'v>(view: &View<'v>) -> Vec<Row<'v>> {
    let mut rows = Vec::new();
    for calibration in view.stats.truth.iter().flat_map(|truth| &truth.calibration) {
        for step in &calibration.steps {
            let mut row: Row<'v> = vec![
                calibration.reading.name().into(),
                step.low.into(),
                step.high.into(),
                step.came_true.of.into(),
                step.mean.into(),
            ];
            row.extend(within(step.came_true));
            rows.push(row);
        }
    }
    rows
}

fn mistake_row<'v>(view: &View<'v>, mistake: &Mistake) -> Row<'v> {
    let entry = &view.side.entries[mistake.entry as usize];
    let verdict: &'v NamedVerdict = &view.side.verdicts[mistake.verdict as usize];
    let names = &view.side.names;
    vec![
        names.get(entry.file).into(),
        u64::from(entry.line).into(),
        entry.key.into(),
        names.get(entry.server).into(),
        names.get(entry.tool).into(),
        mistake.truth.name().into(),
        mistake.answer.map(Label::name).into(),
        verdict.decided_by.as_deref().into(),
        optional(verdict.score),
        optional(verdict.threshold),
        verdict.error_kind.as_deref().into(),
        json_names(&verdict.signals),
        json_names(&verdict.hits),
        view.text(mistake.entry).map_or(Cell::Empty, |text| cut(&text, TEXT).into()),
        view.whys.get(&mistake.entry).map(String::as_str).into(),
    ]
}
