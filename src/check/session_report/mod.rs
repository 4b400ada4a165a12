//! Reports on whole sessions: one object that says whether a session's replies hold, a readable text
//! beside it, and a check of recorded objects of the same kind.
//!
//! ```
//! use tapecheck::check::session_report::{ReportNames, SessionName, SessionReport};
//! use tapecheck::verdict::{Issue, IssueType, Severity, Side};
//!
//! let issue = Issue {
//!     severity: Severity::Error,
//!     kind: IssueType::SchemaViolation,
//!     side: Side::Reply,
//!     message: "Task result is 308 characters but maximum is 300".to_owned(),
//!     location: Some("/tasks/0/result".to_owned()),
//!     suggestion: None,
//! };
//! let session = SessionName { name: "session-123", last: None };
//! let report = SessionReport::of(&session, [(&issue, Some("task-1"))], &mut ReportNames::default());
//! assert_eq!(report.validation_summary.summary_text, "Found 1 error in schema validation");
//! assert_eq!(report.integrity_issues[0].type_label, "Field Validation Error");
//! assert_eq!(report.error_report.unwrap().filename, "error_session-123_undated.txt");
//! ```

pub(super) mod adapter;
mod category;
mod model;
mod name;
mod recorded;
mod summary;
mod tasks;
mod text;
mod truth;
mod untruth;

pub use category::Category;
pub use model::{
    CountedIssues, ErrorReport, IntegrityIssue, SessionReport, TaskIssue, TaskIssues,
    ValidationStatus, ValidationSummary,
};
pub use name::{ReportNames, SessionName, is_report_name};
pub use recorded::recognise;
pub use text::FailingSession;
pub use truth::check;
