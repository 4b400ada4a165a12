//! All that is said of one exchange.

mod classification;
mod ending;
mod harmless;
mod issue;
mod metadata;

pub use classification::Classification;
pub use ending::Ending;
pub use harmless::{counted, cut, grouped, harmless, harmless_json, is_steering};
pub use issue::{Issue, IssueType, Severities, Severity};
pub use metadata::{OutputSchemaValidation, ResponseMetadata, SchemaOutcome};

/// What a rulebook says of one exchange.
///
/// Facts, patterns and decision lines are numbers into the rulebook that judged, and evidence is
/// worked out when somebody asks, so that a verdict costs next to nothing until it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What was there to be judged.
    pub ground: Ground,
    /// What the reply says about the tool.
    pub classification: Classification,
    /// 0 to 100.
    pub confidence: f64,
    /// Whether the reply indicates a working tool.
    pub is_valid: bool,
    /// Whether the reply is an error (`isError` or a JSON-RPC error).
    pub is_error: bool,
    /// What was observed and decided, where the rulebook had a question to answer.
    pub judgement: Option<Judgement>,
    /// Whether a reply that claims success says that it failed; `None` where nobody asked.
    pub hidden_failure: Option<bool>,
    /// The kind of error, as an index into the rulebook's.
    pub error_kind: Option<u16>,
    /// What is wrong.
    pub issues: Vec<Issue>,
    /// What the reply consists of.
    pub metadata: Option<ResponseMetadata>,
    /// The checks that were made, as bits in the order of their table.
    pub checks: u16,
    /// 0 to 1, where a recorded result says so of itself; else it follows from the issues.
    pub quality: Option<f64>,
    /// The types of recorded issues that the table of types does not have, by the issue's place.
    pub unlisted: Vec<(usize, String)>,
    /// The criteria that are met.
    pub passed_criteria: Vec<String>,
    /// The criteria that are not met.
    pub failed_criteria: Vec<String>,
    /// The arguments of a valid call, cleaned of what its contract drops.
    pub sanitized: Option<Box<serde_json::Value>>,
}

impl Verdict {
    /// The name of an issue's type: its own, where only the recording knows it.
    #[must_use]
    pub fn type_of(&self, issue: usize) -> &str {
        let own = self.unlisted.iter().find(|(place, _)| *place == issue);
        own.map_or_else(|| self.issues[issue].kind.name(), |(_, name)| name)
    }
}

/// What a reply is before any rulebook looks at it: what a verdict can be reached from again, together
/// with the facts, without the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ground {
    /// An error that has a text or a code.
    Error,
    /// An error that has neither.
    SilentError,
    /// A result with content.
    Content,
    /// A result without content.
    NoContent,
    /// A result whose content is empty or no array.
    EmptyContent,
    /// A result that is not even an object.
    Malformed,
    /// No reply to a call.
    NoReply,
    /// An exchange of another kind than a tool call.
    Document,
}

impl Ground {
    /// All grounds, in the order in which tables show them.
    pub const ALL: [Self; 8] = [
        Self::Error,
        Self::SilentError,
        Self::Content,
        Self::NoContent,
        Self::EmptyContent,
        Self::Malformed,
        Self::NoReply,
        Self::Document,
    ];

    /// The name used in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::SilentError => "silent_error",
            Self::Content => "content",
            Self::NoContent => "no_content",
            Self::EmptyContent => "empty_content",
            Self::Malformed => "malformed",
            Self::NoReply => "no_reply",
            Self::Document => "document",
        }
    }
}

/// The answer to "is this error business logic?" and all that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// True: the tool works and refused; false: the tool failed. `None` where the question does not
    /// arise (facts may still have been observed, to look for a hidden failure).
    pub business_logic: Option<bool>,
    /// Weighted share of the factors present.
    pub score: f64,
    /// The threshold that applied; `None` where a decision line answered outright.
    pub threshold: Option<f64>,
    /// The decision line that answered, as an index into the rulebook's.
    pub decision: Option<u16>,
    /// The facts that hold.
    pub facts: FactSet,
    /// Every list entry and regex that hit.
    pub hits: Vec<Hit>,
}

/// A set of facts, by their index in the rulebook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FactSet(pub u128);

impl FactSet {
    /// How many facts a rulebook may have.
    pub const CAPACITY: usize = 128;

    /// Whether a fact holds.
    #[must_use]
    pub fn has(self, fact: usize) -> bool {
        self.0 >> fact & 1 == 1
    }

    /// Notes that a fact holds.
    pub fn insert(&mut self, fact: usize) {
        self.0 |= 1 << fact;
    }

    /// Notes that a fact does not hold.
    pub fn remove(&mut self, fact: usize) {
        self.0 &= !(1 << fact);
    }
}

/// A place where a pattern of the rulebook matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The pattern, as an index into the rulebook's patterns.
    pub pattern: u16,
    /// First byte of the match in the text that was looked at.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
}
