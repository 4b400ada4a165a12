//! Exchanges of a run, read again from their recordings.

use crate::cli::inputs::inputs;
use crate::cli::redacting::locate_masked;
use crate::corpus::{Bounds, CorpusReader};
use crate::recording::Key;
use crate::run::{Located, for_each_exchange};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// An exchange that is wanted, as its run calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Wanted {
    /// Its recording.
    pub(in crate::cli) file: String,
    /// Its content.
    pub(in crate::cli) key: Key,
}

/// Shows each wanted exchange that is still there to `look`, and returns what that made of it, by its
/// place among the wanted. Every recording is read once.
pub(in crate::cli) fn look_up<T: Send>(
    judged: &[PathBuf],
    bounds: &Bounds,
    wanted: &[Wanted],
    look: impl Fn(usize, &Located<'_>) -> T + Sync,
) -> HashMap<usize, T> {
    let mut recordings: BTreeMap<&str, HashMap<Key, Vec<usize>>> = BTreeMap::new();
    for (at, Wanted { file, key }) in wanted.iter().enumerate() {
        recordings.entry(file).or_default().entry(*key).or_default().push(at);
    }
    let mut found = HashMap::new();
    for (file, mut missing) in recordings {
        let Some(path) = find(file, judged) else { continue };
        let Ok(reader) = CorpusReader::new(&inputs(&[path]), *bounds) else { continue };
        // A recording that cannot be read to its end has no more to show.
        let _ = for_each_exchange(reader, bounds, |located| {
            if let Some(places) = missing.remove(&located.keys.exchange) {
                found.extend(places.into_iter().map(|at| (at, look(at, located))));
            }
            if missing.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
    found
}

/// A recording by the name it has in tables.
fn find(file: &str, judged: &[PathBuf]) -> Option<PathBuf> {
    let named = || judged.iter().map(|place| place.join(file)).find(|path| path.is_file());
    let direct = || Some(PathBuf::from(file)).filter(|path: &PathBuf| path.is_file());
    if file.is_empty() {
        return None;
    }
    locate_masked(&inputs(judged), file)
        .or_else(named)
        .or_else(direct)
        .filter(|path: &PathBuf| Path::is_file(path))
}
