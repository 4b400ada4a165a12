//! Patterns of secrets: compiled when a text first calls for them, since most texts call for none.

use regex::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// So large may a compiled pattern be, in bytes.
pub(super) const LARGEST: usize = 1 << 20;
/// So much memory may what is known of a search take, in bytes: with too little, a pattern is tried step
/// by step.
const MEMORY: usize = 1 << 25;

#[derive(Clone, Debug)]
pub(super) struct Pattern {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// A pattern that somebody wrote; the error is what is wrong with it.
    pub(super) fn checked(text: &str) -> Result<Self, String> {
        match compile(text) {
            Ok(regex) if regex.is_match("") => {
                Err("this pattern matches an empty text, and so every text".to_owned())
            }
            Ok(regex) => Ok(Self { text: text.to_owned(), compiled: OnceLock::from(Some(regex)) }),
            Err(error) => Err(format!("this pattern cannot be used: {error}")),
        }
    }

    /// A pattern that is known to be right.
    pub(super) fn known(text: &str) -> Self {
        Self { text: text.to_owned(), compiled: OnceLock::new() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What looks for it; `None` where a pattern that ought to be right is not: it finds nothing.
    pub(super) fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.text).ok()).as_ref()
    }

    /// Whether somebody asked for it.
    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }
}

fn compile(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).size_limit(LARGEST).dfa_size_limit(MEMORY).build()
}
