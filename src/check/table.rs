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
    kind: CheckKind,
    about: &'static str,
    ask: Ask,
}

type Ask = fn(&Exchange<'_>, &Around<'_>, &mut Findings) -> Asked;

impl Check {
    /// The name in verdicts and documents.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }

    pub fn about(&self) -> &'static str {
        self.about
    }

    pub fn check(
        &self,
        exchange: &Exchange<'_>,
        around: &Around<'_>,
        findings: &mut Findings,
    ) -> CheckResult {
        let before = findings.issues.len();
        let is_error = |issue: &Issue| issue.severity == Severity::Error;
        match (self.ask)(exchange, around, findings) {
            Asked::No(why) => CheckResult::NotApplied(why),
            Asked::Yes if findings.issues[before..].iter().any(is_error) => CheckResult::Failed,
            Asked::Yes => CheckResult::Passed,
        }
    }
}

/// Whether a check had anything to say of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It looked, whatever it found.
    Yes,
    /// The exchange is none that it is about.
    No(NotApplied),
}

/// What a check may look at beside the exchange.
#[derive(Clone, Copy)]
pub struct Around<'c> {
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
        ask: envelope::adapter::check,
    },
    Check {
        kind: CheckKind::JudgeResult,
        about: "Recorded results of judges: their schema, and whether they agree with themselves.",
        ask: judge_result::adapter::check,
    },
    Check {
        kind: CheckKind::SessionReport,
        about: "Recorded reports on a session's validation: whether flags, counts and issues agree.",
        ask: session_report::adapter::check,
    },
    Check {
        kind: CheckKind::Contract,
        about: "Calls and replies against the contract of their server's tools.",
        ask: contract::adapter::check,
    },
    Check {
        kind: CheckKind::Facts,
        about: "What replies and judged outputs state, against a facts file.",
        ask: facts::adapter::check,
    },
    Check {
        kind: CheckKind::Criteria,
        about: "Criteria of a rulebook, a contract or a file: named expressions that a call meets \
            or fails.",
        ask: criteria::adapter::check,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::schema::Schemas;
    use crate::check::{Judge, VerdictLine};
    use crate::corpus::{Bounds, read_exchange};
    use crate::rulebook::Rulebook;

    fn judged(reply: &str) -> serde_json::Value {
        let rulebook = Rulebook::builtin("guide").expect("built in");
        let schemas = Schemas::new(rulebook.schema.clone());
        let text = serde_json::json!({"content": [{"type": "text", "text": reply}]});
        let line = format!(r#"{{"tool":"judge","input":{{}},"response":{text}}}"#);
        let exchange = read_exchange(&line, &Bounds::default()).expect("a call");
        let verdict = Judge::new(&rulebook, &schemas).judge(&exchange);
        serde_json::to_value(VerdictLine::new(&exchange, &verdict, &rulebook)).expect("plain data")
    }

    #[test]
    fn a_judges_issues_keep_their_types_known_or_not() {
        let line = judged(
            r#"{"valid": false, "confidence": 0.7, "quality_score": 0.6, "issues": [
                {"severity": "error", "type": "tone_issue", "message": "The tone is rude throughout"},
                {"severity": "warning", "type": "style_issue", "message": "Bad", "suggestion": "No"}]}"#,
        );
        assert_eq!(line["issues"][0]["type"], "tone_issue");
        assert_eq!(line["issues"][0]["message"], "The tone is rude throughout");
        assert_eq!(line["issues"][1]["type"], "style_issue");
        assert_eq!(line["issues"][1]["message"], "Recorded issue: Bad");
        assert_eq!(line["issues"][1]["suggestion"], "Recorded: No");
        assert_eq!(
            line["metadata"]["validation_types_run"],
            serde_json::json!(["response", "judge_result"])
        );
        assert_eq!(line["decision"], "reject");
    }

    #[test]
    fn what_is_no_result_and_no_report_is_left_alone() {
        for reply in
            ["confidence is high, quality_score low", r#"{"confidence": 1}"#, "{\"valid\":"]
        {
            let line = judged(reply);
            assert_eq!(line["issues"], serde_json::json!([]), "{reply}");
            assert_eq!(
                line["metadata"]["validation_types_run"],
                serde_json::json!(["response"]),
                "{reply}"
            );
        }
    }

    #[test]
    fn the_table_names_each_check_once_and_says_what_it_is_about() {
        assert_eq!(CHECKS.each_ref().map(|check| check.kind), CheckKind::ALL);
        for check in &CHECKS {
            assert!(check.about().ends_with('.'), "{}", check.name());
        }
    }
}
