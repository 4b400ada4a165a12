//! Segments that an earlier run judged, kept so that a later run need not read them.
//!
//! A file per stretch, named by all that its judgement can depend on and never changed. What is torn,
//! altered or of another version is as good as absent, so a cache can be shared, cut down or thrown away
//! at any time and a run is the same.

mod entry;
mod store;

pub(super) use entry::End;
pub use store::CacheError;

use super::account::Account;
use super::beginning::{self, KeptBeginning};
use super::settings::Settings;
use super::stretch::Stretch;
use crate::corpus::{BeginningName, Bounds, Kept, SegmentName, Shelf};
use crate::report::{EncodedRows, KeyColumns, VerdictBatch};
use crate::rulebook::Rulebook;
use crate::tally::Section;
use crate::tally::wire::{read_bytes, write_bytes};
use entry::{BeginningFile, Entry, EntryName};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use store::Store;
use xxhash_rust::xxh3::Xxh3;

/// Longer segments are judged anew each time: what is kept of one is held in memory as a whole.
const MOST_STRETCHES: u32 = 8;

/// Where segments are kept and how much room they may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachePlan {
    /// The folder that the cache's own folder is in.
    pub folder: PathBuf,
    /// Bytes it may take.
    pub bound: u64,
}

impl CachePlan {
    /// The name of the cache's own folder. Walks pass over names of this kind without a word, so a
    /// cache within a corpus is no part of it.
    pub const FOLDER: &str = ".tapecheck-cache";
    /// Bytes it may take unless somebody says otherwise.
    pub const BOUND: u64 = 2 << 30;
}

/// What a cache did for a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheUse {
    /// Exchanges whose verdicts came from it.
    pub reused: u64,
    /// Exchanges that were judged by what an earlier run observed of them.
    pub rescored: u64,
    /// Why nothing more is kept, where something went wrong.
    pub trouble: Option<String>,
}

/// The cache of a run.
pub(super) struct Cache {
    store: Store,
    /// A hash of what decides all verdicts of the run alike.
    terms: u128,
    /// The same of what decides what is observed.
    observing: u128,
    /// The rulebook, where verdicts can be reached from what was observed under another.
    rescoring: Option<Rulebook>,
    reused: AtomicU64,
    rescored: AtomicU64,
}

/// What was kept of a stretch.
pub(super) enum KeptStretch {
    /// All of it.
    Judged(Box<Stretch>),
    /// What was observed of it, as the rulebook judges that.
    Rescored(Account, Box<VerdictBatch>),
}

/// What a stretch is known by: its segment, its number there, and whether it is the last.
pub(super) type StretchName = (SegmentName, u32, End);

impl Cache {
    /// Opens a cache, or begins one.
    pub(super) fn open(
        plan: &CachePlan,
        (rulebook, settings): (&Rulebook, &Settings),
        bounds: &Bounds,
    ) -> Result<Self, CacheError> {
        let store = Store::open(&plan.folder.join(CachePlan::FOLDER), plan.bound)?;
        let same = hash(&[env!("CARGO_PKG_VERSION").as_bytes(), &program(), &of_bounds(bounds)]);
        let same = same.to_le_bytes();
        // Criteria may ask for the verdict, so they have to be asked again.
        let can_rescore = !settings.have_criteria();
        Ok(Self {
            store,
            terms: hash(&[&same, rulebook.digest.as_bytes(), rulebook.resolved.as_bytes()]),
            observing: hash(&[&same, b"observed", &rulebook.observing_digest().to_le_bytes()]),
            rescoring: can_rescore.then(|| rulebook.clone()),
            reused: AtomicU64::new(0),
            rescored: AtomicU64::new(0),
        })
    }

    /// What was observed of rows, if it is to be kept.
    pub(super) fn observed(&self, rows: &VerdictBatch) -> Option<Vec<u8>> {
        rows.observed(self.rescoring.as_ref()?)
    }

    /// Keeps what was observed of a stretch.
    pub(super) fn keep_observed(
        &self,
        (segment, number, end): StretchName,
        (account, observed): (&Account, &[u8]),
        (rows, names): (&EncodedRows, &KeyColumns),
    ) {
        if number < MOST_STRETCHES {
            let mut head = Vec::new();
            account.write(&mut head);
            write_bytes(observed, &mut head);
            let columns = rows.write_known(names, &mut head);
            let name = EntryName { name: joined(segment, self.observing), number };
            self.store.put(name, end, (&head, &columns));
        }
    }

    /// Keeps one stretch of a segment.
    pub(super) fn keep(&self, (segment, number, end): StretchName, stretch: &Stretch) {
        if number < MOST_STRETCHES {
            let mut head = Vec::new();
            let columns = stretch.write(&mut head);
            let name = EntryName { name: joined(segment, self.terms), number };
            self.store.put(name, end, (&head, &columns));
        }
    }

    /// All stretches of a segment, if all of them are there.
    fn take(&self, segment: SegmentName) -> Option<Vec<KeptStretch>> {
        let judged = self.all(joined(segment, self.terms), |entry| {
            let Entry { head, file, body, .. } = entry;
            let stretch = Stretch::read(&head, (&Arc::new(file), body))?;
            Some(KeptStretch::Judged(Box::new(stretch)))
        });
        judged.or_else(|| {
            let rulebook = self.rescoring.as_ref()?;
            self.all(joined(segment, self.observing), |entry| {
                let mut head = entry.head.as_slice();
                let account = Account::read(&mut head)?;
                let observed = read_bytes(&mut head)?;
                let columns = (&Arc::new(entry.file), entry.body);
                let rows = VerdictBatch::judged_again(observed, (&mut head, columns), rulebook)?;
                head.is_empty().then_some(())?;
                Some(KeptStretch::Rescored(account, Box::new(rows)))
            })
        })
    }

    fn all(
        &self,
        name: u128,
        read: impl Fn(Entry) -> Option<KeptStretch>,
    ) -> Option<Vec<KeptStretch>> {
        let mut stretches = Vec::new();
        for number in 0..MOST_STRETCHES {
            let entry = self.store.get(EntryName { name, number })?;
            let end = entry.end;
            stretches.push(read(entry)?);
            match end {
                End::GoesOn => {}
                End::Last => return Some(stretches),
            }
        }
        None
    }

    /// Notes that what was kept of a stretch is used.
    pub(super) fn count(&self, kept: &KeptStretch) {
        let (counter, exchanges) = match kept {
            KeptStretch::Judged(stretch) => (&self.reused, stretch.rows.keys().len()),
            KeptStretch::Rescored(_, rows) => (&self.rescored, rows.len()),
        };
        counter.fetch_add(exchanges as u64, Ordering::Relaxed);
    }

    /// Notes that the beginning of another run is used.
    pub(super) fn count_beginning(&self, kept: &KeptBeginning) {
        self.reused.fetch_add(kept.exchanges, Ordering::Relaxed);
    }

    /// Keeps what the beginning of a run amounts to.
    pub(super) fn keep_beginning(
        &self,
        name: BeginningName,
        (about, sections, length): (Vec<u8>, Vec<Section>, u64),
    ) {
        let name = self.beginning(name);
        self.store.put_file((&name.file(), length), |out| {
            beginning::write(out, name.name, (&about, &sections))
        });
    }

    /// Whether it is the first time that a beginning is judged by these weights. Who tries weights out
    /// mostly does so once, and writing a beginning down costs as much as judging it again.
    pub(super) fn is_first_of(&self, name: BeginningName) -> bool {
        self.store.note(&self.beginning(name).note())
    }

    fn beginning(&self, BeginningName { name, segments }: BeginningName) -> BeginningFile {
        BeginningFile { name: joined(SegmentName(name), self.terms), segments }
    }

    /// What the cache did, when all is done.
    pub(super) fn finish(&self) -> CacheUse {
        self.store.trim();
        let [reused, rescored] =
            [&self.reused, &self.rescored].map(|count| count.load(Ordering::Relaxed));
        CacheUse { reused, rescored, trouble: self.store.trouble() }
    }
}

/// The cache as a reader asks it.
pub(super) struct CacheShelf {
    pub(super) cache: Arc<Cache>,
    pub(super) settings: Settings,
    beginnings: HashSet<BeginningFile>,
}

impl CacheShelf {
    /// The shelf of a cache.
    pub(super) fn new(cache: &Arc<Cache>, settings: &Settings) -> Self {
        let beginnings = cache.store.beginnings();
        Self { cache: Arc::clone(cache), settings: settings.clone(), beginnings }
    }
}

impl Shelf for CacheShelf {
    fn terms(&self, folder: &Path) -> u128 {
        let checks = self.settings.of_folder(Some(folder)).digest();
        hash(&[checks.as_deref().unwrap_or_default().as_bytes()])
    }

    fn take(&mut self, name: SegmentName) -> Option<Kept> {
        self.cache.take(name).map(|stretches| -> Kept { Box::new(stretches) })
    }

    fn longest_beginning(&self) -> u32 {
        self.beginnings.iter().map(|known| known.segments).max().unwrap_or(0)
    }

    fn has_beginning(&self, name: BeginningName) -> bool {
        self.beginnings.contains(&self.cache.beginning(name))
    }

    fn take_beginning(&mut self, name: BeginningName) -> Option<Kept> {
        let name = self.cache.beginning(name);
        let kept = self.cache.store.open_file(&name.file(), |file| {
            KeptBeginning::read(name.name, file.try_clone().ok()?)
        })?;
        Some(Box::new(kept))
    }
}

/// What a segment is called together with what judges it.
fn joined(segment: SegmentName, terms: u128) -> u128 {
    hash(&[&segment.0.to_le_bytes(), &terms.to_le_bytes()])
}

fn of_bounds(bounds: &Bounds) -> Vec<u8> {
    let Bounds { max_line, max_depth, max_ratio, max_waiting, follow_links } = *bounds;
    let bounds = [max_line, max_depth, max_waiting, usize::from(follow_links)];
    let bounds = bounds.iter().map(|bound| *bound as u64).chain([max_ratio]);
    bounds.flat_map(u64::to_le_bytes).collect()
}

/// What tells this build of the program from another of the same version.
fn program() -> Vec<u8> {
    let found = std::env::current_exe().and_then(std::fs::metadata);
    let known = found.and_then(|found| Ok((found.len(), found.modified()?)));
    known.map_or_else(
        |_| Vec::new(),
        |(length, written)| {
            let since = written.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            [length.to_le_bytes().as_slice(), &since.as_nanos().to_le_bytes()].concat()
        },
    )
}

/// A hash that tells lists of parts apart wherever they are cut.
fn hash(parts: &[&[u8]]) -> u128 {
    let mut hasher = Xxh3::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.digest128()
}
