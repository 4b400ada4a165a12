//! What labels call their exchanges, and which labels are about the same one: the one place that says
//! that a key counts before recording and id.

use super::LabelLine;
use crate::recording::Key;
use std::collections::HashMap;

/// A name of an exchange. A key is a hash of call and reply, so that it never slips to another reply that
/// has taken the place of the first; recording and id do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Name<'l> {
    Key(Key),
    /// Its recording and its own id.
    Place(&'l str, &'l str),
}

/// The names that a line has for its exchange: its key, and its recording with its id, which counts where
/// no key is known.
pub(super) fn names(line: &LabelLine) -> [Option<Name<'_>>; 2] {
    let place = line.place().map(|(file, id)| Name::Place(file, id));
    [line.key.map(Name::Key), place]
}

/// Which lines are about the same exchange, as far as they tell among themselves: where one has a key and
/// another only recording and id, a line that has both brings them together.
#[derive(Debug, Default)]
pub(super) struct Naming<'l> {
    keys: HashMap<Name<'l>, Name<'l>>,
}

impl<'l> Naming<'l> {
    /// Of these lines. Where several keys have one place, it stands for the first.
    pub(super) fn of(lines: impl IntoIterator<Item = &'l LabelLine>) -> Self {
        let mut keys = HashMap::new();
        for line in lines {
            if let [Some(key), Some(place)] = names(line) {
                keys.entry(place).or_insert(key);
            }
        }
        Self { keys }
    }

    /// The name that all lines about an exchange have in common; `None` of a line without any.
    pub(super) fn exchange(&self, line: &'l LabelLine) -> Option<Name<'l>> {
        let [key, place] = names(line);
        let name = key.or(place)?;
        Some(self.keys.get(&name).copied().unwrap_or(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_counts_before_a_place_and_a_line_with_both_brings_them_together() {
        let read = |text: &str| LabelLine::read(text).expect("a label");
        let key = "0123456789abcdef0123456789abcdef";
        let other = "f".repeat(32);
        let place = read(r#"{"file": "a", "id": 3, "label": "ok"}"#);
        let alone = read(&format!(r#"{{"key":"{key}","label":"ok"}}"#));
        let both = read(&format!(r#"{{"key":"{key}","file":"a","id":"3","label":"ok"}}"#));
        let other = read(&format!(r#"{{"key":"{other}","file":"a","id":"3","label":"ok"}}"#));
        let apart = Naming::of([&place, &alone]);
        assert_ne!(apart.exchange(&place), apart.exchange(&alone), "nobody knows");
        // In whatever order the lines stand.
        let together = Naming::of([&place, &alone, &both, &other]);
        assert_eq!(together.exchange(&place), together.exchange(&alone));
        assert_eq!(together.exchange(&both), together.exchange(&alone));
        assert_ne!(together.exchange(&other), together.exchange(&both), "the keys differ");
    }
}
