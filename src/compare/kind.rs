//! What became of an exchange between two sides, decided in one place.

use crate::verdict::Classification;

/// What became of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It stands worse than before: a worse class, or a failure that was none.
    Regressed,
    /// It stands better than before.
    Fixed,
    /// It stands no better and no worse, but something else is said of it.
    Altered,
    /// It is new.
    Added,
    /// It is no longer there.
    Gone,
    /// The same is said of it.
    Same,
}

/// The class and the answer: what flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Standing {
    /// The class.
    pub class: Classification,
    /// The answer.
    pub answer: Answer,
}

/// What was answered about failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// Nobody asked, or there is nothing to ask.
    NotAsked,
    /// An error that says that the tool works and refused.
    BusinessLogic,
    /// An error that says that the tool failed.
    ToolFailure,
    /// A reply that claims success and says that it failed.
    HiddenFailure,
}

impl Kind {
    /// All kinds, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Regressed, Self::Fixed, Self::Altered, Self::Added, Self::Gone, Self::Same];

    /// The name used in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Fixed => "fixed",
            Self::Altered => "altered",
            Self::Added => "added",
            Self::Gone => "gone",
            Self::Same => "same",
        }
    }
}

impl Answer {
    /// All answers, in the order in which they are shown.
    pub const ALL: [Self; 4] =
        [Self::NotAsked, Self::BusinessLogic, Self::ToolFailure, Self::HiddenFailure];

    /// The name used in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotAsked => "not_asked",
            Self::BusinessLogic => "business_logic",
            Self::ToolFailure => "tool_failure",
            Self::HiddenFailure => "hidden_failure",
        }
    }
}
