//! Trends as tables.

use crate::store::{Cell, FolderError, ReportError, Table, TableFile};
use crate::trend::{Change, Moved, Series, Trend};
use serde_json::json;
use std::fs;
use std::path::Path;

/// Writes the tables of a trend into a folder. Each file takes the place of an earlier one only when
/// all of them are whole.
pub fn write_tables(folder: &Path, trend: &Trend) -> Result<(), ReportError> {
    let failed = |source| FolderError::io(folder, source);
    fs::create_dir_all(folder).map_err(failed)?;
    let building =
        tempfile::Builder::new().prefix(".tapecheck-").tempdir_in(folder).map_err(failed)?;
    let mut points = TableFile::create_in(building.path(), Table::Trend)?;
    let mut changes = TableFile::create_in(building.path(), Table::TrendChanges)?;
    for series in &trend.series {
        for night in 0..series.points.len() {
            if let Some(row) = point_row(trend, series, night) {
                points.push(&row)?;
            }
        }
        for change in &series.changes {
            changes.push(&change_row(trend, series, change))?;
        }
    }
    points.finish()?;
    changes.finish()?;
    for table in Table::OF_TRENDS {
        for name in table.formats().iter().map(|format| table.file_name(*format)) {
            let place = folder.join(&name);
            fs::rename(building.path().join(&name), &place)
                .map_err(|source| FolderError::io(&place, source))?;
        }
    }
    Ok(())
}

fn day<'c>(trend: &Trend, night: usize) -> Cell<'c> {
    trend.nights.get(night).map_or(Cell::Empty, |night| night.day.to_string().into())
}

fn point_row<'c>(trend: &'c Trend, series: &'c Series, night: usize) -> Option<Vec<Cell<'c>>> {
    let point = series.points[night]?;
    let is_within =
        |change: &Change| change.from <= night && change.until.is_none_or(|until| night < until);
    Some(vec![
        day(trend, night),
        trend.by.as_str().into(),
        series.name.as_str().into(),
        point.count.into(),
        point.out_of.into(),
        point.share().into(),
        point.low.into(),
        point.high.into(),
        point.adjusted.map_or(Cell::Empty, Cell::Float),
        point.covered.into(),
        Cell::Bool(series.changes.iter().any(is_within)),
    ])
}

fn change_row<'c>(trend: &'c Trend, series: &'c Series, change: &'c Change) -> Vec<Cell<'c>> {
    let server = |moved: &Moved| {
        let Moved { name, before, after, exchanges } = moved;
        json!({ "name": name, "before": before, "after": after, "exchanges": exchanges })
    };
    let servers: serde_json::Value = change.servers.iter().map(server).collect();
    vec![
        trend.by.as_str().into(),
        series.name.as_str().into(),
        change.began.to_string().into(),
        change.until.map_or(Cell::Empty, |night| day(trend, night)),
        Cell::Bool(change.settled),
        change.before.into(),
        change.after.into(),
        change.worse.map_or(Cell::Empty, Cell::Bool),
        change.p_value.into(),
        change.covered.into(),
        servers.to_string().into(),
    ]
}
