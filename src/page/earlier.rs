//! What a run is held against: another run, of which the counts are always known, and what changed
//! exchange by exchange where somebody has compared the two.

use super::read::{IssueTypes, PageError, json};
use crate::compare::{Comparison, Side, compare, read_run};
use crate::report::{MANIFEST, Manifest, Summary, is_run};
use std::path::Path;

/// Runs with more exchanges than this are not compared exchange by exchange unless somebody asks.
const MOST_COMPARED: u64 = 50_000;

/// An earlier run, read before another takes its place.
#[derive(Debug)]
pub struct Earlier {
    /// What to call it.
    pub(super) name: String,
    pub(super) manifest: Manifest,
    pub(super) summary: Summary,
    pub(super) issue_types: IssueTypes,
    side: Option<Side>,
}

/// What a run is held against.
#[derive(Debug)]
pub struct Against {
    pub(super) name: String,
    pub(super) summary: Summary,
    pub(super) issue_types: IssueTypes,
    pub(super) comparison: Compared,
}

/// What is known of single exchanges.
#[derive(Debug)]
pub(super) enum Compared {
    /// Both runs are of the same exchanges, rulebook, checks and program: nothing can have changed.
    Equal,
    /// What changed.
    Each(Box<Comparison>),
    /// They are too many.
    Counts,
}

/// How closely two runs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closeness {
    /// Exchange by exchange, unless they are very many.
    WhereCheap,
    /// Exchange by exchange.
    Always,
}

impl Earlier {
    /// Reads the run in a folder; `None` where there is none that can be read, or one without exchanges.
    #[must_use]
    pub fn read(folder: &Path, closeness: Closeness) -> Option<Self> {
        if !is_run(folder) {
            return None;
        }
        let mut earlier = Self::try_read(folder, "", closeness).ok()?;
        let started = earlier.manifest.wall.started_at.replace('T', " ").replace('Z', " UTC");
        earlier.name = format!("the run before ({started})");
        (earlier.manifest.comparable.counts.exchanges > 0).then_some(earlier)
    }

    /// Reads the run in a folder.
    pub fn try_read(folder: &Path, name: &str, closeness: Closeness) -> Result<Self, PageError> {
        let manifest: Manifest = json(&folder.join(MANIFEST))?;
        let is_read = match closeness {
            Closeness::Always => true,
            Closeness::WhereCheap => manifest.comparable.counts.exchanges <= MOST_COMPARED,
        };
        Ok(Self {
            name: name.to_owned(),
            summary: json(&folder.join("summary.json"))?,
            issue_types: IssueTypes::of(folder)?,
            side: if is_read { Some(read_run(folder)?) } else { None },
            manifest,
        })
    }

    /// Holds the run in a folder against it.
    pub fn held_against(self, folder: &Path, closeness: Closeness) -> Result<Against, PageError> {
        let manifest: Manifest = json(&folder.join(MANIFEST))?;
        let (before, after) = (&self.manifest.comparable, &manifest.comparable);
        let is_equal = before.corpus_digest == after.corpus_digest
            && before.rulebook.digest == after.rulebook.digest
            && before.checks == after.checks
            && before.version == after.version
            && before.bounds == after.bounds;
        let is_read = match closeness {
            Closeness::Always => true,
            Closeness::WhereCheap => after.counts.exchanges <= MOST_COMPARED,
        };
        let comparison = match self.side {
            _ if is_equal => Compared::Equal,
            Some(side) if is_read => Compared::Each(Box::new(compare(&side, &read_run(folder)?))),
            Some(_) | None => Compared::Counts,
        };
        Ok(Against {
            name: self.name,
            summary: self.summary,
            issue_types: self.issue_types,
            comparison,
        })
    }
}

impl Against {
    /// What changed exchange by exchange, where that is known.
    pub(super) fn each(&self) -> Option<&Comparison> {
        match &self.comparison {
            Compared::Each(comparison) => Some(comparison),
            Compared::Equal | Compared::Counts => None,
        }
    }
}
