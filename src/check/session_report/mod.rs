//! Reports on whole sessions: one object that says whether a session's replies hold, a readable text
//! beside it, and a check of recorded objects of the same kind.

pub(super) mod adapter;
mod model;
mod name;
mod recorded;
mod summary;
mod tasks;
#[cfg(test)]
mod tests;
mod text;
mod truth;
mod untruth;

pub use model::{
    CountedIssues, ErrorReport, IntegrityIssue, SessionReport, TaskIssue, TaskIssues,
    ValidationStatus, ValidationSummary,
};
pub use name::{ReportNames, SessionName, is_report_name};
pub use recorded::recognise;
pub use text::{FailingSession, IssueDetails};
pub use truth::{check, read};
