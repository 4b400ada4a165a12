//! Advice: on a [`rulebook`], and on definitions of [`tools`].

pub mod rulebook;
pub mod tools;

use crate::verdict::Severity;
use serde::Serialize;
use std::collections::BTreeMap;

/// Something that is wrong in a file that people write, or could be better.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub severity: Severity,
    pub rule: &'static str,
    /// What it is about; in a rulebook `signals.NAME`, `factors.NAME`, `decide.LINE`, or a pattern as tables call it.
    pub name: String,
    /// Where it stands: file and line.
    pub place: Option<String>,
    pub evidence: String,
    pub counts: BTreeMap<&'static str, u64>,
    pub advice: String,
    /// How much evidence there is; of one rule, the more comes first.
    #[serde(skip)]
    pub weight: u64,
}

impl Finding {
    pub fn new(severity: Severity, rule: &'static str, name: String) -> Self {
        let (place, evidence, advice, counts) = Default::default();
        Self { severity, rule, name, place, evidence, counts, advice, weight: 0 }
    }
}
