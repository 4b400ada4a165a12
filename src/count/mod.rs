//! The count cube of a run: how many exchanges have which value, by day, server, tool and scenario.

mod counts;
mod cube;
mod latency;
pub mod tally;

pub use counts::{
    Confidences, Counted, CountedIssue, CountedOnce, Counts, IssueCode, Unlisted, ValueNames,
};
pub use cube::{Count, CountedGroups, Cube, CubeCells, Group, GroupRef, GroupSlot, OTHER};
pub use latency::{
    Durations, Took, bucket_milliseconds, bytes_words, duration_bucket, milliseconds_words,
    rounded_down,
};

named! {
    /// What a value of the cube is a value of.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Dimension {
        /// Every exchange has one, so these counts are also what others are shares of.
        Class = "class",
        Outcome = "outcome",
        Standing = "standing",
        Reply = "reply",
        Answer = "answer",
        ErrorAnswer = "error_answer",
        ErrorKind = "error_kind",
        Who = "who",
        /// What an operator acts on.
        List = "list",
        Schema = "schema",
        IssueType = "issue_type",
        Issues = "issues",
        Signal = "signal",
        /// Another name than when durations were counted by powers of two: those counts are passed over.
        Duration = "latency_ms",
        Confidence = "confidence",
    }
}

named! {
    /// The lists of what an operator acts on. A call may be on several.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum List {
        /// Failed or invalid.
        Failures = "failures",
        /// The same call again, though it did not work before.
        Struggle = "struggle",
        /// Longer than people wait, or without an answer.
        Slow = "slow",
        /// A reply too large for a model.
        Large = "large",
        /// An error that gives no reason, which only the server's author can mend.
        NoReason = "no_reason",
    }
}

impl Dimension {
    /// Whether every exchange has exactly one value, so that the counts add up to all exchanges.
    pub fn is_of_every_exchange(self) -> bool {
        matches!(self, Self::Class | Self::Outcome | Self::Standing | Self::Reply | Self::Answer)
    }

    /// Whether exchanges are counted, each at most once for a value.
    pub fn counts_exchanges(self) -> bool {
        !matches!(self, Self::Issues | Self::Confidence)
    }
}
