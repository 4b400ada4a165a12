//! What was answered about failures.

named! {
    /// Whether a tool refused, or failed, and whether it said so.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Answer {
        /// Nobody asked, or there is nothing to ask.
        NotAsked = "not_asked",
        /// An error of a tool that works and refused.
        BusinessLogic = "business_logic",
        /// An error of a tool that failed.
        ToolFailure = "tool_failure",
        /// A reply that claims success and says that it failed.
        HiddenFailure = "hidden_failure",
        /// A reply that claims success and says that it refused.
        HiddenRefusal = "hidden_refusal",
        /// A reply that claims success, and in which nothing says otherwise.
        Fine = "fine",
    }
}

impl Answer {
    /// The answers that results list, in this order; `Fine` is listed as `NotAsked`.
    pub const LISTED: [Self; 5] = [
        Self::NotAsked,
        Self::BusinessLogic,
        Self::ToolFailure,
        Self::HiddenFailure,
        Self::HiddenRefusal,
    ];

    /// The listed answer by the two questions, of which the second may be asked of successes too.
    #[must_use]
    pub fn listed(hidden_failure: Option<bool>, business_logic: Option<bool>) -> Self {
        match (hidden_failure, business_logic) {
            (Some(true), Some(true)) => Self::HiddenRefusal,
            (Some(true), _) => Self::HiddenFailure,
            (_, Some(true)) => Self::BusinessLogic,
            (_, Some(false)) => Self::ToolFailure,
            (_, None) => Self::NotAsked,
        }
    }

    /// The name as people read it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NotAsked => "none",
            Self::BusinessLogic => "business logic",
            Self::ToolFailure => "tool failure",
            Self::HiddenFailure => "hidden failure",
            Self::HiddenRefusal => "hidden refusal",
            Self::Fine => "fine",
        }
    }

    /// Whether an error is business logic; `None` where this was not asked.
    #[must_use]
    pub fn business_logic(self) -> Option<bool> {
        match self {
            Self::BusinessLogic | Self::HiddenRefusal => Some(true),
            Self::ToolFailure => Some(false),
            Self::NotAsked | Self::Fine | Self::HiddenFailure => None,
        }
    }

    /// Whether a reply that claims success says that it failed or refused; `None` where this was not asked.
    #[must_use]
    pub fn hidden_failure(self) -> Option<bool> {
        match self {
            Self::HiddenFailure | Self::HiddenRefusal => Some(true),
            Self::Fine => Some(false),
            Self::NotAsked | Self::BusinessLogic | Self::ToolFailure => None,
        }
    }
}
