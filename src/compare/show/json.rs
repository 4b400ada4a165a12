//! A comparison as one JSON object.

use crate::compare::Comparison;
use serde::Serialize;
use serde_json::Value;

pub const FORMAT: &str = "tapecheck-diff/1";

#[derive(Serialize)]
struct Shown<'c> {
    format: &'static str,
    #[serde(flatten)]
    comparison: &'c Comparison,
}

/// Everything apart from the list of all flips, which is a table.
pub fn as_json(comparison: &Comparison) -> Value {
    serde_json::to_value(Shown { format: FORMAT, comparison }).unwrap_or_default()
}
