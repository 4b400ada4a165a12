//! The report object of a session.

use super::name::{ReportNames, SessionName};
use super::summary::{Counts, write_summary};
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
        /// No issues.
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

/// What is known of a session of which not all issues are at hand.
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
    pub fn of(errors: u64, warnings: u64) -> Self {
        match (errors > 0, warnings > 0) {
            (false, false) => Self::Success,
            (true, false) => Self::Errors,
            (false, true) => Self::Warnings,
            (true, true) => Self::ErrorsAndWarnings,
        }
    }
}

impl TaskIssues {
    /// The id, with name and status where they are known.
    pub(super) fn words(&self) -> String {
        let known: Vec<&str> = self.name.iter().chain(&self.status).map(String::as_str).collect();
        if known.is_empty() {
            self.id.clone()
        } else {
            format!("{} ({})", self.id, known.join(", "))
        }
    }
}

impl SessionReport {
    /// The report of a session from its issues, each with the id of the task it was found in. What
    /// is merely worth knowing is no issue here.
    pub fn of<'i>(
        session: &SessionName<'_>,
        issues: impl IntoIterator<Item = impl Into<SessionIssue<'i>>>,
        names: &mut ReportNames,
    ) -> Self {
        Gathered::of(issues).into_report(session, names)
    }

    /// The report of a session of which every issue was counted, and only the first are at hand.
    pub fn of_counted<'i>(
        session: &SessionName<'_>,
        counted: &CountedIssues,
        first: impl IntoIterator<Item = impl Into<SessionIssue<'i>>>,
        names: &mut ReportNames,
    ) -> Self {
        let mut gathered = Gathered::default();
        for Task { id, name, status } in counted.tasks.iter().cloned() {
            let of_task = gathered.task(&id);
            (of_task.name, of_task.status) = (name, status);
        }
        first.into_iter().for_each(|reported| gathered.add(&reported.into()));
        gathered.errors = counted.errors;
        gathered.warnings = counted.warnings;
        counted.kinds.iter().for_each(|kind| gathered.fall_into(Category::of(*kind)));
        gathered.into_report(session, names)
    }
}

#[derive(Default)]
struct Gathered {
    errors: u64,
    warnings: u64,
    categories: Vec<&'static Category>,
    listed: Vec<IntegrityIssue>,
    /// By their ids.
    tasks: IndexMap<String, TaskIssues>,
}

impl Gathered {
    fn of<'i>(issues: impl IntoIterator<Item = impl Into<SessionIssue<'i>>>) -> Self {
        let mut gathered = Self::default();
        for reported in issues {
            gathered.add(&reported.into());
        }
        gathered
    }

    fn into_report(self, session: &SessionName<'_>, names: &mut ReportNames) -> SessionReport {
        let Self { errors, warnings, mut categories, listed, tasks } = self;
        categories.sort_unstable();
        let total = errors + warnings;
        let shown = listed.len() as u64;
        let counts = Counts { errors, warnings, listed: (shown < total).then_some(shown) };
        SessionReport {
            has_validation_errors: errors > 0,
            validation_status: ValidationStatus::of(errors, warnings),
            validation_summary: ValidationSummary {
                has_errors: errors > 0,
                has_warnings: warnings > 0,
                error_count: errors,
                warning_count: warnings,
                summary_text: write_summary(counts, &categories),
                categories: categories
                    .iter()
                    .map(|category| category.name.as_str().into())
                    .collect(),
            },
            integrity_issues: listed,
            tasks: tasks.into_values().collect(),
            error_report: (errors > 0).then(|| ErrorReport { filename: names.give(session) }),
        }
    }

    /// Each category is named once; there are few.
    fn fall_into(&mut self, category: &'static Category) {
        if !self.categories.iter().any(|known| std::ptr::eq(*known, category)) {
            self.categories.push(category);
        }
    }

    fn task(&mut self, id: &str) -> &mut TaskIssues {
        let task = || TaskIssues { id: id.to_owned(), ..TaskIssues::default() };
        self.tasks.entry(id.to_owned()).or_insert_with(task)
    }

    fn add(&mut self, &SessionIssue { severity, kind, message, rule, task }: &SessionIssue<'_>) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => return,
        }
        if self.listed.len() >= MAX_LISTED {
            return;
        }
        let category = Category::of(kind);
        self.fall_into(category);
        let task = task.map(|id| id[..id.floor_char_boundary(MAX_TASK_ID)].to_owned());
        if let Some(id) = &task {
            self.task(id).validation_errors.push(TaskIssue {
                severity,
                message: message.to_owned(),
                rule: rule.to_owned(),
            });
        }
        self.listed.push(IntegrityIssue {
            category: category.name.as_str().into(),
            type_label: category.label.as_str().into(),
            severity,
            message: message.to_owned(),
            rule: rule.to_owned(),
            task_id: task,
        });
    }
}
