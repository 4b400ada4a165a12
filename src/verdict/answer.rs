//! What was answered about failures.

/// Whether a tool refused, or failed, and whether it said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// Nobody asked, or there is nothing to ask.
    NotAsked,
    /// A reply that claims success, and in which nothing says otherwise.
    Fine,
    /// An error of a tool that works and refused.
    BusinessLogic,
    /// An error of a tool that failed.
    ToolFailure,
    /// A reply that claims success and says that it failed.
    HiddenFailure,
}

impl Answer {
    /// Whether an error is business logic; `None` where this was not asked.
    #[must_use]
    pub fn business_logic(self) -> Option<bool> {
        match self {
            Self::BusinessLogic => Some(true),
            Self::ToolFailure => Some(false),
            Self::NotAsked | Self::Fine | Self::HiddenFailure => None,
        }
    }

    /// Whether a reply that claims success says that it failed; `None` where this was not asked.
    #[must_use]
    pub fn hidden_failure(self) -> Option<bool> {
        match self {
            Self::HiddenFailure => Some(true),
            Self::Fine => Some(false),
            Self::NotAsked | Self::BusinessLogic | Self::ToolFailure => None,
        }
    }
}
