//! How recorded names stand in the text of a baseline: readable, on one line, and to be had back.

use crate::verdict::is_steering;
use std::fmt::Write as _;

/// What else must be spelled out, because it has a meaning where the name stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Within {
    /// A server or a tool, before which a slash may stand.
    Who,
    Id,
    /// One of several words with spaces between them.
    Words,
    /// One of several names with commas between them.
    List,
}

impl Within {
    fn is_special(self, character: char) -> bool {
        match (self, character) {
            (_, '\\' | '|')
            | (Self::Who, '/')
            | (Self::Who | Self::Id, '[' | ']')
            | (Self::Words, ' ')
            | (Self::List, ',') => true,
            (Self::Who | Self::Id | Self::Words | Self::List, _) => false,
        }
    }
}

/// Writes a name so that it stays within its place.
pub(super) fn spell(name: &str, within: Within, out: &mut String) {
    let (first, last) = (name.chars().next(), name.chars().next_back());
    let outer = |character| Some(character) == first || Some(character) == last;
    for character in name.chars() {
        // A space at either end could be taken for one of the line's own.
        let is_edge = character == ' ' && outer(character) && name.trim_matches(' ') != name;
        if is_edge || within.is_special(character) || is_steering(character) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
}

/// The name that was spelled; `None` where nothing is spelled like that.
pub(super) fn unspell(text: &str) -> Option<String> {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, spelled)) = rest.split_once('\\') {
        name.push_str(plain);
        let (digits, after) = spelled.strip_prefix("u{")?.split_once('}')?;
        name.push(u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?);
        rest = after;
    }
    name.push_str(rest);
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_has_a_meaning_is_spelled_out() {
        let spelled = |name, within| {
            let mut out = String::new();
            spell(name, within, &mut out);
            out
        };
        assert_eq!(spelled("get user", Within::Who), "get user");
        assert_eq!(spelled("a/b", Within::Who), "a\\u{2f}b");
        assert_eq!(spelled("a/b [1]", Within::Id), "a/b \\u{5b}1\\u{5d}");
        assert_eq!(spelled("x\u{1b}[2J\n", Within::Words), "x\\u{1b}[2J\\u{a}");
        assert_eq!(unspell("a\\u{zz}"), None);
        assert_eq!(unspell("a\\b"), None);
    }

    proptest! {
        #[test]
        fn names_come_back(name in "\\PC*|[a-c |,/\\[\\]\\\\\n\t\u{202e}]*") {
            for within in [Within::Who, Within::Id, Within::Words, Within::List] {
                let mut out = String::new();
                spell(&name, within, &mut out);
                prop_assert!(!out.contains(['\n', '|']));
                prop_assert_eq!(unspell(&out), Some(name.clone()));
            }
        }
    }
}
