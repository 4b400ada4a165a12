//! Accepting a part of what changed.

use super::changes::{Change, changes};
use super::model::{Baseline, Notes};
use crate::compare::{Entry, Names, Side, Texts};
use crate::store::NamedVerdict;

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
    let mut mixed = Mixed::default();
    let sources = [accepted, now].map(|baseline| mixed.verdicts_of(baseline));
    let [of_accepted, of_now] = sources;
    let now_places = found.same.iter().map(|(_, at)| *at);
    for at in now_places.chain(new.iter().filter_map(|change| change.now)) {
        mixed.add(now, of_now, at);
    }
    for at in old.iter().filter_map(|change| change.accepted) {
        mixed.add(accepted, of_accepted, at);
    }
    let mut side = Side {
        header: accepted.side.header.clone(),
        rulebook: accepted.side.rulebook.clone(),
        verdicts: mixed.verdict,
        entries: mixed.entries,
        names: mixed.names,
        texts: Texts::default(),
        key_digits: now.side.key_digits,
    };
    side.shorten(accepted.side.key_digits);
    Baseline::of(side, mixed.notes).from(origin)
}

/// Exchanges of two baselines.
#[derive(Default)]
struct Mixed {
    entries: Vec<Entry>,
    notes: Notes,
    verdict: Vec<NamedVerdict>,
    names: Names,
}

/// Where the verdicts of a baseline begin among those of both.
#[derive(Clone, Copy)]
struct Offset(u32);

impl Mixed {
    fn verdicts_of(&mut self, baseline: &Baseline) -> Offset {
        let offset = Offset(u32::try_from(self.verdict.len()).unwrap_or(u32::MAX));
        self.verdict.extend(baseline.side.verdicts.iter().cloned());
        offset
    }

    fn add(&mut self, baseline: &Baseline, offset: Offset, at: u32) {
        let Some(entry) = baseline.side.entries.get(at as usize) else { return };
        let names = &baseline.side.names;
        self.entries.push(Entry {
            verdict: entry.verdict.saturating_add(offset.0),
            server: self.names.number(names.get(entry.server)),
            tool: self.names.number(names.get(entry.tool)),
            ..*entry
        });
        self.notes.push(baseline.notes[at as usize].clone());
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::read_text;
    use super::super::model::Note;
    use super::*;
    use crate::compare::samples::{error, header, side_of, verdict};
    use crate::compare::{Header, Kind};
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
