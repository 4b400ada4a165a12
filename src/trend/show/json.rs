//! Trends as one JSON object.

use super::View;
use crate::trend::{Change, Difference, Direction, Mark, Point, Presence, Series, Trend};
use serde_json::{Value, json};

/// What the object says it is.
const FORMAT: &str = "tapecheck-trend/1";

/// Everything there is.
#[must_use]
pub fn as_json(view: &View<'_>) -> Value {
    let trend = view.trend;
    let mut object = one(trend);
    let others = [("issue_types", view.issue_types), ("servers", view.servers)];
    for (name, other) in others {
        let presences = other.presences.iter().map(|presence| of_presence(other, presence));
        object["came_or_went"][name] = presences.collect();
    }
    let last = view.issue_types.nights.iter().rposition(|night| night.exchanges > 0);
    let tonight = |series: &Series| {
        let point = series.points.get(last?).copied().flatten().filter(|point| point.count > 0)?;
        Some(json!({ "name": series.name, "count": point.count, "share": point.share() }))
    };
    object["worse_servers"] = super::worse_servers(view.servers)
        .iter()
        .map(|server| {
            json!({
                "name": server.name,
                "since": day(view.servers, server.since),
                "before": server.before,
                "after": server.after,
                "p_value": server.p_value,
                "alarm": server.is_alarm,
            })
        })
        .collect();
    object["top_issue_types"] = view.issue_types.series.iter().filter_map(tonight).collect();
    object
}

fn one(trend: &Trend) -> Value {
    let nights = trend.nights.iter().map(|night| {
        json!({
            "night": night.day.to_string(),
            "exchanges": night.exchanges,
            "marks": night.marks.iter().map(of_mark).collect::<Vec<_>>(),
        })
    });
    let presences = trend.presences.iter().map(|presence| of_presence(trend, presence));
    json!({
        "format": FORMAT,
        "by": trend.by,
        "test": trend.test,
        "nights": nights.collect::<Vec<_>>(),
        "series": trend.series.iter().map(|series| of_series(trend, series)).collect::<Vec<_>>(),
        "presences": presences.collect::<Vec<_>>(),
        "came_or_went": {},
        "notes": trend.notes,
    })
}

fn day(trend: &Trend, night: usize) -> Option<String> {
    trend.nights.get(night).map(|night| night.day.to_string())
}

fn of_series(trend: &Trend, series: &Series) -> Value {
    let point = |point: &Option<Point>| {
        point.map(|point| {
            json!({
                "count": point.count,
                "out_of": point.out_of,
                "share": point.share(),
                "low": point.low,
                "high": point.high,
                "adjusted": point.adjusted,
            })
        })
    };
    let good = match series.good {
        Direction::Up => Some("up"),
        Direction::Down => Some("down"),
        Direction::Neither => None,
    };
    json!({
        "name": series.name,
        "good": good,
        "points": series.points.iter().map(point).collect::<Vec<_>>(),
        "expected": series.expected,
        "latest": series.latest.as_ref().map(of_difference),
        "changes": series.changes.iter().map(|it| of_change(trend, it)).collect::<Vec<_>>(),
    })
}

fn of_difference(difference: &Difference) -> Value {
    let Difference { nights, before, after, worse, p_value } = difference;
    json!({ "nights": nights, "before": before, "after": after, "worse": worse, "p_value": p_value })
}

fn of_change(trend: &Trend, change: &Change) -> Value {
    json!({
        "from": day(trend, change.from),
        "until": change.until.and_then(|night| day(trend, night)),
        "settled": change.settled,
        "before": change.before,
        "after": change.after,
        "worse": change.worse,
        "p_value": change.p_value,
        "covered": change.covered,
        "servers": change.servers.iter().map(|moved| json!({
            "name": moved.name,
            "before": moved.before,
            "after": moved.after,
            "exchanges": moved.exchanges,
        })).collect::<Vec<_>>(),
    })
}

fn of_mark(mark: &Mark) -> Value {
    match mark {
        Mark::Rulebook { before, after } => {
            json!({ "kind": "rulebook", "before": before, "after": after })
        }
        Mark::Checks => json!({ "kind": "checks" }),
        Mark::Version { before, after } => {
            json!({ "kind": "version", "before": before, "after": after })
        }
        Mark::Mix { moved, appeared, vanished } => json!({
            "kind": "mix",
            "moved": moved,
            "appeared": appeared,
            "vanished": vanished,
        }),
    }
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
