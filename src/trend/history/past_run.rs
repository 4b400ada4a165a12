//! What is remembered of a run as a whole.

use crate::recording::{Day, Moment};
use crate::store::RulebookName;
use serde::{Deserialize, Serialize};

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
