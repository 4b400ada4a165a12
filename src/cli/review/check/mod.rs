//! Collections compared with their baselines: what differs is left beside them for a review.

mod tasks;
mod text;

pub(super) use tasks::Task;
pub(in crate::cli) use tasks::name_of;

use super::after::After;
use super::{Exit, Failure, Then};
use crate::baseline::{
    BaselineError, Change, Moved, Place, SnapshotsLock, changes, forget_pending, keep_rulebook,
    peek, places, read, remove, unused_rulebooks,
};
use crate::cli::inputs::JudgingArgs;
use crate::cli::terminal::{print, say};
use crate::compare::Kind;
use crate::store::FolderError;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use tasks::for_each;
use text::{Outcome, as_row};

/// Which baselines are meant.
pub(super) struct Which<'a> {
    /// Recordings, each a collection with one baseline a rulebook; where none are named, those of all
    /// baselines.
    pub(super) corpus: &'a [PathBuf],
    /// Rulebooks; where none are named, the configured one, or without recordings those of the baselines.
    pub(super) rulebook: &'a [String],
    /// The one baseline that is meant, where it is named.
    pub(super) named: Option<Place>,
    /// Baselines that are taken up otherwise.
    pub(super) without: &'a [After],
    /// Whether recordings without a baseline of their name are compared with the only one there is.
    pub(super) or_only: bool,
    /// The folder of baselines.
    pub(super) snapshots: &'a Path,
    pub(super) judging: &'a JudgingArgs,
}

impl Which<'_> {
    /// Compares each collection with its baseline and looks at what differs.
    pub(super) fn compare(
        &self,
        look: impl Fn(&Task<'_>) -> Result<(Exit, Then), Failure>,
    ) -> Result<(Exit, Then), Failure> {
        for_each(self, compare, look)
    }

    /// Creates the baselines that are missing and does something about those that are there.
    pub(super) fn accept(
        &self,
        accept: impl Fn(&Task<'_>) -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        let create_missing = |task: &Task<'_>| {
            if task.place.accepted().exists() { Ok(Outcome::Reviewed) } else { create(task) }
        };
        for_each(self, create_missing, |task| Ok((accept(task)?, Then::GoOn))).map(|(exit, _)| exit)
    }

    /// Removes accepted calls that no longer exist, and rulebooks that no baseline needs.
    pub(super) fn prune(&self) -> Result<Exit, Failure> {
        let (exit, _) = for_each(self, prune, |_| Ok((Exit::Clean, Then::GoOn)))?;
        if exit == Exit::Clean {
            remove_unused_rulebooks(self.snapshots)?;
        }
        Ok(exit)
    }
}

fn create(task: &Task<'_>) -> Result<Outcome, Failure> {
    let now = task.judge()?;
    let exchanges = now.exchanges();
    let lock = SnapshotsLock::take(&task.place.snapshots)?;
    let path = task.place.accepted();
    keep_rulebook(&task.place.snapshots, &task.rulebook, &lock)
        .and_then(|()| now.accept_at(&task.place, &lock))?;
    Ok(Outcome::Created { path, exchanges })
}

fn compare(task: &Task<'_>) -> Result<Outcome, Failure> {
    let (path, accepted) = task.accepted()?.ok_or_else(|| task.missing())?;
    let now = task.judge()?;
    let found = changes(&accepted, &now);
    let is_new = |change: &Change| matches!(change.kind, Kind::Added | Kind::Gone);
    if task.baseline.is_some() && found.same.is_empty() && found.changes.iter().all(is_new) {
        return Err(task.missing());
    }
    let lock = match SnapshotsLock::take(&task.place.snapshots) {
        // Where nothing can be written there is no need to write, unless something differs.
        Err(
            error @ BaselineError::Folder(
                FolderError::Forbidden { .. } | FolderError::ReadOnly { .. },
            ),
        ) => Err(error),
        lock => Ok(lock?),
    };
    if found.changes.is_empty() {
        if task.place.pending().exists() {
            let _lock = lock?;
            forget_pending(&task.place)?;
        }
        let moved = Moved::between(&accepted.side.header, &now.side.header);
        return Ok(Outcome::Clean { path, exchanges: now.exchanges(), moved });
    }
    let lock = lock?;
    keep_rulebook(&task.place.snapshots, &task.rulebook, &lock)
        .and_then(|()| now.propose_at(&task.place, &lock))?;
    Ok(Outcome::differs(path, &accepted, &now, &found))
}

fn prune(task: &Task<'_>) -> Result<Outcome, Failure> {
    let now = task.judge()?;
    let lock = SnapshotsLock::take(&task.place.snapshots)?;
    let (path, accepted) = task.accepted()?.ok_or_else(|| task.missing())?;
    let found = changes(&accepted, &now);
    let gone: HashSet<u32> = found.gone().filter_map(|change| change.accepted).collect();
    if !gone.is_empty() {
        // What waits for a review still differs in the same exchanges, apart from these.
        let waits = found.changes.iter().any(|change| change.kind != Kind::Gone);
        let written = if waits {
            accepted.without(&gone).write_at(&task.place, &lock)
        } else {
            // Nothing else differs, so that its digests can be those of now.
            keep_rulebook(&task.place.snapshots, &task.rulebook, &lock)
                .and_then(|()| now.accept_at(&task.place, &lock))
        };
        written?;
    }
    Ok(Outcome::Pruned { path, gone: gone.len() as u64 })
}

fn remove_unused_rulebooks(snapshots: &Path) -> Result<(), Failure> {
    let mut used = Vec::new();
    for place in places(snapshots)? {
        for path in place.files() {
            used.push(peek(&path)?.rulebook);
        }
    }
    for path in unused_rulebooks(snapshots, &used)? {
        remove(&path)?;
        say(&format!("removed {}: no baseline uses it", path.display()));
    }
    Ok(())
}

pub(in crate::cli) fn list(snapshots: &Path) -> Result<Exit, Failure> {
    let mut exit = Exit::Clean;
    let mut out = String::new();
    let places = places(snapshots)?;
    if places.is_empty() {
        say(&format!("no baseline in {}", snapshots.display()));
    }
    for place in &places {
        // Read as a whole: a header alone does not tell that lines below it are lost.
        let mut is_whole = true;
        for path in place.files() {
            if let Err(error) = read(&path) {
                say(&Failure::from(error).to_string());
                (exit, is_whole) = (Exit::Unfinished, false);
            }
        }
        if !is_whole {
            continue;
        }
        let accepted = Some(place.accepted()).filter(|path| path.exists());
        match accepted.map(|path| peek(&path)).transpose() {
            Ok(peek) => out.push_str(&as_row(place, peek.as_ref())),
            Err(error) => {
                say(&Failure::from(error).to_string());
                exit = Exit::Unfinished;
            }
        }
    }
    print(&out)?;
    Ok(exit)
}
