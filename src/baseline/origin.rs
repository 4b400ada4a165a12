//! Where the recordings and the rulebook of a baseline lie, so that a check or a review finds them
//! without being told.

use std::path::{Component, Path, PathBuf};

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
