//! The kinds of exchange that recordings hold.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExchangeKind {
    #[default]
    ToolCall,
    /// A request and a response in envelopes of their own.
    Envelope,
    /// A judge's result about some output.
    JudgeResult,
    /// A response that reports on a session's validation.
    SessionReport,
}

impl ExchangeKind {
    /// All kinds, in the order in which tables show them.
    pub const ALL: [Self; 4] =
        [Self::ToolCall, Self::Envelope, Self::JudgeResult, Self::SessionReport];

    /// The name used in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ToolCall => "tool_call",
            Self::Envelope => "envelope",
            Self::JudgeResult => "judge_result",
            Self::SessionReport => "session_report",
        }
    }
}
