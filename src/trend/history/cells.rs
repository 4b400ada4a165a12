//! What was counted, in columns: histories have millions of cells.

use crate::recording::Day;

/// What exchanges of a cell have in common beside run and day, as numbers into
/// [`History::names`](super::History::names).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stratum {
    pub server: u32,
    pub tool: u32,
    /// The scenario category; `None` where none was recorded.
    pub scenario: Option<u32>,
}

/// The cells of one dimension; all columns have one length.
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
