//! What the numbers in verdicts mean: the part of a rulebook that tables need.

use crate::rulebook::{Confidence, Overall, Quality, Rulebook};
use crate::verdict::{Classification, Ending, SignalSet};

/// Names and weights of the rulebook that judged.
#[derive(Clone, Debug)]
pub struct Legend {
    /// The signals, by their bit.
    pub signals: Vec<String>,
    /// The signals observed on error replies.
    pub error_signals: SignalSet,
    /// The signals observed on replies that claim success.
    pub success_signals: SignalSet,
    /// The patterns by their number, each with its unique name.
    pub patterns: Vec<String>,
    pub decisions: Vec<String>,
    pub error_kinds: Vec<String>,
    pub quality: Quality,
    /// Class and confidence of a reply that breaks its output schema.
    pub schema_failed: (Classification, f64),
    /// How confidences are averaged.
    pub overall: Overall,
}

impl Legend {
    pub fn of(rulebook: &Rulebook) -> Self {
        let schema_failed = rulebook.meaning(Ending::SchemaFailed);
        let confidence = match schema_failed.confidence {
            Confidence::Fixed(confidence) => confidence,
            Confidence::Score => 0.0,
        };
        Self {
            schema_failed: (schema_failed.classification, confidence),
            signals: rulebook.signals.iter().map(|signal| signal.name.clone()).collect(),
            error_signals: rulebook.error_signals,
            success_signals: rulebook.success_signals,
            patterns: rulebook.pattern_names(),
            decisions: rulebook.decide.iter().map(|line| line.name.clone()).collect(),
            error_kinds: rulebook.error_kinds.iter().map(|kind| kind.name.clone()).collect(),
            quality: rulebook.quality,
            overall: rulebook.overall.clone(),
        }
    }
}
