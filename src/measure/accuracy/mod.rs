//! What a rulebook's verdicts are worth, by what people say the truth is.
//!
//! [`Item`]s are the labelled exchanges, and a [`Confusion`] counts what was said of them.

mod confusion;

pub use crate::count::tally::Share;
pub use confusion::{Class, Confusion, Measures};

use crate::compare::{Observations, Patterns, Side};
use crate::labels::{Label, Labelled, can_have};
use crate::rulebook::Rulebook;

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

/// The label that a verdict comes to under rules if some patterns did not hit; `None` where nothing is
/// answered.
pub fn answer(
    observations: &Observations<'_>,
    verdict: u32,
    rules: &Rulebook,
    without: &Patterns,
) -> Option<Label> {
    let signals = observations.signals(verdict, without);
    observations.conclusion(verdict, rules, signals).as_ref().map(Label::concluded)
}
