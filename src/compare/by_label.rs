//! What labels say of equal replies that other rules judge: which of the two verdicts is right.

use super::{Comparison, Flip, Kind};
use crate::verdict::{counted, grouped};
use serde::Serialize;
use std::collections::BTreeMap;

named! {
    /// Whether the verdict of an equal reply is right, now that other rules judge it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ByLabel {
        NowRight = "now_right",
        NowWrong = "now_wrong",
        StillRight = "still_right",
        StillWrong = "still_wrong",
    }
}

impl ByLabel {
    /// By whether the label agreed with the verdict before, and whether it does after.
    #[must_use]
    pub fn of(before: bool, after: bool) -> Self {
        match (before, after) {
            (false, true) => Self::NowRight,
            (true, false) => Self::NowWrong,
            (true, true) => Self::StillRight,
            (false, false) => Self::StillWrong,
        }
    }

    #[must_use]
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }
}

/// Labelled changes, counted; empty where there is no label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ByLabels(BTreeMap<ByLabel, u64>);

impl ByLabels {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn get(&self, by_label: ByLabel) -> u64 {
        self.0.get(&by_label).copied().unwrap_or(0)
    }

    /// How many are right now and how many wrong, and how many stay what they were where there are such;
    /// `None` where there is no label.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        let shown = ByLabel::ALL.into_iter().filter(|it| match it {
            ByLabel::NowRight | ByLabel::NowWrong => true,
            ByLabel::StillRight | ByLabel::StillWrong => self.get(*it) > 0,
        });
        let words = shown.map(|it| format!("{} {}", grouped(self.get(it)), it.words()));
        (!self.is_empty()).then(|| words.collect::<Vec<_>>().join(", "))
    }
}

impl Extend<ByLabel> for ByLabels {
    fn extend<T: IntoIterator<Item = ByLabel>>(&mut self, found: T) {
        for one in found {
            *self.0.entry(one).or_default() += 1;
        }
    }
}

impl Comparison {
    /// How many equal replies other rules judge more strictly or more leniently.
    pub fn judged_otherwise(&self) -> u64 {
        self.kind(Kind::Stricter) + self.kind(Kind::MoreLenient)
    }

    pub(crate) fn note_labels(&mut self, says: impl Fn(&Flip) -> Option<ByLabel>) {
        let Self { flips, groups, by_labels, .. } = self;
        for flip in flips.iter_mut() {
            let is_of_rules = matches!(flip.kind, Kind::Stricter | Kind::MoreLenient);
            flip.by_label = is_of_rules.then(|| says(flip)).flatten();
            by_labels.extend(flip.by_label);
            if let Some(group) = flip.group.and_then(|at| groups.get_mut(at as usize)) {
                group.by_labels.extend(flip.by_label);
            }
        }
        for example in groups.iter_mut().flat_map(|group| &mut group.examples) {
            example.by_label = flips.get(example.flip as usize).and_then(|flip| flip.by_label);
        }
    }

    /// The same of all of them, as a sentence; `None` where there is no label.
    pub fn labels_words(&self) -> Option<String> {
        let labelled: u64 = self.by_labels.0.values().sum();
        let all = counted(self.judged_otherwise(), "equal reply");
        let words = self.by_labels.words()?;
        Some(format!("{all} classified differently, {} labelled: {words}", grouped(labelled)))
    }
}
