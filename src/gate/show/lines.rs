//! A rule's verdict as lines of text, which several outputs share.

use super::super::report::{Finding, LeftOut, Place, RuleVerdict};
use crate::verdict::{counted, grouped};
use crate::view::escape::terminal as plain;

/// What was found and what is allowed.
pub(super) fn summary(rule: &RuleVerdict) -> String {
    let text = match &rule.skipped_because {
        Some(because) => format!("{because}; required: {}", rule.allowed),
        None => format!("{}; allowed: {}", rule.measured, rule.allowed),
    };
    plain(&text)
}

pub(super) fn finding(finding: &Finding) -> String {
    let group = finding.group.as_ref().map_or_else(String::new, |id| format!(" (group {id})"));
    plain(&format!("{}{group}", finding.text))
}

pub(super) fn place(place: &Place) -> String {
    let Place { key, server, tool, file, line } = place;
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    let recording = if file.is_empty() { String::new() } else { format!("{file}{line} ") };
    plain(&format!("{recording}{server}/{tool} {key}"))
}

pub(super) fn left_out(left_out: LeftOut) -> Option<String> {
    let LeftOut { findings, exchanges } = left_out;
    let about = match exchanges {
        0 => String::new(),
        exchanges => format!(" about {}", counted(exchanges, "call")),
    };
    (findings > 0).then(|| format!("{}{about} not shown", counted(findings, "more finding")))
}

/// Everything below the first line.
pub(super) fn details(rule: &RuleVerdict) -> Vec<String> {
    let mut lines = Vec::new();
    for found in &rule.findings {
        lines.push(format!("- {}", finding(found)));
        lines.extend(found.examples.iter().map(|example| format!("  {}", place(example))));
        if !found.examples.is_empty() && found.more() > 0 {
            lines.push(format!("  and {} more", grouped(found.more())));
        }
    }
    lines.extend(left_out(rule.left_out).map(|text| format!("- {text}")));
    lines.extend(rule.notes.iter().map(|note| format!("note: {}", plain(note))));
    lines.extend(rule.next.iter().map(|next| format!("next: {}", plain(next))));
    lines
}
