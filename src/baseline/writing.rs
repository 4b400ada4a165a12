//! Writing snapshots so that nothing accepted can be lost: one writer at a time, and each file is
//! whole before it takes the place of another.

use super::BaselineError;
use super::model::Baseline;
use super::snapshot_path::{SnapshotPath, rulebook_file};
use crate::rulebook::Rulebook;
use crate::store::{FolderError, is_still, write_whole};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file that whoever writes snapshots holds locked.
const LOCK: &str = ".lock";
/// How often a lock is asked for that another holds, and how long between.
const PATIENCE: (u32, Duration) = (40, Duration::from_millis(50));

/// The right to write snapshots, held until it is dropped.
#[derive(Debug)]
pub struct SnapshotsLock {
    path: PathBuf,
    file: Option<File>,
}

impl SnapshotsLock {
    /// Takes the lock; a check that is just writing is waited for, for two seconds.
    pub fn take(snapshots: &Path) -> Result<Self, BaselineError> {
        let path = snapshots.join(LOCK);
        let failed = |source| FolderError::io(&path, source);
        fs::create_dir_all(snapshots).map_err(|source| FolderError::io(snapshots, source))?;
        for _ in 0..PATIENCE.0 {
            let file = File::options().create(true).append(true).open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) if is_still(&file, &path) => return Ok(Self { path, file: Some(file) }),
                // It was removed by the one who held it.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => std::thread::sleep(PATIENCE.1),
                Err(TryLockError::Error(source)) => return Err(failed(source).into()),
            }
        }
        Err(BaselineError::Locked(path))
    }
}

impl Drop for SnapshotsLock {
    fn drop(&mut self) {
        // Removed while it is held, so that nobody else can hold a file that is going away.
        let _ = fs::remove_file(&self.path);
        self.file = None;
    }
}

/// Writes a whole file, in a folder that need not be there yet.
fn write_file(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), BaselineError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|source| FolderError::io(folder, source))?;
    Ok(write_whole(path, write).map_err(|source| FolderError::io(path, source))?)
}

impl Baseline {
    /// Writes the baseline to its place as the accepted one. What waited there for a review is gone.
    pub fn accept_at(
        &self,
        place: &SnapshotPath,
        lock: &SnapshotsLock,
    ) -> Result<(), BaselineError> {
        self.write_at(place, lock)?;
        forget_pending(place)
    }

    /// Writes the baseline to its place and leaves alone what waits there for a review.
    pub fn write_at(&self, place: &SnapshotPath, _: &SnapshotsLock) -> Result<(), BaselineError> {
        self.write(&place.accepted())
    }

    /// Leaves the baseline beside its place, for a review.
    pub fn propose_at(&self, place: &SnapshotPath, _: &SnapshotsLock) -> Result<(), BaselineError> {
        self.write(&place.pending())
    }

    fn write(&self, path: &Path) -> Result<(), BaselineError> {
        write_file(path, |file| file.write_all(self.file_text().as_bytes()))
    }
}

/// Removes what waits for a review, where anything does.
pub fn forget_pending(place: &SnapshotPath) -> Result<(), BaselineError> {
    remove(&place.pending())
}

/// Removes a file that may not be there.
pub fn remove(path: &Path) -> Result<(), BaselineError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(FolderError::io(path, error).into())
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Keeps the text of a rulebook, so that it can be told later why verdicts changed.
pub fn keep_rulebook(
    snapshots: &Path,
    rulebook: &Rulebook,
    _: &SnapshotsLock,
) -> Result<(), BaselineError> {
    let path = rulebook_file(snapshots, &rulebook.name, &rulebook.digest);
    if fs::read_to_string(&path).is_ok_and(|text| text == rulebook.resolved) {
        return Ok(());
    }
    write_file(&path, |file| file.write_all(rulebook.resolved.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_at_a_time() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let held = SnapshotsLock::take(folder.path()).expect("free");
        let refused = SnapshotsLock::take(folder.path()).expect_err("held");
        assert!(refused.to_string().contains("another review or check is writing"), "{refused}");
        drop(held);
        SnapshotsLock::take(folder.path()).expect("free again");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing stays");
    }
}
