//! Trends for people and for machines.

mod json;
mod sections;
mod sentences;
mod spark;
mod tables;

pub use json::write_json;
pub(crate) use sections::sections;
pub use sentences::{change_sentence, mark_sentence, presence_sentence};
pub use tables::write_tables;

use super::{Change, Difference, Trend};
use crate::recording::Day;

/// What is shown with each other.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub trend: &'a Trend,
    pub issue_types: &'a Trend,
    pub servers: &'a Trend,
}

/// A server that got worse.
#[derive(Clone, Copy, Debug)]
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
    pub is_alarm: bool,
}

/// A server is told of when a difference like its would come by chance among all in one of so many.
const SURE: f64 = 0.05;

/// Servers that changed for the worse and are not back, and those that may well have; surest first.
pub fn worse_servers(servers: &Trend) -> Vec<Worse<'_>> {
    if servers.nights.is_empty() {
        return Vec::new();
    }
    let all = servers.series.len().max(1) as f64;
    let last = servers.nights.iter().rposition(|night| night.exchanges > 0).unwrap_or_default();
    let mut found: Vec<Worse<'_>> = Vec::new();
    for series in &servers.series {
        let name = series.name.as_str();
        let mut open = series.changes.iter().rev();
        let open = open.find(|change| change.is_open() && change.worse == Some(true));
        let latest = series.latest.filter(|latest| latest.worse == Some(true));
        if let Some(change) = open {
            let Change { began: since, before, after, p_value, .. } = *change;
            found.push(Worse { name, since, before, after, p_value, is_alarm: true });
        } else if let Some(latest) = latest.filter(|latest| latest.p_value * all < SURE) {
            let Difference { nights, before, after, p_value, .. } = latest;
            // Nights without exchanges of the server do not count among those of the window.
            let points = series.points[..=last].iter().enumerate().rev();
            let of_window = points.filter(|(_, point)| point.is_some()).nth(nights - 1);
            let since = servers.nights[of_window.map_or(0, |(night, _)| night)].day;
            found.push(Worse { name, since, before, after, p_value, is_alarm: false });
        }
    }
    found.sort_by(|one, other| one.p_value.total_cmp(&other.p_value));
    found
}
