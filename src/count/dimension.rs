//! What exchanges are counted by.

named! {
    /// What a value of the cube is a value of.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Dimension {
        /// The class. Every exchange has one, so these counts are also what others are shares of.
        Class = "class",
        Reply = "reply",
        /// The answer to the question of business logic.
        Answer = "answer",
        /// The same, of error replies alone: a rulebook may ask it of successes too.
        ErrorAnswer = "error_answer",
        ErrorKind = "error_kind",
        /// How checking the reply against its output schema ended.
        Schema = "schema",
        /// Severity and type of an issue, such as `error tool_failure`: exchanges that have one.
        IssueType = "issue_type",
        Issues = "issues",
        Signal = "signal",
        /// How long the reply took, in powers of two of milliseconds.
        Duration = "duration_ms",
        Confidence = "confidence",
    }
}

impl Dimension {
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dimension| dimension.name() == name)
    }

    /// Whether every exchange has exactly one value, so that the counts add up to all exchanges.
    #[must_use]
    pub fn is_of_every_exchange(self) -> bool {
        match self {
            Self::Class | Self::Reply | Self::Answer => true,
            Self::ErrorAnswer
            | Self::ErrorKind
            | Self::Schema
            | Self::IssueType
            | Self::Issues
            | Self::Signal
            | Self::Duration
            | Self::Confidence => false,
        }
    }

    /// Whether exchanges are counted, each at most once for a value.
    #[must_use]
    pub fn counts_exchanges(self) -> bool {
        !matches!(self, Self::Issues | Self::Confidence)
    }
}
