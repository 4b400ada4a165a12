//! Regexes that are compiled when a text first calls for them: of the hundreds of a rulebook, most replies
//! call for a few.

use super::Gate;
use super::gate::{quotes_a_blank, structure_of};
use super::javascript::{Dialect, compile, translated};
use regex::Regex;
use std::sync::OnceLock;

/// A regex of a rulebook.
#[derive(Debug)]
pub(in crate::rulebook) struct LazyRegex {
    /// As the engine reads it.
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyRegex {
    /// A regex that somebody wrote; the error is the reason in one line.
    pub(in crate::rulebook) fn checked(text: &str, dialect: Dialect) -> Result<Self, String> {
        let text = translated(text, dialect);
        let regex = compile(&text)?;
        Ok(Self { text, compiled: OnceLock::from(Some(regex)) })
    }

    /// A regex that is known to be right.
    pub(in crate::rulebook) fn known(text: &str, dialect: Dialect) -> Self {
        Self { text: translated(text, dialect), compiled: OnceLock::new() }
    }

    /// What looks for it; `None` where a regex that ought to be right is not: it finds nothing.
    pub(in crate::rulebook) fn get(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| compile(&self.text).ok()).as_ref()
    }

    /// Whether somebody asked for it.
    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    /// What must stand in a text before it is worth running.
    pub(in crate::rulebook) fn gate(&self) -> Gate {
        Gate::of(&self.text)
    }

    /// Whether what it quotes always has a blank in it.
    pub(in crate::rulebook) fn quotes_a_blank(&self) -> bool {
        quotes_a_blank(&structure_of(&self.text))
    }
}
