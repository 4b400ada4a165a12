//! Results of judges, as recorded: `{valid, confidence, issues, quality_score, …}`.
//!
//! [`read_result`] reads one and holds it against `validation_result.schema.json`;
//! [`JudgeResult::inconsistencies`] says what no schema can. How results are read (bands,
//! interpretation, decision, ladder) is the same for recorded results and for verdicts.

pub(super) mod adapter;
mod inconsistency;
mod outcome;
mod read;
mod report;
mod scales;
#[cfg(test)]
mod tests;

pub use inconsistency::confidence;
pub use outcome::{
    Decision, Interpretation, RetryLadder, decision, interpretation, is_good_enough, needs_review,
};
pub use read::{JudgeResult, RecordedIssue, StatedCounts, is_result, read_result};
pub use report::text_report;
pub use scales::{Band, confidence_band, quality_band};
