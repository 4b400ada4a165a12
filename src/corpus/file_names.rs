//! What files are called in tables: their path below the root that was named, and before it, where
//! there are several roots, a label that tells these apart.

use super::walk::{FileFound, Walk};
use super::{Bounds, Input};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The label of each input, in their order. It is empty where paths need none.
pub(super) fn labels(inputs: &[Input]) -> Vec<String> {
    let mut given = Given::default();
    let several = inputs.len() > 1;
    let label = |input: &Input| match input {
        Input::Stdin => STDIN.to_owned(),
        Input::Path(path) if path.is_dir() && !several => String::new(),
        Input::Path(path) => given.next(path),
    };
    inputs.iter().map(label).collect()
}

/// The file that tables of a run over these inputs call by this name.
pub fn locate(inputs: &[Input], name: &str) -> Option<PathBuf> {
    inputs.iter().zip(labels(inputs)).find_map(|(input, label)| {
        let Input::Path(root) = input else { return None };
        let path = if label.is_empty() {
            root.join(name)
        } else if name == label {
            root.clone()
        } else {
            root.join(name.strip_prefix(&label)?.strip_prefix('/')?)
        };
        path.is_file().then_some(path)
    })
}

/// The first file of which the name is the one that is looked for, where that is known by another word.
pub fn locate_by(
    inputs: &[Input],
    bounds: Bounds,
    is_it: impl Fn(&str) -> bool,
) -> Option<PathBuf> {
    let mut walk = Walk::new(inputs, &bounds).ok()?;
    walk.find_map(|found| match found {
        FileFound::File { name, path } => is_it(&name).then_some(path),
        FileFound::Stdin | FileFound::Unreadable(_) | FileFound::Note(_) => None,
    })
}

/// A name as text: bytes that are not UTF-8 as `\xff`, so that different names stay different.
pub(super) fn shown(name: &OsStr) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

pub(super) const STDIN: &str = "-";

/// The labels that were given so far.
struct Given {
    labels: HashSet<String>,
    /// The number to try next, by wanted label: one name may stand in any number of folders.
    numbers: HashMap<String, u64>,
}

impl Default for Given {
    fn default() -> Self {
        Self { labels: HashSet::from([STDIN.to_owned()]), numbers: HashMap::new() }
    }
}

impl Given {
    /// The last component of a path, numbered from 2 where that is taken.
    fn next(&mut self, path: &Path) -> String {
        // `.` and `..` have no name; what was written is as good as one.
        let last = shown(path.file_name().unwrap_or(path.as_os_str()));
        let mut label = last.clone();
        while self.labels.contains(&label) {
            let number = self.numbers.entry(last.clone()).or_insert(2);
            label = numbered(&last, *number, path);
            *number += 1;
        }
        self.labels.insert(label.clone());
        label
    }
}

/// A file keeps the end of its name, which says something of what is in it.
fn numbered(last: &str, number: u64, path: &Path) -> String {
    let packed = last.strip_suffix(".gz").or_else(|| last.strip_suffix(".zst")).unwrap_or(last);
    let stem = packed.rsplit_once('.').map_or(packed, |(stem, _)| stem);
    if stem.is_empty() || path.is_dir() {
        return format!("{last}-{number}");
    }
    format!("{stem}-{number}{}", &last[stem.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(below: &Path, names: &[&str]) -> Vec<Input> {
        names.iter().map(|name| Input::from_argument(&below.join(name))).collect()
    }

    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().expect("a temporary folder");
        for folder in ["a/x", "b/x", "c/x-2"] {
            let folder = place.path().join(folder);
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("t.jsonl.gz"), "").expect("a file");
        }
        place
    }

    #[test]
    fn roots_of_one_name_are_numbered_in_their_order() {
        let place = place();
        let roots = inputs(place.path(), &["a/x", "b/x", "c/x-2", "a/x", "b/x/.."]);
        let last = place.path().join("b/x/..").to_string_lossy().into_owned();
        assert_eq!(labels(&roots), ["x", "x-2", "x-2-2", "x-3", &last]);
        let files = inputs(place.path(), &["b/x/t.jsonl.gz", "a/x/t.jsonl.gz", "a/x"]);
        assert_eq!(labels(&files), ["t.jsonl.gz", "t-2.jsonl.gz", "x"]);
        assert_eq!(numbered(".jsonl", 2, Path::new(".jsonl")), ".jsonl-2");
    }

    #[test]
    fn one_root_needs_no_label_unless_it_is_a_file() {
        let place = place();
        assert_eq!(labels(&inputs(place.path(), &["a/x"])), [""]);
        assert_eq!(labels(&inputs(place.path(), &["a/x/t.jsonl.gz"])), ["t.jsonl.gz"]);
        assert_eq!(labels(&[Input::Stdin, Input::Path("./-".into())]), ["-", "--2"]);
    }

    #[test]
    fn a_file_is_found_by_the_name_that_tables_give_it() {
        let place = place();
        let roots = inputs(place.path(), &["a/x", "b/x", "c/x-2/t.jsonl.gz"]);
        let found = |name| locate(&roots, name);
        assert_eq!(found("x/t.jsonl.gz"), Some(place.path().join("a/x/t.jsonl.gz")));
        assert_eq!(found("x-2/t.jsonl.gz"), Some(place.path().join("b/x/t.jsonl.gz")));
        assert_eq!(found("t.jsonl.gz"), Some(place.path().join("c/x-2/t.jsonl.gz")));
        assert_eq!(found("x-3/t.jsonl.gz"), None);
        let one = inputs(place.path(), &["a"]);
        assert_eq!(locate(&one, "x/t.jsonl.gz"), Some(place.path().join("a/x/t.jsonl.gz")));
    }
}
