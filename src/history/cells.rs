//! What was counted, in columns: histories have tens of millions of cells.

use crate::report::Table;
use crate::tape::Day;

/// What exchanges are counted by. Each has a table of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Their class. Every exchange has one, so these counts are also what others are shares of.
    Class,
    /// The answer to the question of business logic.
    Answer,
    /// Severity and type of an issue, such as `error tool_failure`; exchanges that have it.
    IssueType,
    /// The kind of error.
    ErrorKind,
    /// A fact that holds.
    Fact,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Class, Self::Answer, Self::IssueType, Self::ErrorKind, Self::Fact];

    /// Whether every exchange has one value of it, so that its counts add up to all exchanges.
    #[must_use]
    pub fn is_of_every_exchange(self) -> bool {
        match self {
            Self::Class | Self::Answer => true,
            Self::IssueType | Self::ErrorKind | Self::Fact => false,
        }
    }

    /// The table it is kept in, and the column that says what is counted.
    #[must_use]
    pub fn place(self) -> (Table, &'static str) {
        match self {
            Self::Class => (Table::PastClasses, "classification"),
            Self::Answer => (Table::PastAnswers, "answer"),
            Self::IssueType => (Table::PastIssueTypes, "issue_type"),
            Self::ErrorKind => (Table::PastErrorKinds, "error_kind"),
            Self::Fact => (Table::PastFacts, "fact"),
        }
    }
}

/// What exchanges of a cell have in common beside run and day, as numbers into
/// [`History::names`](super::History::names).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stratum {
    /// Who answered.
    pub server: u32,
    /// The tool that was called.
    pub tool: u32,
    /// The scenario category; `None` where none was recorded.
    pub scenario: Option<u32>,
}

/// The cells of one measure; all columns have one length.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// The run, as a number into [`History::runs`](super::History::runs).
    pub run: Vec<u32>,
    /// The day the exchanges were recorded; `None` where it is not known.
    pub day: Vec<Option<Day>>,
    /// The stratum, as a number into [`History::strata`](super::History::strata).
    pub stratum: Vec<u32>,
    /// What was counted, as a number into `values`.
    pub value: Vec<u32>,
    /// How many exchanges.
    pub count: Vec<u32>,
    /// The texts of `value`.
    pub values: Vec<String>,
}
