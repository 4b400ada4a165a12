//! The five classes.

use serde::{Deserialize, Serialize};

/// What a reply says about its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Classification {
    /// Responds properly.
    FullyWorking,
    /// Responds, but with issues.
    PartiallyWorking,
    /// Can be reached, but does not work.
    ConnectivityOnly,
    /// Returned an error that says the tool failed.
    Error,
    /// Does not respond.
    Broken,
}

impl Classification {
    /// All classes, best first: the order in which tables show them.
    pub const ALL: [Self; 5] = [
        Self::FullyWorking,
        Self::PartiallyWorking,
        Self::ConnectivityOnly,
        Self::Error,
        Self::Broken,
    ];

    /// The name used in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FullyWorking => "fully_working",
            Self::PartiallyWorking => "partially_working",
            Self::ConnectivityOnly => "connectivity_only",
            Self::Error => "error",
            Self::Broken => "broken",
        }
    }

    /// Whether most replies of the class come from a tool that works.
    #[must_use]
    pub fn is_mostly_valid(self) -> bool {
        match self {
            Self::FullyWorking | Self::PartiallyWorking => true,
            Self::ConnectivityOnly | Self::Error | Self::Broken => false,
        }
    }
}
