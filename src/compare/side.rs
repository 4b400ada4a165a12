//! What was judged once: a run folder or a baseline, read into memory.

use super::Said;
use crate::report::RulebookName;
use crate::rulebook::Rulebook;
use crate::tape::{Key, KeyName};
use std::sync::Arc;

/// What was judged once.
#[derive(Clone, Debug)]
pub struct Side {
    /// What it was made of.
    pub header: Header,
    /// The rulebook that judged; `None` where the side does not hold it.
    pub rulebook: Option<Arc<Rulebook>>,
    /// Each different verdict once.
    pub said: Vec<Said>,
    /// The exchanges, in corpus order where the side keeps it.
    pub entries: Vec<Entry>,
    /// The texts that entries have numbers for.
    pub names: Names,
}

/// What a side was made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// What to call it, such as `reports/latest` or `snapshots/guide/guide.snap`.
    pub name: String,
    /// Hash over all tapes.
    pub corpus_digest: String,
    /// The rulebook that judged.
    pub rulebook: RulebookName,
    /// Hash of the contracts, facts and schemas that held; `None` where there were none.
    pub checks: Option<String>,
    /// The version of the program that judged; `None` where the side does not tell.
    pub version: Option<String>,
    /// Lines and files that could not be judged; `None` where the side does not tell.
    pub rejects: Option<u64>,
    /// The averaged confidence of all exchanges, 0 to 100; `None` where the side does not tell.
    pub overall_confidence: Option<f64>,
    /// How long it took; `None` where the side does not tell.
    pub seconds: Option<f64>,
}

/// One exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its content hash.
    pub key: Key,
    /// How many exchanges with this content came before.
    pub before: u32,
    /// What was said of it, as a number into [`Side::said`].
    pub said: u32,
    /// Hash of its request.
    pub request: Key,
    /// Who answered, as a number into [`Side::names`].
    pub server: u32,
    /// The tool that was called, as a number into [`Side::names`].
    pub tool: u32,
    /// The tape, as a number into [`Side::names`].
    pub file: u32,
    /// The line of the tape; 0 where the side does not tell.
    pub line: u32,
}

impl Entry {
    /// Its key as tables write it.
    #[must_use]
    pub fn key_name(&self) -> KeyName {
        KeyName { key: self.key, before: self.before }
    }
}

/// Texts by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Names(pub Vec<String>);

impl Names {
    /// The text of a number.
    #[must_use]
    pub fn get(&self, number: u32) -> &str {
        self.0.get(number as usize).map_or("", String::as_str)
    }
}
