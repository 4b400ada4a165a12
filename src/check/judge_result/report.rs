//! A result as text for people.

use super::{JudgeResult, RecordedIssue};
use crate::verdict::{Severity, harmless};
use std::fmt::Write as _;

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
