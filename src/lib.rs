#![doc = include_str!("../docs/library.md")]

#[macro_use]
mod named;

mod baseline;
#[path = "../tests/all/cases.rs"]
#[cfg(test)]
mod cases;
mod check;
mod cli;
mod compare;
mod corpus;
mod count;
mod demo;
mod expression;
mod format;
mod gate;
mod json;
mod labels;
mod lint;
mod measure;
mod page;
mod program;
#[cfg(unix)]
mod record;
mod recording;
mod redact;
mod review;
mod rulebook;
mod run;
mod store;
mod trend;
mod tune;
mod verdict;
mod view;

pub use check::envelope::{EnvelopeError, Envelopes, SchemaFile, Validation};
pub use check::{HitLine, IssueLine, Judge, LineMetadata, Members, MetadataValue, VerdictLine};
pub use check::{envelope::validate_request, envelope::validate_response, schema::Schemas};
pub use cli::run_command;
pub use corpus::{Bounds, CorpusError, CorpusReader, Input};
pub use corpus::{read_call, read_definition, read_exchange};
pub use recording::{Exchange, ExchangeKind, Key, Keys, Reply, ReplyKind, Tool};
pub use rulebook::{Brief, BriefKind, Rulebook, RulebookError};
pub use run::{DriveError, Located, for_each_exchange};
pub use verdict::{Answer, Classification, Conclusion, Ending, Issue, IssueType, Judgement};
pub use verdict::{ByteSpan, Outcome, OutputSchemaValidation, ResponseMetadata, SchemaOutcome};
pub use verdict::{Retry, Severity, Side, Verdict, Who};

/// The rooms of the program, for its binary, its own tests and its benchmarks. They change without notice.
#[doc(hidden)]
pub mod internals {
    macro_rules! rooms {
        ($($room:ident)*) => { $(pub mod $room { pub use crate::$room::*; })* };
    }
    rooms!(baseline check cli compare corpus count demo expression format gate json labels lint measure
        page program recording redact review rulebook run store trend tune verdict);
}
