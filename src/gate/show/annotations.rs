//! Annotations of GitHub, as workflow commands.

use super::super::report::{GateReport, Outcome, RuleVerdict};
use super::lines::{finding, left_out, summary};
use super::of_policy;
use crate::view::escape::{command, property, terminal as plain};
use crate::view::sarif::Spot;
use std::fmt::Write as _;

/// More would not be shown by GitHub, and would only fill the log.
const MOST: usize = 50;

/// What a runner of GitHub reads from standard output. Recordings lie in the folder `recordings` of the
/// repository.
pub fn annotations(report: &GateReport, recordings: &str) -> String {
    let mut found = Vec::new();
    for outcome in [Outcome::Fail, Outcome::Undecided, Outcome::Waived] {
        for rule in report.rules.iter().filter(|rule| rule.outcome == outcome) {
            of_rule(report, rule, recordings, &mut found);
        }
    }
    let more = found.len().saturating_sub(MOST);
    let mut out = found.into_iter().take(MOST).collect::<String>();
    if more > 0 {
        let _ = writeln!(out, "::notice title=gate::{more} more annotations are left out");
    }
    out
}

fn of_rule(report: &GateReport, rule: &RuleVerdict, recordings: &str, found: &mut Vec<String>) {
    let level = match rule.outcome {
        Outcome::Fail | Outcome::Undecided => "error",
        Outcome::Pass | Outcome::Waived | Outcome::Skipped => "notice",
    };
    let title = property(&plain(&format!("gate: {}", rule.name)));
    let line = |spot: Option<&Spot>, message: &str| {
        let place = spot.map_or_else(String::new, |Spot { file, line }| {
            format!("file={},line={line},", property(&plain(file)))
        });
        format!("::{level} {place}title={title}::{}\n", command(message))
    };
    let summary = summary(rule);
    let notes = rule.notes.iter().map(|note| plain(note));
    let whole: Vec<String> = std::iter::once(summary.clone())
        .chain(notes)
        .chain(left_out(rule.left_out))
        .chain(rule.next.iter().map(|next| format!("next: {}", plain(next))))
        .collect();
    let spots = rule
        .findings
        .iter()
        .filter_map(|each| Some((each.spots(recordings).next()?, finding(each))));
    let spots: Vec<_> = spots.collect();
    let Some(((first, said), others)) = spots.split_first() else {
        // The default policy is no file.
        let policy = rule.line.map(|_| of_policy(report, rule.line, recordings));
        let findings = rule.findings.iter().map(finding);
        let all: Vec<String> = findings.chain(whole).collect();
        found.push(line(policy.as_ref(), &all.join("\n")));
        return;
    };
    found.push(line(Some(first), &format!("{said}\n{}", whole.join("\n"))));
    found.extend(others.iter().map(|(spot, said)| line(Some(spot), said)));
}
