//! What a terminal shows: one line for each rule, and more below those that do not hold.

use super::super::report::{GateReport, Outcome, SideName};
use super::lines::{details, summary};
use crate::compare::show::overlap_words;
use crate::verdict::{counted, cut};
use crate::view::escape::terminal as plain;
use std::fmt::Write as _;

/// The widest column of names.
const WIDEST: usize = 32;

/// The report as a terminal shows it.
#[must_use]
pub fn text(report: &GateReport) -> String {
    let mut out = String::new();
    for (word, side) in [("before", &report.before), ("after", &report.after)] {
        let _ = writeln!(out, "{word:<7} {}", named(side));
    }
    let _ = writeln!(out, "{}", overlap_words(&report.overlap));
    out.push('\n');
    let width = report.rules.iter().map(|rule| rule.name.chars().count()).max();
    let width = width.unwrap_or(0).min(WIDEST);
    for rule in &report.rules {
        let word = match rule.outcome {
            Outcome::Fail => "FAIL",
            outcome => outcome.name(),
        };
        let name = plain(&cut(&rule.name, WIDEST));
        let _ = writeln!(out, "{word:<7} {name:<width$}  {}", summary(rule));
        for line in details(rule) {
            let _ = writeln!(out, "        {line}");
        }
    }
    let _ = writeln!(out, "\n{}", conclusion(report));
    out
}

/// A side with what judged it.
pub(super) fn named(side: &SideName) -> String {
    let digest: String = side.rulebook.digest.chars().take(12).collect();
    let version = side.version.as_ref().map_or_else(String::new, |it| format!(", version {it}"));
    plain(&format!(
        "{}: {}, rulebook {} {digest}{version}",
        side.name,
        counted(side.exchanges, "exchange"),
        side.rulebook.name,
    ))
}

/// How it ended, in one line.
pub(super) fn conclusion(report: &GateReport) -> String {
    let verdict = match (report.passed, report.count(Outcome::Fail)) {
        (true, _) => "gate passed",
        (false, 0) => "gate undecided",
        (false, _) => "gate failed",
    };
    let counts = Outcome::ALL
        .into_iter()
        .map(|outcome| (report.count(outcome), outcome.name()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"));
    format!("{verdict}: {}", counts.collect::<Vec<_>>().join(", "))
}
