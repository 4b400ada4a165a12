//! The judged texts of exchanges that were judged before, read from their tapes once more.

use super::inputs::{cannot_open, inputs, wrong_settings};
use super::judged::JudgingArgs;
use super::{Failure, sides::Place};
use crate::check::judged_text;
use crate::compare::Side;
use crate::corpus::CorpusReader;
use crate::rulebook::Rulebook;
use crate::run::{Settings, for_each_exchange, inputs_of_run};
use crate::tape::{Key, KeyName};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The tapes that were judged; none where they are not at hand.
pub(super) fn tapes(input: &Path) -> Vec<PathBuf> {
    let tapes = match Place::of(input) {
        Place::Corpus => vec![input.to_owned()],
        Place::Run => inputs_of_run(input).unwrap_or_default(),
        Place::Baseline => Vec::new(),
    };
    if tapes.iter().all(|tape| tape.exists()) { tapes } else { Vec::new() }
}

/// Reads the replies' judged texts of some exchanges of a side, by their places in it. What the tapes no longer hold is
/// left out.
pub(super) fn read_texts(
    tapes: &[PathBuf],
    side: &Side,
    rulebook: &Rulebook,
    wanted: &[u32],
    judging: &JudgingArgs,
) -> Result<BTreeMap<u32, String>, Failure> {
    let mut texts = BTreeMap::new();
    if tapes.is_empty() || wanted.is_empty() {
        return Ok(texts);
    }
    let named = wanted.iter().filter_map(|at| {
        let entry = side.entries.get(*at as usize)?;
        Some(((entry.key, entry.before), *at))
    });
    let named: HashMap<(Key, u32), u32> = named.collect();
    let bounds = judging.bounds();
    let inputs = inputs(tapes);
    let reader = CorpusReader::new(&inputs, bounds).map_err(|error| cannot_open(&error))?;
    let settings =
        Settings::load(&inputs, &judging.check_files(), &bounds).map_err(wrong_settings)?;
    let mut seen: HashMap<Key, u32> = named.keys().map(|(key, _)| (*key, 0)).collect();
    for_each_exchange(settings.reading(reader), &bounds, |located| {
        let key = located.keys.exchange;
        if let Some(before) = seen.get_mut(&key) {
            let name = KeyName { key, before: *before };
            *before = before.saturating_add(1);
            if let Some(at) = named.get(&(name.key, name.before)) {
                texts.insert(*at, judged_text(located.exchange, rulebook).into_owned());
            }
        }
        if texts.len() == named.len() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .map_err(Failure::unfinished)?;
    Ok(texts)
}
