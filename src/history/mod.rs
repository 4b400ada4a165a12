//! Many runs: an append-only store of what they counted.

mod cells;
mod past_run;

pub use cells::{Cells, Measure, Stratum};
pub use past_run::PastRun;

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
    /// What was passed over and why, and what looks odd: sentences for people.
    pub notes: Vec<String>,
}
