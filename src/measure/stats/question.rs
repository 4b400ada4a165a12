//! The two questions that labels answer, and so rulebooks are measured by.

use crate::labels::Label;
use crate::recording::{ExchangeKind, ReplyKind};
use crate::rulebook::Observing;
use crate::store::NamedVerdict;

named! {
    /// What is asked of a reply.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Question {
        /// Of an error: did the tool refuse, or did it fail?
        Errors = "errors",
        /// Of a reply that claims success: did the tool fail all the same?
        Successes = "successes",
    }
}

impl Question {
    /// What is asked of a reply with this verdict; `None` of what is no reply to a call.
    pub fn of(verdict: &NamedVerdict) -> Option<Self> {
        match (verdict.kind, verdict.reply) {
            (ExchangeKind::ToolCall, ReplyKind::ToolError | ReplyKind::ProtocolError) => {
                Some(Self::Errors)
            }
            (ExchangeKind::ToolCall, ReplyKind::Result) => Some(Self::Successes),
            (ExchangeKind::ToolCall, ReplyKind::NoReply | ReplyKind::Document)
            | (
                ExchangeKind::Envelope | ExchangeKind::JudgeResult | ExchangeKind::SessionReport,
                _,
            ) => None,
        }
    }

    pub fn failure(self) -> Label {
        match self {
            Self::Errors => Label::ToolFailure,
            Self::Successes => Label::HiddenFailure,
        }
    }

    /// The label of what is none.
    pub fn fine(self) -> Label {
        match self {
            Self::Errors => Label::BusinessLogic,
            Self::Successes => Label::Ok,
        }
    }

    pub fn labels(self) -> [Label; 2] {
        [self.fine(), self.failure()]
    }

    pub(super) fn observing(self) -> Observing {
        match self {
            Self::Errors => Observing::Errors,
            Self::Successes => Observing::Successes,
        }
    }
}
