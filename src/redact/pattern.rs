//! Patterns of secrets: compiled when a text first calls for them, since most texts call for none.

use crate::rulebook::{Dialect, LazyRegex, Seen};
use regex::RegexBuilder;
use std::ops::Range;

/// So large may a compiled pattern be, in bytes.
pub(super) const LARGEST: usize = 1 << 20;
/// So much memory may what is known of a search take, in bytes: a long text is searched step by step with less.
const MEMORY: usize = 1 << 25;
/// The group of what is masked, where that is not all that fits.
const SECRET: &str = "secret";

#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: LazyRegex,
    /// Whether it says which part of what fits is the secret.
    has_part: bool,
}

impl Pattern {
    /// A pattern that somebody wrote; the error is what is wrong with it.
    pub(super) fn checked(text: &str) -> Result<Self, String> {
        match RegexBuilder::new(text).size_limit(LARGEST).build() {
            Ok(regex) if regex.is_match("") => {
                Err("this pattern matches an empty text, and so every text".to_owned())
            }
            Ok(_) => Ok(Self::known(text)),
            Err(error) => Err(format!("this pattern cannot be used: {error}")),
        }
    }

    /// A pattern that is known to be right.
    pub(super) fn known(text: &str) -> Self {
        let has_part = text.contains(&format!("<{SECRET}>"));
        Self { regex: LazyRegex::known(text, Dialect::Rust).behind_doors(MEMORY), has_part }
    }

    pub(super) fn text(&self) -> &str {
        self.regex.text()
    }

    pub(super) fn secrets<'s>(
        &'s self,
        seen: &'s Seen<'_>,
    ) -> impl Iterator<Item = Range<usize>> + 's {
        let found = self.regex.find_iter(seen).into_iter().flatten();
        found.filter_map(|found| {
            if self.has_part { self.regex.group(SECRET, seen, &found) } else { Some(found) }
        })
    }

    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.regex.is_compiled()
    }

    #[cfg(test)]
    pub(super) fn is_narrow(&self) -> bool {
        self.regex.is_narrow()
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.regex.find(&Seen::new(text)).is_some()
    }
}
