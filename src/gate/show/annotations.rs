//! Annotations of GitHub, as workflow commands.

use super::super::report::{GateReport, Outcome, RuleVerdict};
use super::lines::{finding, left_out, summary};
use super::{of_place, of_policy};
use crate::view::escape::{command, property, terminal as plain};
use crate::view::sarif::Spot;
use std::fmt::Write as _;

/// More would not be shown by GitHub, and would only fill the log.
const MOST: usize = 50;

/// What a runner of GitHub reads from standard output. Recordings lie in the folder `recordings` of the
/// repository.
pub fn annotations(report: &GateReport, recordings: &str) -> String {
    let mut found = Vec::new();
    for outcome in [Outcome::Fail, Outcome::Undecided, Outcome::Skipped, Outcome::Waived] {
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
        Outcome::Skipped => "warning",
        Outcome::Pass | Outcome::Waived => "notice",
    };
    let title = property(&plain(&format!("gate: {}", rule.name)));
    let line = |spot: &Spot, message: &str| {
        let file = property(&plain(&spot.file));
        format!("::{level} file={file},line={},title={title}::{}\n", spot.line, command(message))
    };
    let policy = of_policy(report, rule.line);
    let summary = summary(rule);
    let notes = rule.notes.iter().map(|note| plain(note));
    let whole: Vec<String> = std::iter::once(summary.clone())
        .chain(notes)
        .chain(left_out(rule.left_out))
        .chain(rule.next.iter().map(|next| format!("next: {}", plain(next))))
        .collect();
    found.push(line(&policy, &whole.join("\n")));
    for each in &rule.findings {
        let spot = each.examples.iter().find_map(|place| of_place(place, recordings));
        if let Some(spot) = spot {
            found.push(line(&spot, &finding(each)));
        }
    }
}
