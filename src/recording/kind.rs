//! The kinds of exchange that recordings hold.

named! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ExchangeKind {
        #[default]
        ToolCall = "tool_call",
        /// A request and a response in envelopes of their own.
        Envelope = "envelope",
        /// A judge's result about some output.
        JudgeResult = "judge_result",
        /// A response that reports on a session's validation.
        SessionReport = "session_report",
    }
}
