//! The heuristics as data: a TOML file becomes a [`Rulebook`] ready to run.

mod model;

pub use model::{
    BlockPolicy, BlockShape, Condition, Confidence, CountedBlocks, Decision, DecisionLine,
    DialectRule, ErrorKind, ErrorPolicy, EvidenceWording, Example, Fact, Factor, IssueWording,
    JsonNull, MetadataOn, MetadataRule, Outcome, OutcomeKind, Overall, Pattern, Quality, Question,
    Rulebook, SchemaRule, StatusLine, StatusRule, StatusTest, TextElse, TextRule, TextSource,
    UncompilableSchema, UnknownFormat,
};
