//! How far calls got.

named! {
    /// How far a call got, apart from what its reply says.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Fate {
        /// The server saw it, and all that came of it was recorded.
        #[default]
        Settled = "settled",
        /// A host or a person refused it before the server saw it.
        NotSent = "not_sent",
        /// The reply, or what it holds, was not recorded.
        NotRecorded = "not_recorded",
        Cancelled = "cancelled",
        TimedOut = "timed_out",
        /// It still waited when the recording ended, or when its session was dropped for room.
        Waiting = "waiting",
    }
}

/// The errors that the SDKs for TypeScript and Python make when a client waits no longer, by code and words.
const TIME_OUTS: [(&str, &str); 3] = [
    ("-32001", "Request timed out"),
    ("-32001", "Maximum total timeout exceeded"),
    ("408", "Timed out while waiting for response to "),
];

impl Fate {
    /// Whether the server may have seen the call, and nobody knows what came of it.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        match self {
            Self::Settled | Self::NotSent => false,
            Self::NotRecorded | Self::Cancelled | Self::TimedOut | Self::Waiting => true,
        }
    }

    /// The fate of a call that its client gave up, for a reason in the client's words.
    #[must_use]
    pub fn given_up(reason: &str) -> Self {
        let is_time_out = TIME_OUTS.iter().any(|(_, words)| reason.contains(words));
        if is_time_out { Self::TimedOut } else { Self::Cancelled }
    }
}

#[must_use]
pub(super) fn is_time_out(code: &str, message: &str) -> bool {
    TIME_OUTS.iter().any(|(of_sdk, words)| code == *of_sdk && message.contains(words))
}

/// Whether a text is what a client says that waited no longer, as hosts show it in place of a reply.
#[must_use]
pub(super) fn says_time_out(text: &str) -> bool {
    let text = text.trim_start();
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let coded = text.strip_prefix("MCP error ").and_then(|rest| rest.split_once(": "));
    TIME_OUTS.iter().any(|(of_sdk, words)| match coded {
        Some((code, message)) => code == *of_sdk && message.starts_with(words),
        // Only the words of one SDK are too long to be a server's own.
        None => words.ends_with(' ') && text.starts_with(words),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_time_out_of_the_client_only_in_the_words_of_an_sdk() {
        for (text, expected) in [
            ("MCP error -32001: Request timed out", true),
            ("Error: MCP error -32001: Maximum total timeout exceeded", true),
            ("Timed out while waiting for response to ClientRequest. Waited 5 seconds.", true),
            ("Request timed out", false),
            ("MCP error -32001: Session not found", false),
            ("The upstream said: MCP error -32001: Request timed out", false),
        ] {
            assert_eq!(says_time_out(text), expected, "{text}");
        }
    }

    #[test]
    fn a_time_out_is_told_by_code_and_words() {
        for (code, message, expected) in [
            ("-32001", "MCP error -32001: Request timed out", true),
            ("-32001", "Maximum total timeout exceeded", true),
            ("-32001", "Session not found", false),
            ("-32603", "Request timed out", false),
            (
                "408",
                "Timed out while waiting for response to CallToolRequest. Waited 5.0 seconds.",
                true,
            ),
            ("408", "Request Timeout", false),
        ] {
            assert_eq!(is_time_out(code, message), expected, "{code} {message}");
        }
        assert_eq!(Fate::given_up("McpError: MCP error -32001: Request timed out"), Fate::TimedOut);
        assert_eq!(Fate::given_up("the user pressed stop"), Fate::Cancelled);
    }
}
