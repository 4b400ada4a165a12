//! The folder a run is written to: built beside its place and moved there when it is whole.

use super::manifest::{FORMAT, Manifest, Summary};
use super::whole_file::{Turn, folder_of};
use super::work_folder::{WorkFolder, live, remove_folder};
use crate::verdict::harmless_lines;
use polars_error::PolarsError;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{} exists and is not a tapecheck run (its manifest.json is missing or unreadable); choose another folder, or move it away", .0.display())]
    NotOurs(PathBuf),
    #[error("{} cannot be replaced by a run; name a folder that does not exist yet", .0.display())]
    NoName(PathBuf),
    #[error("no space left for {}; free some, or choose a folder on another disk", path.display())]
    Full { path: PathBuf, source: io::Error },
    #[error("not allowed to write {}; change its permissions, or choose another folder", path.display())]
    Forbidden { path: PathBuf, source: io::Error },
    #[error("{} is on a disk that may only be read; choose a folder on another disk", path.display())]
    ReadOnly { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {} is not a folder; choose another folder", path.display(), file.display())]
    InFile { path: PathBuf, file: PathBuf },
    #[error("cannot read {}: {source}", path.display())]
    Unread { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl FolderError {
    pub fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Full { path, source }
            }
            io::ErrorKind::PermissionDenied => Self::Forbidden { path, source },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path, source },
            _ => match path.ancestors().skip(1).find(|it| it.is_file()).map(Path::to_owned) {
                Some(file) => Self::InFile { path, file },
                None => Self::Io { path, source },
            },
        }
    }
}

/// A table could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("cannot encode rows: {0}")]
    Encode(#[from] PolarsError),
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: PolarsError },
    #[error("{} was written by another version: its column {column} is missing or of another type; run again", path.display())]
    Columns {
        path: PathBuf,
        /// The first column that differs.
        column: String,
    },
    #[error("{} is damaged: {reason}; run again", path.display())]
    Damaged { path: PathBuf, reason: String },
}

/// The file of a run at a glance.
pub const SUMMARY: &str = "summary.json";
pub const MANIFEST: &str = "manifest.json";
pub const RULEBOOK: &str = "rulebook.toml";

/// A run folder that is being written. Dropped before [`RunFolder::commit`], it leaves nothing.
#[derive(Debug)]
pub struct RunFolder {
    target: PathBuf,
    building: WorkFolder,
}

impl RunFolder {
    /// Begins a run that will stand at `target`, which must be free or hold a run of ours.
    pub fn create(target: &Path) -> Result<Self, FolderError> {
        // A link to a run stays a link.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
        let name = target.file_name().ok_or_else(|| FolderError::NoName(target.clone()))?;
        check_place(&target)?;
        let parent = folder_of(&target);
        fs::create_dir_all(&parent).map_err(|source| FolderError::io(&parent, source))?;
        let prefix = format!(".{}.tapecheck-", name.to_string_lossy());
        let turn = Turn::take(&parent);
        restore_earlier(&parent, &prefix, &target);
        let building = WorkFolder::begin_in(&turn, &parent, &prefix)?;
        drop(turn);
        Ok(Self { target, building })
    }

    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Whether a run that has exchanges stands at the target.
    pub fn has_earlier_exchanges(&self) -> bool {
        let manifest = File::open(self.target.join(MANIFEST))
            .ok()
            .and_then(|file| serde_json::from_reader::<_, Manifest>(io::BufReader::new(file)).ok());
        // What cannot be told is spared.
        is_run(&self.target)
            && manifest.is_none_or(|manifest| manifest.comparable.counts.exchanges > 0)
    }

    /// Where it is being built: the place for temporary files of this run.
    pub fn building(&self) -> &Path {
        self.building.path()
    }

    /// Where a file of the run is being built.
    pub fn path(&self, name: &str) -> PathBuf {
        self.building().join(name)
    }

    pub fn file(&self, name: &str) -> Result<BufWriter<File>, FolderError> {
        create_file(&self.path(name))
    }

    /// Writes the rulebook that judged, as a text that needs no other file.
    pub fn write_rulebook(&self, resolved: &str) -> Result<(), FolderError> {
        let path = self.path(RULEBOOK);
        fs::write(&path, resolved).map_err(|source| FolderError::io(&path, source))
    }

    pub fn write_summary(&self, summary: &Summary) -> Result<(), FolderError> {
        self.write_json(SUMMARY, summary)
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), FolderError> {
        let path = self.path(name);
        let write = || -> io::Result<()> {
            let text = serde_json::to_string_pretty(value)?;
            fs::write(&path, harmless_lines(&text).into_owned() + "\n")
        };
        write().map_err(|source| FolderError::io(&path, source))
    }

    /// Writes the manifest: what is built is a run then, though not yet in its place.
    pub fn write_manifest(&self, manifest: &Manifest) -> Result<(), FolderError> {
        self.write_json(MANIFEST, manifest)
    }

    /// Moves the run to its place; a run that stood there is gone then.
    pub fn commit(mut self) -> Result<(), FolderError> {
        // An unlocked folder looks like one that was left behind: nobody else looks meanwhile.
        let turn = Turn::take(&folder_of(&self.target));
        let mut live = live();
        self.building.unlock()?;
        check_place(&self.target)?;
        let earlier = self.move_into_place()?;
        self.building.keep(&mut live);
        drop((turn, live));
        match earlier {
            Some(earlier) => {
                remove_folder(&earlier).map_err(|source| FolderError::io(&earlier, source))
            }
            None => Ok(()),
        }
    }

    /// Returns where the run is now that stood there.
    fn move_into_place(&self) -> Result<Option<PathBuf>, FolderError> {
        let failed = |source| FolderError::io(&self.target, source);
        if !self.target.exists() {
            return fs::rename(self.building(), &self.target).map(|()| None).map_err(failed);
        }
        if exchange(self.building(), &self.target) {
            return Ok(Some(self.building().to_owned()));
        }
        let aside = aside(self.building());
        fs::rename(&self.target, &aside).map_err(failed)?;
        if let Err(source) = fs::rename(self.building(), &self.target) {
            let _ = fs::rename(&aside, &self.target);
            return Err(failed(source));
        }
        Ok(Some(aside))
    }
}

pub(super) fn create_file(path: &Path) -> Result<BufWriter<File>, FolderError> {
    let file = File::create(path).map_err(|source| FolderError::io(path, source))?;
    Ok(BufWriter::with_capacity(1 << 16, file))
}

/// Swaps two folders in one step, where the system can.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}

/// Ends the name of an earlier run that was moved out of the way.
const ASIDE: &str = ".old";

fn aside(building: &Path) -> PathBuf {
    let mut name = building.as_os_str().to_owned();
    name.push(ASIDE);
    PathBuf::from(name)
}

fn check_place(target: &Path) -> Result<(), FolderError> {
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(FolderError::io(target, source)),
        Ok(_) if is_run(target) || is_empty_folder(target) => Ok(()),
        Ok(_) => Err(FolderError::NotOurs(target.to_path_buf())),
    }
}

pub(super) fn is_empty_folder(target: &Path) -> bool {
    fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none())
}

/// Whether a folder is a run of ours, by the format its manifest names.
pub fn is_run(folder: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Tag {
        format: String,
    }
    let family = FORMAT.split_inclusive('/').next().unwrap_or(FORMAT);
    File::open(folder.join(MANIFEST))
        .ok()
        .and_then(|file| serde_json::from_reader::<_, Tag>(io::BufReader::new(file)).ok())
        .is_some_and(|tag| tag.format.starts_with(family))
}

/// Puts an earlier run back that was moved out of the way just before its successor was killed.
fn restore_earlier(parent: &Path, prefix: &str, target: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let earlier = name.starts_with(prefix) && name.ends_with(ASIDE) && is_run(&entry.path());
        if earlier && !target.exists() {
            let _ = fs::rename(entry.path(), target);
        }
    }
}

/// Whether a path still leads to a file that is open: who waited for a lock may hold one that is gone.
#[cfg(unix)]
pub fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
}

/// Whether a path still leads to a file that is open. Where open files cannot be removed, any will do.
#[cfg(not(unix))]
pub fn is_still(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::super::tests::manifest;
    use super::super::work_folder::LOCK;
    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let target = parent.path().join("run");
        (parent, target)
    }

    fn commit(target: &Path, name: &str) {
        let folder = RunFolder::create(target).expect("a place");
        folder.write_manifest(&manifest(name)).expect("written");
        folder.commit().expect("moved");
    }

    fn rulebook_at(target: &Path) -> String {
        let file = File::open(target.join(MANIFEST)).expect("a manifest");
        let manifest: Manifest = serde_json::from_reader(file).expect("ours");
        manifest.comparable.rulebook.name
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn leftovers_of_killed_runs_are_removed_and_living_runs_are_not() {
        let (parent, target) = place();
        let living = RunFolder::create(&target).expect("a place");
        let killed = parent.path().join(".run.tapecheck-killed");
        fs::create_dir(&killed).expect("a folder");
        fs::write(killed.join(LOCK), "").expect("a file");
        let unknown = parent.path().join(".run.tapecheck-notes");
        fs::create_dir(&unknown).expect("a folder");
        fs::write(unknown.join("notes.txt"), "text").expect("a file");
        commit(&target, "second");
        assert!(!killed.exists() && unknown.exists() && living.building().exists());
        living.write_manifest(&manifest("last")).expect("written");
        living.commit().expect("moved");
        assert_eq!(rulebook_at(&target), "last");
    }

    #[test]
    fn what_a_kill_leaves_at_any_time_is_cleared_by_the_next_run() {
        let (parent, target) = place();
        let left = |name: &str| parent.path().join(format!(".run.tapecheck-{name}"));
        // Before the lock, while tables are written, and while an earlier run is removed.
        fs::create_dir(left("begun")).expect("a folder");
        fs::create_dir(left("written")).expect("a folder");
        fs::write(left("written").join(LOCK), "").expect("a file");
        fs::write(left("written").join("verdicts.parquet"), "PAR1").expect("a file");
        commit(&left("replaced"), "earlier");
        fs::create_dir(left("replaced").join("sessions")).expect("a folder");
        commit(&target, "next");
        assert_eq!(names_in(parent.path()), ["run"]);
    }

    #[test]
    fn an_earlier_run_loses_last_what_tells_that_it_is_one() {
        let (parent, target) = place();
        commit(&target, "first");
        fs::create_dir(target.join("within")).expect("a folder");
        fs::write(target.join("within/one.txt"), "text").expect("a file");
        // Where the manifest cannot be removed, all else is gone already.
        fs::remove_file(target.join(MANIFEST)).expect("a file");
        fs::create_dir(target.join(MANIFEST)).expect("a folder");
        remove_folder(&target).expect_err("a folder in the place of a file");
        assert_eq!(names_in(&target), [MANIFEST]);
        drop(parent);
    }

    #[test]
    fn runs_that_begin_and_end_together_leave_each_other_alone() {
        let (parent, target) = place();
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let target = &target;
                scope.spawn(move || {
                    for round in 0..60 {
                        let folder = RunFolder::create(target).expect("a place");
                        folder.write_summary(&Summary::default()).expect("its folder is there");
                        let name = format!("{worker}-{round}");
                        folder.write_manifest(&manifest(&name)).expect("its folder is there");
                        if round % 3 > 0 {
                            folder.commit().expect("moved");
                        }
                    }
                });
            }
        });
        assert!(is_run(&target));
        assert_eq!(names_in(parent.path()), ["run"]);
    }

    #[test]
    fn a_run_killed_between_its_two_moves_gives_the_old_one_back() {
        let (parent, target) = place();
        commit(&target, "first");
        let building = parent.path().join(".run.tapecheck-killed");
        fs::rename(&target, aside(&building)).expect("moved");
        drop(RunFolder::create(&target).expect("a place"));
        assert_eq!(rulebook_at(&target), "first");
    }

    #[test]
    fn errors_name_the_path_and_what_to_do() {
        let full = FolderError::io(Path::new("out/a"), io::ErrorKind::StorageFull.into());
        assert!(full.to_string().starts_with("no space left for out/a;"), "{full}");
        let forbidden = FolderError::io(Path::new("out/a"), io::ErrorKind::PermissionDenied.into());
        assert!(forbidden.to_string().contains("permissions"), "{forbidden}");
    }
}
