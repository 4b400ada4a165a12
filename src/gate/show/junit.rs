//! `JUnit` XML: a test case for each rule.

use super::super::report::{GateReport, Outcome, RuleVerdict};
use super::lines::{details, finding, summary};
use crate::view::junit::{Case, Ending, Suite, text};

pub fn junit(report: &GateReport) -> String {
    let cases = report.rules.iter().map(case).collect();
    text("tapecheck gate", [Suite { name: report.policy.clone(), cases }])
}

fn case(rule: &RuleVerdict) -> Case {
    let (of, summary) = (rule.kind.name(), summary(rule));
    let (ending, message) = match rule.outcome {
        Outcome::Fail => {
            let first = rule.findings.first().map(|first| finding(first) + "; ");
            (Ending::Failed { of }, first.unwrap_or_default() + &summary)
        }
        Outcome::Undecided => (Ending::NotTried { of }, summary),
        Outcome::Skipped => (Ending::Skipped, summary),
        Outcome::Pass | Outcome::Waived => {
            (Ending::Passed, format!("{}: {summary}", rule.outcome.name()))
        }
    };
    Case { name: rule.name.clone(), ending, message, details: details(rule) }
}
