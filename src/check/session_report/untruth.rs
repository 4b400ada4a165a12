//! Everything that can be wrong with a recorded report, with its wording.

use crate::verdict::{Issue, IssueType, Severity};

/// How much of a recorded text a message quotes.
const QUOTED: usize = 60;
const MAX_FINDINGS: usize = 50;

/// A number of errors or warnings, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tally {
    Errors(u64),
    Warnings(u64),
    Issues(u64),
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (count, one) = match self {
            Self::Errors(count) => (*count, "error"),
            Self::Warnings(count) => (*count, "warning"),
            Self::Issues(count) => (*count, "issue"),
        };
        let plural = if count == 1 { "" } else { "s" };
        write!(f, "{count} {one}{plural}")
    }
}

/// Something wrong with a recorded report.
#[derive(Debug, thiserror::Error)]
pub(super) enum Untruth {
    #[error("{name} is {found} instead of {wanted}.")]
    Shape { name: &'static str, found: String, wanted: &'static str },
    #[error("The status `{0}` is not one of success, errors, warnings, errors_and_warnings.")]
    UnknownStatus(String),
    #[error("The severity `{0}` is neither error nor warning.")]
    UnknownSeverity(String),
    #[error("The error report's name `{0}` is a path; it must be a name.")]
    NameIsPath(String),
    #[error("{name} is {stated}, but the report has {found}.")]
    Flag { name: &'static str, stated: bool, found: Tally },
    #[error("hasValidationErrors is {stated}, but hasErrors is {found}.")]
    FlagAgainstFlag { stated: bool, found: bool },
    #[error("{name} is {stated}, but the list has {found}.")]
    Count { name: &'static str, stated: u64, found: Tally },
    #[error("The status is `{stated}`, but by what was found it is `{found}`.")]
    Status { stated: &'static str, found: &'static str },
    #[error("The summary speaks of {stated}, but the report has {found}.")]
    Summary { stated: Tally, found: Tally },
    #[error("The category `{0}` is listed, but no issue is of that type.")]
    IdleCategory(String),
    #[error("The category `{0}` is listed twice.")]
    RepeatedCategory(String),
    #[error("An issue is of type `{0}`, which the categories do not list.")]
    UnlistedType(String),
    #[error("An issue of type `{of}` has the label `{label}` of another type.")]
    WrongLabel { of: String, label: String },
    #[error("An issue names the task `{0}`, which is not among the tasks.")]
    DanglingTask(String),
    #[error("The task id `{0}` stands twice.")]
    DuplicateTask(String),
    #[error("The task `{id}` lists {stated}, but {found} name it.")]
    TaskCount { id: String, stated: Tally, found: Tally },
    #[error("The issues that the task `{0}` lists have other rules than those that name it.")]
    TaskRules(String),
    #[error("The tasks list {stated} together, but the report has {found}.")]
    TasksTogether { stated: Tally, found: Tally },
    #[error("There are errors, but no issue is listed.")]
    NoIssues,
    #[error("There are errors, but no error report is named.")]
    NoReport,
    #[error("An error report is named, but there are neither errors nor warnings.")]
    IdleReport,
    #[error("{0} more contradictions are not listed.")]
    More(usize),
}

impl Untruth {
    fn class(&self) -> (IssueType, Severity) {
        match self {
            Self::Shape { .. }
            | Self::UnknownStatus(_)
            | Self::UnknownSeverity(_)
            | Self::NameIsPath(_) => (IssueType::MalformedReport, Severity::Error),
            Self::Flag { .. }
            | Self::FlagAgainstFlag { .. }
            | Self::Count { .. }
            | Self::Status { .. }
            | Self::Summary { .. }
            | Self::IdleCategory(_)
            | Self::UnlistedType(_)
            | Self::TaskCount { .. }
            | Self::TaskRules(_)
            | Self::TasksTogether { .. } => (IssueType::ReportUntruthful, Severity::Error),
            // These mislead nobody about how much was found.
            Self::IdleReport | Self::RepeatedCategory(_) | Self::WrongLabel { .. } => {
                (IssueType::ReportUntruthful, Severity::Warning)
            }
            Self::More(_) => (IssueType::ReportUntruthful, Severity::Info),
            Self::DanglingTask(_) => (IssueType::DanglingTask, Severity::Error),
            Self::DuplicateTask(_) => (IssueType::DuplicateTask, Severity::Error),
            // Not telling is not lying.
            Self::NoIssues | Self::NoReport => (IssueType::ReportMissing, Severity::Warning),
        }
    }

    fn suggestion(&self) -> &'static str {
        match self {
            Self::Shape { .. } => "Give the field the documented type, or leave it out.",
            Self::UnknownStatus(_) => "Use one of the four documented values.",
            Self::UnknownSeverity(_) => {
                "Use error for what must be fixed and warning for the rest."
            }
            Self::NameIsPath(_) => "Give the file's name alone; the server knows its folder.",
            Self::Flag { .. } | Self::FlagAgainstFlag { .. } => "Derive the flag from the counts.",
            Self::Count { .. } => "Count the listed issues, or list those that are counted.",
            Self::Status { .. } => "Derive the status from the counts.",
            Self::Summary { .. } => "Write the summary from the same counts as the other fields.",
            Self::IdleCategory(_) | Self::RepeatedCategory(_) | Self::UnlistedType(_) => {
                "List the type of each issue once, and no other."
            }
            Self::WrongLabel { .. } => "Look the label up by the type.",
            Self::DanglingTask(_) => "Name a task of this response, or no task.",
            Self::DuplicateTask(_) => "Give each task an id of its own.",
            Self::TaskCount { .. } | Self::TaskRules(_) | Self::TasksTogether { .. } => {
                "Group the same issues by task that integrityIssues lists."
            }
            Self::NoIssues => "List each issue, so that readers learn what is wrong.",
            Self::NoReport => "Name the error report, so that readers can fetch the details.",
            Self::IdleReport => "Leave the reference out where nothing was found.",
            Self::More(_) => "Correct those that are listed first.",
        }
    }
}

/// What was found wrong with one response, up to a bound.
#[derive(Debug, Default)]
pub(super) struct Findings {
    issues: Vec<Issue>,
    unlisted: usize,
}

impl Findings {
    pub(super) fn add(&mut self, at: impl Into<String>, untruth: &Untruth) {
        if self.issues.len() >= MAX_FINDINGS {
            self.unlisted += 1;
            return;
        }
        self.push(Some(at.into()), untruth);
    }

    fn push(&mut self, location: Option<String>, untruth: &Untruth) {
        let (kind, severity) = untruth.class();
        self.issues.push(Issue {
            severity,
            kind,
            side: kind.side(),
            message: untruth.to_string(),
            location,
            suggestion: Some(untruth.suggestion().to_owned()),
        });
    }

    pub(super) fn into_issues(mut self) -> Vec<Issue> {
        if self.unlisted > 0 {
            self.push(None, &Untruth::More(self.unlisted));
        }
        self.issues
    }
}

/// The beginning of a recorded text, as messages quote it.
pub(super) fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(QUOTED).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_of_one_response_are_bounded() {
        let mut findings = Findings::default();
        for at in 0..70 {
            findings.add(format!("/tasks/{at}/id"), &Untruth::DuplicateTask("a".to_owned()));
        }
        let issues = findings.into_issues();
        assert_eq!(issues.len(), 51);
        assert_eq!(issues[50].message, "20 more contradictions are not listed.");
    }

    #[test]
    fn quoted_texts_are_short() {
        assert_eq!(quoted("short"), "short");
        assert_eq!(quoted(&"é".repeat(10_000)).chars().count(), 61);
    }
}
