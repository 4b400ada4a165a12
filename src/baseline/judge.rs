//! A collection judged now, to be held against what was accepted.

use super::model::{Baseline, Ids};
use crate::check::Judge;
use crate::check::schema::Schemas;
use crate::compare::Collector;
use crate::corpus::CorpusReader;
use crate::rulebook::Rulebook;
use crate::run::{
    CorpusDigest, Observer, RunError, RunPlan, Settings, SettingsError, for_each_exchange,
};
use crate::tape::Key;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Judges a collection (a folder of tapes, or one tape), with the collection's settings: what its
/// baseline would be if all of it were accepted.
pub fn judge(
    plan: &RunPlan,
    rulebook: &Arc<Rulebook>,
    _observer: &dyn Observer,
) -> Result<Baseline, RunError> {
    let settings = Settings::load(&plan.inputs, &plan.checks, &plan.bounds)?;
    let reader = settings.reading(CorpusReader::new(&plan.inputs, plan.bounds)?);
    let checks = settings.digest();
    let settings = settings.with_criteria(&rulebook.criteria).map_err(SettingsError::from)?;
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(rulebook, &schemas);
    let mut collector = Collector::new(Arc::clone(rulebook));
    let mut ids = Ids::new();
    let mut digest = CorpusDigest::default();
    let mut seen: HashMap<Key, u32> = HashMap::new();
    for_each_exchange(reader, &plan.bounds, |located| {
        judge.go_by(settings.of_folder(located.folder));
        let verdict = judge.judge(located.exchange);
        collector.add(located.exchange, &verdict, located.file);
        ids.push(located.exchange.id.as_deref().map(Into::into));
        let before = seen.entry(located.keys.exchange).or_default();
        digest.add(located.keys.exchange, *before);
        *before += 1;
        ControlFlow::<()>::Continue(())
    })?;
    let mut side = collector.into_side("");
    side.header.corpus_digest = digest.to_string();
    side.header.checks = checks;
    Ok(Baseline::of(side, ids))
}
