//! Words that tests of checks have in common.

use crate::verdict::{Category, Issue};

/// A line for each issue.
pub(super) fn in_words(issues: &[Issue]) -> String {
    let line = |issue: &Issue| {
        let place = issue.location.as_deref().unwrap_or("-");
        let suggestion = issue.suggestion.as_deref().map_or(String::new(), |it| format!(" ({it})"));
        let (severity, side) = (issue.severity.name(), issue.side.name());
        let (kind, category) = (issue.kind.name(), &Category::of(issue.kind).label);
        let message = &issue.message;
        format!("{place} {kind} ({category}) of {side}, {severity}: {message}{suggestion}")
    };
    let lines: Vec<String> = issues.iter().map(line).collect();
    if lines.is_empty() { "nothing".to_owned() } else { lines.join("\n") }
}
