//! The folder a run is written to: built beside its place and moved there when it is whole.

use super::manifest::{FORMAT, Manifest, Summary};
use serde::Serialize;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A run folder could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Something else is in its place.
    #[error("{} exists and is not a run of tapecheck (it has no manifest.json of one); choose another folder, or move it away", .0.display())]
    NotOurs(PathBuf),
    /// The place has no name, such as `/` or `..`.
    #[error("{} cannot be replaced by a run; name a folder that does not exist yet", .0.display())]
    NoName(PathBuf),
    /// The disk is full.
    #[error("no space left for {}; free some, or choose a folder on another disk", path.display())]
    Full {
        /// What was being written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Writing is not allowed.
    #[error("not allowed to write {}; change its permissions, or choose another folder", path.display())]
    Forbidden {
        /// What was being written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something else went wrong.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// What was being written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FolderError {
    /// The error for a failed write to a path.
    #[must_use]
    pub fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Full { path, source }
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Forbidden { path, source }
            }
            _ => Self::Io { path, source },
        }
    }
}

/// Held locked by the process that writes a folder; who can lock it knows that nobody does.
const LOCK: &str = "being-written.lock";
const MANIFEST: &str = "manifest.json";

/// A run folder that is being written. Dropped before [`RunFolder::commit`], it leaves nothing.
#[derive(Debug)]
pub struct RunFolder {
    target: PathBuf,
    building: PathBuf,
    lock: Option<File>,
    committed: bool,
}

impl RunFolder {
    /// Begins a run that will stand at `target`, which must be free or hold a run of ours.
    pub fn create(target: &Path) -> Result<Self, FolderError> {
        // A link to a run stays a link.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
        let name = target.file_name().ok_or_else(|| FolderError::NoName(target.clone()))?;
        check_place(&target)?;
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            Some(_) | None => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(|source| FolderError::io(parent, source))?;
        let prefix = format!(".{}.tapecheck-", name.to_string_lossy());
        remove_leftovers(parent, &prefix);
        let building = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(parent)
            .map_err(|source| FolderError::io(parent, source))?
            .keep();
        let mut folder = Self { target, building, lock: None, committed: false };
        let path = folder.building.join(LOCK);
        let lock = File::create_new(&path)
            .and_then(|file| file.lock().map(|()| file))
            .map_err(|source| FolderError::io(&path, source))?;
        folder.lock = Some(lock);
        Ok(folder)
    }

    /// Where the run will stand.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Where it is being built: the place for temporary files of this run.
    #[must_use]
    pub fn building(&self) -> &Path {
        &self.building
    }

    /// Where a file of the run is being built.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.building.join(name)
    }

    /// Begins a file of the run.
    pub fn file(&self, name: &str) -> Result<BufWriter<File>, FolderError> {
        let path = self.path(name);
        let file = File::create(&path).map_err(|source| FolderError::io(&path, source))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Writes `summary.json`.
    pub fn write_summary(&self, summary: &Summary) -> Result<(), FolderError> {
        self.write_json("summary.json", summary)
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), FolderError> {
        let path = self.path(name);
        let write = || -> io::Result<()> {
            let mut out = BufWriter::new(File::create(&path)?);
            serde_json::to_writer_pretty(&mut out, value)?;
            out.write_all(b"\n")?;
            out.flush()
        };
        write().map_err(|source| FolderError::io(&path, source))
    }

    /// Writes the manifest and moves the run to its place; a run that stood there is gone then.
    pub fn commit(mut self, manifest: &Manifest) -> Result<(), FolderError> {
        self.write_json(MANIFEST, manifest)?;
        self.unlock()?;
        check_place(&self.target)?;
        self.move_into_place()?;
        self.committed = true;
        Ok(())
    }

    fn unlock(&mut self) -> Result<(), FolderError> {
        let path = self.building.join(LOCK);
        self.lock = None;
        fs::remove_file(&path).map_err(|source| FolderError::io(&path, source))
    }

    fn move_into_place(&self) -> Result<(), FolderError> {
        let failed = |source| FolderError::io(&self.target, source);
        if !self.target.exists() {
            return fs::rename(&self.building, &self.target).map_err(failed);
        }
        let mut aside = self.building.clone().into_os_string();
        aside.push(".old");
        let aside = PathBuf::from(aside);
        fs::rename(&self.target, &aside).map_err(failed)?;
        if let Err(source) = fs::rename(&self.building, &self.target) {
            let _ = fs::rename(&aside, &self.target);
            return Err(failed(source));
        }
        fs::remove_dir_all(&aside).map_err(|source| FolderError::io(&aside, source))
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.committed {
            self.lock = None;
            let _ = fs::remove_dir_all(&self.building);
        }
    }
}

fn check_place(target: &Path) -> Result<(), FolderError> {
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(FolderError::io(target, source)),
        Ok(_) if is_run(target) => Ok(()),
        Ok(_) => Err(FolderError::NotOurs(target.to_path_buf())),
    }
}

/// Whether a folder is a run of ours, by the format its manifest names.
#[must_use]
fn is_run(folder: &Path) -> bool {
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

/// Removes what killed runs left beside the target: folders of our naming that nobody holds.
fn remove_leftovers(parent: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(prefix);
        if ours && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_abandoned(&entry.path())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(folder: &Path) -> bool {
    match File::open(folder.join(LOCK)) {
        Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        Err(_) => is_run(folder),
    }
}
