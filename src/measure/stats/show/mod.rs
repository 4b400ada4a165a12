//! What was measured, as text, as JSON and as tables.

mod json;
mod lists;
mod overview;
mod tables;

pub use json::{FORMAT, as_json};
pub(crate) use overview::{confusion_table, sections};
pub use tables::write_tables;

use super::Stats;
use crate::compare::{Entry, Side};
use crate::redact::Told;
use std::collections::BTreeMap;

/// What is shown, and what it is about.
#[derive(Clone, Copy, Debug)]
pub struct View<'v> {
    pub side: &'v Side,
    pub stats: &'v Stats,
    /// What is to be said of labels that do not count.
    pub notes: &'v [String],
    /// Judged texts of exchanges, by their places in [`Side::entries`].
    pub texts: &'v BTreeMap<u32, Told>,
    /// Why exchanges have their labels, by the same places.
    pub whys: &'v BTreeMap<u32, String>,
    pub commands: &'v Commands,
}

/// Commands that say more, as they would be typed.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    /// The command that measures this again, without what chooses a view.
    pub stats: String,
    /// What stands before and after a key to explain it; `None`: its recordings are not at hand.
    pub explain: Option<[String; 2]>,
}

/// What of it is shown as text.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// The lists; none: the overview.
    pub lists: Vec<List>,
    /// How many rows a list has.
    pub top: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    Servers,
    Things(super::Thing),
    Calibration,
    Mistakes,
    /// The mistakes of what is left of the rulebook without the server that is asked about.
    MistakesLeftOut,
}

impl View<'_> {
    fn place(&self, entry: u32) -> String {
        let Entry { file, line, .. } = &self.side.entries[entry as usize];
        format!("{}:{line}", self.side.names.get(*file))
    }

    /// The judged text of an exchange, where it is at hand.
    fn text(&self, entry: u32) -> Option<String> {
        let known = self.texts.get(&entry).map(Told::to_string);
        known.or_else(|| self.side.excerpt(entry).map(|excerpt| excerpt.text))
    }

    /// The command that explains an exchange.
    fn explain(&self, entry: u32) -> Option<String> {
        let [before, after] = self.commands.explain.as_ref()?;
        Some(format!("{before}{}{after}", self.side.entries.get(entry as usize)?.key))
    }
}
