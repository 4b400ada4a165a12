//! Trends for people and for machines.

mod sections;
mod sentences;

pub(crate) use sections::sections;
pub use sentences::{change_sentence, mark_sentence, presence_sentence};

use super::{By, Change, NightRow, Point, Presence, Series, Trend};
use crate::count::Took;
use crate::recording::Day;
use crate::store::{ReportError, ResultTables, Table};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// What is shown with each other.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub trend: &'a Trend,
    pub issue_types: &'a Trend,
    pub servers: &'a Trend,
}

/// A server that got worse.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Worse<'a> {
    pub name: &'a str,
    /// The first night of it.
    pub since: Day,
    /// The share that was failed or invalid before.
    pub before: f64,
    /// And since then.
    pub after: f64,
    /// How probable a difference like this is by chance, before correction.
    pub p_value: f64,
    /// Whether it is beyond doubt.
    pub alarm: bool,
}

/// What many exchanges of the last night have.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Common<'a> {
    pub name: &'a str,
    pub count: u64,
    pub share: f64,
}

/// A server is told of when a difference like its would come by chance among all in one of so many.
const SURE: f64 = 0.05;

/// The last night that has exchanges.
fn last(trend: &Trend) -> Option<usize> {
    trend.nights.iter().rposition(|night| night.exchanges > 0)
}

/// Servers that changed for the worse and are not back, and those that may well have; surest first.
pub fn worse_servers(servers: &Trend) -> Vec<Worse<'_>> {
    if servers.nights.is_empty() {
        return Vec::new();
    }
    let all = servers.series.len().max(1) as f64;
    let last = last(servers).unwrap_or_default();
    let found = servers.series.iter().filter_map(|series| {
        let name = series.name.as_str();
        let mut open = series.changes.iter().rev();
        if let Some(change) = open.find(|it| it.is_open() && it.worse == Some(true)) {
            let Change { from: since, before, after, p_value, .. } = *change;
            return Some(Worse { name, since, before, after, p_value, alarm: true });
        }
        let is_sure = series.latest.filter(|it| it.worse == Some(true) && it.p_value * all < SURE);
        let latest = is_sure?;
        // Nights without exchanges of the server do not count among those of the window.
        let points = series.points.iter().take(last + 1).enumerate().rev();
        let of_window = points.filter(|(_, point)| point.is_some()).nth(latest.nights - 1);
        let since = servers.nights.get(of_window.map_or(0, |(night, _)| night))?.day;
        let (before, after, p_value) = (latest.before, latest.after, latest.p_value);
        Some(Worse { name, since, before, after, p_value, alarm: false })
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by(|one, other| one.p_value.total_cmp(&other.p_value));
    found
}

/// The issue types that exchanges of the last night have.
fn top(issue_types: &Trend) -> Vec<Common<'_>> {
    let last = last(issue_types).unwrap_or_default();
    let common = issue_types.series.iter().filter_map(|series| {
        let point = (*series.points.get(last)?).filter(|point| point.count > 0)?;
        Some(Common { name: &series.name, count: point.count, share: point.share })
    });
    common.collect()
}

/// The object, in the order in which it is written.
#[derive(Serialize)]
struct Shown<'a> {
    format: &'a str,
    #[serde(flatten)]
    trend: &'a Trend,
    came_or_went: CameOrWent<'a>,
    worse_servers: Vec<Worse<'a>>,
    top_issue_types: Vec<Common<'a>>,
}

#[derive(Serialize)]
struct CameOrWent<'a> {
    issue_types: &'a [Presence],
    servers: &'a [Presence],
}

/// Written piece by piece: many nights of many series may be more than there is room for.
pub fn write_json(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let View { trend, issue_types, servers } = view;
    let shown = Shown {
        format: "tapecheck-trend/1",
        trend,
        came_or_went: CameOrWent {
            issue_types: &issue_types.presences,
            servers: &servers.presences,
        },
        worse_servers: worse_servers(servers),
        top_issue_types: top(issue_types),
    };
    serde_json::to_writer_pretty(&mut *out, &shown)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct PointRow<'a> {
    night: Day,
    by: By,
    series: &'a str,
    #[serde(flatten)]
    point: Point,
    #[serde(flatten)]
    took: Option<Took>,
    alarm: bool,
}

#[derive(Serialize)]
struct ChangeRow<'a> {
    by: By,
    series: &'a str,
    #[serde(flatten)]
    change: &'a Change,
}

pub fn write_tables(folder: &Path, trend: &Trend) -> Result<(), ReportError> {
    let by = trend.by;
    let mut tables = ResultTables::begin(folder)?;
    let points =
        trend.series.iter().flat_map(|Series { name, points, durations, changes, .. }| {
            let nights = trend.nights.iter().zip(points).enumerate();
            nights.filter_map(move |(at, (NightRow { day: night, .. }, point))| {
                // What is the level now is no change any more.
                let is_within = |it: &Change| {
                    let goes_on = !it.settled && it.until.is_none_or(|until| *night < until);
                    it.from == *night || it.from < *night && goes_on
                };
                Some(PointRow {
                    night: *night,
                    by,
                    series: name,
                    point: (*point)?,
                    took: durations.as_ref().and_then(|durations| durations.nights[at]),
                    alarm: changes.iter().any(is_within),
                })
            })
        });
    tables.write_rows(Table::Trend, points)?;
    let changes = trend.series.iter().flat_map(|Series { name: series, changes, .. }| {
        changes.iter().map(move |change| ChangeRow { by, series, change })
    });
    tables.write_rows(Table::TrendChanges, changes)?;
    Ok(tables.finish(&Table::OF_TRENDS)?)
}
