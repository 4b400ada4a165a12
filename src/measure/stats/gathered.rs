//! The exchanges of a side, gathered by what was said of them and by who answered.

use super::Question;
use crate::compare::Side;
use crate::labels::Label;
use crate::measure::accuracy::Item;
use std::collections::{BTreeMap, HashMap};

/// Counts by label, in the order of [`Label::ALL`].
pub type ByLabel = [u64; Label::ALL.len()];

/// The servers of a side, each once, by their names.
#[derive(Clone, Debug, Default)]
pub struct Servers {
    /// Their names, sorted.
    pub names: Vec<String>,
    /// Their places in `names`, by the number of a name.
    of: HashMap<u32, u32>,
}

impl Servers {
    pub fn of(side: &Side) -> Self {
        let mut numbers: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        let mut seen = vec![false; side.names.iter().len()];
        for entry in &side.entries {
            if let Some(seen) = seen.get_mut(entry.server as usize)
                && !std::mem::replace(seen, true)
            {
                numbers.entry(side.names.get(entry.server)).or_default().push(entry.server);
            }
        }
        let mut servers = Self::default();
        for (at, (name, numbers)) in (0..).zip(numbers) {
            servers.names.push(name.to_owned());
            servers.of.extend(numbers.into_iter().map(|number| (number, at)));
        }
        servers
    }

    /// Which verdict was given of which server, each pair once, in order.
    pub(super) fn pairs(&self, side: &Side) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for entry in &side.entries {
            if let Some(server) = self.at(entry.server)
                && pairs.last() != Some(&(entry.verdict, server))
            {
                pairs.push((entry.verdict, server));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The place of a server, by the number of its name.
    pub fn at(&self, number: u32) -> Option<u32> {
        self.of.get(&number).copied()
    }
}

/// The exchanges of a side.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    /// How many exchanges each different verdict has.
    pub(super) exchanges: Vec<u64>,
    pub(super) labelled: Vec<ByLabel>,
    /// Which verdict was given of which server, each pair once, in order.
    pub(super) pairs: Vec<(u32, u32)>,
    pub(super) servers: Servers,
}

impl Gathered {
    pub(super) fn of(side: &Side, items: &[Item]) -> Self {
        let servers = Servers::of(side);
        let mut labelled = vec![[0; Label::ALL.len()]; side.verdicts.len()];
        for item in items {
            if let Some(counts) = labelled.get_mut(item.verdict as usize) {
                counts[item.label as usize] += 1;
            }
        }
        Self { exchanges: side.weights(), labelled, pairs: servers.pairs(side), servers }
    }

    /// How many replies a question is asked of, and how many of them have which label.
    pub(super) fn asked(&self, side: &Side, question: Question) -> (u64, ByLabel) {
        let mut replies = 0;
        let mut labels = [0; Label::ALL.len()];
        for ((verdict, count), by_label) in
            side.verdicts.iter().zip(&self.exchanges).zip(&self.labelled)
        {
            if Question::of(verdict) == Some(question) {
                replies += count;
                add(&mut labels, by_label);
            }
        }
        (replies, labels)
    }
}

pub(super) fn add(counts: &mut ByLabel, more: &ByLabel) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}
