//! How many labels there are of each class and of whom, and whether that is enough.

use super::Label;
use super::complaint::{Complaint, Fault};
use crate::count::tally::wilson;
use crate::verdict::{counted, harmless};
use std::collections::BTreeMap;

/// A class with fewer labels has no narrow interval.
const FEW: u64 = 30;
/// Labels of fewer servers say little of others.
const FEW_SERVERS: usize = 5;
/// Below so many labels nobody gives most of them.
const ENOUGH_FOR_SHARES: u64 = 10;

/// How many labels there are of each class, and of whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mix {
    of: BTreeMap<Label, BTreeMap<String, u64>>,
}

impl Mix {
    pub(super) fn add(&mut self, label: Label, origin: &str) {
        *self.of.entry(label).or_default().entry(origin.to_owned()).or_default() += 1;
    }

    /// How many labels of a class there are.
    pub fn count(&self, label: Label) -> u64 {
        self.of.get(&label).map_or(0, |origins| origins.values().sum())
    }

    /// How many servers they come from; recordings where servers are not known.
    pub fn origins(&self, label: Label) -> usize {
        self.of.get(&label).map_or(0, BTreeMap::len)
    }

    pub fn most(&self, label: Label) -> Option<(&str, u64)> {
        let most = self.of.get(&label)?.iter().max_by_key(|(name, count)| {
            // Of several the first by name.
            (**count, std::cmp::Reverse(*name))
        });
        most.map(|(name, count)| (name.as_str(), *count))
    }
}

pub(super) fn mix_complaints(mix: &Mix, knows_servers: bool) -> Vec<Complaint> {
    let (one, many) =
        if knows_servers { ("server", "servers") } else { ("recording", "recordings") };
    let mut complaints = Vec::new();
    let mut complain = |fault, what: String, next: &str| {
        complaints.push(Complaint::new(fault, None, what, next));
    };
    for label in Label::ALL {
        let (name, count) = (label.name(), mix.count(label));
        if count == 0 {
            let what = format!("no call is labelled {name}");
            complain(Fault::Few, what, "accuracy of that class is unknown");
            continue;
        }
        if count < FEW {
            let low = wilson(count, count).low * 100.0;
            let what = format!(
                "only {} labelled {name}: even if all were found, the 95 % interval would start \
                 at {low:.0} %",
                if count == 1 { "1 call is".to_owned() } else { format!("{count} calls are") }
            );
            let next = format!("label {} more with tapecheck label next", FEW - count);
            complain(Fault::Few, what, &next);
        }
        let origins = mix.origins(label);
        if origins < FEW_SERVERS {
            let what = format!(
                "all {name} come from {}, so others are untested",
                counted(origins as u64, one)
            );
            complain(Fault::OneSided, what, &format!("label calls of other {many}"));
        } else if let Some((most, of_most)) = mix.most(label)
            && count >= ENOUGH_FOR_SHARES
            && 2 * of_most >= count
        {
            let share = of_most as f64 / count as f64 * 100.0;
            let what = format!(
                "the {one} {} gives {share:.0} % of all {name} ({of_most} of {count})",
                harmless(most)
            );
            let next = format!("label calls of other {many}, or look at accuracy by {one}");
            complain(Fault::OneSided, what, &next);
        }
    }
    complaints
}
