//! What is said now: as it was named, or as it waits beside its baseline since the last check.

use super::open::Subject;
use crate::baseline::{Head, Origin, Place, peek, places};
use crate::cli::Failure;
use crate::cli::command_line::CommandLine;
use crate::rulebook::builtin_source;
use std::path::{Path, PathBuf};

/// What is said now.
#[derive(Clone, Debug)]
pub(super) enum After {
    Named(PathBuf),
    /// Nothing was named: a baseline waits for a review.
    Waits(Waiting),
}

/// A baseline that waits for a review.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) place: Place,
    pub(super) pending: PathBuf,
    /// The digest of the checks that held.
    pub(super) checks: Option<String>,
    origin: Origin,
    /// How many others wait there too.
    others: usize,
}

impl Waiting {
    /// The baseline's file, as it would be named.
    fn named(&self) -> PathBuf {
        self.place.accepted()
    }

    /// The recordings and the rulebook to judge again, so that everything can be told of them, where
    /// the baseline tells where they lie and they are still there.
    pub(super) fn recordings(&self, rulebook: Option<&str>) -> Option<(PathBuf, String)> {
        let recordings = PathBuf::from(self.origin.collection.as_ref()?);
        let builtin = || builtin_source(&self.place.rulebook).map(|_| self.place.rulebook.clone());
        let file = self.origin.rulebook_file.clone();
        let rulebook = rulebook.map(str::to_owned).or(file).or_else(builtin)?;
        let is_there = |path: &Path| path.exists();
        let has_rulebook = builtin_source(&rulebook).is_some() || is_there(Path::new(&rulebook));
        (is_there(&recordings) && has_rulebook).then_some((recordings, rulebook))
    }
}

impl Subject<'_> {
    pub(super) fn waiting(&self) -> Result<Vec<After>, Failure> {
        let mut found = match &self.baseline {
            Some(file) => vec![Self::place_named(file)?],
            None => places(self.snapshots)?,
        };
        // A first baseline is created, not reviewed.
        found.retain(|place| place.accepted().exists() && place.pending().exists());
        let others = found.len().saturating_sub(1);
        let waiting = found.into_iter().map(|place| {
            let pending = place.pending();
            let waits = |Head { checks, origin, .. }: Head| {
                let pending = pending.clone();
                After::Waits(Waiting { place, pending, checks, origin, others })
            };
            peek(&pending).map(waits).map_err(Failure::from)
        });
        waiting.collect()
    }

    pub(super) fn nothing_waits(&self) -> String {
        let place = self.baseline.as_deref().unwrap_or(self.snapshots);
        format!(
            "nothing waits for a review in {}; tapecheck review classifies the recordings again and compares",
            place.display()
        )
    }

    /// What is meant, as it would be typed again.
    pub(super) fn command(&self, after: &After) -> String {
        let line = match after {
            After::Named(path) => CommandLine::default().word(path),
            After::Waits(waiting) if waiting.others > 0 => {
                CommandLine::default().flag("--baseline", [waiting.named()])
            }
            After::Waits(_) => CommandLine::default(),
        };
        line.then(&self.spelled()).then(&self.judging.spelled()).to_string()
    }
}

pub(super) fn names_of(afters: &[After]) -> String {
    let name = |after: &After| match after {
        After::Named(path) => path.display().to_string(),
        After::Waits(waiting) => waiting.named().display().to_string(),
    };
    afters.iter().map(name).collect::<Vec<_>>().join(", ")
}
