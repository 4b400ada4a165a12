//! What became of a call, in one word.

use super::{Answer, Fate, Ground, Issue, SchemaOutcome, Severity, Side};

named! {
    /// What became of a call: one of the same six words under every rulebook, which decides which of them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Outcome {
        /// A host or a person refused the call before the server saw it.
        NotSent = "not_sent",
        /// The recording does not tell.
        Unknown = "unknown",
        /// The tool failed, openly or not, or did not answer.
        Failed = "failed",
        /// The reply is not what it must be.
        Invalid = "invalid",
        /// The tool works and refused, for a reason.
        Refused = "refused",
        /// The tool did what it was asked.
        Worked = "worked",
    }
}

/// Where checks found an error. The reply counts before all else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorIn {
    #[default]
    Nothing,
    /// In the call or its session, and not in the reply.
    Other,
    Reply,
}

impl ErrorIn {
    pub fn of(issues: &[Issue]) -> Self {
        let errors = issues.iter().filter(|issue| issue.severity == Severity::Error);
        Self::sides(errors.map(|issue| issue.side))
    }

    pub fn sides(sides: impl Iterator<Item = Side>) -> Self {
        sides.fold(Self::Nothing, |found, side| match (found, side) {
            (Self::Reply, _) | (_, Side::Reply) => Self::Reply,
            (Self::Nothing | Self::Other, Side::Caller | Side::Session) => Self::Other,
        })
    }
}

impl Outcome {
    /// Whether it says anything of the server. What does not enters no share.
    pub fn tells(self) -> bool {
        !matches!(self, Self::NotSent | Self::Unknown)
    }

    /// Whether the call did not do what the server is there for.
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::Invalid)
    }

    /// What it means, for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NotSent => "A host or a person refused the call; the server never saw it.",
            Self::Unknown => "The recording does not show how the call ended.",
            Self::Failed => "The tool failed, or gave no answer.",
            Self::Invalid => "The reply is malformed or breaks its schema or contract.",
            Self::Refused => "The tool works, and refused the request for a reason.",
            Self::Worked => "The tool did what it was asked.",
        }
    }

    /// How far a call got of which this became, as far as that tells.
    pub fn fate(self) -> Fate {
        match self {
            Self::NotSent => Fate::NotSent,
            Self::Unknown => Fate::NotRecorded,
            Self::Failed | Self::Invalid | Self::Refused | Self::Worked => Fate::Settled,
        }
    }

    /// The first outcome that holds.
    pub fn of(
        fate: Fate,
        ground: Ground,
        answer: Answer,
        schema: Option<SchemaOutcome>,
        errors: ErrorIn,
    ) -> Self {
        let refused = if errors == ErrorIn::Reply { Self::Invalid } else { Self::Refused };
        if fate == Fate::NotSent {
            return Self::NotSent;
        } else if fate.is_unknown() {
            return Self::Unknown;
        }
        match (ground, answer) {
            (Ground::Error, _) if answer.business_logic() == Some(true) => refused,
            (Ground::NoReply | Ground::SilentError | Ground::Error, _)
            | (Ground::Content | Ground::MalformedContent, Answer::HiddenFailure) => Self::Failed,
            (Ground::Content | Ground::MalformedContent, Answer::HiddenRefusal) => refused,
            (
                Ground::Malformed
                | Ground::NoContent
                | Ground::EmptyContent
                | Ground::StructuredContent
                | Ground::NoArray
                | Ground::MalformedContent,
                _,
            ) => Self::Invalid,
            (Ground::Content, _)
                if errors == ErrorIn::Reply || schema.is_some_and(SchemaOutcome::is_refusal) =>
            {
                Self::Invalid
            }
            (Ground::Document, _) if errors != ErrorIn::Nothing => Self::Invalid,
            (Ground::Content | Ground::Document, _) => Self::Worked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(ground: Ground, answer: Answer, errors: ErrorIn) -> Outcome {
        Outcome::of(Fate::Settled, ground, answer, None, errors)
    }

    #[test]
    fn the_first_that_holds_is_the_outcome() {
        use Outcome::{Failed, Invalid, NotSent, Refused, Unknown, Worked};
        let (nothing, caller, reply) = (ErrorIn::Nothing, ErrorIn::Other, ErrorIn::Reply);
        for (ground, answer, outcomes) in [
            (Ground::Error, Answer::ToolFailure, [Failed, Failed, Failed]),
            (Ground::Error, Answer::BusinessLogic, [Refused, Refused, Invalid]),
            (Ground::SilentError, Answer::BusinessLogic, [Failed, Failed, Failed]),
            (Ground::NoReply, Answer::NotAsked, [Failed, Failed, Failed]),
            (Ground::Content, Answer::HiddenFailure, [Failed, Failed, Failed]),
            (Ground::Content, Answer::HiddenRefusal, [Refused, Refused, Invalid]),
            (Ground::Content, Answer::NotAsked, [Worked, Worked, Invalid]),
            (Ground::Content, Answer::Fine, [Worked, Worked, Invalid]),
            (Ground::MalformedContent, Answer::HiddenFailure, [Failed, Failed, Failed]),
            (Ground::MalformedContent, Answer::Fine, [Invalid, Invalid, Invalid]),
            (Ground::NoContent, Answer::NotAsked, [Invalid, Invalid, Invalid]),
            (Ground::EmptyContent, Answer::NotAsked, [Invalid, Invalid, Invalid]),
            (Ground::Malformed, Answer::NotAsked, [Invalid, Invalid, Invalid]),
            (Ground::Document, Answer::NotAsked, [Worked, Invalid, Invalid]),
        ] {
            let found = [nothing, caller, reply].map(|errors| outcome(ground, answer, errors));
            assert_eq!(found, outcomes, "{ground:?} {answer:?}");
            let of = |fate| Outcome::of(fate, ground, answer, None, reply);
            assert_eq!(of(Fate::NotSent), NotSent);
            for fate in [Fate::NotRecorded, Fate::Cancelled, Fate::TimedOut, Fate::Waiting] {
                assert_eq!(of(fate), Unknown);
            }
        }
        for (schema, expected) in [
            (SchemaOutcome::Valid, Worked),
            (SchemaOutcome::Invalid, Invalid),
            (SchemaOutcome::NoJson, Invalid),
            (SchemaOutcome::Uncompilable, Worked),
            (SchemaOutcome::Undecided, Worked),
        ] {
            let (fate, ground) = (Fate::Settled, Ground::Content);
            let found = Outcome::of(fate, ground, Answer::Fine, Some(schema), nothing);
            assert_eq!(found, expected, "{schema:?}");
        }
    }

    #[test]
    fn an_error_in_the_reply_counts_before_others() {
        let of = |sides: &[Side]| ErrorIn::sides(sides.iter().copied());
        assert_eq!(of(&[]), ErrorIn::Nothing);
        assert_eq!(of(&[Side::Caller, Side::Session]), ErrorIn::Other);
        assert_eq!(of(&[Side::Caller, Side::Reply, Side::Caller]), ErrorIn::Reply);
    }
}
