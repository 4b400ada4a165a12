//! The judged texts of exchanges that were judged before, read from their recordings once more.

use super::Failure;
use super::config::config;
use super::inputs::{JudgingArgs, cannot_open, inputs, wrong_checks};
use super::sides::recordings;
use crate::check::Checks;
use crate::compare::Side;
use crate::corpus::CorpusReader;
use crate::recording::Key;
use crate::redact::{Redactor, Told};
use crate::rulebook::Rulebook;
use crate::run::{for_each_exchange, reading};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The recordings that were judged; none where they are not at hand.
pub(super) fn recordings_at_hand(input: &Path) -> Vec<PathBuf> {
    let recordings = recordings(input);
    if recordings.iter().all(|recording| recording.exists()) { recordings } else { Vec::new() }
}

/// Reads the judged texts of exchanges, by place; what recordings no longer hold is left out.
pub(super) fn read_texts(
    recordings: &[PathBuf],
    side: &Side,
    rulebook: &Rulebook,
    wanted: &[u32],
    judging: &JudgingArgs,
    redactor: &Redactor,
) -> Result<BTreeMap<u32, Told>, Failure> {
    let mut texts = BTreeMap::new();
    if recordings.is_empty() || wanted.is_empty() {
        return Ok(texts);
    }
    // Equal exchanges have equal texts.
    let mut named: HashMap<Key, Vec<u32>> = HashMap::new();
    for at in wanted {
        if let Some(entry) = side.entries.get(*at as usize) {
            named.entry(entry.key).or_default().push(*at);
        }
    }
    let bounds = config().bounds;
    let inputs = inputs(recordings);
    let reader = CorpusReader::new(&inputs, bounds).map_err(|error| cannot_open(&error))?;
    let files = judging.files();
    let checks = Checks::load(&files, &[]).map_err(|error| wrong_checks(&error))?;
    for_each_exchange(reading(reader, &files, &Arc::new(checks)), &bounds, |located| {
        for at in named.remove(&located.keys.exchange).unwrap_or_default() {
            texts.insert(at, located.tell(redactor).lines(rulebook));
        }
        if named.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .map_err(Failure::unfinished)?;
    Ok(texts)
}
