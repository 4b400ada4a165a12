//! Finds the files that say what the tapes of a folder, and of the folders in it, are held against.

use super::walk::{Found, Walk};
use super::{Bounds, CorpusError, Input};
use std::path::{Path, PathBuf};

/// The name of such a file.
pub const SETTINGS_FILE: &str = "checks.toml";

/// A file of settings that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsAt {
    /// What tables call the file: its path below the corpus's root.
    pub name: String,
    /// The folder it stands in.
    pub folder: PathBuf,
    /// The folder for whose tapes it holds, and for those of the folders in it.
    pub holds_for: PathBuf,
    /// The root of its corpus, which it must not lead out of.
    pub root: PathBuf,
}

/// Whether a file is one of settings, by its name.
pub(super) fn is_settings(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == SETTINGS_FILE)
}

/// The files of settings of a corpus, in its order: walks where reading it will walk. The root of a
/// tape that is named by itself is its folder. `most` bounds how many are looked for.
pub fn find_settings(
    inputs: &[Input],
    bounds: &Bounds,
    most: usize,
) -> Result<Vec<SettingsAt>, CorpusError> {
    let mut found: Vec<SettingsAt> = Vec::new();
    for input in inputs {
        let Input::Path(path) = input else { continue };
        if !path.is_dir() {
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            found.extend(in_folder(&folder, &folder, String::new()));
            continue;
        }
        let walk =
            Walk::new(std::slice::from_ref(input), bounds)?.filter_map(|entry| match entry {
                Found::File { name, path } if is_settings(&path) => Some((name, path)),
                Found::File { .. } | Found::Stdin | Found::Reject(_) | Found::Note(_) => None,
            });
        let room = most.saturating_sub(found.len());
        found.extend(walk.take(room).map(|(name, file)| {
            let folder = file.parent().unwrap_or(Path::new("")).to_owned();
            SettingsAt { name, holds_for: folder.clone(), folder, root: path.clone() }
        }));
    }
    let mut known = std::collections::HashSet::new();
    found.retain(|settings| known.insert(settings.holds_for.clone()));
    found.truncate(most);
    Ok(found)
}

/// The settings that hold for a tape of these corpora that is named by itself: those of the nearest
/// folder that has some, up to the root.
#[must_use]
pub fn settings_above(tape: &Path, corpora: &[PathBuf]) -> Option<SettingsAt> {
    let own = tape.parent().unwrap_or(Path::new(""));
    let real = existing(own).canonicalize().ok()?;
    // The innermost of the roots that hold the tape: the others would have settings that it has not.
    let roots = corpora.iter().filter(|corpus| corpus.is_dir());
    let roots = roots.filter_map(|corpus| Some((corpus, corpus.canonicalize().ok()?)));
    let holding = roots.filter(|(_, root)| real.starts_with(root));
    let (root, real_root) = holding.max_by_key(|(_, root)| root.components().count())?;
    let below = real.strip_prefix(&real_root).ok()?;
    below.ancestors().find_map(|folder| {
        let name: Vec<_> = folder.iter().map(|part| part.to_string_lossy()).collect();
        let found = in_folder(&root.join(folder), root, name.join("/"))?;
        Some(SettingsAt { holds_for: own.to_owned(), ..found })
    })
}

fn existing(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

fn in_folder(folder: &Path, root: &Path, name: String) -> Option<SettingsAt> {
    let is_there = folder.join(SETTINGS_FILE).is_file();
    let name =
        if name.is_empty() { SETTINGS_FILE.to_owned() } else { format!("{name}/{SETTINGS_FILE}") };
    is_there.then(|| SettingsAt {
        name,
        folder: folder.to_owned(),
        holds_for: folder.to_owned(),
        root: existing(root).to_owned(),
    })
}
