//! Which runs of a collection count for a day.

use super::nights::At;
use super::{History, PastRun};
use crate::tape::Day;
use crate::verdict::{counted, harmless};
use std::collections::{BTreeSet, HashMap};

/// What a run has: exchanges by the day they stand at, and whether that is the day of their recording;
/// in this order.
pub(super) type Claims = Vec<((Day, At), u64)>;

/// The runs that count so far, by collection and day. Runs are taken from the oldest on.
#[derive(Default)]
pub(super) struct Standing<'a> {
    runs: HashMap<(&'a str, Day, At), Vec<usize>>,
    told: HashMap<(usize, usize), Tapes>,
    lost_runs: BTreeSet<usize>,
    lost: u64,
    /// The first run of which this is so, and the one that took its place.
    first: Option<(&'a PastRun, &'a PastRun)>,
}

/// What the tapes of a run are to those of an older one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tapes {
    /// The same, or more of them.
    Same,
    /// They could be, but that one day has as many exchanges, or no fewer, is all that speaks for it.
    PerhapsSame,
    /// Others.
    Other,
}

impl<'a> Standing<'a> {
    /// Takes the next run.
    pub(super) fn take(
        &mut self,
        history: &'a History,
        claims: &[Claims],
        (number, run): (usize, &'a PastRun),
    ) {
        for (place, count) in &claims[number] {
            let standing = self.runs.entry((&run.collection, place.0, place.1)).or_default();
            let mut counts = true;
            standing.retain(|older| {
                let tapes = *self.told.entry((*older, number)).or_insert_with(|| {
                    let digest = &history.runs[*older].corpus_digest;
                    tapes(&claims[*older], &claims[number], *digest == run.corpus_digest)
                });
                if tapes == Tapes::Other {
                    return true;
                }
                let had = of(&claims[*older], *place).unwrap_or_default();
                // Tapes may be gone by now: what was counted of them stays.
                let is_fuller =
                    had > *count && history.runs[*older].corpus_digest != run.corpus_digest;
                if is_fuller {
                    counts = false;
                } else if tapes == Tapes::PerhapsSame {
                    self.lost += had;
                    self.lost_runs.insert(*older);
                    self.first.get_or_insert((&history.runs[*older], run));
                }
                is_fuller
            });
            if counts {
                standing.push(number);
            }
        }
    }

    /// Whether a run counts for a day.
    pub(super) fn has(&self, run: &PastRun, (day, at): (Day, At), number: usize) -> bool {
        let standing = self.runs.get(&(run.collection.as_str(), day, at));
        standing.is_some_and(|runs| runs.contains(&number))
    }

    /// What does not count though it may be of other tapes, said.
    pub(super) fn left_out(&self) -> Option<String> {
        let (older, newer) = self.first?;
        let told = |run: &PastRun| format!("{} of {}", harmless(&run.id), run.night);
        Some(format!(
            "{} of {} do not count: a newer run of the same collection has as many of the same days or more, and whether it judged the same tapes or others cannot be told (the first is {}, in whose place stands {}); were they others, add runs with --collection to count both, or look at them with --at run",
            counted(self.lost, "exchange"),
            counted(self.lost_runs.len() as u64, "older run"),
            told(older),
            told(newer),
        ))
    }
}

fn of(claims: &Claims, place: (Day, At)) -> Option<u64> {
    let found = claims.binary_search_by_key(&key(place), |(place, _)| key(*place)).ok()?;
    Some(claims[found].1)
}

/// What claims are ordered by.
pub(super) fn key((day, at): (Day, At)) -> (Day, u8) {
    (day, at as u8)
}

/// Growing tapes have all days of before, and those that are over with the same counts; tapes of which
/// old ones are taken away share days of the same counts with those before. Tapes that are rotated share
/// a day at most, and other exchanges of it. One day alone with the same count may be chance.
fn tapes(older: &Claims, newer: &Claims, is_same_corpus: bool) -> Tapes {
    let days = || older.iter().map(|(place, count)| (of(newer, *place), *count));
    let equal = days().filter(|(now, before)| *now == Some(*before)).count();
    let recorded = || older.iter().filter(|((_, at), _)| *at == At::Recorded);
    let has_all = older.iter().all(|(place, before)| match of(newer, *place) {
        Some(now) => now >= *before,
        // Without a day of their own they stand at another night.
        None => place.1 == At::Run && recorded().next().is_some(),
    });
    let is_grown = has_all && older.len() > 1;
    if is_same_corpus || equal > 1 || (equal == 1 && is_grown) {
        Tapes::Same
    } else if equal == 1 || has_all {
        Tapes::PerhapsSame
    } else {
        Tapes::Other
    }
}
