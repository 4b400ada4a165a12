//! The one-line summary: written from counts, and read back from recordings.

use crate::verdict::Category;
use regex::Regex;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// How much of a recorded summary is read; it is one line.
const READ: usize = 2_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) errors: u64,
    pub(super) warnings: u64,
    /// How many issues stand in the list, where it is shorter than the counts.
    pub(super) listed: Option<u64>,
}

/// Writes a summary: `Found 2 errors and 1 warning in schema validation and task integrity`.
pub(super) fn write_summary(counts: Counts, categories: &[&Category]) -> String {
    let counted = |count: u64, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        more => Some(format!("{more} {one}s")),
    };
    let found: Vec<String> = [counted(counts.errors, "error"), counted(counts.warnings, "warning")]
        .into_iter()
        .flatten()
        .collect();
    if found.is_empty() {
        return "No errors or warnings found".to_owned();
    }
    let mut text = format!("Found {}", found.join(" and "));
    let words: Vec<&str> = categories.iter().map(|category| category.words.as_str()).collect();
    if !words.is_empty() {
        let _ = write!(text, " in {}", enumerated(&words));
    }
    if let Some(listed) = counts.listed {
        let _ = write!(text, "; {listed} of them are listed");
    }
    text
}

/// `a`, `a and b`, `a, b and c`.
fn enumerated(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// What a recorded summary says. `None`: it does not say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SummaryClaims {
    pub(super) errors: Option<u64>,
    pub(super) warnings: Option<u64>,
    /// Errors and warnings together.
    pub(super) issues: Option<u64>,
    pub(super) listed: Option<u64>,
    /// The names of the categories it names, unless it names any that is unknown.
    pub(super) categories: Option<BTreeSet<&'static str>>,
}

/// A number before what it counts, or after it and a colon.
static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b (?P<number> \d[\d,]{0,20} | no | zero | one | without (?:\ any)? )
            \s+ (?: (?: critical | minor | validation | integrity | schema | field | task ) \s+ ){0,2} (?P<what> error | warning | issue | problem ) (?: s | \(s\) )? \b
        | \b (?P<named> error | warning | issue | problem ) (?: s | \(s\) )? (?: \s+ count)? \s* [:=] \s* (?P<value> \d[\d,]{0,20} )",
    )
    .expect("a test reads it")
});

/// How many issues are listed.
static LISTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(\d{1,15}) of them (?:are )?listed").expect("a test reads it")
});

/// Reads a summary, in the documented wording or one like it.
pub(super) fn read_summary(text: &str) -> SummaryClaims {
    let text = &text[..text.floor_char_boundary(READ)];
    let mut stated = SummaryClaims::default();
    // `no errors or warnings` denies both.
    let mut denied = false;
    for found in COUNTED.captures_iter(text) {
        let word = found.name("number").or_else(|| found.name("value")).map_or("", |m| m.as_str());
        let what = found.name("what").or_else(|| found.name("named")).map_or("", |m| m.as_str());
        let number = number(word);
        denied |= number == Some(0) && !word.starts_with(|c: char| c.is_ascii_digit());
        let slot = match what.to_ascii_lowercase().as_str() {
            "error" => &mut stated.errors,
            "warning" => &mut stated.warnings,
            _ => &mut stated.issues,
        };
        if slot.is_none() {
            *slot = number;
        }
    }
    if denied && stated.warnings.is_none() && text.to_lowercase().contains("or warning") {
        stated.warnings = Some(0);
    }
    stated.listed = LISTED.captures(text).and_then(|found| found.get(1)?.as_str().parse().ok());
    stated.categories = categories(text);
    stated
}

fn number(word: &str) -> Option<u64> {
    match word.to_ascii_lowercase().as_str() {
        "one" => Some(1),
        denial if denial.starts_with(['n', 'z', 'w']) => Some(0),
        digits => digits.replace(',', "").parse().ok(),
    }
}

/// The categories after ` in `, if all that stands there are categories.
fn categories(text: &str) -> Option<BTreeSet<&'static str>> {
    let (_, listed) = text.split_once(" in ")?;
    let listed = listed.split([';', '.', '(']).next().unwrap_or_default();
    listed
        .split(',')
        .flat_map(|part| part.split(" and "))
        .map(|words| words.trim().trim_start_matches("and "))
        .filter(|words| !words.is_empty())
        .map(|words| Category::meant_by(words).map(|category| category.name.as_str()))
        .collect()
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
            let stated = read_summary(&written(errors, warnings, &["parse", "task_integrity"]));
            assert_eq!(
                (stated.errors.unwrap_or(0), stated.warnings.unwrap_or(0)),
                (errors, warnings),
                "{stated:?}"
            );
            let categories = stated.categories.unwrap_or_default();
            let expected: &[&str] =
                if errors + warnings == 0 { &[] } else { &["parse", "task_integrity"] };
            assert!(categories.iter().eq(expected), "{categories:?}");
        }
        let counts = Counts { errors: 12_000, warnings: 0, listed: Some(10_000) };
        assert_eq!(read_summary(&write_summary(counts, &[])).listed, Some(10_000));
    }

    #[test]
    fn other_wordings_are_read_too() {
        let both = |text: &str| {
            let stated = read_summary(text);
            (stated.errors, stated.warnings, stated.issues)
        };
        assert_eq!(both("2 errors, 1 warning"), (Some(2), Some(1), None));
        assert_eq!(both("Errors: 2; Warnings: 1"), (Some(2), Some(1), None));
        assert_eq!(both("Found 1,204 critical errors"), (Some(1204), None, None));
        assert_eq!(both("There is one validation error."), (Some(1), None, None));
        assert_eq!(both("no errors or warnings"), (Some(0), Some(0), None));
        assert_eq!(both("No issues found"), (None, None, Some(0)));
        assert_eq!(both("3 problem(s)"), (None, None, Some(3)));
        assert_eq!(both("All is well"), (None, None, None));
        assert_eq!(both("Task 3 has errors; an error occurred"), (None, None, None));
        assert_eq!(both("999999999999999999999 errors"), (None, None, None));
    }

    #[test]
    fn unknown_categories_are_no_claim() {
        assert_eq!(read_summary("2 errors in field checks and task integrity").categories, None);
        assert_eq!(read_summary("2 errors").categories, None);
        let stated = read_summary("Found 2 errors in parse, schema validation, and task integrity");
        let categories: Vec<&str> = stated.categories.unwrap_or_default().into_iter().collect();
        assert_eq!(categories, ["parse", "schema_validation", "task_integrity"]);
    }
}
