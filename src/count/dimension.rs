//! What exchanges are counted by.

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
        Schema = "schema",
        IssueType = "issue_type",
        Issues = "issues",
        Signal = "signal",
        /// Another name than when durations were counted by powers of two: those counts are passed over.
        Duration = "latency_ms",
        Confidence = "confidence",
    }
}

#[derive(Clone, Copy, Debug)]
pub struct DimensionSpec {
    pub value: &'static str,
    pub n: &'static str,
    per: Per,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Per {
    /// Every exchange has exactly one, so that the counts add up to all exchanges.
    Exchange,
    /// An exchange may have any number of them, each at most once.
    Some,
    /// No exchanges are counted.
    Other,
}

impl Dimension {
    #[rustfmt::skip]
    pub fn spec(self) -> DimensionSpec {
        let spec = |per, value, n| DimensionSpec { value, n, per };
        match self {
            Self::Class => spec(Per::Exchange, "the class", "exchanges"),
            Self::Outcome => spec(Per::Exchange, "the outcome, as in `verdicts`", "exchanges"),
            Self::Standing => spec(Per::Exchange, "the class by which a tool's status and the overall confidence go: that of the \
                call, but that of a broken output schema for a reply that is bad by a contract, facts or criteria alone", "exchanges"),
            Self::Reply => spec(Per::Exchange, "the kind of reply", "exchanges"),
            Self::Answer => spec(Per::Exchange, "`not_asked`, `business_logic`, `tool_failure`, `hidden_failure` or `hidden_refusal`", "exchanges"),
            Self::ErrorAnswer => spec(Per::Some, "the same, of error replies alone: a rulebook \
                may ask it of successes too", "calls \
                whose outcome is neither `unknown` nor `not_sent`"),
            Self::ErrorKind => spec(Per::Some, "the rulebook's kind of error", "exchanges"),
            Self::Schema => spec(Per::Some, "how checking the reply against its output schema ended", "exchanges"),
            Self::IssueType => spec(Per::Some, "severity and type of an issue, such as `error \
                tool_failure`", "calls \
                that have one"),
            Self::Issues => spec(Per::Other, "the same", "issues, those of sessions too"),
            Self::Signal => spec(Per::Some, "the signal", "exchanges"),
            Self::Duration => spec(Per::Some, "milliseconds, the middle of a step: there are \
                eight steps from a power of two to the next, so that it is within 5 % of each \
                duration; `0` below a sixteenth of a millisecond, and what takes longer than \
                fifty days counts as fifty days", "calls \
                that have a duration and an outcome other than `unknown` and `not_sent`"),
            Self::Confidence => spec(Per::Other, "`sum`", "the confidences, weighted by class as in `overall_confidence`, added up, in millionths"),
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dimension| dimension.name() == name)
    }

    /// Whether every exchange has exactly one value, so that the counts add up to all exchanges.
    pub fn is_of_every_exchange(self) -> bool {
        self.spec().per == Per::Exchange
    }

    /// Whether exchanges are counted, each at most once for a value.
    pub fn counts_exchanges(self) -> bool {
        self.spec().per != Per::Other
    }
}
