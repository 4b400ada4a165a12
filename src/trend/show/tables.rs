//! Trends as tables.

use crate::store::{Cell, ReportError, ResultTables, Table};
use crate::trend::{Change, Moved, Series, Trend};
use serde_json::json;
use std::path::Path;

pub fn write_tables(folder: &Path, trend: &Trend) -> Result<(), ReportError> {
    let mut tables = ResultTables::begin(folder)?;
    let points = trend.series.iter().flat_map(|series| {
        (0..series.points.len()).filter_map(|night| point_row(trend, series, night))
    });
    tables.write(Table::Trend, points)?;
    let changes = trend
        .series
        .iter()
        .flat_map(|series| series.changes.iter().map(|change| change_row(trend, series, change)));
    tables.write(Table::TrendChanges, changes)?;
    Ok(tables.finish(&Table::OF_TRENDS)?)
}

fn day<'c>(trend: &Trend, night: usize) -> Cell<'c> {
    trend.nights.get(night).map_or(Cell::Empty, |night| night.day.to_string().into())
}

fn point_row<'c>(trend: &'c Trend, series: &'c Series, night: usize) -> Option<Vec<Cell<'c>>> {
    let point = series.points[night]?;
    let took = series.durations.as_ref().and_then(|durations| durations.nights[night]);
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
        took.map_or(Cell::Empty, |took| took.p50_ms.into()),
        took.map_or(Cell::Empty, |took| took.p95_ms.into()),
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
