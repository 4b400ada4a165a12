//! The one-line summary: written from counts, and its numbers read back from recordings.

use crate::verdict::{Category, Severity};
use std::fmt::Write as _;

const NOTHING: &str = "No errors or warnings found";
/// What stands behind the number of issues that are listed of more.
const LISTED: &str = " of them are listed";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) errors: u64,
    pub(super) warnings: u64,
    /// How many issues stand in the list, where it is shorter than the counts.
    pub(super) listed: Option<u64>,
}

/// `1 error` or `2 errors`.
pub(super) fn counted(count: u64, severity: Severity) -> String {
    format!("{count} {}{}", severity.name(), if count == 1 { "" } else { "s" })
}

/// Writes a summary: `Found 2 errors and 1 warning in schema validation and task integrity`.
pub(super) fn write_summary(counts: Counts, categories: &[&Category]) -> String {
    let found = [(counts.errors, Severity::Error), (counts.warnings, Severity::Warning)];
    let found = found.into_iter().filter(|(count, _)| *count > 0);
    let found: Vec<String> = found.map(|(count, severity)| counted(count, severity)).collect();
    if found.is_empty() {
        return NOTHING.to_owned();
    }
    let mut text = format!("Found {}", found.join(" and "));
    for (at, category) in categories.iter().enumerate() {
        text += match at {
            0 => " in ",
            at if at + 1 == categories.len() => " and ",
            _ => ", ",
        };
        text += &category.words;
    }
    if let Some(listed) = counts.listed {
        let _ = write!(text, "; {listed}{LISTED}");
    }
    text
}

/// Reads the numbers of a summary in the documented wording; others are believed whatever they say.
pub(super) fn read_summary(text: &str) -> Option<Counts> {
    let text = text.trim().trim_end_matches('.');
    let mut counts = Counts::default();
    if text == NOTHING {
        return Some(counts);
    }
    let found = text.strip_prefix("Found ")?;
    let (found, listed) = found.rsplit_once("; ").unwrap_or((found, ""));
    counts.listed = listed.strip_suffix(LISTED).and_then(|number| number.parse().ok());
    let found = found.split_once(" in ").map_or(found, |(found, _)| found);
    for counted in found.split(" and ") {
        let (number, what) = counted.split_once(' ')?;
        let number = number.parse().ok()?;
        match what {
            "error" | "errors" => counts.errors = number,
            "warning" | "warnings" => counts.warnings = number,
            _ => return None,
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_worded_as_documented_and_read_back() {
        for (errors, warnings, listed, names, text) in [
            (
                2,
                1,
                None,
                "schema_validation task_integrity",
                "Found 2 errors and 1 warning in schema validation and task integrity",
            ),
            (
                1,
                0,
                None,
                "parse schema_validation json_recovery",
                "Found 1 error in parsing, schema validation and JSON recovery",
            ),
            (0, 3, None, "connection", "Found 3 warnings in connection"),
            (0, 0, None, "", "No errors or warnings found"),
            (12_000, 0, Some(10_000), "", "Found 12000 errors; 10000 of them are listed"),
        ] {
            let categories: Vec<_> = names.split(' ').filter_map(Category::named).collect();
            let counts = Counts { errors, warnings, listed };
            assert_eq!(write_summary(counts, &categories), text);
            assert_eq!(read_summary(text), Some(counts));
        }
        for text in ["2 errors", "Found 1,204 errors", "Found 2 critical errors", "All is well"] {
            assert_eq!(read_summary(text), None, "{text}");
        }
    }
}
