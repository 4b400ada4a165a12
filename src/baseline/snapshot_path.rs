//! Where baselines lie: `SNAPSHOTS/COLLECTION/RULEBOOK.snap`, with `.new` behind it while it waits for a
//! review; the rulebooks that were accepted; and where what a baseline was made of lies, so that a check or a review finds
//! it without being told.

use super::BaselineError;
use crate::compare::Header;
use crate::rulebook::Rulebook;
use crate::store::RulebookName;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The folder of accepted rulebooks among those of the collections.
const RULEBOOKS: &str = "rulebooks";
/// Behind the name of a file that waits for a review.
const PENDING: &str = ".new";
const EXTENSION: &str = ".snap";
/// How many digits of a digest name a rulebook.
const DIGITS: usize = 12;

/// Where the baseline of one collection under one rulebook is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SnapshotPath {
    pub snapshots: PathBuf,
    pub collection: String,
    pub rulebook: String,
}

impl SnapshotPath {
    /// The place, unless a name cannot be that of a file here.
    pub fn new(snapshots: &Path, collection: &str, rulebook: &str) -> Result<Self, String> {
        for (what, name) in [("collection", collection), ("rulebook", rulebook)] {
            if !is_file_name(name) {
                return Err(format!("a {what} called `{name}` cannot be a file of snapshots"));
            }
        }
        if collection == RULEBOOKS {
            return Err(format!(
                "a collection cannot be called {RULEBOOKS}: accepted rulebooks are kept in that folder"
            ));
        }
        let snapshots = snapshots.to_owned();
        Ok(Self { snapshots, collection: collection.to_owned(), rulebook: rulebook.to_owned() })
    }

    /// The rulebook in the name of a baseline's file, accepted or pending.
    pub fn rulebook_of(file: &str) -> Option<&str> {
        file.strip_suffix(PENDING).unwrap_or(file).strip_suffix(EXTENSION)
    }

    pub fn accepted(&self) -> PathBuf {
        self.file("")
    }

    /// The baseline that waits for a review.
    pub fn pending(&self) -> PathBuf {
        self.file(PENDING)
    }

    fn file(&self, end: &str) -> PathBuf {
        let name = format!("{}{EXTENSION}{end}", self.rulebook);
        self.snapshots.join(&self.collection).join(name)
    }

    /// The files that are there, accepted before pending.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        [self.accepted(), self.pending()].into_iter().filter(|path| path.exists())
    }
}

/// Whether a name is one file's, on every system.
fn is_file_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && !name.contains(['/', '\\', ':', '*', '?', '"', '<', '>', '|'])
        && !name.chars().any(char::is_control)
}

/// Every place below a folder at which there is a baseline, accepted or pending, sorted.
pub fn places(snapshots: &Path) -> Result<Vec<SnapshotPath>, BaselineError> {
    let mut found = Vec::new();
    for folder in names_in(snapshots)? {
        if folder == RULEBOOKS || !snapshots.join(&folder).is_dir() {
            continue;
        }
        for file in names_in(&snapshots.join(&folder))? {
            let rulebook = SnapshotPath::rulebook_of(&file);
            found
                .extend(rulebook.and_then(|name| SnapshotPath::new(snapshots, &folder, name).ok()));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The only baseline under a rulebook, if one: recordings may have moved, or be named one by one.
pub fn only_place(snapshots: &Path, rulebook: &str) -> Result<Option<SnapshotPath>, BaselineError> {
    let mut all = places(snapshots)?;
    all.retain(|place| place.rulebook == rulebook && place.accepted().exists());
    Ok(if all.len() == 1 { all.pop() } else { None })
}

/// The names in a folder; a folder that does not exist has none.
fn names_in(folder: &Path) -> Result<Vec<String>, BaselineError> {
    let failed = |source| BaselineError::Unreadable { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.map_err(failed)?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}

/// Where the text of a rulebook is kept that judged an accepted baseline.
pub fn rulebook_file(snapshots: &Path, name: &str, digest: &str) -> PathBuf {
    let digest = digest.get(..DIGITS).unwrap_or(digest);
    snapshots.join(RULEBOOKS).join(format!("{name}-{digest}.toml"))
}

/// The rulebook that judged what has this header, where it is kept and still is what it was.
pub fn kept_rulebook(snapshots: &Path, header: &Header) -> Option<Rulebook> {
    let path = rulebook_file(snapshots, &header.rulebook.name, &header.rulebook.digest);
    let text = fs::read_to_string(&path).ok()?;
    let rulebook = Rulebook::from_toml(&text, &path.to_string_lossy()).ok()?;
    (rulebook.digest == header.rulebook.digest).then_some(rulebook)
}

/// The kept rulebooks that are none of these.
pub fn unused_rulebooks(
    snapshots: &Path,
    used: &[RulebookName],
) -> Result<Vec<PathBuf>, BaselineError> {
    let used: Vec<PathBuf> = used
        .iter()
        .map(|rulebook| rulebook_file(snapshots, &rulebook.name, &rulebook.digest))
        .collect();
    let folder = snapshots.join(RULEBOOKS);
    let files = names_in(&folder)?.into_iter().filter(|name| name.strip_suffix(".toml").is_some());
    Ok(files.map(|name| folder.join(name)).filter(|path| !used.contains(path)).collect())
}

/// Where what a baseline was made of lies, relative to the folder in which the program ran; what does not
/// lie below that is not told, since a path of one machine says nothing on another.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Origin {
    /// The folder of recordings, or the recording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The rulebook's file; `None` for one that is built in, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rulebook_file: Option<String>,
}

impl Origin {
    pub fn of(recordings: &[PathBuf], rulebook_file: Option<&Path>) -> Self {
        let collection = match recordings {
            [one] => below_here(one),
            _ => None,
        };
        Self { collection, rulebook_file: rulebook_file.and_then(below_here) }
    }

    /// What this does not tell, another may.
    pub fn or(self, other: &Self) -> Self {
        Self {
            collection: self.collection.or_else(|| other.collection.clone()),
            rulebook_file: self.rulebook_file.or_else(|| other.rulebook_file.clone()),
        }
    }
}

/// A path below the current folder, as it is called from there.
fn below_here(path: &Path) -> Option<String> {
    let here = std::env::current_dir().ok()?.canonicalize().ok()?;
    let whole = path.canonicalize().ok()?;
    let below = whole.strip_prefix(&here).ok()?;
    let names: Option<Vec<&str>> = below
        .components()
        .map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    match names?.join("/") {
        name if name.is_empty() => Some(".".to_owned()),
        name => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_below_is_told() {
        let of = |path: &str| Origin::of(&[PathBuf::from(path)], None).collection;
        assert_eq!(of("./src/../src/baseline").as_deref(), Some("src/baseline"));
        assert_eq!(of(".").as_deref(), Some("."));
        assert_eq!(of("/"), None);
        assert_eq!(of("nowhere"), None);
        let here = std::env::current_dir().expect("a folder").join("src");
        assert_eq!(of(&here.to_string_lossy()).as_deref(), Some("src"));
    }
}
