//! Regexes that are compiled when a text first calls for them: of the hundreds of a rulebook, most replies
//! call for a few.

use super::gate::Letters;
use super::javascript::{Dialect, compile, translated};
use super::structure::Structure;
use regex::Regex;
use std::borrow::Cow;
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

    /// What every text has that it matches.
    pub(super) fn structure(&self) -> Cow<'static, Structure> {
        Structure::of(&self.text, Letters::Ascii)
    }

    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        &self.text
    }
}
