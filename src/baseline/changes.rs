//! What differs between what was accepted and what is said now, exchange by exchange.

use super::model::{Baseline, verdict};
use crate::compare::{Entry, Header, Kind, NamedVerdict, shortened};
use crate::recording::Key;
use std::collections::{BTreeMap, HashMap};

/// What differs between a baseline and what is said now.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Every exchange that differs: those that are there now in their order, then those that are gone.
    pub changes: Vec<Change>,
    /// Exchanges of which the same is said, by their places: accepted and now.
    pub same: Vec<(u32, u32)>,
}

/// An exchange of which something else is said than was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub kind: Kind,
    /// Its place among the accepted entries.
    pub accepted: Option<u32>,
    /// Its place among the entries of now.
    pub now: Option<u32>,
}

/// What a baseline was made of that is not the same any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moved {
    Corpus,
    Rulebook,
    /// The contracts, facts and schemas.
    Checks,
    Version,
}

impl Moved {
    /// The name used in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Corpus => "corpus",
            Self::Rulebook => "rulebook",
            Self::Checks => "checks",
            Self::Version => "version",
        }
    }

    /// What is not the same in two headers, with what stands in the one and in the other.
    #[must_use]
    pub fn between(accepted: &Header, now: &Header) -> Vec<(Self, [String; 2])> {
        let none = || "none".to_owned();
        let of = |header: &Header| {
            [
                (Self::Corpus, Some(header.corpus_digest.clone())),
                (Self::Rulebook, Some(header.rulebook.digest.clone())),
                // Where the version is not told, the checks are not told either.
                (
                    Self::Checks,
                    header.version.as_ref().map(|_| header.checks.clone().unwrap_or_else(none)),
                ),
                (Self::Version, header.version.clone()),
            ]
        };
        let pairs = of(accepted).into_iter().zip(of(now));
        let differ = pairs.filter_map(|((moved, from), (_, to))| match (from, to) {
            (Some(from), Some(to)) if from != to => Some((moved, [from, to])),
            _ => None,
        });
        differ.collect()
    }
}

/// Holds what is said now against what was accepted. Exchanges are matched by their content, equal
/// verdicts first, and then by their requests.
#[must_use]
pub fn changes(accepted: &Baseline, now: &Baseline) -> Changes {
    let digits = accepted.side.key_digits.min(now.side.key_digits);
    let mut numbers = HashMap::new();
    let mut side = |baseline: &Baseline| {
        let mut number = |said: &NamedVerdict| {
            let next = numbers.len();
            *numbers.entry(verdict(said)).or_insert(next)
        };
        let verdicts: Vec<usize> = baseline.side.said.iter().map(&mut number).collect();
        let item = |(at, entry): (u32, &Entry)| Item {
            key: shortened(entry.key, digits),
            verdict: verdicts.get(entry.said as usize).copied().unwrap_or(usize::MAX),
            at,
            request: shortened(entry.request, digits),
        };
        let mut items: Vec<Item> = (0..).zip(&baseline.side.entries).map(item).collect();
        items.sort_unstable();
        items
    };
    let (before, after) = (side(accepted), side(now));
    let mut found = Changes::default();
    let mut left = [Vec::new(), Vec::new()];
    for [before, after] in side_by_side(&before, &after, |item| item.key) {
        found.pair_of_one_key(before, after, &mut left);
    }
    let [mut before, mut after] = left;
    before.sort_unstable_by_key(|item| (item.request, item.at));
    after.sort_unstable_by_key(|item| (item.request, item.at));
    for [before, after] in side_by_side(&before, &after, |item| item.request) {
        found.pair_in_order(before, after);
    }
    found.name_kinds(accepted, now);
    found
}

/// An exchange as it is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    key: Key,
    verdict: usize,
    at: u32,
    request: Key,
}

/// Runs of equal keys in two sorted lists, side by side; either may be empty.
fn side_by_side<'i>(
    mut one: &'i [Item],
    mut other: &'i [Item],
    key: fn(&Item) -> Key,
) -> impl Iterator<Item = [&'i [Item]; 2]> {
    std::iter::from_fn(move || {
        let next = one.first().into_iter().chain(other.first()).map(key).min()?;
        let take = |items: &mut &'i [Item]| {
            let end = items.iter().take_while(|item| key(item) == next).count();
            let (taken, rest) = items.split_at(end);
            *items = rest;
            taken
        };
        Some([take(&mut one), take(&mut other)])
    })
}

impl Changes {
    /// Exchanges with one content: those of which the same is said belong together, and the others in
    /// their order.
    fn pair_of_one_key(&mut self, before: &[Item], after: &[Item], left: &mut [Vec<Item>; 2]) {
        let mut gone = before.iter().copied().peekable();
        let mut changed = [Vec::new(), Vec::new()];
        for item in after {
            while let Some(earlier) = gone.next_if(|earlier| earlier.verdict < item.verdict) {
                changed[0].push(earlier);
            }
            match gone.next_if(|earlier| earlier.verdict == item.verdict) {
                Some(earlier) => self.same.push((earlier.at, item.at)),
                None => changed[1].push(*item),
            }
        }
        changed[0].extend(gone);
        let both = changed[0].len().min(changed[1].len());
        self.pair_in_order(&changed[0][..both], &changed[1][..both]);
        for (left, changed) in left.iter_mut().zip(changed) {
            left.extend_from_slice(&changed[both..]);
        }
    }

    /// Pairs what stands at the same place; what is left over was added or is gone.
    fn pair_in_order(&mut self, before: &[Item], after: &[Item]) {
        for place in 0..before.len().max(after.len()) {
            match (before.get(place), after.get(place)) {
                (Some(before), Some(after)) if before.verdict == after.verdict => {
                    self.same.push((before.at, after.at));
                }
                (before, after) => {
                    let at = |item: Option<&Item>| item.map(|item| item.at);
                    // Kinds follow when everything is paired.
                    let kind = Kind::Altered;
                    self.changes.push(Change { kind, accepted: at(before), now: at(after) });
                }
            }
        }
    }

    fn name_kinds(&mut self, accepted: &Baseline, now: &Baseline) {
        for change in std::mem::take(&mut self.changes) {
            let before = change.accepted.and_then(|at| accepted.said_at(at));
            let after = change.now.and_then(|at| now.said_at(at));
            match (Kind::of(before, after), change.accepted, change.now) {
                (Kind::Same, Some(accepted), Some(now)) => self.same.push((accepted, now)),
                (kind, _, _) => self.changes.push(Change { kind, ..change }),
            }
        }
        self.changes.sort_by_key(|change| (change.now.is_none(), change.now, change.accepted));
    }

    /// Exchanges by what became of them; every kind is there.
    #[must_use]
    pub fn kinds(&self) -> BTreeMap<Kind, u64> {
        let mut kinds: BTreeMap<Kind, u64> = Kind::ALL.map(|kind| (kind, 0)).into();
        kinds.insert(Kind::Same, self.same.len() as u64);
        for change in &self.changes {
            *kinds.entry(change.kind).or_default() += 1;
        }
        kinds
    }

    /// Accepted exchanges that no longer exist.
    pub fn gone(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.kind == Kind::Gone)
    }
}
