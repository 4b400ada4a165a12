//! The one-line summary: written from counts, and its numbers read back from recordings.

use crate::verdict::Category;
use std::fmt::Write as _;

/// The summary of a report that has neither errors nor warnings.
const NOTHING: &str = "No errors or warnings found";
/// Bytes in which most summaries fit.
const USUAL: usize = 64;
/// What stands behind the number of issues that are listed of more.
const LISTED: &str = " of them are listed";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) errors: u64,
    pub(super) warnings: u64,
    /// How many issues stand in the list, where it is shorter than the counts.
    pub(super) listed: Option<u64>,
}

/// Writes a summary: `Found 2 errors and 1 warning in schema validation and task integrity`.
pub(super) fn write_summary(counts: Counts, categories: &[&Category]) -> String {
    let found = [(counts.errors, "error"), (counts.warnings, "warning")];
    let mut text = String::with_capacity(USUAL);
    for (count, thing) in found.into_iter().filter(|(count, _)| *count > 0) {
        text += if text.is_empty() { "Found " } else { " and " };
        text += &count.to_string();
        text += " ";
        text += thing;
        text += if count == 1 { "" } else { "s" };
    }
    if text.is_empty() {
        return NOTHING.to_owned();
    }
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
    let (found, listed) = match found.rsplit_once("; ") {
        Some((found, listed)) => (found, listed.strip_suffix(LISTED)),
        None => (found, None),
    };
    counts.listed = listed.and_then(|number| number.parse().ok());
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

    fn written(errors: u64, warnings: u64, names: &[&str]) -> String {
        let categories: Vec<&Category> =
            names.iter().filter_map(|name| Category::named(name)).collect();
        write_summary(Counts { errors, warnings, listed: None }, &categories)
    }

    #[test]
    fn summaries_are_worded_as_documented() {
        assert_eq!(
            written(2, 1, &["schema_validation", "task_integrity"]),
            "Found 2 errors and 1 warning in schema validation and task integrity"
        );
        assert_eq!(
            written(1, 0, &["parse", "schema_validation", "json_recovery"]),
            "Found 1 error in parsing, schema validation and JSON recovery"
        );
        assert_eq!(written(0, 3, &["connection"]), "Found 3 warnings in connection");
        assert_eq!(written(0, 0, &[]), "No errors or warnings found");
    }

    #[test]
    fn what_is_written_is_read_back() {
        for (errors, warnings) in [(0, 0), (1, 0), (0, 1), (2, 1), (1, 12), (40_000, 7)] {
            let counts = Counts { errors, warnings, listed: None };
            let stated = read_summary(&written(errors, warnings, &["parse", "task_integrity"]));
            assert_eq!(stated, Some(counts));
        }
        let counts = Counts { errors: 12_000, warnings: 0, listed: Some(10_000) };
        assert_eq!(read_summary(&write_summary(counts, &[])), Some(counts));
    }

    #[test]
    fn other_wordings_say_nothing() {
        for text in ["2 errors", "Found 1,204 errors", "Found 2 critical errors", "All is well"] {
            assert_eq!(read_summary(text), None, "{text}");
        }
    }
}
