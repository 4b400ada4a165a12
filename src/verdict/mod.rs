//! All that is said of one exchange.

mod answer;
mod category;
mod checks;
mod classification;
mod conclusion;
mod ending;
mod harmless;
mod issue;
mod metadata;
mod observation;
mod outcome;
mod own_type;

pub use crate::recording::Fate;
pub use answer::Answer;
pub use category::Category;
pub use checks::{CheckKind, CheckResult, CheckResults, NotApplied};
pub use classification::Classification;
pub use conclusion::{Certainty, Conclusion, Observed, Raised, Signals, Weighing};
pub use ending::Ending;
pub use harmless::{
    Lines, counted, cut, grouped, harmless, harmless_json, harmless_lines, is_printable,
    is_steering, push_count, typed,
};
pub use issue::{Issue, IssueOrigin, IssueType, SessionIssue, Severities, Severity, Side};
pub use metadata::{OutputSchemaValidation, ResponseMetadata, SchemaOutcome};
pub use observation::{Field, Hit, Observation, Place, SignalSet};
pub use outcome::{ErrorIn, Outcome};
pub use own_type::OwnType;

/// What a rulebook says of one exchange.
///
/// Signals, patterns and decision lines are numbers into the rulebook that judged, and evidence is
/// worked out when somebody asks, so that a verdict costs next to nothing until it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What was there to be judged.
    pub ground: Ground,
    /// How far the call got.
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
    /// What the reply consists of.
    pub metadata: Option<ResponseMetadata>,
    /// What the checks came to.
    pub checks: CheckResults,
    /// 0 to 1, where a recorded result says so of itself; else it follows from the issues.
    pub quality: Option<f64>,
    /// Which of the issues the recording itself reports, in their order.
    pub reported: Vec<ReportedIssue>,
    /// The criteria that are met.
    pub passed_criteria: Vec<String>,
    /// The criteria that are not met.
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
    #[must_use]
    pub fn recorded(flag: bool) -> Self {
        if flag { Self::Yes } else { Self::No }
    }

    /// Whether it is one, where the recording says.
    #[must_use]
    pub fn flag(self) -> Option<bool> {
        match self {
            Self::Yes => Some(true),
            Self::No => Some(false),
            Self::NotRecorded => None,
        }
    }

    #[must_use]
    pub fn is_yes(self) -> bool {
        self == Self::Yes
    }
}

impl Verdict {
    /// All that the conclusion follows from.
    #[must_use]
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
    #[must_use]
    pub fn schema(&self) -> Option<SchemaOutcome> {
        self.metadata.as_ref()?.output_schema.as_ref().map(|schema| schema.outcome)
    }

    /// The name of an issue's type: its own, where only the recording knows it.
    #[must_use]
    pub fn type_of(&self, issue: usize) -> &str {
        let own = self.reported(issue).and_then(|reported| reported.name.as_deref());
        own.unwrap_or_else(|| self.issues[issue].kind.name())
    }

    /// What a recorded judge or session report says of an issue that it tells.
    #[must_use]
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
    #[must_use]
    pub fn has_content(self) -> bool {
        match self {
            Self::Content | Self::MalformedContent => true,
            Self::Error
            | Self::SilentError
            | Self::NoContent
            | Self::EmptyContent
            | Self::StructuredContent
            | Self::NoArray
            | Self::Malformed
            | Self::NoReply
            | Self::Document => false,
        }
    }

    /// Whether it claims success; `None` where it claims nothing.
    #[must_use]
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
    #[must_use]
    pub fn is_bare(self) -> bool {
        match self {
            Self::SilentError
            | Self::NoContent
            | Self::EmptyContent
            | Self::NoArray
            | Self::Malformed => true,
            Self::Error
            | Self::Content
            | Self::StructuredContent
            | Self::MalformedContent
            | Self::NoReply
            | Self::Document => false,
        }
    }

    /// Whether it is judged as an error.
    #[must_use]
    pub fn is_error(self) -> bool {
        self.claims_success() == Some(false)
    }
}
