//! Reads recordings as checks ask for it.

use crate::check::{CheckFiles, Checks};
use crate::corpus::{CorpusReader, Objects, Recall};
use crate::recording::Exchange;
use std::sync::Arc;

/// A reader that passes by the files of checks, and knows which paths carry envelopes and what contracts
/// ask of earlier calls.
pub fn reading(reader: CorpusReader, files: &CheckFiles, checks: &Arc<Checks>) -> CorpusReader {
    let reader = reader
        .passing_by(files.paths().collect())
        .with_envelope_paths(checks.envelope_paths().clone());
    if checks.ask_for_originals() { reader.with_recall(Arc::clone(checks) as _) } else { reader }
}

impl Recall for Checks {
    fn recall(&self, objects: &mut Objects, exchange: &mut Exchange<'_>) {
        if exchange.original.is_none()
            && let Some(id) = self.original_id(exchange)
        {
            exchange.original = objects.get(exchange, &id).cloned();
        }
        self.shown_objects(exchange, |id, object| objects.keep(exchange, id, object));
    }
}
