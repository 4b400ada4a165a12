//! What is wrong with a result that no schema can say.

use super::scales::SCALES;
use super::{JudgeResult, RecordedIssue};
use crate::verdict::{Issue, IssueType, Severity, Verdict};
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
        self.check_valid(&mut found);
        self.check_counts(&mut found);
        self.check_criteria(&mut found);
        self.check_severities(&mut found);
        self.check_confidence(&mut found);
        found
    }

    /// All that is wrong with the result: what the schema says, then where it contradicts itself.
    pub fn complaints(&self) -> Vec<Issue> {
        let mut complaints = self.violations.clone();
        complaints.append(&mut self.inconsistencies());
        complaints
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

    fn check_valid(&self, found: &mut Vec<Issue>) {
        if let Some(message) = self.contradiction() {
            let suggestion = "Set valid to true exactly when no issue has severity error";
            found.push(inconsistent(message, "/valid", suggestion));
        }
    }

    fn check_counts(&self, found: &mut Vec<Issue>) {
        let Some(metadata) = &self.metadata else { return };
        let counts = self.severities();
        let parts = [
            ("error_count", metadata.error_count, counts.errors),
            ("warning_count", metadata.warning_count, counts.warnings),
            ("info_count", metadata.info_count, counts.infos),
        ];
        for (name, stated, counted) in [("total_issues", metadata.total_issues, counts.total())]
            .iter()
            .chain(&parts)
            .filter_map(|(name, stated, counted)| Some((name, (*stated)?, counted)))
            .filter(|(_, stated, counted)| *stated != i64::from(**counted))
        {
            let message = format!("{name} is {stated}, but the issues give {counted}");
            let suggestion = format!("Count the issues again and set {name} to {counted}");
            found.push(inconsistent(message, &format!("/metadata/{name}"), &suggestion));
        }
        let sum: Option<i64> = parts
            .iter()
            .try_fold(0_i64, |sum, (_, stated, _)| Some(sum.saturating_add((*stated)?)));
        if let (Some(total), Some(sum)) = (metadata.total_issues, sum)
            && total != sum
        {
            let message = format!("the counts add up to {sum}, but total_issues is {total}");
            let suggestion =
                "Set total_issues to the sum of error_count, warning_count and info_count";
            found.push(inconsistent(message, "/metadata/total_issues", suggestion));
        }
    }

    fn check_criteria(&self, found: &mut Vec<Issue>) {
        let passed: HashSet<&str> = self.passed_criteria.iter().map(String::as_str).collect();
        let both = self.failed_criteria.iter().enumerate();
        for (at, name) in both.filter(|(_, name)| passed.contains(name.as_str())).take(LISTED) {
            let message = format!("the criterion {} is both passed and failed", quoted(name));
            let suggestion = "List each criterion as passed or as failed, not as both";
            found.push(inconsistent(message, &format!("/failed_criteria/{at}"), suggestion));
        }
        if self.valid && !self.failed_criteria.is_empty() && self.severities().errors == 0 {
            let message = match self.failed_criteria.len() {
                1 => "valid is true, but 1 criterion failed".to_owned(),
                more => format!("valid is true, but {more} criteria failed"),
            };
            let suggestion = "Report each failed criterion as an issue of severity error";
            found.push(inconsistent(message, "/failed_criteria", suggestion));
        }
    }

    fn check_severities(&self, found: &mut Vec<Issue>) {
        let blocks = |issue: &RecordedIssue| SCALES.blocking.types.contains(&issue.kind);
        let mild = self
            .issues
            .iter()
            .enumerate()
            .filter(|(_, issue)| issue.severity != Severity::Error && blocks(issue));
        for (at, issue) in mild.take(LISTED) {
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
        let contradiction = self.contradiction();
        let doubtful = self.issues.iter().find(|issue| is_doubtful(&issue.kind));
        let doubtful = doubtful.map(|issue| format!("an issue is of type {}", issue.kind));
        let split = self.split_place().map(|issue| {
            let place = quoted(issue.location.as_deref().unwrap_or_default());
            format!("the issues of type {} at {place} disagree in severity", quoted(&issue.kind))
        });
        for reason in [contradiction, doubtful, split].into_iter().flatten() {
            found.push(Issue {
                severity: Severity::Warning,
                kind: IssueType::ConfidenceMismatch,
                side: IssueType::ConfidenceMismatch.side(),
                message: Issue::cut(format!("confidence is {}, but {reason}", self.confidence)),
                location: Some("/confidence".to_owned()),
                suggestion: Some("Lower the confidence, or settle what is in doubt".to_owned()),
            });
        }
    }

    /// The first issue that another one of its type at its place contradicts in severity.
    fn split_place(&self) -> Option<&RecordedIssue> {
        let mut met: HashMap<(&str, &str), bool> = HashMap::new();
        self.issues.iter().find(|issue| {
            let Some(place) = issue.location.as_deref().filter(|place| is_place(place)) else {
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

fn is_place(location: &str) -> bool {
    !SCALES.mismatch.anywhere.iter().any(|anywhere| anywhere == location)
}

fn inconsistent(message: String, location: &str, suggestion: &str) -> Issue {
    Issue {
        severity: Severity::Error,
        kind: IssueType::DetailInconsistency,
        side: IssueType::DetailInconsistency.side(),
        message: Issue::cut(message),
        location: Some(location.to_owned()),
        suggestion: Some(suggestion.to_owned()),
    }
}

/// A recorded text in quotes, shortened.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTATION) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
