//! Many runs: a folder with one file for each, which holds the run's count cube.

mod nights;
mod open;
mod store;

pub use nights::{At, Nights};
pub use store::{Added, Naming, Removed, Store};

use crate::compare::{Names, SideError};
use crate::count::Dimension;
use crate::recording::{Day, Moment};
use crate::store::{FolderError, RulebookName};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

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

/// What is remembered of a run as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PastRun {
    /// Hash of what was judged, by what, in which collection and night: a run again has the same.
    #[serde(rename = "run")]
    pub id: String,
    /// The night it speaks for: the day it was made, unless told otherwise.
    pub night: Day,
    /// When it began (RFC 3339, UTC).
    pub started_at: String,
    pub seconds: f64,
    /// What it is a run of: runs of one follow each other, others stand side by side.
    pub collection: String,
    pub corpus_digest: String,
    pub rulebook: RulebookName,
    /// Hash of the contracts, facts and schemas in force; `None` where there were none.
    pub checks: Option<String>,
    pub version: String,
    pub exchanges: u64,
    /// Lines that could not be read.
    pub unreadable: u64,
}

impl PastRun {
    /// Whether its night is still to come; calendars ahead of that of UTC may name the next day.
    pub fn speaks_for_a_night_to_come(&self) -> bool {
        self.night.0 > Moment::now().day().0 + 1
    }

    pub(super) fn order(&self) -> (Day, &str, &str) {
        (self.night, &self.started_at, &self.id)
    }
}

/// Why a history could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("{} does not exist; name the folder of a history, as `tapecheck run --history` keeps it", .0.display())]
    Missing(PathBuf),
    #[error("{} is not a tapecheck history: it has no file named NIGHT--COLLECTION--RUN.parquet", .0.display())]
    NoStore(PathBuf),
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} has no run or night {what}", dir.display())]
    NoSuchRun { dir: PathBuf, what: String },
    /// A file of another version is not replaced.
    #[error("{} is left as it is: {reason}", file.display())]
    Kept { file: PathBuf, reason: String },
    #[error("{} does not record when it was made", .0.display())]
    NoNight(PathBuf),
    #[error("{} does not record its input", .0.display())]
    NoCollection(PathBuf),
    #[error(transparent)]
    Run(#[from] SideError),
    #[error(transparent)]
    Folder(#[from] FolderError),
}
