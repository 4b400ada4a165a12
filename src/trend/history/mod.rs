//! Many runs: a folder with one file for each, which holds the run's count cube.

mod cells;
mod error;
mod nights;
mod open;
mod past_run;
mod store;

pub use cells::{Cells, Stratum};
pub use error::HistoryError;
pub use nights::{At, Nights};
pub use past_run::PastRun;
pub use store::{Added, Naming, Removed, Removing, Store, Unwanted};

use crate::compare::Names;
use crate::count::Dimension;

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
