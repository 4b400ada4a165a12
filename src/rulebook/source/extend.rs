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
    let (mut trees, mut bases, mut above) = (Vec::new(), Vec::new(), Vec::new());
    // The text, and where another names it, if one extends it.
    let (mut text, mut named): (_, Option<Mark>) = (text.to_owned(), None);
    loop {
        let origin = bases.last().unwrap_or(origin);
        let label = origin.label();
        let file = problems.add_file(&label, &text);
        match origin {
            Origin::BuiltIn(_) | Origin::Recorded(_) => problems.knows(file),
            Origin::File(path) if is_elsewhere(path, above.first()) => problems.withholds(file),
            Origin::File(_) | Origin::Text(_) | Origin::Over { .. } => {}
        }
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
