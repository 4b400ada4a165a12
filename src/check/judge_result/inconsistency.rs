//! What is wrong with a result that no schema can say.

use super::outcome::SCALES;
use super::{JudgeResult, RecordedIssue};
use crate::verdict::{Issue, IssueType, Severity, Verdict, cut};
use std::collections::{HashMap, HashSet};

/// How many criteria that are both passed and failed are told.
const LISTED: usize = 20;
/// The longest quotation, in characters.
const QUOTATION: usize = 100;

impl JudgeResult {
    /// Where the result contradicts itself:
    ///
    /// - `valid` must be true exactly where no issue is an error (`detail_inconsistency`);
    /// - each count in the metadata must be the number of issues it counts, and the counts must add
    ///   up to the total (`detail_inconsistency`);
    /// - no criterion may be both passed and failed, and none failed where `valid` is true
    ///   (`detail_inconsistency`);
    /// - an issue of a type that blocks acceptance must be an error (`detail_inconsistency`);
    /// - a confidence of 0.9 or more must not stand beside reasons to doubt (`confidence_mismatch`):
    ///   `valid` that its own issues contradict; an issue of type `criteria_ambiguous`,
    ///   `unsupported_claim` or `source_missing`; or two issues of one type at one place, of which
    ///   one is an error and the other is not. An absent location, `root` and `N/A` are no place.
    pub fn inconsistencies(&self) -> Vec<Issue> {
        let mut found = Vec::new();
        if let Some(message) = self.contradiction() {
            let suggestion = "Set valid to true exactly when no issue has severity error";
            found.push(inconsistent(message, "/valid", suggestion));
        }
        self.check_counts(&mut found);
        self.check_criteria(&mut found);
        self.check_severities(&mut found);
        self.check_confidence(&mut found);
        found
    }

    /// All that is wrong with the result: what the schema says, then where it contradicts itself.
    pub fn complaints(&self) -> Vec<Issue> {
        self.violations.iter().cloned().chain(self.inconsistencies()).collect()
    }

    /// `valid` against the issues, in words; `None` where they agree.
    fn contradiction(&self) -> Option<String> {
        let errors = self.severities().errors;
        match self.valid {
            true if errors == 1 => Some("valid is true, but 1 issue is an error".to_owned()),
            true if errors > 1 => Some(format!("valid is true, but {errors} issues are errors")),
            false if errors == 0 => Some("valid is false, but no issue is an error".to_owned()),
            _ => None,
        }
    }

    fn check_counts(&self, found: &mut Vec<Issue>) {
        let (stated, counts) = (&self.metadata, self.severities());
        let parts = [
            ("total_issues", stated.total_issues, counts.total()),
            ("error_count", stated.error_count, counts.errors),
            ("warning_count", stated.warning_count, counts.warnings),
            ("info_count", stated.info_count, counts.infos),
        ];
        for (name, stated, counted) in parts {
            if let Some(stated) = stated.filter(|stated| *stated != i64::from(counted)) {
                let message = format!("{name} is {stated}, but the issues give {counted}");
                let suggestion = format!("Count the issues again and set {name} to {counted}");
                found.push(inconsistent(message, &format!("/metadata/{name}"), &suggestion));
            }
        }
        let add = |sum: i64, part: &(_, Option<i64>, _)| Some(sum.saturating_add(part.1?));
        if let (Some(total), Some(sum)) = (stated.total_issues, parts[1..].iter().try_fold(0, add))
            && total != sum
        {
            let message = format!("the counts add up to {sum}, but total_issues is {total}");
            let suggestion =
                "Set total_issues to the sum of error_count, warning_count and info_count";
            found.push(inconsistent(message, "/metadata/total_issues", suggestion));
        }
    }

    fn check_criteria(&self, found: &mut Vec<Issue>) {
        let passed: HashSet<&String> = self.passed_criteria.iter().collect();
        let both =
            self.failed_criteria.iter().enumerate().filter(|(_, name)| passed.contains(name));
        for (at, name) in both.take(LISTED) {
            let message = format!("the criterion {} is both passed and failed", quoted(name));
            let suggestion = "List each criterion as passed or as failed, not as both";
            found.push(inconsistent(message, &format!("/failed_criteria/{at}"), suggestion));
        }
        let failed = self.failed_criteria.len();
        if self.valid && failed > 0 && self.severities().errors == 0 {
            let criteria = if failed == 1 { "criterion" } else { "criteria" };
            let message = format!("valid is true, but {failed} {criteria} failed");
            let suggestion = "Report each failed criterion as an issue of severity error";
            found.push(inconsistent(message, "/failed_criteria", suggestion));
        }
    }

    fn check_severities(&self, found: &mut Vec<Issue>) {
        let is_mild = |(_, issue): &(usize, &RecordedIssue)| {
            issue.severity != Severity::Error && SCALES.blocking.contains(&issue.kind)
        };
        for (at, issue) in self.issues.iter().enumerate().filter(is_mild).take(LISTED) {
            let (kind, severity) = (&issue.kind, issue.severity.name());
            let message = format!("the severity of {kind} is {severity}, but it blocks acceptance");
            let suggestion = "Set the severity to error, or use another type";
            found.push(inconsistent(message, &format!("/issues/{at}/severity"), suggestion));
        }
    }

    fn check_confidence(&self, found: &mut Vec<Issue>) {
        if self.confidence < SCALES.mismatch.from {
            return;
        }
        let doubtful = self.issues.iter().find(|issue| is_doubtful(&issue.kind));
        let doubtful = doubtful.map(|issue| format!("an issue is of type {}", issue.kind));
        let split = self.split_place().map(|issue| {
            let place = quoted(issue.location.as_deref().unwrap_or_default());
            format!("the issues of type {} at {place} disagree in severity", quoted(&issue.kind))
        });
        for reason in [self.contradiction(), doubtful, split].into_iter().flatten() {
            let message = format!("confidence is {}, but {reason}", self.confidence);
            found.push(Issue {
                location: Some("/confidence".to_owned()),
                suggestion: Some("Lower the confidence, or settle what is in doubt".to_owned()),
                ..Issue::new(Severity::Warning, IssueType::ConfidenceMismatch, message)
            });
        }
    }

    /// The first issue that another one of its type at its place contradicts in severity.
    fn split_place(&self) -> Option<&RecordedIssue> {
        let mut met: HashMap<(&str, &str), bool> = HashMap::new();
        self.issues.iter().find(|issue| {
            let place = issue.location.as_deref();
            let Some(place) =
                place.filter(|it| !SCALES.mismatch.anywhere.iter().any(|no| no == it))
            else {
                return false;
            };
            let blocks = issue.severity == Severity::Error;
            *met.entry((place, &issue.kind)).or_insert(blocks) != blocks
        })
    }
}

/// The confidence of a verdict from 0 to 1: what a recorded result states, otherwise that of the
/// classification, as far as no issue gives reason to doubt.
pub fn confidence(verdict: &Verdict) -> f64 {
    let share = verdict.conclusion.confidence / 100.0;
    let is_stated = verdict.quality.is_some();
    let is_doubted = verdict.issues.iter().any(|issue| is_doubtful(issue.kind.name()));
    if is_doubted && !is_stated { share.min(SCALES.mismatch.own) } else { share }
}

fn is_doubtful(kind: &str) -> bool {
    SCALES.mismatch.doubtful.iter().any(|doubtful| doubtful == kind)
}

fn inconsistent(message: String, location: &str, suggestion: &str) -> Issue {
    Issue {
        location: Some(location.to_owned()),
        suggestion: Some(suggestion.to_owned()),
        ..Issue::new(Severity::Error, IssueType::DetailInconsistency, message)
    }
}

/// A recorded text in quotes, shortened.
fn quoted(text: &str) -> String {
    format!("{:?}", cut(text, QUOTATION))
}
