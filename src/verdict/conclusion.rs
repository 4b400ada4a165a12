//! What a rulebook concludes from what was observed.

use super::{ErrorIn, Fate, Ground, IssueType, Outcome, SchemaOutcome, Severity, SignalSet};
use serde::Serialize;

/// All that a rulebook concludes from: no reply is needed to conclude from it again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    pub ground: Ground,
    pub fate: Fate,
    /// What the tool's output schema says, where there is one.
    pub schema: Option<SchemaOutcome>,
    pub signals: Signals,
    pub errors: ErrorIn,
    /// The confidence that a recorded result states of itself, 0 to 100.
    pub stated: Option<f64>,
}

/// The signals that hold, by the texts that were judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signals {
    /// At most one text was judged.
    Of(SignalSet),
    /// Two judged texts of a claimed success: for the rulebook's question and for a hidden failure.
    OfBoth { question: SignalSet, hidden: SignalSet },
    /// The same, where of the second text only the result is kept.
    OfFirst {
        question: SignalSet,
        /// Whether the second says that the reply failed.
        hides_failure: bool,
        /// The kind of error that the second makes, as an index into the rulebook's.
        error_kind: Option<u16>,
    },
}

/// What is said of a call first: it flips where another is said of a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Judgement {
    pub outcome: Outcome,
    /// What the reply says about the tool.
    pub class: Classification,
    pub answer: Answer,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conclusion {
    pub ending: Ending,
    pub judgement: Judgement,
    /// 0 to 100.
    pub confidence: f64,
    /// Whether the reply indicates a working tool.
    pub is_valid: bool,
    /// Whether a reply that claims success would be business logic, were it an error: the answer to the
    /// question of a rulebook that asks it of every reply.
    pub success_answer: Option<bool>,
    /// What led to the answer to "business logic?", where that was asked.
    pub weighing: Option<Weighing>,
    /// How sure the answer is, where the rulebook says so.
    pub certainty: Option<Certainty>,
    /// The kind of error, as an index into the rulebook's.
    pub error_kind: Option<u16>,
    /// Who must act, as its kind says.
    pub who: Option<Who>,
    pub ending_issue: Option<Raised>,
    /// The issue about a reply that reports a failure or a refusal without `isError`.
    pub flag_issue: Option<Raised>,
    /// The issue about elements of the content that are no content blocks.
    pub content_issue: Option<Raised>,
    /// The issue about the output schema itself.
    pub schema_issue: Option<Raised>,
}

/// What led to the answer to "business logic?".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighing {
    /// Weighted share of the factors present.
    pub score: f64,
    /// The threshold: of the line that answered, or, where that line answered outright, of the first
    /// line after it that applies and sets one.
    pub threshold: Option<f64>,
    /// The decision line that answered, as an index into the rulebook's.
    pub line: Option<u16>,
}

/// The probability that an answer is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certainty {
    /// The rulebook's line that says so, as an index into its lines of certainty.
    pub line: u16,
    /// 0 to 1.
    pub value: f64,
}

impl Certainty {
    /// A verdict that is less sure is doubtful: of five such verdicts one or more are wrong.
    pub const DOUBTFUL: f64 = 0.8;

    pub fn words(value: f64) -> String {
        format!("about {:.0} in 100 like this are right", value * 100.0)
    }
}

/// An issue before it is worded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised {
    pub severity: Severity,
    pub kind: IssueType,
}

impl Observed {
    /// What was observed of a settled call in which no check found an error.
    pub fn new(ground: Ground, signals: Signals) -> Self {
        let (fate, errors) = (Fate::Settled, ErrorIn::Nothing);
        Self { ground, fate, schema: None, signals, errors, stated: None }
    }
}

impl Signals {
    /// The signals of the text that the question is put to.
    pub fn of_question(self) -> SignalSet {
        match self {
            Self::Of(signals)
            | Self::OfBoth { question: signals, .. }
            | Self::OfFirst { question: signals, .. } => signals,
        }
    }
}

impl Conclusion {
    /// The answer to "business logic?" of whatever it was asked; `None` where it was not.
    pub fn business_logic(&self) -> Option<bool> {
        self.judgement.answer.business_logic().or(self.success_answer)
    }

    /// Whether a reply that claims success says that it failed; `None` where this was not asked.
    pub fn hidden_failure(&self) -> Option<bool> {
        self.judgement.answer.hidden_failure()
    }

    /// The issues that are raised before any check is made.
    pub fn raised(&self) -> impl Iterator<Item = Raised> {
        let first = self.ending_issue.into_iter().chain(self.flag_issue);
        first.chain(self.content_issue).chain(self.schema_issue)
    }
}

named! {
    /// What a reply says about its tool.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Classification {
        /// Responds properly.
        FullyWorking = "fully_working",
        /// Responds, but with issues.
        PartiallyWorking = "partially_working",
        /// Can be reached, but does not work.
        ConnectivityOnly = "connectivity_only",
        /// Returned an error that says the tool failed.
        Error = "error",
        /// Does not respond.
        Broken = "broken",
    }
}

impl Classification {
    /// Whether most replies of the class come from a tool that works.
    pub fn is_mostly_valid(self) -> bool {
        matches!(self, Self::FullyWorking | Self::PartiallyWorking)
    }
}

named! {
    /// Who must act, so that calls like this one work.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Who {
        /// Whoever runs the server: its credentials, quotas and set-up.
        Operator = "operator",
        /// Whoever calls it.
        Caller = "caller",
        /// Whoever wrote it.
        Server = "server",
        /// Whoever runs what the server depends on.
        Upstream = "upstream",
    }
}

impl Who {
    /// Who that is, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Operator => "you, who run the server",
            Self::Caller => "the caller",
            Self::Server => "the author of the server",
            Self::Upstream => "a service that the server depends on",
        }
    }
}

named! {
    /// Whether the same call is worth another try.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Retry {
        No = "no",
        Later = "later",
        AfterChange = "after_a_change",
    }
}

impl Retry {
    /// Whether to try again, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::No => "the same call will fail again",
            Self::Later => "the same call may work later",
            Self::AfterChange => "the same call may work after a change",
        }
    }
}

named! {
    /// The ways in which a call can end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Ending {
        /// A reply with content that conforms.
        Ok = "ok",
        /// A reply with content that its schema refuses.
        SchemaFailed = "schema_failed",
        /// An error reply, where errors are not judged.
        Responded = "responded",
        /// An error reply judged to be business logic.
        BusinessLogic = "business_logic",
        /// An error reply judged to be a failure of the tool.
        Failure = "failure",
        /// An error reply that says something behind the tool is unreachable.
        Unreachable = "unreachable",
        /// An error reply that says nothing at all, where errors are judged.
        SilentError = "silent_error",
        /// A reply that claims success and says that it failed.
        HiddenFailure = "hidden_failure",
        /// A reply that claims success and says that it refused.
        HiddenRefusal = "hidden_refusal",
        NoContent = "no_content",
        /// A reply whose content is empty or no array.
        EmptyContent = "empty_content",
        /// A reply that is not even an object.
        Malformed = "malformed",
        NoReply = "no_reply",
        /// An exchange of another kind than a tool call, in which no check found an error.
        DocumentAccepted = "document_accepted",
        /// An exchange of another kind than a tool call, in which a check found an error.
        DocumentRefused = "document_refused",
    }
}

named! {
    /// Whether a tool refused, or failed, and whether it said so.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Answer {
        /// Nobody asked, or there is nothing to ask.
        NotAsked = "not_asked",
        /// An error of a tool that works and refused.
        BusinessLogic = "business_logic",
        /// An error of a tool that failed.
        ToolFailure = "tool_failure",
        /// A reply that claims success and says that it failed.
        HiddenFailure = "hidden_failure",
        /// A reply that claims success and says that it refused.
        HiddenRefusal = "hidden_refusal",
        /// A reply that claims success, and in which nothing says otherwise.
        Fine = "fine",
    }
}

impl Answer {
    /// The answers that results list, in this order; `Fine` is listed as `NotAsked`.
    pub const LISTED: [Self; 5] = [
        Self::NotAsked,
        Self::BusinessLogic,
        Self::ToolFailure,
        Self::HiddenFailure,
        Self::HiddenRefusal,
    ];

    /// The listed answer by the two questions, of which the second may be asked of successes too.
    pub fn listed(hidden_failure: Option<bool>, business_logic: Option<bool>) -> Self {
        match (hidden_failure, business_logic) {
            (Some(true), Some(true)) => Self::HiddenRefusal,
            (Some(true), _) => Self::HiddenFailure,
            (_, Some(true)) => Self::BusinessLogic,
            (_, Some(false)) => Self::ToolFailure,
            (_, None) => Self::NotAsked,
        }
    }

    /// The name as people read it.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotAsked => "none",
            Self::BusinessLogic => "business logic",
            Self::ToolFailure => "tool failure",
            Self::HiddenFailure => "hidden failure",
            Self::HiddenRefusal => "hidden refusal",
            Self::Fine => "fine",
        }
    }

    /// Whether an error is business logic; `None` where this was not asked.
    pub fn business_logic(self) -> Option<bool> {
        match self {
            Self::BusinessLogic | Self::HiddenRefusal => Some(true),
            Self::ToolFailure => Some(false),
            Self::NotAsked | Self::Fine | Self::HiddenFailure => None,
        }
    }

    /// Whether a reply that claims success says that it failed or refused; `None` where this was not asked.
    pub fn hidden_failure(self) -> Option<bool> {
        match self {
            Self::HiddenFailure | Self::HiddenRefusal => Some(true),
            Self::Fine => Some(false),
            Self::NotAsked | Self::BusinessLogic | Self::ToolFailure => None,
        }
    }
}
