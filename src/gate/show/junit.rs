//! `JUnit` XML: a test case for each rule.

use super::super::report::{GateReport, Outcome, RuleVerdict};
use super::lines::{details, summary};
use crate::view::escape::{terminal as plain, xml};
use std::fmt::Write as _;

/// The report as `JUnit` XML. Times are left at 0, so that equal reports are equal files.
#[must_use]
pub fn junit(report: &GateReport) -> String {
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"0\"",
        report.rules.len(),
        report.count(Outcome::Fail),
        report.count(Outcome::Undecided),
        report.count(Outcome::Skipped),
    );
    let policy = xml(&plain(&report.policy));
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"tapecheck gate\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"{policy}\" {counts}>");
    for rule in &report.rules {
        case(&mut out, &policy, rule);
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn case(out: &mut String, policy: &str, rule: &RuleVerdict) {
    let name = xml(&plain(&rule.name));
    let summary = xml(&summary(rule));
    let details = details(rule).iter().map(|line| xml(line)).collect::<Vec<_>>().join("\n");
    let _ = write!(out, "    <testcase classname=\"{policy}\" name=\"{name}\" time=\"0\">");
    let _ = match rule.outcome {
        Outcome::Fail => write!(
            out,
            "\n      <failure message=\"{summary}\" type=\"{}\">{summary}\n{details}</failure>",
            rule.kind.name(),
        ),
        Outcome::Undecided => write!(
            out,
            "\n      <error message=\"{summary}\" type=\"{}\">{summary}\n{details}</error>",
            rule.kind.name(),
        ),
        Outcome::Skipped => write!(out, "\n      <skipped message=\"{summary}\"/>"),
        Outcome::Pass | Outcome::Waived => {
            let word = rule.outcome.name();
            write!(out, "\n      <system-out>{word}: {summary}\n{details}</system-out>")
        }
    };
    out.push_str("\n    </testcase>\n");
}
