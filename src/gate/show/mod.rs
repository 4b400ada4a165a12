//! The outputs of a gate, all from one [`GateReport`](super::GateReport).

mod annotations;
mod junit;
mod lines;
mod sarif;
mod sections;
#[cfg(test)]
mod tests;

pub use annotations::annotations;
pub use junit::junit;
pub use sarif::sarif;
pub use sections::markdown;
pub(crate) use sections::sections;

use super::report::GateReport;
use crate::view::sarif::Spot;

pub fn json(report: &GateReport) -> String {
    // Nothing in it can fail to be written.
    let text = serde_json::to_string_pretty(report).unwrap_or_default();
    text + "\n"
}

/// The line of the policy; the recordings for rules that stand in no file.
fn of_policy(report: &GateReport, line: Option<u64>, recordings: &str) -> Spot {
    let file = match (line, recordings) {
        (Some(_), _) => &report.policy,
        (None, "") => &report.after.name,
        (None, recordings) => recordings,
    };
    Spot { file: file.to_owned(), line: line.unwrap_or(1) }
}
