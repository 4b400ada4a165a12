//! The heuristics as data: a TOML file becomes a [`Rulebook`] ready to run.
//!
//! `source` reads the file and what it extends into one tree that knows where everything stands,
//! `compile` resolves and checks it, and the compiled rulebook observes signals, decides, and averages.

mod asked;
mod builtin;
#[cfg(test)]
mod case_tests;
mod certainty;
mod compile;
mod conclude;
mod criteria;
mod decide;
pub mod edit;
#[cfg(test)]
mod example_tests;
mod issue_types;
mod load;
mod matching;
mod model;
mod names;
mod observe;
mod places;
mod signal_texts;

pub(crate) mod problem;
#[cfg(test)]
mod reference_tests;
mod setting;
pub(crate) mod source;
mod status;

#[cfg(test)]
mod wrong_tests;

pub(crate) use asked::Holder;
pub use builtin::{DEFAULT_RULEBOOK, builtin_names, builtin_source};
pub use certainty::{CertaintyLine, Curve};
pub use criteria::{Applies, Criterion};
pub(crate) use criteria::{compile_expression, criteria, criteria_with_issues};
pub use decide::Decided;
pub(crate) use issue_types::{IssueTypes, Undescribed};
pub(crate) use matching::{
    Dialect, Doors, Kind, LETTERS, LazyRegex, LeafSet, Seen, as_javascript, long_runs,
};
pub use model::{
    BlockPolicy, BlockShape, Case, Condition, Confidence, CountedBlocks, Decision, DecisionLine,
    DialectRule, ErrorKind, ErrorPolicy, EvidenceWording, Example, Factor, Field, IssueWording,
    JsonNull, Matching, Meaning, MetadataOn, MetadataRule, Overall, Pattern, PatternKind, Quality,
    Question, QuotedFrom, Rulebook, SchemaRule, Signal, StatusLine, StatusRule, StatusTest,
    TextElse, TextRule, TextSource, UncompilableSchema, UnknownFormat,
};
pub use observe::{Observing, Subject, ToolSignals};
pub use places::Places;
pub use problem::{BrokenText, Problem, RulebookError};
pub use setting::{Setting, SettingError};
