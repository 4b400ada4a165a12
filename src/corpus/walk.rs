//! Finds the files of a corpus, in an order that does not depend on the file system.

use super::file_names::{labels, shown};
use super::{Bounds, FileKind, FileNote, Unreadable, UnreadableReason};
use std::collections::VecDeque;
use std::io::Read as _;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file or a folder.
    Path(PathBuf),
    /// Standard input.
    Stdin,
}

impl Input {
    /// An input as a command line names it: `-` is standard input.
    pub fn from_argument(argument: &Path) -> Self {
        if argument == Path::new("-") { Self::Stdin } else { Self::Path(argument.to_owned()) }
    }
}

/// Why a corpus could not be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// Only files can be divided into parts.
    #[error("standard input cannot be read in parts")]
    PartOfPipe,
    /// An input that was named does not exist or cannot be looked at.
    #[error("cannot read {path}: {source}")]
    Input { path: PathBuf, source: std::io::Error },
}

/// Hidden folders in which agents keep their sessions, in a home folder or beside the code.
const OF_AGENTS: [&str; 6] = [".claude", ".codex", ".continue", ".copilot", ".entire", ".gemini"];

/// The file by which a run is known.
pub(super) const MANIFEST: &str = "manifest.json";

pub(super) enum FileFound {
    /// A file to look into, with the name tables use for it.
    File { name: String, path: PathBuf },
    /// Standard input.
    Stdin,
    /// Something that cannot be entered.
    Unreadable(Unreadable),
    /// Something that is passed over on purpose.
    Note(FileNote),
}

pub(super) struct Walk {
    /// Each with the label that names of its files begin with.
    inputs: VecDeque<(Input, String)>,
    follow_links: bool,
    current: Option<(String, walkdir::IntoIter, PathBuf)>,
}

impl Walk {
    pub(super) fn new(inputs: &[Input], bounds: &Bounds) -> Result<Self, CorpusError> {
        for input in inputs {
            if let Input::Path(path) = input {
                std::fs::metadata(path)
                    .map_err(|source| CorpusError::Input { path: path.clone(), source })?;
            }
        }
        Ok(Self {
            inputs: inputs.iter().cloned().zip(labels(inputs)).collect(),
            follow_links: bounds.follow_links,
            current: None,
        })
    }

    /// The inputs' total size in bytes, as far as it can be known beforehand.
    pub(super) fn total_bytes(inputs: &[Input], bounds: &Bounds) -> u64 {
        let sizes = inputs.iter().map(|input| match input {
            Input::Stdin => 0,
            Input::Path(path) => entries(path, bounds.follow_links)
                .filter_map(Result::ok)
                .filter(|entry| entry.file_type().is_file())
                .filter_map(|entry| entry.metadata().ok())
                .map(|metadata| metadata.len())
                .sum(),
        });
        sizes.sum()
    }

    fn enter(&mut self, path: PathBuf, label: String) -> Option<FileFound> {
        if path.is_dir() {
            let walk = entries(&path, self.follow_links);
            self.current = Some((label, walk, path));
            None
        } else {
            Some(FileFound::File { name: label, path })
        }
    }
}

impl Iterator for Walk {
    type Item = FileFound;

    fn next(&mut self) -> Option<FileFound> {
        loop {
            let Some((label, mut walk, root)) = self.current.take() else {
                match self.inputs.pop_front()? {
                    (Input::Stdin, _) => return Some(FileFound::Stdin),
                    (Input::Path(path), label) => match self.enter(path, label) {
                        Some(found) => return Some(found),
                        None => continue,
                    },
                }
            };
            let Some(next) = walk.next() else { continue };
            let found = match next {
                Err(error) => {
                    let path = error.path().unwrap_or(&root);
                    let name = name_of(&label, path.strip_prefix(&root).unwrap_or(path));
                    let reason = if error.loop_ancestor().is_some() {
                        UnreadableReason::LinkLoop
                    } else {
                        UnreadableReason::ReadError
                    };
                    let detail = error.io_error().map_or_else(
                        || "the link leads back to a folder above it".to_owned(),
                        ToString::to_string,
                    );
                    Some(FileFound::Unreadable(Unreadable::of_file(&name, reason, detail)))
                }
                Ok(entry) => {
                    let name =
                        name_of(&label, entry.path().strip_prefix(&root).unwrap_or(entry.path()));
                    let own_name = entry.file_name().to_string_lossy();
                    let hidden = entry.depth() > 0 && own_name.starts_with('.');
                    if entry.file_type().is_dir() && hidden && own_name.contains(".tapecheck-") {
                        // A run in the making is no part of anybody's corpus.
                        walk.skip_current_dir();
                        None
                    } else if entry.file_type().is_dir() && is_run(entry.path()) {
                        walk.skip_current_dir();
                        let own = || entry.file_name().to_string_lossy().into_owned();
                        let name = if name.is_empty() { own() } else { name };
                        Some(skipped(name, "a tapecheck run"))
                    } else if entry.file_type().is_dir() {
                        let is_agents = OF_AGENTS.iter().any(|it| entry.file_name() == *it);
                        (hidden && !is_agents).then(|| {
                            walk.skip_current_dir();
                            skipped(name, "hidden folder")
                        })
                    } else if entry.file_type().is_file() {
                        Some(FileFound::File { name, path: entry.into_path() })
                    } else if entry.depth() == 0 {
                        None
                    } else if entry.path_is_symlink() {
                        Some(skipped(name, "a link, which is not followed"))
                    } else {
                        Some(skipped(name, "neither a file nor a folder"))
                    }
                }
            };
            self.current = Some((label, walk, root));
            if found.is_some() {
                return found;
            }
        }
    }
}

fn name_of(label: &str, relative: &Path) -> String {
    let parts = relative.components().map(|part| shown(part.as_os_str()));
    let relative = parts.collect::<Vec<_>>().join("/");
    match (label, relative.as_str()) {
        ("", _) => relative,
        (_, "") => label.to_owned(),
        _ => format!("{label}/{relative}"),
    }
}

/// Whether a folder is a run that was written earlier, by the first lines of its manifest.
fn is_run(folder: &Path) -> bool {
    /// The tag stands at the manifest's very beginning.
    const BEGINNING: u64 = 64;
    let mut beginning = String::new();
    let file = std::fs::File::open(folder.join(MANIFEST));
    let read = file.and_then(|file| file.take(BEGINNING).read_to_string(&mut beginning));
    read.is_ok() && beginning.contains("\"format\": \"tapecheck-run/")
}

fn skipped(file: String, detail: &str) -> FileFound {
    FileFound::Note(FileNote { file, kind: FileKind::Skipped, detail: detail.to_owned() })
}

fn entries(root: &Path, follow_links: bool) -> walkdir::IntoIter {
    walkdir::WalkDir::new(root).follow_links(follow_links).sort_by_file_name().into_iter()
}
