//! What a wire recording shows of a session besides its calls.

use super::{Place, Tool};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct SessionEvent {
    /// Who was asked: as recorded, or as the server named itself.
    pub server: String,
    /// The recorded session, or the recording's name.
    pub session: String,
    /// Where it stands: a list of tools, or the session's first message.
    pub place: Place,
    /// When it was recorded (RFC 3339), as recorded.
    pub recorded_at: Option<String>,
    pub what: SessionNews,
}

#[derive(Clone, Debug)]
pub enum SessionNews {
    Ended(EndedSession),
    /// Its server lists other tools than before.
    Relisted {
        before: Vec<Arc<Tool>>,
        after: Vec<Arc<Tool>>,
    },
}

/// A session as it was when its recording ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedSession {
    /// Whether the server had answered `initialize` before the first call.
    pub start: Started,
    /// The names of the tools that its server listed; `None` where it never did.
    pub listed: Option<Vec<String>>,
    /// The names of tools that were called, as far as they were kept.
    pub called: Vec<String>,
}

/// How far a session was set up when its first tool was called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Started {
    /// The server had answered `initialize`.
    Initialized,
    #[default]
    NotInitialized,
}
