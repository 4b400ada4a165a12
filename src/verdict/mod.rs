//! All that is said of one exchange.

mod category;
mod conclusion;
mod issue;
mod outcome;
mod printable;

pub use crate::recording::Fate;
pub use category::Category;
pub use conclusion::{
    Answer, Certainty, Classification, Conclusion, Ending, Judgement, Observed, Raised, Retry,
    Signals, Weighing, Who,
};
pub use issue::{Issue, IssueOrigin, IssueType, OwnType, SessionIssue, Severities, Severity, Side};
pub use outcome::{ErrorIn, Outcome};
pub use printable::{
    Lines, counted, cut, grouped, harmless, harmless_json, harmless_lines, is_printable,
    is_steering, push_count, said, typed,
};

use smallvec::SmallVec;
use std::borrow::Cow;

/// What a rulebook says of one exchange.
///
/// Signals, patterns and decision lines are numbers into the rulebook that judged, and evidence is
/// worked out when somebody asks, so that a verdict costs next to nothing until it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub ground: Ground,
    pub fate: Fate,
    /// Whether the reply is an error (`isError` or a JSON-RPC error).
    pub is_error: IsError,
    /// Whether the text of the reply was a result itself, and that was judged.
    pub is_unwrapped: bool,
    pub conclusion: Conclusion,
    /// What was found, where anything was looked for.
    pub observation: Option<Observation>,
    /// What was found in the text that is searched for a hidden failure, where the rulebook's question is
    /// put to another text of the same reply.
    pub hidden_observation: Option<Box<Observation>>,
    pub issues: Vec<Issue>,
    pub metadata: Option<ResponseMetadata>,
    pub checks: CheckResults,
    /// 0 to 1, where a recorded result says so of itself; else it follows from the issues.
    pub quality: Option<f64>,
    /// Which of the issues the recording itself reports, in their order.
    pub reported: Vec<ReportedIssue>,
    pub passed_criteria: Vec<String>,
    pub failed_criteria: Vec<String>,
    /// The names of the call's arguments, where it has issues.
    pub parameter_keys: Option<Vec<String>>,
    /// The arguments of a valid call, cleaned of what its contract drops.
    pub sanitized: Option<Box<serde_json::Value>>,
}

/// An issue that a recorded judge or session report tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedIssue {
    /// Its place among the issues of the verdict.
    pub place: usize,
    /// Its type, where the table of types does not have it.
    pub name: Option<String>,
    pub category: &'static Category,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IsError {
    Yes,
    /// It does not say so, which is how success is told.
    No,
    NotRecorded,
}

impl IsError {
    pub fn recorded(flag: bool) -> Self {
        if flag { Self::Yes } else { Self::No }
    }

    /// Whether it is one, where the recording says.
    pub fn flag(self) -> Option<bool> {
        match self {
            Self::Yes => Some(true),
            Self::No => Some(false),
            Self::NotRecorded => None,
        }
    }

    pub fn is_yes(self) -> bool {
        self == Self::Yes
    }
}

impl Verdict {
    /// All that the conclusion follows from.
    pub fn observed(&self) -> Observed {
        let signals = |observation: &Observation| observation.signals;
        let question = self.observation.as_ref().map(signals).unwrap_or_default();
        let own = self.conclusion.raised().count();
        Observed {
            ground: self.ground,
            fate: self.fate,
            schema: self.schema(),
            signals: match &self.hidden_observation {
                None => Signals::Of(question),
                Some(hidden) => Signals::OfBoth { question, hidden: hidden.signals },
            },
            errors: ErrorIn::of(&self.issues[own..]),
            stated: self.quality.map(|_| self.conclusion.confidence),
        }
    }

    /// What the tool's output schema says of the reply, where there is one.
    pub fn schema(&self) -> Option<SchemaOutcome> {
        self.metadata.as_ref()?.output_schema.as_ref().map(|schema| schema.outcome)
    }

    /// The name of an issue's type: its own, where only the recording knows it.
    pub fn type_of(&self, issue: usize) -> &str {
        let own = self.reported(issue).and_then(|reported| reported.name.as_deref());
        own.unwrap_or_else(|| self.issues[issue].kind.name())
    }

    /// What a recorded judge or session report says of an issue that it tells.
    pub fn reported(&self, issue: usize) -> Option<&ReportedIssue> {
        let found = self.reported.binary_search_by_key(&issue, |reported| reported.place);
        found.ok().map(|at| &self.reported[at])
    }
}

named! {
    /// What a reply is before any rulebook looks at it: what a verdict can be reached from again, together
    /// with the signals, without the reply.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Ground {
        /// An error that has a text or a code.
        Error = "error",
        /// An error that has neither.
        SilentError = "silent_error",
        Content = "content",
        NoContent = "no_content",
        /// A result whose content is an empty array.
        EmptyContent = "empty_content",
        /// The same beside structured content.
        StructuredContent = "structured_content",
        /// A result whose content is no array.
        NoArray = "no_array",
        /// A result whose content has an element that is no content block.
        MalformedContent = "malformed_content",
        /// A result that is not even an object.
        Malformed = "malformed",
        NoReply = "no_reply",
        /// An exchange of another kind than a tool call.
        Document = "document",
    }
}

impl Ground {
    /// Whether it is a success with content, however well made.
    pub fn has_content(self) -> bool {
        matches!(self, Self::Content | Self::MalformedContent)
    }

    /// Whether it claims success; `None` where it claims nothing.
    pub fn claims_success(self) -> Option<bool> {
        match self {
            Self::Content
            | Self::NoContent
            | Self::EmptyContent
            | Self::StructuredContent
            | Self::NoArray
            | Self::MalformedContent => Some(true),
            Self::Error | Self::SilentError => Some(false),
            Self::Malformed | Self::NoReply | Self::Document => None,
        }
    }

    /// Whether there is nothing to judge by.
    pub fn is_bare(self) -> bool {
        matches!(
            self,
            Self::SilentError
                | Self::NoContent
                | Self::EmptyContent
                | Self::NoArray
                | Self::Malformed
        )
    }

    /// Whether it is judged as an error.
    pub fn is_error(self) -> bool {
        self.claims_success() == Some(false)
    }
}

named! {
    /// The checks beside the response validation, in the order in which they are made.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum CheckKind {
        Envelope = "envelope",
        JudgeResult = "judge_result",
        SessionReport = "session_report",
        Contract = "contract",
        Facts = "facts",
        /// Criteria of rulebooks, contracts and files.
        Criteria = "criteria",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckResult {
    Passed,
    /// It found at least one error.
    Failed,
    NotApplied(NotApplied),
}

/// Why a check was not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotApplied {
    /// The exchange is of another kind, or holds nothing of the kind.
    OtherKind,
    /// No contract, no facts or no criteria apply to it.
    NothingGiven,
    /// The reply is an error, of which this is not asked.
    ErrorReply,
    /// There is no JSON object to look at.
    NoObject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckResults(pub [CheckResult; CheckKind::ALL.len()]);

impl CheckResults {
    pub fn made(&self) -> impl Iterator<Item = CheckKind> + '_ {
        let results = CheckKind::ALL.into_iter().zip(&self.0);
        results.filter_map(|(check, result)| match result {
            CheckResult::Passed | CheckResult::Failed => Some(check),
            CheckResult::NotApplied(_) => None,
        })
    }
}

/// What was extracted from a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseMetadata {
    /// The types of the content blocks, in first-seen order.
    pub content_types: SmallVec<[Cow<'static, str>; 2]>,
    /// How many blocks there are of each counted kind, as the rulebook lists them.
    pub counts: SmallVec<[u32; 6]>,
    pub has_structured_content: bool,
    pub has_meta: bool,
    /// What the tool's output schema says, where the tool has one.
    pub output_schema: Option<OutputSchemaValidation>,
}

/// What a tool's output schema says of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputSchemaValidation {
    pub outcome: SchemaOutcome,
    /// The first thing wrong, in words.
    pub error: Option<String>,
    /// JSON pointer to the offending value.
    pub pointer: Option<String>,
    /// The keyword of the schema that is not met, such as `required`, where it is known.
    pub keyword: Option<Box<str>>,
    /// Hash of the schema's canonical text.
    pub key: u128,
}

named! {
    /// How holding a reply against its tool's schema ended.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SchemaOutcome {
        Valid = "valid",
        /// The reply does not conform.
        Invalid = "invalid",
        /// The reply holds no JSON to validate.
        NoJson = "no_json",
        /// The schema cannot be used.
        Uncompilable = "uncompilable",
        /// The schema could not be evaluated within its bounds.
        Undecided = "undecided",
    }
}

impl SchemaOutcome {
    /// Whether the reply is refused.
    pub fn is_refusal(self) -> bool {
        matches!(self, Self::Invalid | Self::NoJson)
    }
}

/// What was found in the texts of an exchange.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    pub signals: SignalSet,
    /// The first place of every pattern that matched, in the rulebook's order of patterns.
    pub hits: Vec<Hit>,
    /// Whether other patterns hit since words of the call were left out of the text that was searched.
    pub hits_left_out: bool,
}

impl Observation {
    /// The patterns that matched, in order: rows list them, and marks in texts go by their places in the list.
    pub fn patterns(&self) -> SmallVec<[u16; 16]> {
        let mut patterns: SmallVec<[u16; 16]> = self.hits.iter().map(|hit| hit.pattern).collect();
        patterns.sort_unstable();
        patterns.dedup();
        patterns
    }
}

/// A set of signals, by their index in the rulebook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SignalSet(pub u128);

impl SignalSet {
    /// How many signals a rulebook may have.
    pub const CAPACITY: usize = 128;

    pub fn has(self, signal: usize) -> bool {
        self.0 >> signal & 1 == 1
    }

    pub fn insert(&mut self, signal: usize) {
        self.0 |= 1 << signal;
    }

    pub fn remove(&mut self, signal: usize) {
        self.0 &= !(1 << signal);
    }
}

/// A place where a pattern of the rulebook matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The pattern, as an index into the rulebook's patterns.
    pub pattern: u16,
    /// The text that it matched in.
    pub field: Field,
    /// First byte of the match in that text.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
    /// What it quotes from the arguments of the call, where it has to quote something.
    pub call: Option<ByteSpan>,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ByteSpan {
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

named! {
    /// Where in an exchange a pattern is looked for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Field {
        /// The judged text of the reply.
        Text = "text",
        Tool = "tool",
        /// The arguments, as recorded.
        Input = "input",
        Scenario = "scenario",
        /// The code of a JSON-RPC error, or of the failure that the `_meta` of an error result states.
        Code = "code",
    }
}

impl Field {
    /// Where the pattern of this name is looked for: those of the text are named without a field.
    pub fn of_pattern(name: &str) -> Self {
        let mut fields = Self::ALL.into_iter();
        let is_before = |field: &Self| {
            name.strip_prefix(field.name()).is_some_and(|rest| rest.starts_with(':'))
        };
        fields.find(is_before).unwrap_or(Self::Text)
    }
}
