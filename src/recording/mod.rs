//! What a recording says: exchanges, replies, tools and where each of them stands. Plain data.

mod fate;
mod key;
mod kind;
mod origin;
mod paths;
mod reply;
mod session;
mod task;
mod time;
mod tool;

pub use fate::Fate;
pub use key::{Key, KeyMaker, Keys};
pub use kind::ExchangeKind;
pub use origin::{Fidelity, Origin, Refuser};
pub use paths::EnvelopePaths;
pub use reply::{Block, Blocks, CallResult, Content, Field, Reply, ReplyKind, RpcError, Shape};
pub use session::{EndedSession, SessionEvent, SessionNews, Started};
pub use task::Task;
pub use time::{Day, Moment};
pub use tool::Tool;

use crate::json::Raw;
use std::borrow::Cow;
use std::sync::Arc;

/// One request with its reply, its tool and where it stands.
#[derive(Clone, Debug)]
pub struct Exchange<'a> {
    pub kind: ExchangeKind,
    /// The record's own id, when it has one.
    pub id: Option<Cow<'a, str>>,
    /// Who answered: as recorded, or as the server named itself.
    pub server: Cow<'a, str>,
    /// The recorded session, or the recording's name.
    pub session: Cow<'a, str>,
    /// The tool that was called.
    pub tool: Arc<Tool>,
    /// The arguments it was called with.
    pub input: Option<JsonText<'a>>,
    pub reply: Reply<'a>,
    /// How far the call got.
    pub fate: Fate,
    /// The object that the call changes, as it was before, where the recording holds it.
    pub original: Option<JsonText<'a>>,
    /// The scenario category, as recorded.
    pub scenario: Option<Cow<'a, str>>,
    /// When the exchange was recorded (RFC 3339), as recorded.
    pub recorded_at: Option<Cow<'a, str>>,
    /// How long the reply took.
    pub duration_ms: Option<f64>,
    /// How long the server waited, between its replies, for what it wanted to know of the client.
    pub waited_ms: Option<f64>,
    /// What a person says the truth is, where the recording carries it.
    pub label: Option<Cow<'a, str>>,
    /// Where the exchange (in wire recordings: its request) stands in its recording.
    pub place: Place,
    /// Where its answer stands, in wire recordings.
    pub answered: Option<Place>,
    /// What the recording of a program says beside the call.
    pub origin: Option<Box<Origin>>,
}

impl Exchange<'_> {
    /// Whether a host wrote the call down, and not what passed between it and the server.
    #[must_use]
    pub fn is_derived(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.fidelity == Fidelity::Derived)
    }

    /// Whether a part of the reply was left out.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.reply_cut)
    }

    /// Whether nothing was recorded that says whether the reply is an error.
    #[must_use]
    pub fn is_error_unknown(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.error_unknown)
    }
}

/// A line of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line number, from 1.
    pub line: u64,
    /// Offset of the line's first byte in the (decompressed) recording.
    pub byte: u64,
}

/// Well-formed JSON text, borrowed from its recording or kept from an earlier part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText<'a> {
    text: Cow<'a, str>,
    canonical: bool,
}

impl JsonText<'_> {
    #[must_use]
    pub fn into_owned(self) -> JsonText<'static> {
        JsonText { text: Cow::Owned(self.text.into_owned()), canonical: self.canonical }
    }

    #[must_use]
    pub fn raw(&self) -> Raw<'_> {
        Raw::known(&self.text, self.canonical)
    }
}

impl<'a> From<Raw<'a>> for JsonText<'a> {
    fn from(raw: Raw<'a>) -> Self {
        Self { text: Cow::Borrowed(raw.text()), canonical: raw.is_canonical() }
    }
}
