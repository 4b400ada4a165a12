//! Trends as one JSON object.

use super::View;
use crate::trend::{
    Change, Difference, Direction, Night, NightlyDurations, Point, Presence, Series, Trend,
};
use serde::ser::{Serialize, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};

/// What the object says it is.
const FORMAT: &str = "tapecheck-trend/1";

/// Points are written one by one: many nights of many series may be more than there is room for.
pub fn write_json(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let View { trend, issue_types, servers } = view;
    let gone = |trend: &Trend| -> Value {
        trend.presences.iter().map(|presence| of_presence(trend, presence)).collect()
    };
    let last = issue_types.nights.iter().rposition(|night| night.exchanges > 0);
    let tonight = |series: &Series| {
        let point = series.points.get(last?).copied().flatten().filter(|point| point.count > 0)?;
        Some(json!({ "name": series.name, "count": point.count, "share": point.share() }))
    };
    let shown = Shown {
        format: FORMAT,
        by: &trend.by,
        test: &trend.test,
        is_young: trend.is_young,
        nights: &trend.nights,
        durations: &trend.durations,
        series: Each(&trend.series, |series| of_series(trend, series)),
        presences: gone(trend),
        came_or_went: json!({ "issue_types": gone(issue_types), "servers": gone(servers) }),
        notes: &trend.notes,
        worse_servers: super::worse_servers(servers)
            .iter()
            .map(|server| {
                json!({
                    "name": server.name,
                    "since": server.since.to_string(),
                    "before": server.before,
                    "after": server.after,
                    "p_value": server.p_value,
                    "alarm": server.is_alarm,
                })
            })
            .collect(),
        top_issue_types: issue_types.series.iter().filter_map(tonight).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &shown)?;
    out.write_all(b"\n")
}

/// The object, in the order in which it is written.
#[derive(serde::Serialize)]
struct Shown<'a, S: Serialize> {
    format: &'a str,
    by: &'a str,
    test: &'a str,
    is_young: bool,
    nights: &'a [Night],
    durations: &'a NightlyDurations,
    series: S,
    presences: Value,
    came_or_went: Value,
    notes: &'a [String],
    worse_servers: Value,
    top_issue_types: Value,
}

/// Things that are made fit for writing one after the other.
struct Each<'a, T, F>(&'a [T], F);

impl<'a, T, F: Fn(&'a T) -> R, R: Serialize> Serialize for Each<'a, T, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(&self.1))
    }
}

#[derive(serde::Serialize)]
struct OneSeries<'s, P: Serialize, C: Serialize> {
    name: &'s str,
    good: Option<&'static str>,
    points: P,
    #[serde(skip_serializing_if = "Option::is_none")]
    durations: Option<&'s NightlyDurations>,
    expected: Option<f64>,
    covered: Option<f64>,
    latest: Option<Difference>,
    changes: C,
}

#[derive(serde::Serialize)]
struct OnePoint<'p> {
    #[serde(flatten)]
    point: &'p Point,
    share: f64,
}

fn of_series<'s>(trend: &'s Trend, series: &'s Series) -> impl Serialize + 's {
    let of_point = |point: &'s Option<Point>| {
        point.as_ref().map(|point| OnePoint { point, share: point.share() })
    };
    OneSeries {
        name: &series.name,
        good: match series.good {
            Direction::Up => Some("up"),
            Direction::Down => Some("down"),
            Direction::Neither => None,
        },
        durations: series.durations.as_ref(),
        points: Each(&series.points, of_point),
        expected: series.expected,
        covered: series.covered,
        latest: series.latest,
        changes: Each(&series.changes, |change| of_change(trend, change)),
    }
}

fn day(trend: &Trend, night: usize) -> Option<String> {
    trend.nights.get(night).map(|night| night.day.to_string())
}

fn of_change(trend: &Trend, change: &Change) -> Value {
    json!({
        "from": change.began.to_string(),
        "until": change.until.and_then(|night| day(trend, night)),
        "settled": change.settled,
        "before": change.before,
        "after": change.after,
        "worse": change.worse,
        "p_value": change.p_value,
        "covered": change.covered,
        "servers": change.servers,
    })
}

fn of_presence(trend: &Trend, presence: &Presence) -> Value {
    match presence {
        Presence::New { name, night, count } => {
            json!({ "kind": "new", "name": name, "night": day(trend, *night), "count": count })
        }
        Presence::Vanished { name, last } => {
            json!({ "kind": "vanished", "name": name, "last": day(trend, *last) })
        }
        Presence::Returned { name, last, night, count } => json!({
            "kind": "returned",
            "name": name,
            "last": day(trend, *last),
            "night": day(trend, *night),
            "count": count,
        }),
    }
}
