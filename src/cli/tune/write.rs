//! Writing a tuned rulebook: into its own file, or into a new one that extends it.

use super::{Failure, file_name};
use crate::rulebook::{Rulebook, builtin_names};
use crate::store::file_beside;
use crate::tune::{Change, ChangeError, Learned, apply};
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

const ANOTHER: &str = "name a new file for --write: it will extend the rulebook";

/// A place that can be written to; found out before anything is learned.
pub(super) struct Target {
    /// As it was named.
    named: PathBuf,
    /// What a link leads to is written, not the link.
    file: PathBuf,
    /// Those of the file that is there.
    permissions: Option<Permissions>,
}

/// The text that changes are written into.
pub(super) struct Draft {
    target: Target,
    text: String,
}

impl Target {
    /// Looks whether a file can be written.
    pub(super) fn at(named: &Path) -> Result<Self, Failure> {
        let file = named.canonicalize().unwrap_or_else(|_| named.to_owned());
        let there = fs::metadata(&file).ok();
        let target = Self {
            named: named.to_owned(),
            permissions: there.as_ref().map(fs::Metadata::permissions),
            file,
        };
        if there.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(target.unwritable("it is a folder"));
        }
        if target.permissions.as_ref().is_some_and(Permissions::readonly) {
            return Err(target.unwritable("it is read-only"));
        }
        if !target.folder().is_dir() {
            return Err(target.unwritable("its folder is not there"));
        }
        target.temporary().map(drop).map_err(|error| target.refused(&error))?;
        Ok(target)
    }

    /// Takes the text that is there, or begins one.
    pub(super) fn open(self, start: (Option<&str>, &Rulebook)) -> Result<Draft, Failure> {
        let text = match self.permissions {
            Some(_) => self.own_text(start.1)?,
            None => self.new_text(start),
        };
        Ok(Draft { target: self, text })
    }

    fn own_text(&self, start: &Rulebook) -> Result<String, Failure> {
        let shown = self.named.display();
        let there = Rulebook::load(&self.file.to_string_lossy()).map_err(Failure::usage)?;
        if there.digest != start.digest {
            return Err(Failure::usage(format!(
                "{shown} is there and is not the rulebook that was tuned"
            ))
            .next("name the rulebook's own file, or one that is not there yet"));
        }
        fs::read_to_string(&self.file)
            .map_err(|error| Failure::unfinished(format!("cannot read {shown}: {error}")))
    }

    fn new_text(&self, (named, start): (Option<&str>, &Rulebook)) -> String {
        let stem = file_name(&self.file);
        let name = stem.strip_suffix(".toml").unwrap_or(&stem);
        let named = named.unwrap_or(&start.name);
        let is_same = || Rulebook::builtin(named).is_ok_and(|known| known.digest == start.digest);
        if builtin_names().contains(&named) && is_same() {
            let about = quoted(&format!("{}, tuned by labels.", start.name));
            return format!(
                "name = {}\nabout = {about}\nextends = {}\n",
                quoted(name),
                quoted(named)
            );
        }
        // Another file's text cannot be known to be found from here: what it came to stands by itself.
        start.resolved.clone()
    }

    fn folder(&self) -> &Path {
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new("."))
    }

    /// A file beside its place, with the rights that the file has or is to have.
    fn temporary(&self) -> io::Result<NamedTempFile> {
        let file = file_beside(&self.file)?;
        if let Some(permissions) = &self.permissions {
            file.as_file().set_permissions(permissions.clone())?;
        }
        Ok(file)
    }

    fn unwritable(&self, why: impl std::fmt::Display) -> Failure {
        Failure::usage(format!("cannot write {}: {why}", self.named.display()))
            .next("name a file that you may write, in a folder that is there")
    }

    /// The system's word alone: its message names the file beside, which nobody asked for.
    fn refused(&self, error: &io::Error) -> Failure {
        self.unwritable(error.kind())
    }
}

impl Draft {
    /// The file, as it was named.
    pub(super) fn name(&self) -> &Path {
        &self.target.named
    }

    /// Whether a rulebook is not found any more under its name once this is written.
    pub(super) fn replaces(&self, named: &str) -> bool {
        let is_there = self.target.permissions.is_some();
        is_there
            && match Path::new(named).canonicalize() {
                Ok(file) => file == self.target.file,
                Err(_) => !builtin_names().contains(&named),
            }
    }

    /// Writes what was learned; the file is only touched once what is written was read back and judges
    /// alike. Returns what it is now.
    pub(super) fn write(&self, learned: &Learned) -> Result<Rulebook, Failure> {
        let target = &self.target;
        let mut changed = apply(&self.text, &learned.changes).map_err(cannot_change)?;
        // What overrides something inherited hides it: once it is gone, the inherited has to go.
        for _ in 0..2 {
            let mut kept = target.temporary().map_err(|error| target.refused(&error))?;
            kept.write_all(changed.as_bytes()).map_err(|error| target.refused(&error))?;
            let name = kept.path().to_string_lossy().into_owned();
            // The file beside is gone in a moment: what is wrong is to be looked for in the file itself.
            let written = Rulebook::load(&name).map_err(|error| {
                let error = error.to_string().replace(&name, &target.named.to_string_lossy());
                Failure::unfinished(format!("what would be written cannot be used: {error}"))
                    .next(format!("correct what it names, or {ANOTHER}"))
            })?;
            if written.digest == learned.rulebook.digest {
                kept.as_file().sync_all().map_err(|error| target.refused(&error))?;
                kept.persist(&target.file).map_err(|error| target.refused(&error.error))?;
                return Ok(written);
            }
            let again: Vec<Change> =
                learned.changes.iter().filter(|it| still_there(it, &written)).cloned().collect();
            changed = apply(&changed, &again).map_err(cannot_change)?;
        }
        Err(Failure::unfinished(format!(
            "{} cannot be changed in place so that it judges as proposed",
            target.named.display()
        ))
        .next(ANOTHER))
    }
}

/// Whether what a change takes away is there again, inherited.
fn still_there(change: &Change, written: &Rulebook) -> bool {
    match change {
        Change::NoLine { line } => written.decide.iter().any(|kept| kept.name == *line),
        Change::Weight { factor, to, .. } => {
            *to == 0.0 && written.factors.iter().any(|kept| kept.name == *factor)
        }
        _ => false,
    }
}

fn cannot_change(error: ChangeError) -> Failure {
    Failure::unfinished(error).next(ANOTHER)
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}
