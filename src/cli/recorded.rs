//! Calls that were judged before, read again from their recordings.

use super::config::config;
use super::inputs::{inputs, locate_masked};
use crate::compare::Side;
use crate::corpus::CorpusReader;
use crate::page::RecordedCall;
use crate::recording::Key;
use crate::redact::Redactor;
use crate::rulebook::Rulebook;
use crate::run::{Located, excerpt_of, for_each_exchange};
use crate::store::{Excerpt, Manifest};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// So many bytes of recordings are read again for one page.
const MOST_OF_A_PAGE: u64 = 4 << 20;

/// What `look` makes of each wanted call that is still there, by its place among the wanted. They are wanted by the name of
/// their recording and their key; every recording is read once, and so many bytes of all.
pub(super) fn look_up<'w, T: Send>(
    judged: &[PathBuf],
    most: u64,
    wanted: impl IntoIterator<Item = (&'w str, Key)>,
    look: impl Fn(usize, &Located<'_>) -> T + Sync,
) -> HashMap<usize, T> {
    let mut recordings: BTreeMap<&str, HashMap<Key, Vec<usize>>> = BTreeMap::new();
    for (at, (file, key)) in wanted.into_iter().enumerate() {
        recordings.entry(file).or_default().entry(key).or_default().push(at);
    }
    let (mut found, mut left) = (HashMap::new(), most);
    for (file, mut missing) in recordings {
        let Some(path) = find_file(file, judged).filter(|_| left > 0) else { continue };
        let bounds = config().bounds;
        let Ok(reader) = CorpusReader::new(&inputs(&[path]), bounds) else { continue };
        let mut read = 0;
        // A recording that cannot be read to its end has no more to show.
        let _ = for_each_exchange(reader, &bounds, |located| {
            read = read.max(located.place().byte);
            if read > left {
                return ControlFlow::Break(());
            }
            if let Some(places) = missing.remove(&located.keys.exchange) {
                found.extend(places.into_iter().map(|at| (at, look(at, located))));
            }
            if missing.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        left = left.saturating_sub(read);
    }
    found
}

/// The same of entries of a side, by their places in it.
pub(super) fn look_up_entries<T: Send>(
    judged: &[PathBuf],
    side: &Side,
    entries: &[u32],
    look: impl Fn(&Located<'_>) -> T + Sync,
) -> BTreeMap<u32, T> {
    let wanted = entries.iter().filter_map(|at| side.entries.get(*at as usize));
    let wanted = wanted.map(|entry| (side.names.get(entry.file), entry.key));
    let found = look_up(judged, u64::MAX, wanted, |_, located| look(located));
    found.into_iter().map(|(at, made)| (entries[at], made)).collect()
}

/// Texts for a page, of recordings at hand and unchanged; none if the run was to keep none.
pub(super) fn texts_again(
    manifest: &Manifest,
    rulebook: &Rulebook,
    redactor: &Redactor,
    wanted: &[RecordedCall],
) -> hashbrown::HashMap<RecordedCall, Excerpt> {
    if manifest.wall.no_text {
        return hashbrown::HashMap::new();
    }
    let places = wanted.iter().map(|(key, file, _)| (file.as_str(), *key));
    let found = look_up(&manifest.wall.recordings(), MOST_OF_A_PAGE, places, |_, located| {
        excerpt_of(located, rulebook, redactor)
    });
    found.into_iter().map(|(at, excerpt)| (wanted[at].clone(), excerpt)).collect()
}

/// A recording as it was named, or by the name it has in the tables of a run over what was judged.
pub(super) fn find_file(file: &str, judged: &[PathBuf]) -> Option<PathBuf> {
    if file.is_empty() {
        return None;
    }
    locate_masked(&inputs(judged), file)
        .or_else(|| judged.iter().map(|place| place.join(file)).find(|path| path.is_file()))
        .or_else(|| Some(PathBuf::from(file)))
        .filter(|path| Path::is_file(path))
}
