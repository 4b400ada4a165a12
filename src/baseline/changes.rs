//! What differs between what was accepted and what is said now, exchange by exchange; accepting a part of it.

use super::model::{Baseline, Notes};
use crate::compare::{
    Entry, Header, Kind, Matching, Names, Side, Texts, kind_between, match_sides,
};
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

/// The accepted baseline with some of the changes taken over: exchanges are replaced, added and
/// removed as they are now. It takes over the digests of now when nothing is left that differs.
///
/// A change names places among the entries of the two baselines; [`Baseline::places`] tells which
/// those were in the side that a baseline was made of.
pub fn apply(accepted: &Baseline, now: &Baseline, is_taken: impl Fn(&Change) -> bool) -> Baseline {
    let found = changes(accepted, now);
    let (new, old): (Vec<Change>, Vec<Change>) =
        found.changes.iter().partition(|one| is_taken(one));
    let origin = now.origin.clone().or(&accepted.origin);
    if old.is_empty() {
        return now.clone().from(origin);
    }
    let mut verdicts = accepted.side.verdicts.clone();
    let behind = u32::try_from(verdicts.len()).unwrap_or(u32::MAX);
    verdicts.extend(now.side.verdicts.iter().cloned());
    let same = found.same.iter().map(|(_, at)| *at);
    let of_now = same.chain(new.iter().filter_map(|change| change.now)).map(|at| (now, behind, at));
    let of_accepted = old.iter().filter_map(|change| Some((accepted, 0, change.accepted?)));
    let (mut entries, mut notes, mut names) = (Vec::new(), Notes::new(), Names::default());
    for (baseline, behind, at) in of_now.chain(of_accepted) {
        let Some(entry) = baseline.side.entries.get(at as usize) else { continue };
        let known = &baseline.side.names;
        entries.push(Entry {
            verdict: entry.verdict.saturating_add(behind),
            server: names.number(known.get(entry.server)),
            tool: names.number(known.get(entry.tool)),
            ..*entry
        });
        notes.push(baseline.notes[at as usize].clone());
    }
    let mut side = Side {
        header: accepted.side.header.clone(),
        rulebook: accepted.side.rulebook.clone(),
        verdicts,
        entries,
        names,
        texts: Texts::default(),
        key_digits: now.side.key_digits,
    };
    side.shorten(accepted.side.key_digits);
    Baseline::of(side, notes).from(origin)
}

#[cfg(test)]
mod tests {
    use super::super::file::read_text;
    use super::super::model::Note;
    use super::*;
    use crate::compare::testing::{error, header, side_of, verdict};
    use crate::recording::Key;
    use crate::verdict::Classification;
    use std::path::Path;

    /// Calls as `TOOL KEY REQUEST OUTCOME`, of one server.
    fn baseline(corpus: &str, calls: &[&str]) -> Baseline {
        let header = Header { corpus_digest: corpus.to_owned(), ..header("test") };
        let failed = error(Classification::Error, false);
        let verdicts = vec![verdict(), error(Classification::FullyWorking, true), failed];
        let mut names = Names::from_iter(["shop"]);
        let entries = calls.iter().map(|call| {
            let [tool, key, request, outcome] = call.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{call}")
            };
            let [key, request] =
                [key, request].map(|key| Key(key.parse::<u128>().expect("a number") << 80));
            let said = verdicts.iter().position(|verdict| verdict.outcome.name() == outcome);
            let verdict = u32::try_from(said.expect("one of three")).expect("few");
            Entry {
                key,
                verdict,
                request,
                tool: names.number(tool),
                ..super::super::model::UNRECORDED
            }
        });
        let entries: Vec<Entry> = entries.collect();
        let notes = vec![Note::default(); entries.len()];
        Baseline::of(side_of(header, verdicts, entries, names), notes)
    }

    const ACCEPTED: [&str; 2] = ["get 1 11 refused", "list 2 12 worked"];
    const NOW: [&str; 2] = ["get 1 11 failed", "add 3 13 failed"];

    #[test]
    fn what_is_taken_over_is_replaced_added_and_removed() {
        let [get, list] = ACCEPTED;
        let [get_now, add] = NOW;
        let (accepted, now) = (baseline("old", &ACCEPTED), baseline("new", &NOW));
        for (taken, corpus, calls) in [
            (&[][..], "old", &ACCEPTED[..]),
            (&[Kind::Regressed, Kind::Added, Kind::Gone], "new", &NOW),
            (&[Kind::Regressed], "old", &[get_now, list]),
            (&[Kind::Gone], "old", &[get]),
            (&[Kind::Added], "old", &[get, list, add]),
        ] {
            let text = apply(&accepted, &now, |change| taken.contains(&change.kind)).file_text();
            assert_eq!(text, baseline(corpus, calls).file_text(), "{taken:?}");
            read_text(&text, Path::new("test")).unwrap_or_else(|wrong| panic!("{wrong}"));
        }
    }

    #[test]
    fn a_new_reply_of_which_the_same_is_said_is_no_change() {
        let renewed = ["get 1 11 refused", "list 4 12 worked"];
        let (accepted, now) = (baseline("old", &ACCEPTED), baseline("new", &renewed));
        assert!(changes(&accepted, &now).changes.is_empty());
        assert_eq!(apply(&accepted, &now, |_| false).file_text(), now.file_text());
    }
}
