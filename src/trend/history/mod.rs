//! Many runs: a folder with one file for each, which holds the run's count cube.

mod error;
mod nights;
mod open;
mod past_run;
mod store;

pub use error::HistoryError;
pub use nights::{At, Nights};
pub use past_run::PastRun;
pub use store::{Added, Naming, Removed, Store};

use crate::compare::Names;
use crate::count::Dimension;
use crate::recording::Day;

#[derive(Clone, Debug, Default)]
pub struct History {
    /// By night, then by when they began.
    pub runs: Vec<PastRun>,
    /// Texts that strata have numbers for.
    pub names: Names,
    /// What exchanges of one cell have in common, each once.
    pub strata: Vec<Stratum>,
    /// What was counted, by the number of its dimension; empty where it was not asked for.
    pub cells: [Cells; Dimension::ALL.len()],
    /// How many files of runs could not be read.
    pub unread: u64,
    /// What was passed over and why, and what looks odd: sentences for people.
    pub notes: Vec<String>,
}

impl History {
    /// The cells of a dimension; none where it was not asked for. Those of one run stand together.
    pub fn cells(&self, dimension: Dimension) -> &Cells {
        &self.cells[dimension as usize]
    }
}

/// What exchanges of a cell have in common beside run and day, as numbers into
/// [`History::names`](History::names).
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
    /// The run, as a number into [`History::runs`](History::runs).
    pub run: Vec<u32>,
    /// The day the exchanges were recorded; `None` where it is not known.
    pub day: Vec<Option<Day>>,
    /// The stratum, as a number into [`History::strata`](History::strata).
    pub stratum: Vec<u32>,
    /// What was counted, as a number into `values`.
    pub value: Vec<u32>,
    /// How many exchanges.
    pub count: Vec<u32>,
    /// The texts of `value`.
    pub values: Vec<String>,
}
