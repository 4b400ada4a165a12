//! SARIF 2.1.0: a rule for each type of issue and each bad outcome, a result for each issue and for each exchange
//! that failed or is invalid without one.

use super::super::PageError;
use super::Report;
use super::issues::{self, Issue};
use crate::verdict::{IssueType, Outcome, Severity, counted, grouped};
use crate::view::escape::{below, terminal as plain};
use crate::view::sarif::{Finding, Log, Notification, Rule, Spot};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use xxhash_rust::xxh3::xxh3_64;

/// So many results of a run are shown where logs like this are uploaded to.
const MOST: usize = 5_000;

/// What is said of types that are not ours.
const OF_OTHERS: &str = "A type of issue that a recorded judge found.";

/// What to do about an issue.
const HELP: &str = "`tapecheck explain KEY` shows the call and its reasoning.";

pub(super) fn sarif(report: &Report<'_>) -> Result<String, PageError> {
    let mut worst: BTreeMap<&str, usize> = BTreeMap::new();
    for (severity, kind) in report.page.run.issue_types.0.keys() {
        let of_kind = worst.entry(kind).or_insert(usize::MAX);
        *of_kind = rank(severity).min(*of_kind);
    }
    let silent = report.page.run.cells.looks().iter().filter(|look| !look.has_error());
    worst.extend(silent.filter_map(|look| Some((issues::kind_of(look.outcome)?, 0))));
    let rules = worst.iter().map(|(kind, severity)| described(report, *severity, kind)).collect();
    let kinds: BTreeMap<&str, usize> = worst.into_keys().zip(0..).collect();
    let mut found: [Vec<Finding>; Severity::ALL.len()] = Default::default();
    let mut whole = 0_u64;
    let mut prints: HashMap<u64, u64> = HashMap::new();
    issues::each(report.folder, &report.page.run.rulebook, |issue| {
        whole += 1;
        let severity = rank(issue.severity);
        if found[severity].len() < MOST {
            let rule = kinds.get(issue.kind).copied();
            found[severity].push(finding(report, &issue, rule, &mut prints));
        }
    })?;
    let findings: Vec<Finding> = found.into_iter().flatten().take(MOST).collect();
    let mut notifications = Vec::new();
    let mut say = |level, message| notifications.push(Notification { level, message });
    if whole > findings.len() as u64 {
        let here = grouped(findings.len() as u64);
        let all = counted(whole, "result");
        say(
            "warning",
            format!(
                "{here} of {all} are listed, worst first; issues.parquet and verdicts.parquet of \
                 the run have all of them."
            ),
        );
    }
    let of_total = |name: &str| report.night.total(name);
    if of_total("exchanges") == 0 {
        say("error", format!("{}.", super::NOTHING));
    }
    let places =
        [("unreadable", "line", "unreadable.csv"), ("unreadable_files", "file", "summary.json")];
    for (name, what, place) in places {
        let count = of_total(name);
        if count > 0 {
            let all = counted(count, what);
            say("error", format!("{all} could not be read: see {place}."));
        }
    }
    Ok(Log { id: "tapecheck/report", rules, findings, notifications }.text())
}

/// How bad a severity is, the worst first; one that nobody knows is the least.
fn rank(severity: &str) -> usize {
    let known = Severity::ALL.iter().position(|known| known.name() == severity);
    known.unwrap_or(Severity::ALL.len() - 1)
}

fn described(report: &Report<'_>, severity: usize, kind: &str) -> Rule {
    let known = IssueType::named(kind);
    let outcome = issues::outcome_of(kind);
    let about = known.map(IssueType::about).or(outcome.map(Outcome::sentence)).unwrap_or(OF_OTHERS);
    let level = level(Severity::ALL.get(severity).map_or("", |severity| severity.name()));
    let problem = if level == "note" { "recommendation" } else { level };
    let mut tags = vec!["mcp"];
    tags.extend(known.is_some_and(IssueType::is_about_security).then_some("security"));
    Rule {
        id: report.showing.name(kind).as_ref().to_owned(),
        about,
        help: format!("{about} {HELP}"),
        level,
        properties: json!({ "tags": tags, "problem.severity": problem }),
    }
}

fn level(severity: &str) -> &'static str {
    match Severity::ALL.into_iter().find(|known| known.name() == severity) {
        Some(Severity::Error) => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Info) | None => "note",
    }
}

/// `prints` counts equal fingerprints: those of equal exchanges are told apart by their number.
fn finding(
    report: &Report<'_>,
    issue: &Issue<'_>,
    rule_index: Option<usize>,
    prints: &mut HashMap<u64, u64>,
) -> Finding {
    let showing = &report.showing;
    let words = showing.message(issue.message);
    let file = below(&report.recordings, &showing.masked(issue.file));
    let [server, tool] = [issue.server, issue.tool].map(|name| plain(showing.name(name).as_ref()));
    let about = if issue.tool.is_empty() { &server } else { &tool };
    let message = format!("{about}: {}", words.as_ref());
    let whose = if issue.key.is_empty() { file.as_str() } else { issue.key };
    let print = format!("{whose}\n{}\n{}\n{}", issue.kind, issue.location, words.as_ref());
    let number = prints.entry(xxh3_64(print.as_bytes())).or_default();
    *number += 1;
    let print = if *number == 1 { print } else { format!("{print}\n{number}") };
    let print = format!("{:016x}", xxh3_64(print.as_bytes()));
    Finding {
        rule: showing.name(issue.kind).as_ref().to_owned(),
        rule_index,
        level: level(issue.severity),
        message,
        spots: vec![Spot { file, line: issue.line }],
        suppressed: None,
        // The second is the one that GitHub goes by; without it, a hash of lines would be made.
        fingerprints: json!({
            "issue/v1": print,
            "primaryLocationLineHash": format!("{print}:1"),
        }),
        properties: json!({
            "server": server,
            "tool": tool,
            "exchange": issue.key,
            "severity": issue.severity,
        }),
    }
}
