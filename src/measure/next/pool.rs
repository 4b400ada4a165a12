//! The exchanges that can be asked about, no more than can be read in a moment.

use super::Doubt;
use crate::compare::Side;
use crate::labels::{Labelled, labels_for};
use crate::recording::ExchangeKind;
use std::collections::HashMap;

/// So many exchanges of one server of which the same was said are looked at.
const MOST_ALIKE: u32 = 100;
/// So many exchanges are looked at.
const MOST: usize = 5_000;

/// The exchanges that are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// Those without a label, by their places in [`Side::entries`].
    pub open: Vec<u32>,
    /// Some of those that have one.
    pub labelled: Vec<u32>,
    /// How many without a label are not looked at.
    pub left_out: u64,
}

/// Picks exchanges among those wanted: the most doubtful first, of each server and verdict a few.
pub fn pool(
    side: &Side,
    labelled: &Labelled,
    doubts: &[Doubt],
    is_wanted: impl Fn(u32) -> bool,
) -> Pool {
    let mut alike: HashMap<(u32, u32), u32> = HashMap::new();
    let mut open: Vec<(Doubt, u32, u32)> = Vec::new();
    let mut left_out = 0;
    for (at, entry) in (0..).zip(&side.entries) {
        let Some(verdict) = side.verdicts.get(entry.verdict as usize) else { continue };
        let can_be_labelled =
            verdict.kind == ExchangeKind::ToolCall && !labels_for(verdict.ground).is_empty();
        if labelled.of.contains_key(&at) || !can_be_labelled || !is_wanted(at) {
            continue;
        }
        let rank = alike.entry((entry.server, entry.verdict)).or_default();
        *rank += 1;
        if *rank > MOST_ALIKE {
            left_out += 1;
        } else {
            open.push((doubts[entry.verdict as usize], *rank, at));
        }
    }
    open.sort_by(|one, two| one.0.order(two.0).then((one.1, one.2).cmp(&(two.1, two.2))));
    left_out += open.len().saturating_sub(MOST) as u64;
    open.truncate(MOST);
    let labelled: Vec<u32> = labelled.of.keys().copied().collect();
    // Of too many, some of everywhere.
    let step = labelled.len().div_ceil(MOST).max(1);
    Pool {
        open: open.into_iter().map(|(_, _, at)| at).collect(),
        labelled: labelled.into_iter().step_by(step).collect(),
        left_out,
    }
}
