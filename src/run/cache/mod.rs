//! Segments that an earlier run judged, kept so that a later run need not read them.
//!
//! A file per stretch, named by all that its judgement can depend on and never changed. What is torn,
//! altered or of another version is as good as absent, so a cache can be shared, cut down or thrown away
//! at any time and a run is the same.

mod entry;
mod store;

pub(super) use entry::End;
pub use store::CacheError;

use super::settings::Settings;
use super::stretch::Stretch;
use crate::corpus::{Bounds, Kept, SegmentName, Shelf};
use crate::rulebook::Rulebook;
use entry::{Entry, EntryName};
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
    /// Why nothing more is kept, where something went wrong.
    pub trouble: Option<String>,
}

/// The cache of a run.
pub(super) struct Cache {
    store: Store,
    /// A hash of what decides all verdicts of the run alike.
    terms: u128,
    reused: AtomicU64,
}

impl Cache {
    /// Opens a cache, or begins one.
    pub(super) fn open(
        plan: &CachePlan,
        rulebook: &Rulebook,
        bounds: &Bounds,
    ) -> Result<Self, CacheError> {
        let store = Store::open(&plan.folder.join(CachePlan::FOLDER), plan.bound)?;
        Ok(Self { store, terms: terms(rulebook, bounds), reused: AtomicU64::new(0) })
    }

    /// Keeps one stretch of a segment.
    pub(super) fn keep(&self, (name, number, end): (SegmentName, u32, End), stretch: &Stretch) {
        if number < MOST_STRETCHES {
            let mut head = Vec::new();
            let columns = stretch.write(&mut head);
            self.store.put(EntryName { name, number }, end, (&head, &columns));
        }
    }

    /// All stretches of a segment, if all of them are there.
    fn take(&self, name: SegmentName) -> Option<Vec<Stretch>> {
        let mut stretches = Vec::new();
        for number in 0..MOST_STRETCHES {
            let Entry { end, head, file, body } = self.store.get(EntryName { name, number })?;
            stretches.push(Stretch::read(&head, (&Arc::new(file), body))?);
            match end {
                End::GoesOn => {}
                End::Last => return Some(stretches),
            }
        }
        None
    }

    /// Notes that verdicts of so many exchanges were used again.
    pub(super) fn count_reused(&self, exchanges: usize) {
        self.reused.fetch_add(exchanges as u64, Ordering::Relaxed);
    }

    /// What the cache did, when all is done.
    pub(super) fn finish(&self) -> CacheUse {
        self.store.trim();
        CacheUse { reused: self.reused.load(Ordering::Relaxed), trouble: self.store.trouble() }
    }
}

/// The cache as a reader asks it.
pub(super) struct CacheShelf {
    pub(super) cache: Arc<Cache>,
    pub(super) settings: Settings,
}

impl Shelf for CacheShelf {
    fn terms(&self, folder: &Path) -> u128 {
        let checks = self.settings.of_folder(Some(folder)).digest();
        hash(&[&self.cache.terms.to_le_bytes(), checks.as_deref().unwrap_or_default().as_bytes()])
    }

    fn take(&mut self, name: SegmentName) -> Option<Kept> {
        self.cache.take(name).map(|stretches| -> Kept { Box::new(stretches) })
    }
}

fn terms(rulebook: &Rulebook, bounds: &Bounds) -> u128 {
    let Bounds { max_line, max_depth, max_ratio, max_waiting, follow_links } = *bounds;
    let bounds = [max_line, max_depth, max_waiting, usize::from(follow_links)];
    let bounds: Vec<u8> = bounds.iter().flat_map(|bound| (*bound as u64).to_le_bytes()).collect();
    hash(&[
        env!("CARGO_PKG_VERSION").as_bytes(),
        &program(),
        rulebook.digest.as_bytes(),
        rulebook.resolved.as_bytes(),
        &bounds,
        &max_ratio.to_le_bytes(),
    ])
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
