//! Results of judges, as recorded: `{valid, confidence, issues, quality_score, …}`.
//!
//! [`read_result`] reads one and holds it against `validation_result.schema.json`;
//! [`JudgeResult::inconsistencies`] says what no schema can. How results are read (bands,
//! interpretation, decision, ladder) is the same for recorded results and for verdicts.

mod inconsistency;
mod outcome;
mod read;
#[cfg(test)]
mod tests;

pub use inconsistency::confidence;
pub use outcome::{
    Band, Decision, Interpretation, RetryLadder, confidence_band, decision, interpretation,
    is_good_enough, needs_review, quality_band,
};
pub use read::{JudgeResult, RecordedIssue, StatedCounts, is_result, read_result};

use super::payload::Sign;
use super::table::{CheckContext, Findings};
use crate::json::Raw;
use crate::recording::{Exchange, ExchangeKind};
use crate::verdict::{NotApplied, Severity, Side, harmless};
use memchr::memmem::Finder;
use std::fmt::Write as _;
use std::sync::LazyLock;

static RESULT: Sign = Sign {
    kind: ExchangeKind::JudgeResult,
    words: LazyLock::new(|| ["quality_score", "confidence"].map(Finder::new).into()),
    is_one: is_result,
};

/// Holds the result of a judge, recorded by itself or as the reply of a tool, against itself.
pub(super) fn ask(
    exchange: &Exchange<'_>,
    _: &CheckContext<'_>,
    findings: &mut Findings,
) -> Result<(), NotApplied> {
    RESULT.ask(exchange, |result| look(result, findings))
}

fn look(value: Raw<'_>, findings: &mut Findings) {
    match read_result(value) {
        Err(violations) => findings.add(Side::Reply, violations),
        Ok(result) => {
            result.issues.iter().for_each(|issue| findings.add_recorded(issue, None, None));
            findings.add(Side::Reply, result.complaints());
            // A result may claim anything, and what it claims is told; tables hold shares.
            findings.confidence = Some(result.confidence.clamp(0.0, 1.0));
            findings.quality = Some(result.quality_score.clamp(0.0, 1.0));
            findings.passed.extend(result.passed_criteria);
            findings.failed.extend(result.failed_criteria);
        }
    }
}

/// The result as a text: the outcome, errors with what to do about them, warnings, criteria.
///
/// Infos are left out. Control characters in what was recorded are spelled out, so that they can
/// neither change the structure of the text nor act upon a terminal.
pub fn text_report(result: &JudgeResult) -> String {
    let mut out = String::new();
    let outcome = if result.valid { "✅ PASS" } else { "❌ FAIL" };
    let _ = writeln!(out, "Validation Result: {outcome}");
    let _ = writeln!(out, "Confidence: {:.2}", result.confidence);
    let _ = writeln!(out, "Quality Score: {:.2}", result.quality_score);
    let _ = writeln!(out);
    let of = |severity: Severity| -> Vec<&RecordedIssue> {
        result.issues.iter().filter(|issue| issue.severity == severity).collect()
    };
    let errors = of(Severity::Error);
    let lines = errors.iter().map(|issue| {
        let suggestion = issue.suggestion.as_deref().filter(|suggestion| !suggestion.is_empty());
        let advice = suggestion.map(|text| format!("\n    → {}", harmless(text)));
        headline(issue) + &advice.unwrap_or_default()
    });
    section(&mut out, "🔴 ERRORS", lines);
    let warnings = of(Severity::Warning);
    section(&mut out, "🟡 WARNINGS", warnings.iter().map(|issue| headline(issue)));
    for (title, names) in [
        ("✅ PASSED CRITERIA", &result.passed_criteria),
        ("❌ FAILED CRITERIA", &result.failed_criteria),
    ] {
        section(&mut out, title, names.iter().map(|name| harmless(name)));
    }
    // The last section's empty line ends the text; it has no line of its own after it.
    out.pop();
    out
}

fn headline(issue: &RecordedIssue) -> String {
    format!("[{}] {}", harmless(&issue.kind), harmless(&issue.message))
}

/// A section, unless it is empty.
fn section(out: &mut String, title: &str, lines: impl ExactSizeIterator<Item = String>) {
    if lines.len() == 0 {
        return;
    }
    let _ = writeln!(out, "{title} ({})", lines.len());
    for line in lines {
        let _ = writeln!(out, "  • {line}");
    }
    let _ = writeln!(out);
}
