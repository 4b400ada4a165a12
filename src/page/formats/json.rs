//! One object with everything, bounded.

use super::super::earlier::{Against, Compared};
use super::super::night::{Page, Row};
use crate::compare::show::as_json;
use crate::count::tally::wilson;
use crate::verdict::harmless_json;
use serde_json::{Map, Value, json as object};

/// What the object says it is, with the version of its members.
const FORMAT: &str = "tapecheck-report/1";
/// So many rows of a list are there.
const MOST: usize = 20_000;

pub(super) fn json(page: &Page) -> String {
    let totals: Map<String, Value> =
        page.totals.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
    let left_out = object!({
        "servers": page.servers.len().saturating_sub(MOST),
        "tools": page.tools.len().saturating_sub(MOST),
        "issue_types": page.issue_types.len().saturating_sub(MOST),
    });
    let whole = object!({
        "format": FORMAT,
        "run": page.run.manifest.comparable,
        "headline": page.headline,
        "sentences": page.rest,
        "totals": totals,
        "outcomes": rows(&page.outcomes, &["name"]),
        "classes": rows(&page.classes, &["name"]),
        "answers": rows(&page.answers, &["name"]),
        "error_kinds": rows(&page.error_kinds, &["name"]),
        "servers": rows(&page.servers, &["server"]),
        "tools": rows(&page.tools, &["server", "tool"]),
        "issue_types": few(&page.issue_types),
        "left_out": left_out,
        "changes": page.against.as_ref().map(changes),
        "alarms": few(&page.alarms),
    });
    // Nothing in it can fail to be written.
    let text = serde_json::to_string_pretty(&whole).unwrap_or_default();
    // What runners of CI systems take for a command, wherever it stands, stays text.
    let text = text.replace("##[", "#\\u0023[");
    text.split('\n').map(harmless_json).collect::<Vec<_>>().join("\n") + "\n"
}

fn few<T>(all: &[T]) -> &[T] {
    &all[..all.len().min(MOST)]
}

fn rows(rows: &[Row], names: &[&str]) -> Vec<Value> {
    few(rows).iter().map(|each| row(each, names)).collect()
}

fn row(row: &Row, names: &[&str]) -> Value {
    let mut members = Map::new();
    for (name, text) in [("name", &row.name), ("server", &row.server), ("tool", &row.tool)] {
        if names.contains(&name) {
            members.insert(name.to_owned(), text.as_str().into());
        }
    }
    let interval = wilson(row.count, row.out_of);
    let share = (row.out_of > 0).then(|| row.count as f64 / row.out_of as f64);
    members.insert("count".to_owned(), row.count.into());
    members.insert("out_of".to_owned(), row.out_of.into());
    members.insert("share".to_owned(), share.into());
    members.insert("low".to_owned(), share.map(|_| interval.low).into());
    members.insert("high".to_owned(), share.map(|_| interval.high).into());
    Value::Object(members)
}

fn changes(against: &Against) -> Value {
    let kind = against.what.name();
    match &against.comparison {
        Compared::Counts => Value::Null,
        Compared::Equal => object!({ "since": against.name, "kind": kind, "nothing": true }),
        Compared::Each(comparison) => object!({
            "since": against.name,
            "kind": kind,
            "nothing": false,
            "comparison": as_json(comparison),
        }),
    }
}
