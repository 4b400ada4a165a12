//! The folder of a cache: files that appear whole, and the oldest of which go when there are too many.

use super::entry::{BeginningFile, End, Entry, EntryName, length, read, write};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Tells programs that make backups to pass over the folder.
const TAG: &str = "CACHEDIR.TAG";
const TAG_TEXT: &str = "Signature: 8a477f597d28d172789f06886806bc55\n\
    # What tapecheck judged earlier. It can be removed at any time.\n";
/// How names of files that are being written begin.
const UNFINISHED: &str = ".unfinished-";
/// One that is so old was left by a process that is gone.
const ABANDONED: Duration = Duration::from_hours(24);
/// A use is noted by the file's time; again only when so much time has passed.
const NOTED_FOR: Duration = Duration::from_mins(10);

/// The folder of a cache cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep verdicts in {}: {source}", folder.display())]
pub struct CacheError {
    /// The folder.
    pub folder: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// The folder.
pub(super) struct Store {
    folder: PathBuf,
    bound: u64,
    begun: SystemTime,
    state: Mutex<State>,
}

struct State {
    /// What is in the folder.
    bytes: u64,
    /// What threads are about to add to it.
    promised: u64,
    trouble: Option<String>,
}

/// A file of ours.
struct Known {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl Store {
    /// Opens the folder, which is made where it is missing.
    pub(super) fn open(folder: &Path, bound: u64) -> Result<Self, CacheError> {
        let failed = |source| CacheError { folder: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let tag = folder.join(TAG);
        if !tag.exists() {
            fs::write(&tag, TAG_TEXT).map_err(failed)?;
        }
        let known = known(folder).map_err(failed)?;
        let state =
            State { bytes: known.iter().map(|file| file.bytes).sum(), promised: 0, trouble: None };
        let (folder, begun) = (folder.to_owned(), SystemTime::now());
        Ok(Self { folder, bound, begun, state: Mutex::new(state) })
    }

    /// What is kept under a name.
    pub(super) fn get(&self, name: EntryName) -> Option<Entry> {
        self.open_file(&name.file(), |file| read(name, file.try_clone().ok()?))
    }

    /// What is read from a file of ours.
    pub(super) fn open_file<T>(
        &self,
        name: &str,
        read: impl FnOnce(&File) -> Option<T>,
    ) -> Option<T> {
        let path = self.folder.join(name);
        let file = File::open(&path).ok()?;
        let used = file.metadata().and_then(|found| found.modified());
        let found = read(&file);
        if found.is_none() {
            // Nobody can use it, and a good one may take its place.
            let _ = fs::remove_file(&path);
        } else if used.is_ok_and(|used| used + NOTED_FOR < self.begun) {
            let _ = file.set_modified(self.begun);
        }
        found
    }

    /// The beginnings of runs that are kept.
    pub(super) fn beginnings(&self) -> HashSet<BeginningFile> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return HashSet::new() };
        let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
        names.filter_map(|name| BeginningFile::of_file(&name.to_string_lossy())).collect()
    }

    /// Notes a name; whether nobody did so before.
    pub(super) fn note(&self, name: &str) -> bool {
        File::create_new(self.folder.join(name)).is_ok()
    }

    /// Keeps something under a name, as long as there is room.
    pub(super) fn put(&self, name: EntryName, end: End, content: (&[u8], &[&[u8]])) {
        self.put_file((&name.file(), length(content)), |out| write(out, name, end, content));
    }

    /// Keeps so many bytes in a file, as long as there is room.
    pub(super) fn put_file(
        &self,
        (name, bytes): (&str, u64),
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) {
        if !self.has_room_for(bytes) {
            return;
        }
        let written = self.write(name, write);
        let mut state = self.state();
        state.promised -= bytes;
        match written {
            // Whoever counted the folder meanwhile counted it too: rather too much than too little.
            Ok(()) => state.bytes += bytes,
            Err(error) => {
                let folder = self.folder.display();
                state
                    .trouble
                    .get_or_insert_with(|| format!("cannot keep verdicts in {folder}: {error}"));
            }
        }
    }

    fn write(&self, name: &str, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        write(file.as_file_mut())?;
        // Whether it reaches the disk before a power cut does not matter: its hash tells.
        file.persist(self.folder.join(name)).map_err(|error| error.error)?;
        Ok(())
    }

    /// Promises room for bytes that are to be written. What this run needs is never given up for more of it.
    fn has_room_for(&self, more: u64) -> bool {
        let mut state = self.state();
        if state.trouble.is_some() {
            return false;
        }
        let taken = state.promised + more;
        if state.bytes + taken > self.bound {
            // Some room beyond what is needed, so that it is not made again for each file.
            let wanted = self.bound - self.bound / 8;
            state.bytes = self.make_room(wanted.saturating_sub(taken));
        }
        let has_room = state.bytes + taken <= self.bound;
        if has_room {
            state.promised = taken;
        }
        has_room
    }

    /// Keeps the folder within its bound.
    pub(super) fn trim(&self) {
        let mut state = self.state();
        if state.bytes > self.bound {
            state.bytes = self.make_room(self.bound);
        }
    }

    /// Removes what was not used for the longest time until so many bytes are left, and says how many are.
    fn make_room(&self, wanted: u64) -> u64 {
        let Ok(mut files) = known(&self.folder) else { return u64::MAX / 2 };
        files.sort_by(|one, other| (one.used, &one.path).cmp(&(other.used, &other.path)));
        let mut bytes: u64 = files.iter().map(|file| file.bytes).sum();
        for file in files {
            if bytes <= wanted || file.used >= self.begun {
                break;
            }
            // Another process may have been faster.
            let _ = fs::remove_file(&file.path);
            bytes -= file.bytes;
        }
        bytes
    }

    /// What went wrong.
    pub(super) fn trouble(&self) -> Option<String> {
        self.state().trouble.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files of ours in a folder. What a killed process left unfinished is removed.
fn known(folder: &Path) -> io::Result<Vec<Known>> {
    let mut files = Vec::new();
    let now = SystemTime::now();
    for entry in fs::read_dir(folder)? {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_unfinished = name.starts_with(UNFINISHED);
        if !is_unfinished && !EntryName::is_ours(&name) {
            continue;
        }
        let Ok(found) = entry.metadata() else { continue };
        let used = found.modified().unwrap_or(now);
        if !is_unfinished {
            files.push(Known { path: entry.path(), bytes: found.len(), used });
        } else if used + ABANDONED < now {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTENT: (&[u8], &[&[u8]]) = (b"judged", &[&[7; 1_000]]);

    fn name(number: u128) -> EntryName {
        EntryName { name: number, number: 0 }
    }

    fn size(folder: &Path) -> u64 {
        known(folder).expect("readable").iter().map(|file| file.bytes).sum()
    }

    fn age(folder: &Path, name: EntryName, by: Duration) {
        let file = File::options().append(true).open(folder.join(name.file())).expect("kept");
        file.set_modified(SystemTime::now() - by).expect("ours");
    }

    #[test]
    fn what_is_kept_comes_back_until_somebody_alters_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(folder.path(), 1 << 20).expect("a free place");
        store.put(name(1), End::Last, CONTENT);
        let entry = store.get(name(1)).expect("kept");
        assert_eq!((entry.end, entry.head.as_slice()), (End::Last, CONTENT.0));
        assert!(store.get(name(2)).is_none());
        fs::write(folder.path().join(name(1).file()), "torn").expect("ours");
        assert!(store.get(name(1)).is_none());
        assert!(!folder.path().join(name(1).file()).exists(), "useless files go");
    }

    #[test]
    fn the_folder_stays_within_its_bound_and_the_oldest_go_first() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(folder.path(), 10_000).expect("a free place");
        for number in 0..9_u8 {
            store.put(name(number.into()), End::Last, CONTENT);
            age(folder.path(), name(number.into()), Duration::from_hours((90 - number).into()));
        }
        let next = Store::open(folder.path(), 10_000).expect("ours");
        assert!(next.get(name(0)).is_some(), "a use counts");
        for number in 9..12 {
            next.put(name(number), End::Last, CONTENT);
            assert!(size(folder.path()) <= 10_000);
        }
        let is_kept = |number| next.get(name(number)).is_some();
        assert!(is_kept(0) && is_kept(8) && is_kept(11) && !is_kept(1));
    }

    #[test]
    fn a_run_that_needs_more_than_there_is_keeps_what_fits() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(folder.path(), 5_000).expect("a free place");
        (0..20).for_each(|number| store.put(name(number), End::Last, CONTENT));
        assert!(size(folder.path()) <= 5_000);
        assert!((0..4).all(|number| store.get(name(number)).is_some()));
        assert_eq!(store.trouble(), None);
    }

    #[test]
    fn threads_that_write_at_once_stay_within_the_bound() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for round in 0..20 {
            let store = Store::open(folder.path(), 5_000).expect("a free place");
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let (store, first) = (&store, round * 100 + thread * 10);
                    scope.spawn(move || {
                        (0..10).for_each(|n| store.put(name(first + n), End::Last, CONTENT));
                    });
                }
            });
            assert!(size(folder.path()) <= 5_000, "{} bytes", size(folder.path()));
        }
    }

    #[test]
    fn what_cannot_be_written_is_told_and_harms_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = folder.path().join("cache");
        let store = Store::open(&place, 1 << 20).expect("a free place");
        fs::remove_dir_all(&place).expect("ours");
        store.put(name(1), End::Last, CONTENT);
        assert!(store.trouble().is_some_and(|told| told.contains("cannot keep verdicts in")));
        assert!(store.get(name(1)).is_none());
    }
}
