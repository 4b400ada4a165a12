//! Results of judges, as recorded: `{valid, confidence, issues, quality_score, …}`.
//!
//! [`read_result`] reads one and holds it against `validation_result.schema.json`;
//! [`JudgeResult::inconsistencies`] says what no schema can. How results are read (bands,
//! interpretation, decision, ladder) is the same for recorded results and for verdicts.

pub(super) mod adapter;
mod inconsistency;
mod outcome;
mod read;
mod report;
mod scales;
#[cfg(test)]
mod tests;

pub use inconsistency::confidence;
pub use outcome::{
    Decision, Interpretation, RetryLadder, decision, interpretation, is_good_enough, needs_review,
};
pub use read::{is_result, read_result};
pub use report::text_report;
pub use scales::{Band, confidence_band, confidence_bands, quality_band, quality_bands};

use crate::verdict::{Issue, IssueType, Severities, Severity};
use std::collections::BTreeMap;

pub const RESULT_SCHEMA: &str = include_str!("validation_result.schema.json");

#[derive(Clone, Debug, PartialEq)]
pub struct JudgeResult {
    pub valid: bool,
    /// How sure the judge was, from 0 to 1.
    pub confidence: f64,
    /// How good the output was found, from 0 to 1.
    pub quality_score: f64,
    pub issues: Vec<RecordedIssue>,
    pub passed_criteria: Vec<String>,
    pub failed_criteria: Vec<String>,
    pub metadata: Option<Metadata>,
    /// What the schema says against the result, although it could be read.
    pub violations: Vec<Issue>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedIssue {
    pub severity: Severity,
    /// Its type, as the judge calls it.
    pub kind: String,
    pub message: String,
    pub location: Option<String>,
    pub suggestion: Option<String>,
}

/// How a judge came to its result; what is absent or of another type is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    pub validation_types_run: Vec<String>,
    pub total_issues: Option<i64>,
    pub error_count: Option<i64>,
    pub warning_count: Option<i64>,
    pub info_count: Option<i64>,
    pub duration_ms: Option<f64>,
    pub model: Option<String>,
}

impl RecordedIssue {
    /// The type of issue that the judge means; `None` where the table of types does not have it.
    pub fn known_kind(&self) -> Option<IssueType> {
        IssueType::named(&self.kind)
    }

    /// The issue under its own type, if that is known.
    pub fn to_issue(&self) -> Issue {
        let kind = self.known_kind().unwrap_or(IssueType::UnlistedIssue);
        Issue {
            severity: self.severity,
            kind,
            side: kind.side(),
            message: Issue::cut(self.message.clone()),
            location: self.location.clone().map(Issue::cut),
            suggestion: self.suggestion.clone().map(Issue::cut),
        }
    }
}

impl JudgeResult {
    pub fn severities(&self) -> Severities {
        let mut counts = Severities::default();
        for issue in &self.issues {
            match issue.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Info => counts.infos += 1,
            }
        }
        counts
    }

    pub fn blocking_issues(&self) -> impl Iterator<Item = &RecordedIssue> {
        self.issues.iter().filter(|issue| issue.severity == Severity::Error)
    }

    pub fn has_security_issues(&self) -> bool {
        self.issues.iter().any(|issue| issue.known_kind() == Some(IssueType::SecurityIssue))
    }

    /// The types of issue that the table of types does not have, with how often they occur.
    pub fn unknown_kinds(&self) -> BTreeMap<&str, usize> {
        let mut kinds = BTreeMap::new();
        for issue in self.issues.iter().filter(|issue| issue.known_kind().is_none()) {
            *kinds.entry(issue.kind.as_str()).or_default() += 1;
        }
        kinds
    }

    pub fn interpretation(&self) -> Interpretation {
        interpretation(self.valid, self.confidence, self.quality_score)
    }

    pub fn decision(&self) -> Decision {
        decision(self.valid, self.confidence, self.severities().warnings)
    }
}
