//! Reports on whole sessions: one object that says whether a session's replies hold, a readable text
//! beside it, and a check of recorded objects of the same kind.

pub(super) mod adapter;
mod model;
mod name;
mod recorded;
mod summary;
#[cfg(test)]
mod tests;
mod text;
mod truth;

pub use model::{CountedIssues, IntegrityIssue, SessionReport};
pub use name::{ReportNames, SessionName, is_report_name};
pub use recorded::recognise;
pub(super) use recorded::{Members, last};
pub use text::{FailingSession, IssueDetails};
pub use truth::{check, read};
