//! Writing what was learned: a new rulebook that extends the one it was learned from.

use super::Failure;
use crate::rulebook::{Rulebook, builtin_names};
use crate::store::file_beside;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

const WRITABLE: &str = "name a file that you may write, in an existing folder";

/// A place for a new file; found out before anything is learned.
pub(super) struct Target {
    pub(super) file: PathBuf,
}

impl Target {
    /// Looks whether a new file can be written.
    pub(super) fn at(file: &Path) -> Result<Self, Failure> {
        let target = Self { file: file.to_owned() };
        if file.symlink_metadata().is_ok() {
            return Err(Failure::usage(format!("{} exists already", file.display()))
                .next("name a new file for --write: it will extend the rulebook that is tuned"));
        }
        if !target.folder().is_dir() {
            return Err(
                Failure::usage(target.unwritable("its folder does not exist")).next(WRITABLE)
            );
        }
        target.temporary().map(drop).map_err(|error| target.refused(&error))?;
        Ok(target)
    }

    fn folder(&self) -> &Path {
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    /// How a file here names a rulebook that it extends.
    pub(super) fn reference(&self, rulebook: &str) -> Result<String, Failure> {
        if builtin_names().contains(&rulebook) {
            return Ok(rulebook.to_owned());
        }
        let [folder, file] = [self.folder(), Path::new(rulebook)]
            .map(|path| path.canonicalize().map_err(|error| self.refused(&error)));
        let (folder, file) = (folder?, file?);
        let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
        let up = folder.components().skip(common).map(|_| "..".to_owned());
        let down = file.components().skip(common);
        let down = down.map(|part| part.as_os_str().to_string_lossy().into_owned());
        Ok(up.chain(down).collect::<Vec<_>>().join("/"))
    }

    /// Writes a rulebook: the file is there only once it was read back and judges as proposed.
    pub(super) fn write(&self, text: &str, proposed: &Rulebook) -> Result<(), Failure> {
        let mut file = self.temporary().map_err(|error| self.refused(&error))?;
        file.write_all(text.as_bytes()).map_err(|error| self.refused(&error))?;
        let name = file.path().to_string_lossy().into_owned();
        let unusable = |why: String| {
            Failure::unfinished(format!("what would be written to {} {why}", self.file.display()))
        };
        // The file beside is gone in a moment: its name helps nobody.
        let written = Rulebook::load(&name).map_err(|error| {
            let error = error.to_string().replace(&name, &self.file.to_string_lossy());
            unusable(format!("cannot be used: {error}"))
        })?;
        if written.digest != proposed.digest {
            return Err(unusable("does not classify as proposed".to_owned())
                .next("tune again: the rulebook that it extends was changed in the meantime"));
        }
        file.as_file().sync_all().map_err(|error| self.refused(&error))?;
        file.persist_noclobber(&self.file).map_err(|error| self.refused(&error.error))?;
        Ok(())
    }

    fn temporary(&self) -> io::Result<NamedTempFile> {
        file_beside(&self.file)
    }

    fn unwritable(&self, why: impl std::fmt::Display) -> String {
        format!("cannot write {}: {why}", self.file.display())
    }

    /// The system's word alone: its message names the file beside, which nobody asked for.
    fn refused(&self, error: &io::Error) -> Failure {
        Failure::unfinished(self.unwritable(error.kind())).next(WRITABLE)
    }
}
