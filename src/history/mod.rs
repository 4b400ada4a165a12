//! Many runs: an append-only store of what they counted.

mod add;
mod cells;
mod compact;
mod error;
mod gather;
mod nights;
mod of_run;
mod open;
mod partition;
mod past_run;
mod place;
mod remove;
mod standing;
mod torn;

pub use add::{Added, Naming, Store};
pub use cells::{Cells, Measure, Stratum};
pub use compact::Compacted;
pub use error::HistoryError;
pub use nights::{At, Nights};
pub use past_run::PastRun;
pub use remove::{Removed, Removing, Unwanted};
pub use torn::Torn;

use crate::compare::Names;

/// The runs of a store.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The runs, by night, then in the order they were added.
    pub runs: Vec<PastRun>,
    /// Texts that strata have numbers for.
    pub names: Names,
    /// What exchanges of one cell have in common, each once.
    pub strata: Vec<Stratum>,
    /// What was counted, by the number of its measure; empty where it was not asked for. A run
    /// stands in all that was asked for or in none.
    pub cells: [Cells; Measure::ALL.len()],
    /// What was passed over and why, and what looks odd: sentences for people.
    pub notes: Vec<String>,
}

impl History {
    /// The cells of a measure; none where it was not asked for. Those of one run stand together.
    #[must_use]
    pub fn cells(&self, measure: Measure) -> &Cells {
        &self.cells[measure as usize]
    }
}
