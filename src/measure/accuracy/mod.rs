//! What a rulebook's verdicts are worth, by what people say the truth is.
//!
//! [`Observations`] hold what was observed of each different verdict of a side, so that any choice of
//! weights, thresholds and patterns can be asked what it makes of it without a recording. [`Item`]s are
//! the labelled exchanges, and a [`Confusion`] counts what was said of them.

mod confusion;
mod observations;

pub use crate::count::tally::Share;
pub use confusion::{Confusion, Measures};
pub use observations::{Observations, Patterns};

use crate::compare::Side;
use crate::labels::{Label, Labelled, can_have};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its place in [`Side::entries`].
    pub entry: u32,
    /// What was said of it, as a number into [`Side::verdicts`].
    pub verdict: u32,
    /// Who answered, as a number into [`Side::names`].
    pub server: u32,
    /// What people say the truth is.
    pub label: Label,
}

/// The labelled exchanges of a side, in its order; without those whose reply cannot have their label, which
/// no answer could be right about.
pub fn items(side: &Side, labelled: &Labelled) -> Vec<Item> {
    let items = labelled.of.iter().filter_map(|(at, label)| {
        let entry = side.entries.get(*at as usize)?;
        let verdict = side.verdicts.get(entry.verdict as usize)?;
        if !can_have(verdict, *label) {
            return None;
        }
        Some(Item { entry: *at, verdict: entry.verdict, server: entry.server, label: *label })
    });
    items.collect()
}
