//! Folders for work in progress: gone with whoever made them, or cleared away after a kill.

use super::folder::{FolderError, MANIFEST, is_empty_folder, is_run};
use super::whole_file::Turn;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held locked by the process that writes a folder; who can lock it knows that nobody does.
pub(super) const LOCK: &str = "being-written.lock";

/// Begins the names of work folders that are not named after what they become.
const PREFIX: &str = ".tapecheck-";

/// The folders that this process works in. Whoever has the lock finds none that is half begun or half moved, and
/// waits for no turn meanwhile.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

pub(super) fn live() -> MutexGuard<'static, Vec<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Abandoned {
    /// A run that had not taken its place.
    Run,
    Nothing,
}

/// Removes this process's folders; it has to end then: who begins or moves one waits for ever.
pub(crate) fn abandon_work() -> Abandoned {
    /// Other threads go on writing until the end.
    const TRIES: usize = 20;
    let live = live();
    for folder in live.iter() {
        (0..TRIES).find(|_| remove_folder(folder).is_ok());
    }
    let abandoned = if live.is_empty() { Abandoned::Nothing } else { Abandoned::Run };
    std::mem::forget(live);
    abandoned
}

/// A folder that only its process uses. Dropped, it is gone.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    path: PathBuf,
    lock: Option<File>,
    kept: bool,
}

impl WorkFolder {
    /// Begins a folder and clears away those that killed processes left beside it.
    pub(crate) fn begin(parent: &Path) -> Result<Self, FolderError> {
        Self::begin_in(&Turn::take(parent), parent, PREFIX)
    }

    /// Nobody else looks for leftovers before what is begun in this turn is locked.
    pub(super) fn begin_in(turn: &Turn, parent: &Path, prefix: &str) -> Result<Self, FolderError> {
        remove_leftovers(parent, prefix, turn);
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix);
        // It holds texts of calls and replies.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let mut live = live();
        let path =
            builder.tempdir_in(parent).map_err(|source| FolderError::io(parent, source))?.keep();
        live.push(path.clone());
        drop(live);
        let mut folder = Self { path, lock: None, kept: false };
        let path = folder.path.join(LOCK);
        let lock = File::create_new(&path)
            .and_then(|file| file.lock().map(|()| file))
            .map_err(|source| FolderError::io(&path, source))?;
        folder.lock = Some(lock);
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the lock out of the folder. It looks like one that was left behind then.
    pub(super) fn unlock(&mut self) -> Result<(), FolderError> {
        let path = self.path.join(LOCK);
        self.lock = None;
        fs::remove_file(&path).map_err(|source| FolderError::io(&path, source))
    }

    /// What is in its place now is no work folder any more.
    pub(super) fn keep(&mut self, live: &mut Vec<PathBuf>) {
        live.retain(|path| *path != self.path);
        self.kept = true;
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        if !self.kept {
            let _turn = self.path.parent().map(Turn::take);
            let mut live = live();
            self.lock = None;
            let _ = remove_folder(&self.path);
            live.retain(|path| *path != self.path);
        }
    }
}

/// Removes a folder so that whoever is killed meanwhile leaves one that can be told from others: by what
/// is removed last, or because it is empty.
pub(super) fn remove_folder(folder: &Path) -> io::Result<()> {
    let gone = |result: io::Result<()>| match result {
        // Somebody else cleared it away.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if [LOCK, MANIFEST].iter().any(|last| entry.file_name() == *last) {
            continue;
        }
        let is_folder = entry.file_type()?.is_dir();
        let path = entry.path();
        gone(if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) })?;
    }
    for last in [MANIFEST, LOCK] {
        gone(fs::remove_file(folder.join(last)))?;
    }
    gone(fs::remove_dir(folder))
}

/// Removes what killed processes left: folders of our naming that nobody holds.
fn remove_leftovers(parent: &Path, prefix: &str, turn: &Turn) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(prefix);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if ours && is_folder && is_abandoned(&entry.path(), turn) {
            let _ = remove_folder(&entry.path());
        }
    }
}

fn is_abandoned(folder: &Path, turn: &Turn) -> bool {
    match File::open(folder.join(LOCK)) {
        Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        Err(_) => is_run(folder) || turn.is_ours() && is_empty_folder(folder),
    }
}
