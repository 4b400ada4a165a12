//! What is said of an exchange: one file per kind of question.

mod checks;
mod content;
pub mod contract;
mod criteria;
pub mod envelope;
mod evidence;
pub mod facts;
mod inner;
mod judge;
pub mod judge_result;
mod line;
mod payload;
pub mod schema;
pub mod session_report;
mod table;
mod task;
#[cfg(test)]
mod tests;
mod text;
pub mod worded_schema;

pub use checks::{CheckFiles, CheckSource, Checks, ChecksError};
pub use contract::{SessionIssue, issues_under, session_issues};
pub use criteria::CriteriaFile;
pub use evidence::evidence;
pub use judge::Judge;
pub use line::{HitLine, IssueLine, LineMetadata, Members, MetadataValue, VerdictLine, input_text};
pub use table::{CHECKS, Check, CheckContext, Findings};
pub use task::{Tasks, tasks_of};
pub use text::judged_text;
