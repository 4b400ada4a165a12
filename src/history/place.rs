//! The folder of a history: which partitions stand in it, and how new ones get there.
//!
//! A partition is built two levels down, in a hidden folder, so that neither half a partition nor the
//! remains of one are ever found by `DIR/*/classes.parquet`.

use super::HistoryError;
use super::partition::Unread;
use crate::report::Table;
use crate::report::{FolderError, TableFormat};
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Begins the name of a run's partition.
pub(super) const OF_RUN: &str = "run-";
/// Begins the name of a partition of many runs.
pub(super) const COMPACTED: &str = "compacted-";
/// Begins the name of a folder in which something is being built.
const BUILDING: &str = ".tapecheck-";
/// Held locked by the process that builds something; who can lock it knows that nobody does.
const LOCK: &str = "being-written.lock";
/// Held locked by whoever puts a history together or takes runs out of it.
const ALL: &str = ".compacting.lock";
/// A folder of ours without a lock is as old as this before it is taken for abandoned.
const PATIENCE: Duration = Duration::from_hours(1);

/// What stands in the folder of a history.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The partitions, by name: those of many runs first, then by night.
    pub(super) partitions: Vec<PathBuf>,
    /// Names of what is none.
    pub(super) foreign: Vec<String>,
}

/// Says what stands in a folder.
pub(super) fn list(dir: &Path) -> Result<Listing, HistoryError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => HistoryError::Missing(dir.to_owned()),
        io::ErrorKind::NotADirectory => HistoryError::NoStore(dir.to_owned()),
        _ => HistoryError::Unreadable { path: dir.to_owned(), source },
    };
    let mut listing = Listing::default();
    for entry in fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        // Links are not followed: what they lead to need not be part of the history.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && is_partition(&name) {
            listing.partitions.push(entry.path());
        } else {
            listing.foreign.push(name.to_string_lossy().into_owned());
        }
    }
    listing.partitions.sort();
    listing.foreign.sort();
    if listing.partitions.is_empty() && !listing.foreign.is_empty() {
        return Err(HistoryError::NoStore(dir.to_owned()));
    }
    Ok(listing)
}

fn is_partition(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(OF_RUN.as_bytes()) || name.starts_with(COMPACTED.as_bytes())
}

/// Makes a folder that may hold a history, and clears away what killed processes left in it.
pub(super) fn prepare(dir: &Path) -> Result<Listing, HistoryError> {
    fs::create_dir_all(dir).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => HistoryError::NoStore(dir.to_owned()),
        _ => FolderError::io(dir, source).into(),
    })?;
    let listing = list(dir)?;
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes().starts_with(BUILDING.as_bytes())
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    for left in ours.map(|entry| entry.path()).filter(|path| is_abandoned(path)) {
        let _ = fs::remove_dir_all(left);
    }
    Ok(listing)
}

/// Locks a history against others that would replace or remove partitions. Runs may be added meanwhile.
pub(super) fn lock_all(dir: &Path) -> Result<File, HistoryError> {
    let path = dir.join(ALL);
    let failed = |source| FolderError::io(&path, source);
    let lock = File::options().create(true).append(true).open(&path).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(HistoryError::Busy(dir.to_owned())),
        Err(TryLockError::Error(source)) => Err(failed(source).into()),
    }
}

/// Refuses a partition that cannot be taken away, since it holds something that is not ours.
pub(super) fn only_tables(partition: &Path) -> Result<(), Unread> {
    let odd = |error: io::Error| Unread::Odd(format!("it cannot be listed: {error}"));
    let known = Table::OF_HISTORIES.map(|table| table.file_name(TableFormat::Parquet));
    for entry in fs::read_dir(partition).map_err(odd)? {
        let entry = entry.map_err(odd)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().map_err(odd)?.is_dir() || !known.contains(&name) {
            let name = crate::verdict::harmless(&name);
            return Err(Unread::Odd(format!("it holds {name}, which is not part of a history")));
        }
    }
    Ok(())
}

fn is_abandoned(folder: &Path) -> bool {
    match File::open(folder.join(LOCK)) {
        Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        // It may have been made this moment, and be locked the next.
        Err(_) => fs::metadata(folder)
            .and_then(|about| about.modified())
            .is_ok_and(|made| made.elapsed().is_ok_and(|age| age > PATIENCE)),
    }
}

/// A hidden folder in which partitions are built and from which they are moved to their places.
#[derive(Debug)]
pub(super) struct Building {
    dir: PathBuf,
    hidden: PathBuf,
    lock: Option<File>,
}

/// What became of a partition that was to be moved to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moved {
    /// It stands there.
    There,
    /// Another stands there already.
    Taken,
}

impl Building {
    pub(super) fn begin(dir: &Path) -> Result<Self, HistoryError> {
        let hidden = tempfile::Builder::new()
            .prefix(BUILDING)
            .tempdir_in(dir)
            .map_err(|source| FolderError::io(dir, source))?
            .keep();
        let mut building = Self { dir: dir.to_owned(), hidden, lock: None };
        let path = building.hidden.join(LOCK);
        // Nobody may find the file before it is locked, and take the folder for abandoned.
        let unseen = building.hidden.join("lock");
        let lock = File::create_new(&unseen).and_then(|file| {
            file.lock()?;
            fs::rename(&unseen, &path)?;
            Ok(file)
        });
        building.lock = Some(lock.map_err(|source| FolderError::io(&path, source))?);
        Ok(building)
    }

    /// Where a partition of this name is built.
    pub(super) fn partition(&self, name: &str) -> Result<PathBuf, HistoryError> {
        let path = self.hidden.join(name);
        fs::create_dir(&path).map_err(|source| FolderError::io(&path, source))?;
        Ok(path)
    }

    /// Moves a whole partition to its place, in one step.
    pub(super) fn finish(&self, name: &str) -> Result<Moved, HistoryError> {
        let built = self.hidden.join(name);
        // Whatever is removed later because this is there must not be lost with it.
        for table in Table::OF_HISTORIES {
            let path = built.join(table.file_name(TableFormat::Parquet));
            File::open(&path)
                .and_then(|file| file.sync_all())
                .map_err(|source| FolderError::io(&path, source))?;
        }
        let place = self.dir.join(name);
        match fs::rename(&built, &place) {
            Ok(()) => {
                let _ = File::open(&self.dir).and_then(|dir| dir.sync_all());
                Ok(Moved::There)
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists
                ) =>
            {
                Ok(Moved::Taken)
            }
            Err(source) => Err(FolderError::io(&place, source).into()),
        }
    }

    /// Takes a partition away, in one step. One that is gone already is none the less away.
    pub(super) fn remove(&self, partition: &Path) -> Result<(), HistoryError> {
        let Some(name) = partition.file_name() else { return Ok(()) };
        let mut aside = name.to_owned();
        aside.push(".old");
        let aside = self.hidden.join(aside);
        match fs::rename(partition, &aside) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(FolderError::io(partition, source).into()),
        }
        fs::remove_dir_all(&aside).map_err(|source| FolderError::io(&aside, source).into())
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        self.lock = None;
        let _ = fs::remove_dir_all(&self.hidden);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_history_is_neither_read_nor_written() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        assert!(matches!(list(&dir.path().join("away")), Err(HistoryError::Missing(_))));
        assert!(list(dir.path()).expect("empty").partitions.is_empty());
        fs::write(dir.path().join("thesis.txt"), "years of work").expect("a file");
        assert!(matches!(list(dir.path()), Err(HistoryError::NoStore(_))));
        assert!(matches!(prepare(dir.path()), Err(HistoryError::NoStore(_))));
        assert!(matches!(prepare(&dir.path().join("thesis.txt")), Err(HistoryError::NoStore(_))));
    }

    #[test]
    fn what_killed_processes_left_is_cleared_away_and_living_ones_are_not() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let living = Building::begin(dir.path()).expect("writable");
        let killed = dir.path().join(".tapecheck-killed");
        fs::create_dir(&killed).expect("a folder");
        fs::write(killed.join(LOCK), "").expect("a file");
        let young = dir.path().join(".tapecheck-young");
        fs::create_dir(&young).expect("a folder");
        assert!(prepare(dir.path()).expect("a history").partitions.is_empty());
        assert!(!killed.exists() && young.exists() && living.hidden.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(dir.path().join("run-2026-11-22-a")).expect("a folder");
        std::os::unix::fs::symlink("/", dir.path().join("run-2026-11-23-b")).expect("a link");
        let listing = list(dir.path()).expect("a history");
        assert_eq!(listing.partitions.len(), 1);
        assert_eq!(listing.foreign, ["run-2026-11-23-b"]);
    }
}
