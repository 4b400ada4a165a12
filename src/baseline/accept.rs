//! Accepting a part of what changed.

use super::changes::{Change, changes};
use super::model::{Baseline, Ids};
use crate::compare::{Entry, Names, Side};
use std::collections::HashMap;

/// The accepted baseline with some of the changes taken over: exchanges are replaced, added and
/// removed as they are now. It takes over the digests of now when nothing is left that differs.
///
/// A change names places among the entries of the two baselines; [`Baseline::places`] tells which
/// those were in the side that a baseline was made of.
#[must_use]
pub fn apply(
    accepted: &Baseline,
    now: &Baseline,
    takes: impl Fn(&Change) -> bool,
) -> Baseline {
    let found = changes(accepted, now);
    let (taken, left): (Vec<Change>, Vec<Change>) = found.changes.iter().partition(|one| takes(one));
    if left.is_empty() {
        return now.clone();
    }
    let mut mixed = Mixed::default();
    for (_, at) in &found.same {
        mixed.add(1, now, *at);
    }
    for at in taken.iter().filter_map(|change| change.now) {
        mixed.add(1, now, at);
    }
    for at in left.iter().filter_map(|change| change.accepted) {
        mixed.add(0, accepted, at);
    }
    let mut side = Side {
        header: accepted.side.header.clone(),
        rulebook: accepted.side.rulebook.clone(),
        said: [accepted, now].iter().flat_map(|one| one.side.said.iter().cloned()).collect(),
        entries: mixed.entries,
        names: mixed.names,
        key_digits: now.side.key_digits,
    };
    for (entry, from) in side.entries.iter_mut().zip(&mixed.from) {
        // The verdicts of now stand behind the accepted ones.
        entry.said += if *from == 1 { u32::try_from(accepted.side.said.len()).unwrap_or(u32::MAX) } else { 0 };
    }
    side.shorten(accepted.side.key_digits);
    Baseline::of(side, mixed.ids)
}

/// Exchanges of two baselines.
#[derive(Default)]
struct Mixed {
    entries: Vec<Entry>,
    from: Vec<u8>,
    ids: Ids,
    names: Names,
    known: HashMap<String, u32>,
}
