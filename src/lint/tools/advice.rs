//! The advice: what is looked for. Its words, how important it is and what to do are in `advice.toml`.

use super::Definition;
use super::fields::Field;
use crate::json::Kind;
use crate::verdict::{IssueType, cut};
use regex::RegexSet;
use serde::Deserialize;
use std::sync::LazyLock;

/// How much of a field's name or place is shown.
const SHOWN: usize = 120;

named! {
    /// How important it is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Priority {
        /// Users cannot handle errors without it.
        Must = "must",
        /// Users handle errors better with it.
        Should = "should",
        /// Polish.
        Nice = "nice to have",
    }
}

named! {
    /// Who gives a piece of advice.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Whose {
        /// What hosts and models need of any tool.
        Everybody = "everybody",
        /// One way of telling about errors, which tools may follow or not.
        House = "house style",
    }
}

/// What `advice.toml` holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    error_words: Vec<String>,
    flag_names: Vec<String>,
    groups: Vec<String>,
    error_data: Vec<String>,
    advice: Vec<Advice>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Advice {
    pub(super) id: String,
    /// The type of its issue.
    pub(super) kind: IssueType,
    pub(super) priority: Priority,
    pub(super) whose: Whose,
    /// What is wrong; `{}` stands for the field.
    pub(super) message: String,
    pub(super) suggestion: String,
}

/// Where advice applies in a definition, and what stands there.
pub(super) type Location = (String, String);

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("advice.toml")).expect("the file of advice is in order")
});

/// All advice, in the order in which it is given.
pub(super) fn all() -> &'static [Advice] {
    &TABLE.advice
}

/// Where a piece of advice applies in a definition.
pub(super) fn applies(id: &str, tool: &Definition<'_>) -> Vec<Location> {
    match id {
        "description" => when(tool.description.is_none(), "/description"),
        "description-errors" => {
            let silent = |text: &String| !ERRORS.is_match(text);
            when(tool.description.as_ref().is_some_and(silent), "/description")
        }
        "description-flag" => unnamed_flag(tool),
        "output-schema" => when(tool.output.is_none(), "/outputSchema"),
        "output-fields" => undescribed(&tool.outputs),
        "error-flag" => {
            when(tool.output.is_some() && flag(tool).is_none(), "/outputSchema/properties")
        }
        "status-enum" => {
            let status = tool.outputs.iter().any(|field| is_status(field) && field.is_listed());
            match tool.outputs.iter().find(|field| is_error_data(field)) {
                Some(data) if !status => vec![place(data)],
                _ => Vec::new(),
            }
        }
        "status-values" => {
            let is_open = |field: &&Field<'_>| {
                field.level == 0
                    && is_status(field)
                    && field.is_of_type("string")
                    && !field.is_listed()
            };
            tool.outputs.iter().filter(is_open).map(place).collect()
        }
        "summary-text" => lacking(tool, "validationSummary", &["summaryText"]),
        "type-label" => {
            let is_typed = has(tool, "integrityIssues.type");
            if is_typed { lacking(tool, "integrityIssues", &["typeLabel"]) } else { Vec::new() }
        }
        "task-link" => {
            let is_linked = has(tool, "integrityIssues.taskId") || !has(tool, "integrityIssues");
            if is_linked { Vec::new() } else { lacking(tool, "tasks", &["validationErrors"]) }
        }
        "report-name" => lacking(tool, "errorReport", &["filename", "reportFilename"]),
        "input-schema" => when(tool.input.is_none(), "/inputSchema"),
        "input-fields" => undescribed(&tool.inputs),
        "input-required" => {
            let lists = tool.input.and_then(|schema| schema.member("required"));
            let is_silent = !lists.is_some_and(|list| list.kind() == Kind::Array);
            when(is_silent && !tool.inputs.is_empty(), "/inputSchema/required")
        }
        "examples" => when(tool.examples().is_empty(), "/examples"),
        "examples-errors" => {
            let programs = tool.example_programs();
            let shown = programs.iter().any(|code| shows_a_check(code));
            when(!programs.is_empty() && !shown, "/examples")
        }
        _ => unreachable!("no advice is called {id}"),
    }
}

static ERRORS: LazyLock<RegexSet> = LazyLock::new(|| {
    let words = TABLE.error_words.iter().map(|word| format!("(?i){word}"));
    RegexSet::new(words).expect("a test reads them")
});

fn when(applies: bool, at: &str) -> Vec<Location> {
    applies.then(|| (at.to_owned(), String::new())).into_iter().collect()
}

/// A recorded name or place, cut where no honest one is that long.
fn place(field: &Field<'_>) -> Location {
    (cut(&field.at, SHOWN), cut(&field.path, SHOWN))
}

fn undescribed(fields: &[Field<'_>]) -> Vec<Location> {
    fields.iter().filter(|field| !field.is_described).map(place).collect()
}

/// A name in lower case and without the signs between words.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn flag<'d, 'a>(tool: &'d Definition<'a>) -> Option<&'d Field<'a>> {
    let is_on_top = |field: &Field<'_>| match field.path.split_once('.') {
        None => true,
        Some((group, rest)) => TABLE.groups.iter().any(|it| it == group) && !rest.contains('.'),
    };
    tool.outputs.iter().find(|field| {
        is_on_top(field)
            && field.is_of_type("boolean")
            && TABLE.flag_names.contains(&folded(field.name()))
    })
}

fn unnamed_flag(tool: &Definition<'_>) -> Vec<Location> {
    let text = tool.description.as_ref().filter(|text| ERRORS.is_match(text));
    let flag = flag(tool).zip(text).filter(|(flag, text)| !text.contains(flag.name()));
    flag.map(|(flag, _)| place(flag)).into_iter().collect()
}

fn is_status(field: &Field<'_>) -> bool {
    matches!(folded(field.name()).as_str(), "status" | "validationstatus")
        && (field.level == 0 || TABLE.groups.iter().any(|group| field.path.starts_with(group)))
}

fn is_error_data(field: &Field<'_>) -> bool {
    TABLE.error_data.contains(&folded(field.name()))
}

fn has(tool: &Definition<'_>, path: &str) -> bool {
    tool.output_at(path).is_some()
}

/// The field at a path, where it has fields of its own and all of these are missing. A field that
/// keeps its inside to itself promises nothing, and its description may say all.
fn lacking(tool: &Definition<'_>, path: &str, wanted: &[&str]) -> Vec<Location> {
    let inside = |name: &str| format!("{path}.{name}");
    let is_open = tool.outputs.iter().any(|inner| inner.path.starts_with(&inside("")));
    let is_there = wanted.iter().any(|name| has(tool, &inside(name)));
    let field = tool.output_at(path).filter(|_| is_open && !is_there);
    field.map(place).into_iter().collect()
}

/// Whether a program looks at what tells of errors.
fn shows_a_check(code: &str) -> bool {
    let code = folded(code);
    // Short names like `ok` are part of too many words.
    let telling = TABLE.flag_names.iter().filter(|name| name.len() > 4);
    telling.chain(&TABLE.error_data).any(|name| code.contains(name)) || code.contains("catch")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_advice_is_worded_within_the_bounds_of_an_issue() {
        let ids: BTreeSet<&str> = all().iter().map(|advice| &*advice.id).collect();
        assert_eq!(ids.len(), all().len(), "two pieces of advice have one id");
        for advice in all() {
            for text in [&advice.message, &advice.suggestion] {
                assert!((10..=200).contains(&text.len()), "{}: {text}", advice.id);
                assert!(text.ends_with('.'), "{}: {text}", advice.id);
            }
        }
    }

    #[test]
    fn words_for_errors_are_words() {
        for text in ["Returns hasErrors.", "Fails when offline.", "Throws if full", "check isError"]
        {
            assert!(ERRORS.is_match(text), "{text}");
        }
        for text in ["Start a new evalab chat session", "Mirrors a page", "Finds a terror of birds"]
        {
            assert!(!ERRORS.is_match(text), "{text}");
        }
    }

    #[test]
    fn names_are_compared_without_their_form() {
        for name in ["hasValidationErrors", "has_validation_errors", "Has-Validation-Errors"] {
            assert!(TABLE.flag_names.contains(&folded(name)), "{name}");
        }
    }
}
