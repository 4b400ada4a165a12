//! The report object of a session.

use super::name::{ReportNames, SessionName};
use super::text::{Counts, write_summary};
use crate::recording::Task;
use crate::verdict::{Category, IssueType, SessionIssue, Severity};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Issues of a session that are listed; beyond, they are only counted, and the summary says so.
const MAX_LISTED: usize = 10_000;
/// How much of a task's recorded id is kept.
const MAX_TASK_ID: usize = 256;

/// What the issues of a session amount to. It serialises with the documented names and no others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionReport {
    /// Whether there are errors: a short cut to the summary's `hasErrors`.
    pub has_validation_errors: bool,
    pub validation_status: ValidationStatus,
    pub validation_summary: ValidationSummary,
    pub integrity_issues: Vec<IntegrityIssue>,
    pub tasks: Vec<TaskIssues>,
    /// Where all of it can be read; only where there are errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_report: Option<ErrorReport>,
}

named! {
    /// Which severities occur.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ValidationStatus {
        Success = "success",
        Errors = "errors",
        Warnings = "warnings",
        ErrorsAndWarnings = "errors_and_warnings",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidationSummary {
    pub has_errors: bool,
    pub has_warnings: bool,
    pub error_count: u64,
    pub warning_count: u64,
    pub categories: Vec<Cow<'static, str>>,
    pub summary_text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IntegrityIssue {
    #[serde(rename = "type")]
    pub category: Cow<'static, str>,
    pub type_label: Cow<'static, str>,
    /// Error or warning.
    pub severity: Severity,
    pub message: String,
    pub rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskIssues {
    pub id: String,
    /// What recordings last say of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    pub validation_errors: Vec<TaskIssue>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskIssue {
    /// Error or warning.
    pub severity: Severity,
    pub message: String,
    pub rule: String,
}

/// All issues of a session, of which only the first are at hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedIssues {
    pub errors: u64,
    pub warnings: u64,
    pub kinds: Vec<IssueType>,
    pub tasks: Vec<Task>,
}

/// A reference to the text of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// The file's name, without a path.
    pub filename: String,
}

impl ValidationStatus {
    pub fn of(errors: bool, warnings: bool) -> Self {
        match (errors, warnings) {
            (false, false) => Self::Success,
            (true, false) => Self::Errors,
            (false, true) => Self::Warnings,
            (true, true) => Self::ErrorsAndWarnings,
        }
    }
}

impl SessionReport {
    /// The report of a session of which every issue was counted, and the first are at hand. What is merely
    /// worth knowing is no issue here.
    pub fn of<'i>(
        session: &SessionName<'_>,
        counted: CountedIssues,
        first: impl IntoIterator<Item = SessionIssue<'i>>,
        names: &mut ReportNames,
    ) -> Self {
        let CountedIssues { errors, warnings, kinds, tasks } = counted;
        let mut categories: Vec<&Category> = kinds.into_iter().map(Category::of).collect();
        let known = |Task { id, name, status }: Task| {
            (id.clone(), TaskIssues { id, name, status, ..TaskIssues::default() })
        };
        let mut tasks: IndexMap<String, TaskIssues> = tasks.into_iter().map(known).collect();
        let first = first.into_iter().filter(|issue| issue.severity != Severity::Info);
        let mut listed = Vec::new();
        for SessionIssue { severity, kind, message, rule, task } in first.take(MAX_LISTED) {
            let category = Category::of(kind);
            categories.push(category);
            let (message, rule) = (message.to_owned(), rule.to_owned());
            let task_id = task.map(|id| id[..id.floor_char_boundary(MAX_TASK_ID)].to_owned());
            if let Some(id) = task_id.clone() {
                let new = || TaskIssues { id: id.clone(), ..TaskIssues::default() };
                let task = tasks.entry(id.clone()).or_insert_with(new);
                let (message, rule) = (message.clone(), rule.clone());
                task.validation_errors.push(TaskIssue { severity, message, rule });
            }
            listed.push(IntegrityIssue {
                category: category.name.as_str().into(),
                type_label: category.label.as_str().into(),
                severity,
                message,
                rule,
                task_id,
            });
        }
        categories.sort_unstable();
        categories.dedup();
        let shown = listed.len() as u64;
        let counts =
            Counts { errors, warnings, listed: Some(shown).filter(|it| *it < errors + warnings) };
        let (has_errors, has_warnings) = (errors > 0, warnings > 0);
        Self {
            has_validation_errors: has_errors,
            validation_status: ValidationStatus::of(has_errors, has_warnings),
            validation_summary: ValidationSummary {
                has_errors,
                has_warnings,
                error_count: errors,
                warning_count: warnings,
                summary_text: write_summary(counts, &categories),
                categories: categories.into_iter().map(|it| it.name.as_str().into()).collect(),
            },
            integrity_issues: listed,
            tasks: tasks.into_values().collect(),
            error_report: has_errors.then(|| ErrorReport { filename: names.give(session) }),
        }
    }
}
