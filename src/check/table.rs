//! The table of checks: each is one kind of validation, asked of the exchanges it is about.
//!
//! The judge says how a tool's reply is to be classified; everything else that can be found out about
//! an exchange is a check, and what it finds joins the same verdict.

use super::checks::Checks;
use super::{contract, criteria, envelope, facts, judge_result, session_report};
use crate::check::judge_result::RecordedIssue;
use crate::recording::Exchange;
use crate::verdict::{
    Category, CheckKind, CheckResult, Conclusion, IsError, Issue, NotApplied, ReportedIssue,
    Severity, Side,
};
use serde_json::Value;

pub struct Check {
    pub kind: CheckKind,
    pub about: &'static str,
    ask: Ask,
}

/// Looks at an exchange and says what is wrong, or why the check is not about it.
type Ask = fn(&Exchange<'_>, &CheckContext<'_>, &mut Findings) -> Result<(), NotApplied>;

impl Check {
    pub fn check(
        &self,
        exchange: &Exchange<'_>,
        around: &CheckContext<'_>,
        findings: &mut Findings,
    ) -> CheckResult {
        let before = findings.issues.len();
        let is_error = |issue: &Issue| issue.severity == Severity::Error;
        match (self.ask)(exchange, around, findings) {
            Err(why) => CheckResult::NotApplied(why),
            Ok(()) if findings.issues[before..].iter().any(is_error) => CheckResult::Failed,
            Ok(()) => CheckResult::Passed,
        }
    }
}

/// What a check may look at beside the exchange.
#[derive(Clone, Copy)]
pub struct CheckContext<'c> {
    pub checks: &'c Checks,
    /// What the rulebook concludes before any check is made.
    pub conclusion: &'c Conclusion,
    pub is_error: IsError,
}

/// The table of checks, in the order in which they are asked.
pub static CHECKS: [Check; CheckKind::ALL.len()] = [
    Check {
        kind: CheckKind::Envelope,
        about: "Requests `{query, context?}` and responses `{status, data?, …}` against their schemas.",
        ask: envelope::ask,
    },
    Check {
        kind: CheckKind::JudgeResult,
        about: "Recorded results of judges: their schema, and whether they agree with themselves.",
        ask: judge_result::ask,
    },
    Check {
        kind: CheckKind::SessionReport,
        about: "Recorded reports on a session's validation: whether flags, counts and issues agree.",
        ask: session_report::ask,
    },
    Check {
        kind: CheckKind::Contract,
        about: "Calls and replies against the contract of their server's tools.",
        ask: contract::ask,
    },
    Check {
        kind: CheckKind::Facts,
        about: "What replies and judged outputs state, against a facts file.",
        ask: facts::ask,
    },
    Check {
        kind: CheckKind::Criteria,
        about: "Criteria of a rulebook, a contract or a file: named expressions that a call meets \
            or fails.",
        ask: criteria::ask,
    },
];

#[derive(Debug, Default)]
pub struct Findings {
    pub(super) issues: Vec<Issue>,
    /// Which of the issues the recording itself reports.
    pub(super) reported: Vec<ReportedIssue>,
    /// 0 to 1, where a recorded result says so of itself.
    pub(super) confidence: Option<f64>,
    pub(super) quality: Option<f64>,
    pub(super) passed: Vec<String>,
    pub(super) failed: Vec<String>,
    pub(super) sanitized: Option<Value>,
}

impl Findings {
    pub fn add(&mut self, side: Side, issues: impl IntoIterator<Item = Issue>) {
        self.issues.extend(issues.into_iter().map(|issue| Issue { side, ..issue }));
    }

    /// Adds an issue that the recording itself reports, under its own type. It is on the side and in the category
    /// of its type unless these are given.
    pub fn add_recorded(
        &mut self,
        recorded: &RecordedIssue,
        side: Option<Side>,
        category: Option<&'static Category>,
    ) {
        let long_enough = |text: &str, what: &str| {
            let is_short = text.chars().nth(Issue::SHORTEST - 1).is_none();
            Issue::cut(if is_short { format!("{what}: {text}") } else { text.to_owned() })
        };
        let issue = recorded.to_issue();
        let is_unlisted = recorded.known_kind().is_none();
        self.reported.push(ReportedIssue {
            place: self.issues.len(),
            // A type can be as long as a line; tables need no more than its beginning.
            name: is_unlisted.then(|| Issue::cut(recorded.kind.clone())),
            category: category.unwrap_or_else(|| Category::of(issue.kind)),
        });
        self.issues.push(Issue {
            message: long_enough(&issue.message, "Recorded issue"),
            suggestion: recorded.suggestion.as_deref().map(|text| long_enough(text, "Recorded")),
            side: side.unwrap_or(issue.side),
            ..issue
        });
    }
}
