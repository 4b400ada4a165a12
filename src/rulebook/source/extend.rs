//! From a file to one tree, following what it extends.

use super::bounded::read_within;
use super::merge::merge;
use super::node::Node;
use crate::rulebook::builtin::{builtin_names, builtin_source};
use crate::rulebook::problem::{Mark, Problems, RulebookError, did_you_mean};
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
    let mut reader = Reader { above: Vec::new(), bases: Vec::new(), problems };
    let tree = reader.follow(text, origin, None)?;
    Some(Read { tree, bases: reader.bases })
}

/// Follows a chain of rulebooks that extend each other.
struct Reader<'a> {
    /// The rulebooks that led here.
    above: Vec<Origin>,
    bases: Vec<Origin>,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    /// The tree of a rulebook, and where another names it, if one extends it.
    fn follow(&mut self, text: &str, origin: &Origin, named: Option<Mark>) -> Option<Node> {
        let label = match origin {
            Origin::BuiltIn(label) | Origin::Recorded(label) | Origin::Text(label) => label.clone(),
            Origin::Over { name, .. } => name.clone(),
            Origin::File(path) => path.display().to_string(),
        };
        let file = self.problems.add_file(&label, text);
        if matches!(origin, Origin::BuiltIn(_) | Origin::Recorded(_)) {
            self.problems.knows(file);
        }
        if let Origin::File(path) = origin
            && self.is_elsewhere(path)
        {
            self.problems.withholds(file);
        }
        let Some(tree) = Node::parse(text, file, self.problems) else {
            if let Some(named) = named {
                self.problems.error(named, format!("the extended file {label} is not a rulebook"));
            }
            return None;
        };
        let Some(extends) = tree.get("extends") else { return Some(tree) };
        let Some(name) = extends.text() else {
            let message = format!("expected a name, not {}", extends.kind());
            self.problems.error(extends.mark, message);
            return None;
        };
        self.above.push(origin.identity());
        let mark = extends.mark;
        let (text, base) = self.find(name, mark, origin)?;
        if self.above.contains(&base.identity()) {
            let message = format!("`{name}` extends this rulebook, directly or indirectly");
            self.problems.error(mark, message);
            return None;
        }
        self.bases.push(base.clone());
        let base = self.follow(&text, &base, Some(mark))?;
        Some(merge(base, tree, self.problems))
    }

    /// Whether a file lies outside the folder of the rulebook that was asked for: it may be anything that
    /// this user can read.
    fn is_elsewhere(&self, path: &Path) -> bool {
        let Some(Origin::File(first)) = self.above.first() else { return false };
        let real = path.canonicalize();
        !real.is_ok_and(|real| first.parent().is_some_and(|folder| real.starts_with(folder)))
    }

    /// The text of a rulebook that is extended, and where it is from.
    fn find(&mut self, name: &str, mark: Mark, from: &Origin) -> Option<(String, Origin)> {
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
            self.problems.error_with_help(mark, message, Some(help));
            return None;
        };
        match read_file(&path) {
            Ok(text) => Some((text, Origin::File(path))),
            Err(error) => {
                self.problems.error(mark, error.to_string());
                None
            }
        }
    }
}

impl Origin {
    /// The same for two spellings of one path.
    fn identity(&self) -> Self {
        match self {
            Self::File(path) => Self::File(path.canonicalize().unwrap_or_else(|_| path.clone())),
            _ => self.clone(),
        }
    }
}
