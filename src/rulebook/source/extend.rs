//! From a file to one tree, following what it extends.

use super::merge::merge;
use super::node::Node;
use crate::rulebook::load::{builtin_names, builtin_source};
use crate::rulebook::problem::{Mark, Problems, RulebookError, did_you_mean};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Where a rulebook's text came from, which decides what it may extend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rulebook) enum Origin {
    BuiltIn(String),
    /// Written down by this program when it used it, as text that extends nothing.
    Recorded(String),
    /// Handed over as text: it may extend built-in rulebooks only.
    Text(String),
    /// Handed over as text that extends one that is read already.
    Over {
        name: String,
        resolved: String,
    },
    /// A file: it may extend files too; a relative path starts at its folder.
    File(PathBuf),
}

/// Rulebooks are written by hand; anything longer is a mistake.
const LONGEST: u64 = 4 << 20;

/// A file that may be longer than it says, or have no end.
pub(crate) fn read_within(path: &Path, longest: u64) -> io::Result<String> {
    let too_long = || {
        let message = format!("it is longer than {longest} bytes");
        Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
    };
    let mut bytes = Vec::new();
    // What a device says of its length is not what it gives.
    let length = File::open(path)?.take(longest.saturating_add(1)).read_to_end(&mut bytes)?;
    if length as u64 > longest {
        return too_long();
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let byte = before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1) + 1;
        let message = format!("byte {byte} of line {line} is not UTF-8; save the file as UTF-8");
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

pub(in crate::rulebook) fn read_file(path: &Path) -> Result<String, RulebookError> {
    read_within(path, LONGEST)
        .map_err(|source| RulebookError::Unreadable { path: path.display().to_string(), source })
}

/// A rulebook's text with what it extends merged in.
pub(in crate::rulebook) struct Read {
    pub(in crate::rulebook) tree: Node,
    /// The rulebooks that it extends, the nearest first.
    pub(in crate::rulebook) bases: Vec<Origin>,
}

/// Parses a rulebook and merges it into what it extends.
pub(in crate::rulebook) fn read(
    text: &str,
    origin: &Origin,
    problems: &mut Problems,
) -> Option<Read> {
    let (mut trees, mut bases, mut above) = (Vec::new(), Vec::new(), Vec::new());
    // The text, and where another names it, if one extends it.
    let (mut text, mut named): (_, Option<Mark>) = (text.to_owned(), None);
    loop {
        let origin = bases.last().unwrap_or(origin);
        let label = origin.label();
        let file = problems.add_file(&label, &text);
        let is_known = matches!(origin, Origin::BuiltIn(_) | Origin::Recorded(_));
        let is_file_elsewhere =
            matches!(origin, Origin::File(path) if is_elsewhere(path, above.first()));
        problems.trust(file, is_known, !is_file_elsewhere);
        let Some(tree) = Node::parse(&text, file, problems) else {
            if let Some(named) = named {
                problems.error(named, format!("the extended file {label} is not a rulebook"));
            }
            return None;
        };
        let Some(extends) = tree.get("extends") else {
            let merged = |base, tree| merge(base, tree, problems);
            let tree = trees.into_iter().rev().fold(tree, merged);
            return Some(Read { tree, bases });
        };
        let Some(name) = extends.text() else {
            let message = format!("expected a name, not {}", extends.kind());
            problems.error(extends.mark, message);
            return None;
        };
        above.push(origin.identity());
        let (next, base) = find(name, extends.mark, origin, problems)?;
        if above.contains(&base.identity()) {
            let message = format!("`{name}` extends this rulebook, directly or indirectly");
            problems.error(extends.mark, message);
            return None;
        }
        (text, named) = (next, Some(extends.mark));
        bases.push(base);
        trees.push(tree);
    }
}

/// Whether a file lies outside the folder of the rulebook that was asked for: it may be anything that
/// this user can read.
fn is_elsewhere(path: &Path, first: Option<&Origin>) -> bool {
    let Some(Origin::File(first)) = first else { return false };
    let real = path.canonicalize();
    !real.is_ok_and(|real| first.parent().is_some_and(|folder| real.starts_with(folder)))
}

/// The text of a rulebook that is extended, and where it is from.
fn find(name: &str, mark: Mark, from: &Origin, problems: &Problems) -> Option<(String, Origin)> {
    if let Origin::Over { name, resolved } = from {
        return Some((resolved.clone(), Origin::Recorded(name.clone())));
    }
    if let Some(text) = builtin_source(name) {
        return Some((text.to_owned(), Origin::BuiltIn(name.to_owned())));
    }
    let path = match from {
        Origin::File(file) => Some(file.parent().unwrap_or(Path::new("")).join(name)),
        _ => None,
    };
    let Some(path) = path.filter(|path| path.is_file()) else {
        let known = builtin_names();
        let hint = format!(
            "built-in rulebooks: {}; a relative path starts at this file's folder",
            known.join(", ")
        );
        let help = did_you_mean(name, known.iter().copied()).unwrap_or(hint);
        let message = format!("there is not a rulebook `{name}` to extend");
        problems.error_with_help(mark, message, Some(help));
        return None;
    };
    let text = read_file(&path).map_err(|error| problems.error(mark, error.to_string()));
    Some((text.ok()?, Origin::File(path)))
}

impl Origin {
    fn label(&self) -> String {
        match self {
            Self::BuiltIn(label) | Self::Recorded(label) | Self::Text(label) => label.clone(),
            Self::Over { name, .. } => name.clone(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// The same for two spellings of one path.
    fn identity(&self) -> Self {
        match self {
            Self::File(path) => Self::File(path.canonicalize().unwrap_or_else(|_| path.clone())),
            _ => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_their_bound_and_as_utf8() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.toml");
        let read = |bytes: &[u8], longest| {
            std::fs::write(&path, bytes).expect("a file");
            read_within(&path, longest).map_err(|error| error.to_string())
        };
        assert_eq!(read("añb".as_bytes(), 4), Ok("añb".to_owned()));
        for longest in 0..4 {
            let too_long = format!("it is longer than {longest} bytes");
            assert_eq!(read("añb".as_bytes(), longest), Err(too_long));
        }
        let no_utf8 = "byte 13 of line 2 is not UTF-8; save the file as UTF-8".to_owned();
        assert_eq!(read(b"name = \"x\"\nabout = \"caf\xe9\"\n", 100), Err(no_utf8));
        assert!(read_within(&path.join("b.toml"), 4).is_err());
        if cfg!(unix) {
            let endless = read_within(Path::new("/dev/zero"), 1 << 20).expect_err("no end");
            assert_eq!(endless.kind(), io::ErrorKind::FileTooLarge);
        }
    }
}
