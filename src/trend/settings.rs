//! What series are by, and how they are looked at.

use crate::count::Dimension;
use crate::recording::Day;

named! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum By {
        /// What became of calls: the share of each outcome.
        #[default]
        Outcome = "outcome",
        /// The classes: the share of each.
        Class = "class",
        /// The answers to the question of business logic: the share of each.
        Answer = "answer",
        /// Severity and type of issues: the share of exchanges that have one.
        IssueType = "issue_type",
        /// Who answered: the share of exchanges that are failed or invalid.
        Server = "server",
        /// The tools of each server: the share of calls that are failed or invalid.
        Tool = "tool",
        /// The kinds of error: the share of each.
        ErrorKind = "error_kind",
        /// Who must act so that calls work that did not: the share of each.
        Who = "who",
        /// What an operator acts on: the share of calls on each list.
        List = "list",
        /// The scenario categories: the share of exchanges that are failed or invalid.
        Scenario = "scenario",
        /// The signals: the share of exchanges of which one holds.
        Signal = "signal",
    }
}

impl By {
    /// What a share is the share of exchanges that..., and whose counts are needed beside those of classes.
    fn facts(self) -> (&'static str, Dimension) {
        match self {
            Self::Outcome => ("have the outcome", Dimension::Outcome),
            Self::Class => ("are of the class", Dimension::Class),
            Self::Answer => ("have the answer", Dimension::Answer),
            Self::IssueType => ("have an issue of the type", Dimension::IssueType),
            Self::Server | Self::Tool | Self::Scenario => {
                ("are failed or invalid", Dimension::Outcome)
            }
            Self::ErrorKind => ("are an error of the kind", Dimension::ErrorKind),
            Self::Who => ("need action by", Dimension::Who),
            Self::List => ("are on the list", Dimension::List),
            Self::Signal => ("match the signal", Dimension::Signal),
        }
    }

    pub fn share_of(self) -> &'static str {
        self.facts().0
    }

    pub fn dimension(self) -> Dimension {
        self.facts().1
    }

    /// Whether each exchange belongs to one series only, by who answered what.
    pub(super) fn is_of_strata(self) -> bool {
        matches!(self, Self::Server | Self::Tool | Self::Scenario)
    }

    /// Whether it is news that something is there at all.
    pub(super) fn comes_and_goes(self) -> bool {
        !matches!(self, Self::Outcome | Self::Class | Self::Answer)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub by: By,
    /// The first night that is shown; those before it only tell what is usual.
    pub since: Option<Day>,
    /// How many nights others are held against, at most.
    pub window: usize,
    /// Whether only four times as many nights are looked at, the last ones.
    pub lately: bool,
    /// How many trends are shown together and share the false alarms that there may be.
    pub together: u32,
}

impl Settings {
    /// Nights that others are held against.
    pub const WINDOW: usize = 28;
}

impl Default for Settings {
    fn default() -> Self {
        let (by, window) = (By::Outcome, Self::WINDOW);
        Self { by, since: None, window, lately: false, together: 1 }
    }
}
