//! Finds the files that say what the recordings of a folder, and of the folders in it, are held
//! against.

use super::names::shown;
use super::walk::{Found, Walk};
use super::{Bounds, CorpusError, Input};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub const SETTINGS_FILE: &str = "checks.toml";

/// A file of settings that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsAt {
    /// What tables call the file: its path below the corpus's root.
    pub name: String,
    /// The folder it stands in.
    pub folder: PathBuf,
    /// The folder for whose recordings it holds, and for those of the folders in it.
    pub holds_for: PathBuf,
    /// The root of its corpus, which it must not lead out of.
    pub root: PathBuf,
}

/// What holds everywhere, except for some folders and the folders in them.
#[derive(Clone, Debug, Default)]
pub struct ByFolder<T> {
    pub everywhere: T,
    pub folders: BTreeMap<PathBuf, T>,
}

impl<T> ByFolder<T> {
    /// What holds for the recordings of a folder; standard input has no folder.
    pub fn of(&self, folder: Option<&Path>) -> &T {
        let nearest = folder
            .filter(|_| !self.folders.is_empty())
            .and_then(|folder| folder.ancestors().find_map(|above| self.folders.get(above)));
        nearest.unwrap_or(&self.everywhere)
    }

    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.folders.values().chain([&self.everywhere])
    }

    /// The same folders with what is made of each value.
    pub fn map<U>(&self, mut make: impl FnMut(&T) -> U) -> ByFolder<U> {
        let everywhere = make(&self.everywhere);
        let folders = self.folders.iter().map(|(folder, value)| (folder.clone(), make(value)));
        ByFolder { everywhere, folders: folders.collect() }
    }
}

/// Whether a file is one of settings, by its name.
pub(super) fn is_settings(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == SETTINGS_FILE)
}

/// The files of settings of a corpus, in its order: walks where reading it will walk. The root of a
/// recording that is named by itself is its folder. `most` bounds how many are looked for.
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
            found.extend(in_folder(&folder, &folder, ""));
            continue;
        }
        let walk =
            Walk::new(std::slice::from_ref(input), bounds)?.filter_map(|entry| match entry {
                Found::File { name, path } if is_settings(&path) => Some((name, path)),
                Found::File { .. } | Found::Stdin | Found::Unreadable(_) | Found::Note(_) => None,
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

/// The settings that hold for a recording of these corpora that is named by itself: those of the
/// nearest folder that has some, up to the root.
pub fn settings_above(recording: &Path, corpora: &[PathBuf]) -> Option<SettingsAt> {
    let own = recording.parent().unwrap_or(Path::new(""));
    let real = existing(own).canonicalize().ok()?;
    // The innermost of the roots that hold the recording: the others would have settings that it has
    // not.
    let roots = corpora.iter().filter(|corpus| corpus.is_dir());
    let roots = roots.filter_map(|corpus| Some((corpus, corpus.canonicalize().ok()?)));
    let holding = roots.filter(|(_, root)| real.starts_with(root));
    let (root, real_root) = holding.max_by_key(|(_, root)| root.components().count())?;
    let below = real.strip_prefix(&real_root).ok()?;
    below.ancestors().find_map(|folder| {
        let name: Vec<_> = folder.iter().map(shown).collect();
        let found = in_folder(&root.join(folder), root, &name.join("/"))?;
        Some(SettingsAt { holds_for: own.to_owned(), ..found })
    })
}

fn existing(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

fn in_folder(folder: &Path, root: &Path, below: &str) -> Option<SettingsAt> {
    let is_there = folder.join(SETTINGS_FILE).is_file();
    let name = match below {
        "" => SETTINGS_FILE.to_owned(),
        below => format!("{below}/{SETTINGS_FILE}"),
    };
    is_there.then(|| SettingsAt {
        name,
        folder: folder.to_owned(),
        holds_for: folder.to_owned(),
        root: existing(root).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(files: &[&str]) -> tempfile::TempDir {
        let place = tempfile::tempdir().expect("a temporary folder");
        for file in files {
            let path = place.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, "").expect("a file");
        }
        place
    }

    fn found(place: &Path, inputs: &[&str], most: usize) -> Vec<(String, PathBuf)> {
        let inputs: Vec<Input> =
            inputs.iter().map(|input| Input::from_argument(&place.join(input))).collect();
        let found = find_settings(&inputs, &Bounds::default(), most).expect("it is there");
        let below = |path: PathBuf| path.strip_prefix(place).map(Path::to_owned).unwrap_or(path);
        found.into_iter().map(|settings| (settings.name, below(settings.holds_for))).collect()
    }

    #[test]
    fn settings_are_found_where_recordings_are_and_each_once() {
        let place = place(&[
            "a/checks.toml",
            "a/b/checks.toml",
            "a/b/t.jsonl",
            "a/.hidden/checks.toml",
            "c/notchecks.toml",
        ]);
        let (a, b) = (PathBuf::from("a"), PathBuf::from("a/b"));
        let both = [("b/checks.toml".to_owned(), b.clone()), ("checks.toml".to_owned(), a.clone())];
        assert_eq!(found(place.path(), &["a"], 9), both);
        assert_eq!(found(place.path(), &["a", "a", "c", "a/b"], 9), both);
        assert_eq!(found(place.path(), &["a", "a/b"], 1), both[..1]);
        assert_eq!(found(place.path(), &["a/b/t.jsonl"], 9), [("checks.toml".to_owned(), b)]);
        assert_eq!(found(place.path(), &["-"], 9), [], "standard input has none");
    }

    #[test]
    fn a_recording_has_the_nearest_settings_of_the_corpus_it_lies_in() {
        let place = place(&[
            "checks.toml",
            "a/checks.toml",
            "a/b/c/t.jsonl",
            "d/t.jsonl",
            "a/x/checks.toml",
        ]);
        let at = |path: &str| place.path().join(path);
        let above = |recording: &str, corpora: &[&str]| {
            let corpora: Vec<PathBuf> = corpora.iter().map(|corpus| at(corpus)).collect();
            settings_above(&at(recording), &corpora)
                .map(|settings| (settings.name, settings.holds_for))
        };
        let of_a = Some(("a/checks.toml".to_owned(), at("a/b/c")));
        assert_eq!(above("a/b/c/t.jsonl", &[""]), of_a);
        let within_a = Some(("checks.toml".to_owned(), at("a/b/c")));
        assert_eq!(above("a/b/c/t.jsonl", &["", "a"]), within_a);
        assert_eq!(above("a/b/c/t.jsonl", &["a/b", ""]), None, "not above the corpus");
        assert_eq!(above("d/t.jsonl", &["a"]), None);
        assert_eq!(above("d/t.jsonl", &["."]), Some(("checks.toml".to_owned(), at("d"))));
    }
}
