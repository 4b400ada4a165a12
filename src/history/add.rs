//! A finished run is added to a history.

use super::of_run::{Counted, OfRun, count};
use super::open::for_each;
use super::partition::{Unread, read, write_cells, write_runs};
use super::place::{Building, Listing, Moved, OF_RUN, list, only_tables, prepare};
use super::{HistoryError, Measure, PastRun};
use crate::compare::read_manifest;
use crate::report::{Manifest, ReportError};
use crate::tape::{Day, Moment};
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use xxhash_rust::xxh3::Xxh3;

/// What a run is called in a history, where it does not say so itself.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// The night it speaks for; `None`: the day it was made.
    pub night: Option<Day>,
    /// What it is a run of; `None`: the corpus as it was named.
    pub collection: Option<String>,
}

/// A run that was to be added.
#[derive(Clone, Debug, PartialEq)]
pub enum Added {
    /// It was.
    New(PastRun),
    /// It had been before.
    Before(PastRun),
    /// It had been before, but could not be read any more: it was added anew.
    Mended(PastRun),
}

/// A history that is written to.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
}

impl Store {
    /// Opens a history, or begins one where there is nothing.
    pub fn open(dir: &Path) -> Result<Self, HistoryError> {
        prepare(dir)?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// Opens a history that is there already; nothing is begun, and nothing cleared away.
    pub fn existing(dir: &Path) -> Result<Self, HistoryError> {
        list(dir)?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// Its folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Adds the run in a folder. The same run under the same naming is added once.
    pub fn add(&self, folder: &Path, naming: &Naming) -> Result<Added, HistoryError> {
        let manifest = read_manifest(folder)?;
        let listing = prepare(&self.dir)?;
        let mut run = past_run(folder, &manifest, naming)?;
        let known = known(&listing, &run.id);
        let is_damaged = !known.before.is_empty();
        let before = known.before.into_iter().find(|(path, _)| is_whole(path));
        if let Some((_, before)) = before {
            return Ok(Added::Before(before));
        }
        run.number = known.next;
        let name = format!("{OF_RUN}{}-{}", run.night, run.id);
        let place = self.dir.join(&name);
        let counted = count(folder, manifest.comparable.counts.exchanges)?;
        let building = Building::begin(&self.dir)?;
        write(&building.partition(&name)?, &run, &counted)?;
        if building.finish(&name)? == Moved::There {
            return Ok(if is_damaged { Added::Mended(run) } else { Added::New(run) });
        }
        // Another process may have been quicker.
        if is_whole(&place)
            && let Ok(partition) = read(&place, &[])
            && let Some(before) = partition.runs.into_iter().next()
        {
            return Ok(Added::Before(before));
        }
        replaceable(&place)?;
        building.remove(&place)?;
        building.finish(&name)?;
        Ok(Added::Mended(run))
    }
}

/// What a history knows of a run before it is added.
#[derive(Default)]
struct Known {
    /// Where the same run stands already.
    before: Vec<(PathBuf, PastRun)>,
    /// The number of the next run.
    next: u64,
}

fn known(listing: &Listing, id: &str) -> Known {
    let mut known = Known::default();
    for_each(&listing.partitions, &[], |path, partition| match partition {
        Ok(partition) => {
            for run in partition.runs {
                known.next = known.next.max(run.number.saturating_add(1));
                if run.id == id {
                    known.before.push((path.to_owned(), run));
                }
            }
        }
        Err(Unread::Gone | Unread::Odd(_) | Unread::Newer(_)) => {}
    });
    // Those that cannot be read have numbers too.
    known.next = known.next.max(listing.partitions.len() as u64);
    known
}

/// Refuses a partition that holds more than can be written again.
fn replaceable(place: &Path) -> Result<(), HistoryError> {
    let kept = |reason| Err(HistoryError::Kept { partition: place.to_owned(), reason });
    match (read(place, &[]).err(), only_tables(place)) {
        (Some(Unread::Newer(reason)), _)
        | (_, Err(Unread::Odd(reason) | Unread::Newer(reason))) => kept(reason),
        (None | Some(Unread::Gone | Unread::Odd(_)), Ok(()) | Err(Unread::Gone)) => Ok(()),
    }
}

/// Whether a partition can be read to its end.
fn is_whole(partition: &Path) -> bool {
    let read = read(partition, &Measure::ALL);
    read.is_ok_and(|partition| super::gather::Gathered::default().take(&partition).is_ok())
}

fn write(folder: &Path, run: &PastRun, counted: &Counted) -> Result<(), ReportError> {
    write_runs(folder, &[run])?;
    let night = run.night.to_string();
    for measure in Measure::ALL {
        let of_run = OfRun { id: &run.id, night: &night };
        write_cells(folder, measure, counted.rows(measure, of_run))?;
    }
    Ok(())
}

/// What a history remembers of a run, but for how many there were before it.
fn past_run(folder: &Path, manifest: &Manifest, naming: &Naming) -> Result<PastRun, HistoryError> {
    let started = Moment::parse(&manifest.wall.started_at);
    let night = naming.night.or_else(|| Day::parse(&started?.day()));
    let night = night.ok_or_else(|| HistoryError::NoNight(folder.to_owned()))?;
    let collection = naming.collection.clone().or_else(|| collection_of(&manifest.wall.inputs));
    let collection = collection.ok_or_else(|| HistoryError::NoCollection(folder.to_owned()))?;
    let comparable = &manifest.comparable;
    Ok(PastRun {
        id: id_of(manifest, &collection, night),
        number: 0,
        night,
        started_at: manifest.wall.started_at.clone(),
        added_at: now(),
        collection,
        corpus_digest: comparable.corpus_digest.clone(),
        rulebook: comparable.rulebook.clone(),
        checks: comparable.checks.clone(),
        version: comparable.version.clone(),
        exchanges: comparable.counts.exchanges,
        rejects: comparable.counts.rejects,
    })
}

fn now() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(now.as_millis()).unwrap_or(i64::MAX)).rfc3339()
}

/// A hash over all that makes a run the same run.
fn id_of(manifest: &Manifest, collection: &str, night: Day) -> String {
    let mut comparable = manifest.comparable.clone();
    // A file that is no tape makes no other run.
    comparable.counts.unknown_files = 0;
    let comparable = serde_json::to_string(&comparable).unwrap_or_default();
    let mut hash = Xxh3::new();
    for part in [comparable.as_str(), collection, &night.to_string()] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    short_digest(&hash)
}

/// As many digits as all short digests here have: enough for more nights than there will be.
pub(super) fn short_digest(hash: &Xxh3) -> String {
    format!("{:012x}", hash.digest() >> 16)
}

/// The inputs of a run as they were named, without what makes no difference.
fn collection_of(inputs: &[String]) -> Option<String> {
    let mut names: Vec<String> = inputs.iter().map(|input| plain_path(input)).collect();
    names.sort();
    names.dedup();
    (!names.is_empty()).then(|| names.join(", "))
}

/// A path without `.`, doubled slashes and `..` that can be resolved without looking.
fn plain_path(path: &str) -> String {
    let mut plain = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if ends_in_name(&plain) => {
                plain.pop();
            }
            Component::ParentDir
            | Component::Prefix(_)
            | Component::RootDir
            | Component::Normal(_) => plain.push(component),
        }
    }
    if plain.as_os_str().is_empty() { ".".to_owned() } else { plain.to_string_lossy().into_owned() }
}

fn ends_in_name(path: &Path) -> bool {
    matches!(path.components().next_back(), Some(Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collections_are_called_as_the_corpus_was_named() {
        let named = |inputs: &[&str]| {
            collection_of(&inputs.iter().map(|input| (*input).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(named(&["./tapes//mail/"]).as_deref(), Some("tapes/mail"));
        assert_eq!(named(&["tapes/maps/../mail"]).as_deref(), Some("tapes/mail"));
        assert_eq!(named(&["../tapes"]).as_deref(), Some("../tapes"));
        assert_eq!(named(&["/a/../b"]).as_deref(), Some("/b"));
        assert_eq!(named(&["."]).as_deref(), Some("."));
        assert_eq!(named(&["b", "a", "./b"]).as_deref(), Some("a, b"));
        assert_eq!(named(&[]), None);
    }
}
