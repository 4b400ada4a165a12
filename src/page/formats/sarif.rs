//! SARIF 2.1.0: a rule for each type of issue, a result for each issue.

use super::super::PageError;
use super::Told;
use super::issues::{self, Issue};
use crate::notation::{Log, below, location, message, plain};
use crate::verdict::{IssueType, Severity, counted, grouped};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// So many results of a run are shown where logs like this are uploaded to.
const MOST: usize = 5_000;

/// What is said of types that are not ours.
const OF_OTHERS: &str = "A type of issue that a recorded judge found.";

pub(super) fn sarif(told: &Told<'_>) -> Result<String, PageError> {
    let mut kinds: BTreeMap<&str, (usize, Value)> = BTreeMap::new();
    let types = &told.page.run.issue_types.0;
    for (severity, kind) in types.keys().rev() {
        kinds.entry(kind).or_insert_with(|| (0, descriptor(told, severity, kind)));
    }
    for (at, (number, _)) in kinds.values_mut().enumerate() {
        *number = at;
    }
    let mut found: [Vec<Value>; Severity::ALL.len()] = Default::default();
    let mut whole = 0_u64;
    issues::each(told.folder, |issue| {
        whole += 1;
        let known = Severity::ALL.iter().position(|it| it.name() == issue.severity);
        let severity = known.unwrap_or(Severity::ALL.len() - 1);
        if found[severity].len() < MOST {
            let rule = kinds.get(issue.kind).map(|(number, _)| *number);
            found[severity].push(result(told, &issue, (severity, rule)));
        }
    })?;
    let results: Vec<Value> = found.into_iter().flatten().take(MOST).collect();
    let mut notifications = Vec::new();
    if whole > results.len() as u64 {
        let text = format!(
            "{} of {} are here, the worst first; all of them are in issues.parquet of the run.",
            grouped(results.len() as u64),
            counted(whole, "issue")
        );
        notifications.push(json!({ "level": "warning", "message": message(&text) }));
    }
    let of_total = |name: &str| {
        let total = told.night.totals.iter().find(|(known, _)| *known == name);
        total.map_or(0, |(_, count)| *count)
    };
    if of_total("exchanges") == 0 {
        let text = format!("{}.", super::NOTHING);
        notifications.push(json!({ "level": "error", "message": message(&text) }));
    }
    for (name, what) in [("rejects", "line"), ("rejected_files", "file")] {
        let count = of_total(name);
        if count > 0 {
            let text = format!("{} could not be judged: see rejects.csv.", counted(count, what));
            notifications.push(json!({ "level": "error", "message": message(&text) }));
        }
    }
    let rules = kinds.into_values().map(|(_, rule)| rule).collect();
    Ok(Log { id: "tapecheck/report", rules, results, notifications }.text())
}

fn descriptor(told: &Told<'_>, severity: &str, kind: &str) -> Value {
    let name = rule_id(told, kind);
    let about = IssueType::named(kind).map_or(OF_OTHERS, IssueType::about);
    json!({
        "id": name,
        "shortDescription": { "text": about },
        "defaultConfiguration": { "level": level(severity) },
    })
}

fn rule_id(told: &Told<'_>, kind: &str) -> String {
    plain(told.showing.name(kind).as_ref())
}

fn level(severity: &str) -> &'static str {
    match Severity::ALL.into_iter().find(|known| known.name() == severity) {
        Some(Severity::Error) => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Info) | None => "note",
    }
}

fn result(told: &Told<'_>, issue: &Issue<'_>, (_, rule): (usize, Option<usize>)) -> Value {
    let showing = &told.showing;
    let words = showing.message(issue.message);
    let file = below(&told.tapes, &showing.masked(issue.file));
    let named = |name: &str| plain(showing.name(name).as_ref());
    let [server, tool] = [named(issue.server), named(issue.tool)];
    let about = if issue.tool.is_empty() { &server } else { &tool };
    let text = plain(&format!("{about}: {}", words.as_ref()));
    let whose = if issue.key.is_empty() { file.as_str() } else { issue.key };
    let print = format!("{whose}\n{}\n{}\n{}", issue.kind, issue.location, words.as_ref());
    let mut result = json!({
        "ruleId": rule_id(told, issue.kind),
        "level": level(issue.severity),
        "message": message(&text),
        "locations": [location(&file, issue.line)],
        "partialFingerprints": { "issue/v1": format!("{:016x}", xxh3_64(print.as_bytes())) },
        "properties": {
            "server": server,
            "tool": tool,
            "exchange": issue.key,
            "severity": issue.severity,
        },
    });
    if let Some(rule) = rule {
        result["ruleIndex"] = rule.into();
    }
    result
}
