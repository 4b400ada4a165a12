//! Texts of exchanges that a run does not keep, read again from its recordings where these are at hand.

use super::inputs::inputs;
use super::redacting::locate_masked;
use crate::corpus::{Bounds, CorpusReader, Input};
use crate::page::Place;
use crate::redact::Redactor;
use crate::rulebook::Rulebook;
use crate::run::{excerpt_of, for_each_exchange};
use crate::store::{Excerpt, Manifest};
use hashbrown::HashMap;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// So many bytes of recordings are read again for one page.
const MOST_BYTES: u64 = 4 << 20;

/// Texts of exchanges with recordings at hand and unchanged; none if the run was to keep none.
pub(super) fn texts_again(
    manifest: &Manifest,
    rulebook: &Rulebook,
    redactor: &Redactor,
    wanted: &[Place],
) -> HashMap<Place, Excerpt> {
    if manifest.wall.no_text {
        return HashMap::new();
    }
    let named: Vec<PathBuf> = manifest.wall.inputs.iter().map(PathBuf::from).collect();
    let inputs = inputs(&named);
    let mut by_file: BTreeMap<&str, HashSet<&Place>> = BTreeMap::new();
    for place in wanted {
        by_file.entry(&place.1).or_default().insert(place);
    }
    let mut texts = HashMap::new();
    let mut left = MOST_BYTES;
    for (file, mut wanted) in by_file {
        let Some(path) = locate_masked(&inputs, file).filter(|_| left > 0) else { continue };
        let bounds = Bounds::default();
        let Ok(reader) = CorpusReader::new(&[Input::Path(path)], bounds) else { continue };
        let mut read = 0;
        let searched = for_each_exchange(reader, &bounds, |located| {
            let place = located.place();
            read = read.max(place.byte);
            if read > left {
                return ControlFlow::Break(());
            }
            let place = (located.keys.exchange, file.to_owned(), place.line);
            if wanted.remove(&place) {
                texts.insert(place, excerpt_of(located, rulebook, redactor));
            }
            if wanted.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        left = if searched.is_ok() { left.saturating_sub(read) } else { 0 };
    }
    texts
}
