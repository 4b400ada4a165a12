//! What is said of an exchange: one file per kind of question.

mod checks;
mod content;
pub mod contract;
mod criteria;
pub mod envelope;
mod evidence;
pub mod facts;
mod judge;
pub mod judge_result;
mod judged_text;
mod line;
mod payload;
pub mod schema;
pub mod session_report;
mod table;
mod task;
#[cfg(test)]
mod tests;
mod unwrapped;
pub mod worded_schema;

pub use checks::{CheckFiles, CheckSource, Checks, ChecksError};
pub use contract::{SessionIssue, issues_under, session_issues};
pub use criteria::CriteriaFile;
pub use evidence::evidence;
pub use judge::Judge;
pub(crate) use judge::Memo;
pub use judged_text::judged_text;
pub use line::{HitLine, IssueLine, LineMetadata, Members, MetadataValue, VerdictLine, input_text};
pub use table::{CHECKS, Check, CheckContext, Findings};
pub use task::{Tasks, tasks_of};
