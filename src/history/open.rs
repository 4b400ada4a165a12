//! A history read back: what can be read is, and the rest is named.

use super::gather::Gathered;
use super::partition::{Partition, Unread, read};
use super::place::{Listing, list};
use super::{History, HistoryError, Measure, PastRun};
use crate::verdict::{counted, harmless};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// So many partitions are read before those are merged.
const AT_ONCE: usize = 128;
/// So often reading begins anew when partitions vanish, since somebody puts them together.
const TRIES: usize = 3;
/// So many partitions are named in a sentence.
const MOST_NAMES: usize = 3;

/// Partitions by what is to be said of them.
#[derive(Default)]
pub(super) struct Remarks(BTreeMap<String, Vec<String>>);

impl Remarks {
    /// Notes something about a partition.
    pub(super) fn note(&mut self, partition: &Path, what: String) {
        let name = partition.file_name().map(|name| name.to_string_lossy().into_owned());
        self.0.entry(what).or_default().push(name.unwrap_or_default());
    }

    pub(super) fn sentences(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|(what, names)| format!("{}: {what}", some_of(&names)))
    }
}

/// The first of some names, and how many more there are.
fn some_of(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| harmless(name)).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

impl History {
    /// Reads the runs of a history, and what they counted by class and by these measures. Partitions
    /// that cannot be read are passed over as a whole, and named in the notes.
    pub fn open(dir: &Path, measures: &[Measure]) -> Result<Self, HistoryError> {
        let wanted = Measure::ALL.into_iter();
        let wanted: Vec<Measure> =
            wanted.filter(|one| *one == Measure::Class || measures.contains(one)).collect();
        let mut tries = 1;
        loop {
            let listing = list(dir)?;
            let (history, gone) = gather(&listing, &wanted);
            if gone == 0 || tries == TRIES {
                return Ok(history);
            }
            tries += 1;
        }
    }
}

/// Reads partitions; says how many were gone when their turn came.
fn gather(listing: &Listing, measures: &[Measure]) -> (History, usize) {
    let mut gathered = Gathered::default();
    let mut remarks = Remarks::default();
    let mut gone = 0;
    for_each(&listing.partitions, measures, |path, partition| {
        let taken = partition.and_then(|partition| {
            gathered.take(&partition)?;
            if !partition.unknown.is_empty() {
                remarks.note(path, unknown(&partition.unknown));
            }
            Ok(())
        });
        match taken {
            Ok(()) => {}
            Err(Unread::Gone) => {
                gone += 1;
                remarks.note(path, "passed over: it is gone".to_owned());
            }
            Err(Unread::Odd(reason) | Unread::Newer(reason)) => {
                remarks.note(path, format!("passed over: {reason}"));
            }
        }
    });
    let twice = gathered.twice;
    let mut history = gathered.finish();
    history.notes.extend(remarks.sentences());
    if !listing.foreign.is_empty() {
        let foreign = some_of(&listing.foreign);
        history.notes.push(format!("{foreign}: passed over: not part of a history"));
    }
    if twice > 0 {
        history.notes.push(format!(
            "{} in more than one place, since a folder was copied or putting the history together was interrupted: each counts once",
            match twice { 1 => "1 run stands".to_owned(), runs => format!("{runs} runs stand") }
        ));
    }
    history.notes.extend(clocks(&history.runs));
    (history, gone)
}

fn unknown(columns: &[String]) -> String {
    let mut columns: Vec<String> = columns.iter().map(|column| harmless(column)).collect();
    columns.sort();
    columns.dedup();
    let things = counted(columns.len() as u64, "column");
    format!("{things} of a newer version passed over ({})", some_of(&columns))
}

/// Reads partitions by several threads, and hands them on in their order.
pub(super) fn for_each(
    partitions: &[PathBuf],
    measures: &[Measure],
    mut take: impl FnMut(&Path, Result<Partition, Unread>) + Send,
) {
    let read_all = |paths: Option<&'_ [PathBuf]>| {
        let read = |path: &'_ PathBuf| read(path, measures);
        paths.map(|paths| paths.par_iter().map(read).collect::<Vec<_>>())
    };
    let mut chunks = partitions.chunks(AT_ONCE);
    let mut hand_on = |chunk: Option<&[PathBuf]>, read: Option<Vec<Result<Partition, Unread>>>| {
        let pairs = chunk.into_iter().flatten().zip(read.into_iter().flatten());
        pairs.for_each(|(path, partition)| take(path, partition));
    };
    let mut chunk = chunks.next();
    let mut read = read_all(chunk);
    while chunk.is_some() {
        let next = chunks.next();
        let (next_read, ()) = rayon::join(|| read_all(next), || hand_on(chunk, read.take()));
        (chunk, read) = (next, next_read);
    }
}

/// What the times of runs say about clocks. Runs are numbered in the order in which they were added.
fn clocks(runs: &[PastRun]) -> impl Iterator<Item = String> {
    let mut order: Vec<&PastRun> = runs.iter().collect();
    order.sort_by_key(|run| (run.number, &run.added_at, &run.id));
    let pairs = || order.windows(2).map(|pair| (pair[0], pair[1]));
    let told = |run: &PastRun| format!("{} of {}", harmless(&run.id), run.night);
    let back: Vec<_> = pairs().filter(|(one, next)| next.added_at < one.added_at).collect();
    let back = back.first().map(|(one, next)| {
        format!(
            "a clock went back: the run {} was added after {}, and says it was before ({} like this); runs are taken by their nights, then in the order they were added",
            told(next), told(one), counted(back.len() as u64, "place")
        )
    });
    let earlier: Vec<_> = pairs()
        .filter(|(one, next)| next.started_at < one.started_at && next.added_at >= one.added_at)
        .collect();
    let earlier = earlier.first().map(|(one, next)| {
        format!(
            "the run {} was added after {} and began before it: an old run that was added later, or a clock that went back ({} like this)",
            told(next), told(one), counted(earlier.len() as u64, "place")
        )
    });
    back.into_iter().chain(earlier).chain(ahead(runs))
}

/// What runs say that speak for nights to come: they stand behind all that follow.
fn ahead(runs: &[PastRun]) -> Option<String> {
    let is_ahead = |run: &&PastRun| run.speaks_for_a_night_to_come();
    let first = runs.iter().find(is_ahead)?;
    let (id, night) = (harmless(&first.id), first.night);
    Some(format!(
        "the run {id} speaks for {night}, which was still to come when it was added ({} like this): it stands behind those of all nights before; `tapecheck history remove` takes it out, and with its true night it can be added again",
        counted(runs.iter().filter(is_ahead).count() as u64, "run")
    ))
}
