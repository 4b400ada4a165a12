//! What differs between what was accepted and what is said now, exchange by exchange.

use super::model::Baseline;
use crate::compare::{Header, Kind, Matching, kind_between, match_sides};
use std::collections::BTreeMap;

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

named! {
    /// What a baseline was made of that is not the same any more.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Moved {
        Corpus = "recordings",
        Rulebook = "rulebook",
        /// The contracts, facts and schemas.
        Checks = "checks",
        Version = "version",
    }
}

impl Moved {
    /// What is not the same in two headers, with what stands in the one and in the other.
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

pub fn changes(accepted: &Baseline, now: &Baseline) -> Changes {
    let Matching { pairs, only_a, only_b } = match_sides(&accepted.side, &now.side);
    let mut found = Changes::default();
    for (before, after, matched) in pairs {
        match kind_between([&accepted.side, &now.side], [before, after], matched) {
            Kind::Same => found.same.push((before, after)),
            kind => {
                found.changes.push(Change { kind, accepted: Some(before), now: Some(after) });
            }
        }
    }
    let added = |at| Change { kind: Kind::Added, accepted: None, now: Some(at) };
    let gone = |at| Change { kind: Kind::Gone, accepted: Some(at), now: None };
    found.changes.extend(only_b.into_iter().map(added).chain(only_a.into_iter().map(gone)));
    found.changes.sort_by_key(|change| (change.now.is_none(), change.now, change.accepted));
    found
}

impl Changes {
    /// Exchanges by what became of them; every kind is there.
    pub fn kinds(&self) -> BTreeMap<Kind, u64> {
        let mut kinds: BTreeMap<Kind, u64> = Kind::ALL.map(|kind| (kind, 0)).into();
        kinds.insert(Kind::Same, self.same.len() as u64);
        for change in &self.changes {
            *kinds.entry(change.kind).or_default() += 1;
        }
        kinds
    }

    pub fn gone(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.kind == Kind::Gone)
    }
}
