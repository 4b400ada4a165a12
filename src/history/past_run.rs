//! What is remembered of a run as a whole.

use crate::report::RulebookName;
use crate::tape::{Day, Moment};

/// A run of the past.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRun {
    /// Hash of what was judged, by what, in which collection and in which night: the same run again
    /// has the same name.
    pub id: String,
    /// The order in which runs were added: more than any before it had. Runs added at once may have
    /// the same, and follow each other by `id`.
    pub number: u64,
    /// The night it speaks for: the day it was made, unless told otherwise.
    pub night: Day,
    /// When it began (RFC 3339, UTC).
    pub started_at: String,
    /// When it was added (RFC 3339, UTC).
    pub added_at: String,
    /// What it is a run of: runs of one collection follow each other, runs of different ones stand
    /// side by side.
    pub collection: String,
    /// Hash over all tapes.
    pub corpus_digest: String,
    /// The rulebook that judged.
    pub rulebook: RulebookName,
    /// Hash of the contracts, facts and schemas that held; `None` where there were none.
    pub checks: Option<String>,
    /// The version of the program that judged.
    pub version: String,
    /// Exchanges judged.
    pub exchanges: u64,
    /// Lines that could not be judged.
    pub rejects: u64,
}

impl PastRun {
    /// Whether its night was still to come when it was added. Calendars that are ahead of that of UTC
    /// may name the next day.
    #[must_use]
    pub fn speaks_for_a_night_to_come(&self) -> bool {
        let added = Moment::parse(&self.added_at).and_then(|added| Day::parse(&added.day()));
        added.is_some_and(|added| self.night.0 > added.0.saturating_add(1))
    }
}
