//! The table of checks: each is one kind of validation, asked of the exchanges it is about.
//!
//! The judge says how a tool's reply is to be classified; everything else that can be found out about
//! an exchange is a check, and what it finds joins the same verdict.

use super::checks::Checks;
use super::{contracts, criteria, envelopes, facts, judge_results, session_reports};
use crate::judged::RecordedIssue;
use crate::tape::Exchange;
use crate::verdict::{Issue, Verdict};
use serde_json::Value;

/// One kind of validation.
pub trait Check: Sync {
    /// The name in verdicts and documents.
    fn name(&self) -> &'static str;

    /// What it looks at, in a sentence.
    fn about(&self) -> &'static str;

    /// Says what it finds; an exchange that it is not about is [`Asked::No`].
    fn check(&self, exchange: &Exchange<'_>, around: &Around<'_>, findings: &mut Findings)
    -> Asked;
}

/// Whether a check had anything to say of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It looked, whatever it found.
    Yes,
    /// The exchange is none that it is about.
    No,
}

/// What a check may look at beside the exchange.
#[derive(Clone, Copy)]
pub struct Around<'c> {
    /// Contracts, facts, schemas of envelopes and criteria that hold here.
    pub checks: &'c Checks,
    /// What the judge said of the exchange.
    pub verdict: &'c Verdict,
}

/// The table of checks, in the order in which they are asked.
pub static CHECKS: [&dyn Check; 6] = [
    &envelopes::Envelope,
    &judge_results::JudgeResults,
    &session_reports::SessionReports,
    &contracts::Contracts,
    &facts::FactCheck,
    &criteria::CriteriaCheck,
];

/// What checks find.
#[derive(Debug, Default)]
pub struct Findings {
    pub(super) issues: Vec<Issue>,
    /// The types of issues that the table of types does not have, by the issue's place.
    pub(super) unlisted: Vec<(usize, String)>,
    /// 0 to 1, where a recorded result says so of itself.
    pub(super) confidence: Option<f64>,
    pub(super) quality: Option<f64>,
    pub(super) passed: Vec<String>,
    pub(super) failed: Vec<String>,
    pub(super) sanitized: Option<Value>,
}

impl Findings {
    /// Adds issues.
    pub fn add(&mut self, issues: impl IntoIterator<Item = Issue>) {
        self.issues.extend(issues);
    }

    /// Adds an issue that another judge recorded, under its own type.
    pub fn add_recorded(&mut self, recorded: &RecordedIssue) {
        if recorded.known_kind().is_none() {
            self.unlisted.push((self.issues.len(), recorded.kind.clone()));
        }
        self.issues.push(recorded.to_issue());
    }
}
