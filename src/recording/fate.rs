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
