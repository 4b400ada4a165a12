//! The heuristics as data: a TOML file becomes a [`Rulebook`] ready to run.
//!
//! `source` reads the file and what it extends into one tree that knows where everything stands,
//! `compile` resolves and checks it, and the compiled rulebook observes signals, decides, and averages.

mod brief;
mod compile;
mod conclude;
mod criteria;
mod decide;
pub mod edit;
mod issue_types;
mod load;
mod matching;
mod model;
mod names;
mod observe;
pub(crate) mod problem;
mod setting;
pub(crate) mod source;
#[cfg(test)]
mod tests;

pub use brief::{Brief, Kind as BriefKind};
pub use criteria::{Applies, Criterion};
pub(crate) use criteria::{compile_expression, criteria};
pub use decide::{CertaintyLine, Curve, Decided};
pub(crate) use issue_types::{IssueTypes, Undescribed};
pub use load::{DEFAULT_RULEBOOK, builtin_names, builtin_source};
pub(crate) use matching::{
    Dialect, Kind, LETTERS, LazyRegex, LeafSet, Requirements, TextForms, as_javascript, long_runs,
};
pub use model::{
    BlockPolicy, BlockShape, Case, Condition, Confidence, CountedBlocks, Decision, DecisionLine,
    DialectRule, ErrorKind, ErrorPolicy, EvidenceWording, Example, Factor, Field, IssueWording,
    JsonNull, Matching, Meaning, MetadataOn, MetadataRule, Overall, Pattern, PatternKind, Quality,
    Question, QuotedFrom, Rulebook, SchemaRule, Signal, StatusLine, StatusRule, StatusTest,
    TextElse, TextRule, TextSource, UncompilableSchema, UnknownFormat,
};
pub use names::Places;
pub(crate) use observe::Holder;
pub use observe::{Observing, Subject, ToolSignals};
pub use problem::{BrokenText, Problem, RulebookError};
pub use setting::{Setting, SettingError};
