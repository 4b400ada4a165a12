//! From facts and what a reply is to how the call ended: what the judge asks while it reads, and
//! what anybody asks later who has the facts and not the reply.

use super::{Confidence, OutcomeKind, Rulebook};
use crate::verdict::{FactSet, Ground, SchemaOutcome};

impl Rulebook {
    /// How a call with an error reply ended, given the answer to "business logic?".
    #[must_use]
    pub fn end_of_error(&self, says: Says, business_logic: bool, facts: FactSet) -> OutcomeKind {
        let unreachable =
            self.errors.unreachable.as_ref().is_some_and(|condition| condition.holds(facts));
        match (says, business_logic) {
            _ if !self.errors.judged => OutcomeKind::Responded,
            (Says::Nothing, _) => OutcomeKind::SilentError,
            (Says::Something, true) => OutcomeKind::BusinessLogic,
            (Says::Something, false) if unreachable => OutcomeKind::Unreachable,
            (Says::Something, false) => OutcomeKind::Failure,
        }
    }

    /// Whether a reply that claims success says that it failed; `None` where nobody asks.
    #[must_use]
    pub fn hides_failure(&self, facts: FactSet) -> Option<bool> {
        self.hidden_failure.as_ref().map(|condition| condition.holds(facts))
    }

    /// How a call with a reply that has content ended.
    #[must_use]
    pub fn end_of_content(&self, hidden: bool, schema: Option<SchemaOutcome>) -> OutcomeKind {
        match schema {
            _ if hidden => OutcomeKind::HiddenFailure,
            Some(SchemaOutcome::Invalid | SchemaOutcome::NoJson) => OutcomeKind::SchemaFailed,
            None
            | Some(SchemaOutcome::Valid | SchemaOutcome::Uncompilable | SchemaOutcome::Undecided) => {
                OutcomeKind::Ok
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
    pub fn confidence(&self, outcome: OutcomeKind, score: f64) -> f64 {
        match self.outcome(outcome).confidence {
            Confidence::Fixed(confidence) => confidence,
            Confidence::Score => score * 100.0,
        }
    }
}

/// Whether an error says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// It has a text or a code.
    Something,
    /// It has neither.
    Nothing,
}

impl OutcomeKind {
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
