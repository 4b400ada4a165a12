//! From facts and what a reply is to how the call ended: what the judge asks while it reads, and
//! what anybody asks later who has the facts and not the reply.

use super::{Confidence, Decided, IssueWording, Observing, Question, Rulebook};
use crate::verdict::{Ending, FactSet, Ground, Issue, IssueType, SchemaOutcome};

impl Rulebook {
    /// How a call with an error reply ended, given the answer to "business logic?".
    #[must_use]
    pub fn end_of_error(&self, says: Says, business_logic: bool, facts: FactSet) -> Ending {
        let unreachable =
            self.errors.unreachable.as_ref().is_some_and(|condition| condition.holds(facts));
        match (says, business_logic) {
            _ if !self.errors.judged => Ending::Responded,
            (Says::Nothing, _) => Ending::SilentError,
            (Says::Something, true) => Ending::BusinessLogic,
            (Says::Something, false) if unreachable => Ending::Unreachable,
            (Says::Something, false) => Ending::Failure,
        }
    }

    /// Whether a reply that claims success says that it failed; `None` where nobody asks.
    #[must_use]
    pub fn hides_failure(&self, facts: FactSet) -> Option<bool> {
        self.hidden_failure.as_ref().map(|condition| condition.holds(facts))
    }

    /// How a call with a reply that has content ended.
    #[must_use]
    pub fn end_of_content(&self, hidden: bool, schema: Option<SchemaOutcome>) -> Ending {
        match schema {
            _ if hidden => Ending::HiddenFailure,
            Some(SchemaOutcome::Invalid | SchemaOutcome::NoJson) => Ending::SchemaFailed,
            None
            | Some(SchemaOutcome::Valid | SchemaOutcome::Uncompilable | SchemaOutcome::Undecided) => {
                Ending::Ok
            }
        }
    }

    /// The first kind of error that these facts make, as an index into the rulebook's.
    #[must_use]
    pub fn error_kind(&self, facts: FactSet) -> Option<u16> {
        let at = self.error_kinds.iter().position(|kind| kind.condition.holds(facts))?;
        u16::try_from(at).ok()
    }

    /// The confidence of a way of ending, 0 to 100.
    #[must_use]
    pub fn confidence(&self, outcome: Ending, score: f64) -> f64 {
        match self.meaning(outcome).confidence {
            Confidence::Fixed(confidence) => confidence,
            Confidence::Score => score * 100.0,
        }
    }
}

/// How a call ended, and what led there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruling {
    /// How it ended.
    pub kind: Ending,
    /// The answer to "business logic?", where that was asked.
    pub decided: Option<Decided>,
    /// Whether a reply that claims success says that it failed; `None` where nobody asks.
    pub hidden_failure: Option<bool>,
    /// The kind of error, as an index into the rulebook's.
    pub error_kind: Option<u16>,
}

impl Rulebook {
    /// For which kind of reply facts are observed on what is there to be judged; `None` where nothing is
    /// looked for.
    #[must_use]
    pub fn observes(&self, ground: Ground) -> Option<Observing> {
        let of_every_reply = match self.errors.question {
            Question::Errors => false,
            Question::All => true,
        };
        let is_observed = match ground {
            Ground::Error | Ground::SilentError => return Some(Observing::Errors),
            Ground::Content => of_every_reply || self.hidden_failure.is_some(),
            Ground::NoContent | Ground::EmptyContent => of_every_reply,
            Ground::Malformed | Ground::NoReply | Ground::Document => false,
        };
        is_observed.then_some(Observing::Successes)
    }

    /// Whether two texts of such a reply are judged, one for the question and one for a hidden failure:
    /// the facts that are kept are those of the first.
    pub(crate) fn judges_two_texts(&self, ground: Ground) -> bool {
        ground == Ground::Content
            && self.hidden_failure.is_some()
            && self.errors.question == Question::All
    }

    /// How a call ended by what was observed of it. `None` where the facts that are kept do not tell
    /// whether a failure is hidden, since they are those of another text.
    #[must_use]
    pub fn rule(
        &self,
        ground: Ground,
        facts: FactSet,
        schema: Option<SchemaOutcome>,
    ) -> Option<Ruling> {
        if self.judges_two_texts(ground) {
            return None;
        }
        let asks_success = self.errors.question == Question::All
            && self.observes(ground) == Some(Observing::Successes);
        let decided = asks_success.then(|| self.decide(facts));
        let plain = |kind| Ruling { kind, decided, hidden_failure: None, error_kind: None };
        if let Some(kind) = Ending::of_ground(ground) {
            return Some(plain(kind));
        }
        let says = match ground {
            Ground::SilentError => Says::Nothing,
            Ground::Error => Says::Something,
            Ground::Content
            | Ground::NoContent
            | Ground::EmptyContent
            | Ground::Malformed
            | Ground::NoReply
            | Ground::Document => {
                let hidden_failure = self.hides_failure(facts);
                let hidden = hidden_failure == Some(true);
                let error_kind = if hidden { self.error_kind(facts) } else { None };
                let kind = self.end_of_content(hidden, schema);
                return Some(Ruling { hidden_failure, error_kind, ..plain(kind) });
            }
        };
        let decided = self.decide(facts);
        let kind = self.end_of_error(says, decided.business_logic, facts);
        let error_kind = self.error_kind(facts);
        Some(Ruling { decided: Some(decided), error_kind, ..plain(kind) })
    }
}

impl IssueWording {
    /// The issue, given what it quotes.
    #[must_use]
    pub fn issue(&self, error: &str) -> Issue {
        Issue {
            severity: self.severity,
            kind: self.kind,
            message: Issue::cut(self.message.replace("{error}", error.trim())),
            location: None,
            suggestion: self.suggestion.clone(),
        }
    }
}

/// The type of the issue about a reply that its schema refuses.
#[must_use]
pub fn refusal_kind(kind: IssueType, schema: Option<SchemaOutcome>) -> IssueType {
    match schema {
        Some(SchemaOutcome::NoJson) => IssueType::NoStructuredOutput,
        _ => kind,
    }
}

/// Where a refused value is, in words where it is the whole.
#[must_use]
pub fn root_of(pointer: Option<String>) -> Option<String> {
    pointer.map(|pointer| if pointer.is_empty() { "root".to_owned() } else { pointer })
}

/// Whether an error says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// It has a text or a code.
    Something,
    /// It has neither.
    Nothing,
}

impl Ending {
    /// The way of ending that needs no facts; `None` where they have a say.
    #[must_use]
    pub fn of_ground(ground: Ground) -> Option<Self> {
        match ground {
            Ground::Error | Ground::SilentError | Ground::Content => None,
            Ground::NoContent => Some(Self::NoContent),
            Ground::EmptyContent => Some(Self::EmptyContent),
            Ground::Malformed => Some(Self::Malformed),
            Ground::NoReply => Some(Self::NoReply),
            Ground::Document => Some(Self::DocumentAccepted),
        }
    }
}
