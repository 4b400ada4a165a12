//! Compares two runs: what changed, how, and by what cause.
//!
//! A [`Side`] is what was judged once, wherever it is kept. Exchanges of two sides are matched by
//! their keys, each match has one [`Kind`], and those that changed are gathered into groups that have
//! one [`Cause`] each.

mod by_label;
mod cause;
pub mod chance;
mod comparison;
mod durations;
mod gather;
mod group;
mod kind;
mod matching;
mod observations;
mod rates;
mod read_run;
mod said;
pub mod show;
mod side;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod texts;

pub use by_label::{ByLabel, ByLabels};
pub use cause::{NeedsRecording, Rescorer, cause_of, explain_all};
pub use comparison::{
    Cause, CauseKind, Comparison, Example, Explanation, Flip, Group, Matched, Matrix, Origin,
    Overlap, Proof, RateChange,
};
pub use durations::{DurationChange, SlowerLimit, Timed, TimedSides};
pub use gather::{Question, compare, compare_with, kind_between};
pub use kind::Kind;
pub use matching::{Matching, match_sides};
pub(crate) use observations::signals_of;
pub use observations::{NotKept, Observations, Patterns};
pub use read_run::{
    SideError, read_any_manifest, read_manifest, read_rulebook, read_run, read_summary,
};
pub use side::{Entry, Header, Names, Side, UnreadableFiles, WHOLE_KEY, shortened};
pub use texts::{Excerpt, Texts};
