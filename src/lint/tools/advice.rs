//! The advice: what is looked for, how important it is, and what to do.

use super::Definition;
use super::fields::Field;
use crate::json::Kind;
use crate::verdict::{IssueType, cut};
use regex::RegexSet;
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

pub(super) struct Advice {
    pub(super) id: &'static str,
    pub(super) kind: IssueType,
    pub(super) priority: Priority,
    pub(super) whose: Whose,
    /// What is wrong; `{}` stands for the field.
    pub(super) message: &'static str,
    pub(super) suggestion: &'static str,
    pub(super) applies: fn(&Definition<'_>) -> Vec<Place>,
}

/// Where advice applies in a definition, and what stands there.
pub(super) type Place = (String, String);

/// Words in which descriptions say how errors are reported.
const ERROR_WORDS: [&str; 8] = [
    r"\berrors?\b",
    r"\bfail(s|ed|ure|ures|ing)?\b",
    r"\b(is|has)_?(validation_?)?errors?\b",
    r"\bvalidation_?(summary|status|errors?)\b",
    r"\b(invalid|illegal|malformed|exceptions?|unsuccessful|not found)\b",
    r"\b(reject|refuse|raise|throw)(s|ed)?\b",
    r"\breturns? (null|none|nothing|false|an? empty)\b",
    r"\bstatus (code|field)\b",
];

/// Names of flags that tell at once whether something went wrong, in lower case and without signs.
const FLAG_NAMES: [&str; 14] = [
    "hasvalidationerrors",
    "haserrors",
    "haserror",
    "iserror",
    "error",
    "errored",
    "failed",
    "hasfailed",
    "success",
    "succeeded",
    "successful",
    "ok",
    "isvalid",
    "valid",
];

/// Groups that may stand around a report; a flag counts as top-level in them too.
const GROUPS: [&str; 2] = ["validation", "session"];

/// Output fields that hold what was found wrong, by the same form of their names.
const ERROR_DATA: [&str; 6] =
    ["validationsummary", "integrityissues", "validationerrors", "errorcount", "errors", "issues"];

/// All advice, in the order in which it is given.
pub(super) const ADVICE: [Advice; 17] = [
    Advice {
        id: "description",
        kind: IssueType::ToolUndescribed,
        priority: Priority::Must,
        whose: Whose::Everybody,
        message: "The tool has no description.",
        suggestion: "Describe what the tool does, what it returns, and how it reports errors.",
        applies: |tool| when(tool.description.is_none(), "/description"),
    },
    Advice {
        id: "description-errors",
        kind: IssueType::ToolErrorsUnexplained,
        priority: Priority::Must,
        whose: Whose::House,
        message: "The description does not say how errors are reported.",
        suggestion: "Name the field that contains them, such as: Returns validation errors in \
            validationSummary when the output is invalid; check validationSummary.hasErrors.",
        applies: |tool| {
            let silent = |text: &String| !ERRORS.is_match(text);
            when(tool.description.as_ref().is_some_and(silent), "/description")
        },
    },
    Advice {
        id: "description-flag",
        kind: IssueType::ToolErrorsUnexplained,
        priority: Priority::Nice,
        whose: Whose::House,
        message: "The description does not name the output field `{}` that reports errors.",
        suggestion: "Tell callers which field to check before they assume success.",
        applies: unnamed_flag,
    },
    Advice {
        id: "output-schema",
        kind: IssueType::ToolSchemaMissing,
        priority: Priority::Must,
        whose: Whose::House,
        message: "The tool has no output schema.",
        suggestion: "Add an outputSchema that describes each field of the result.",
        applies: |tool| when(tool.output.is_none(), "/outputSchema"),
    },
    Advice {
        id: "output-fields",
        kind: IssueType::ToolFieldUndescribed,
        priority: Priority::Must,
        whose: Whose::House,
        message: "The output field `{}` has no description.",
        suggestion: "Say what the field means and when it is present.",
        applies: |tool| undescribed(&tool.outputs),
    },
    Advice {
        id: "error-flag",
        kind: IssueType::ToolErrorFieldMissing,
        priority: Priority::Should,
        whose: Whose::House,
        message: "The output has no top-level flag for errors.",
        suggestion: "Add a boolean such as hasValidationErrors, so that one look is enough.",
        applies: |tool| {
            when(tool.output.is_some() && flag(tool).is_none(), "/outputSchema/properties")
        },
    },
    Advice {
        id: "status-enum",
        kind: IssueType::ToolErrorFieldMissing,
        priority: Priority::Nice,
        whose: Whose::House,
        message: "The output has errors (`{}`) but no status with listed values.",
        suggestion: "Add validationStatus: one of success, errors, warnings, errors_and_warnings.",
        applies: |tool| {
            let status = tool.outputs.iter().any(|field| is_status(field) && field.is_listed());
            match tool.outputs.iter().find(|field| is_error_data(field)) {
                Some(data) if !status => vec![place(data)],
                _ => Vec::new(),
            }
        },
    },
    Advice {
        id: "status-values",
        kind: IssueType::ToolErrorFieldMissing,
        priority: Priority::Should,
        whose: Whose::House,
        message: "The status `{}` does not list its values.",
        suggestion: "Give it an enum, and say in its description what each value means.",
        applies: |tool| {
            let is_open = |field: &&Field<'_>| {
                field.level == 0
                    && is_status(field)
                    && field.is_of_type("string")
                    && !field.is_listed()
            };
            tool.outputs.iter().filter(is_open).map(place).collect()
        },
    },
    Advice {
        id: "summary-text",
        kind: IssueType::ToolErrorFieldMissing,
        priority: Priority::Should,
        whose: Whose::House,
        message: "The summary `{}` has no summaryText.",
        suggestion: "Add a one-line summary such as: Found 2 errors and 1 warning in schema \
            validation.",
        applies: |tool| lacking(tool, "validationSummary", &["summaryText"]),
    },
    Advice {
        id: "type-label",
        kind: IssueType::ToolErrorFieldMissing,
        priority: Priority::Nice,
        whose: Whose::House,
        message: "The issues in `{}` have no typeLabel.",
        suggestion: "Add a readable label beside the technical type.",
        applies: |tool| {
            let is_typed = has(tool, "integrityIssues.type");
            if is_typed { lacking(tool, "integrityIssues", &["typeLabel"]) } else { Vec::new() }
        },
    },
    Advice {
        id: "task-link",
        kind: IssueType::ToolErrorFieldMissing,
        priority: Priority::Nice,
        whose: Whose::House,
        message: "Nothing in `{}` links a task to its issues.",
        suggestion: "Add validationErrors to each task, or taskId to each issue.",
        applies: |tool| {
            let is_linked = has(tool, "integrityIssues.taskId") || !has(tool, "integrityIssues");
            if is_linked { Vec::new() } else { lacking(tool, "tasks", &["validationErrors"]) }
        },
    },
    Advice {
        id: "report-name",
        kind: IssueType::ToolErrorFieldMissing,
        priority: Priority::Must,
        whose: Whose::House,
        message: "The reference `{}` to the error report has no filename.",
        suggestion: "Add the name with which the report can be fetched.",
        applies: |tool| lacking(tool, "errorReport", &["filename", "reportFilename"]),
    },
    Advice {
        id: "input-schema",
        kind: IssueType::ToolSchemaMissing,
        priority: Priority::Must,
        whose: Whose::Everybody,
        message: "The tool has no input schema.",
        suggestion: "Add an inputSchema; for a tool without input, an object without properties.",
        applies: |tool| when(tool.input.is_none(), "/inputSchema"),
    },
    Advice {
        id: "input-fields",
        kind: IssueType::ToolFieldUndescribed,
        priority: Priority::Must,
        whose: Whose::Everybody,
        message: "The input `{}` has no description.",
        suggestion: "Say what to pass and where it comes from.",
        applies: |tool| undescribed(&tool.inputs),
    },
    Advice {
        id: "input-required",
        kind: IssueType::ToolSchemaMissing,
        priority: Priority::Nice,
        whose: Whose::Everybody,
        message: "The input schema does not say which of its fields are required.",
        suggestion: "Add `required`, as an empty list where every field may be left out.",
        applies: |tool| {
            let lists = tool.input.and_then(|schema| schema.member("required"));
            let is_silent = !lists.is_some_and(|list| list.kind() == Kind::Array);
            when(is_silent && !tool.inputs.is_empty(), "/inputSchema/required")
        },
    },
    Advice {
        id: "examples",
        kind: IssueType::ToolExamplesMissing,
        priority: Priority::Must,
        whose: Whose::House,
        message: "The tool has no examples of use.",
        suggestion: "Add examples: what to pass, and how to check the result for errors.",
        applies: |tool| when(tool.examples().is_empty(), "/examples"),
    },
    Advice {
        id: "examples-errors",
        kind: IssueType::ToolExamplesMissing,
        priority: Priority::Must,
        whose: Whose::House,
        message: "None of the examples shows how to check for errors.",
        suggestion: "Show a caller that checks the error flag before using the result.",
        applies: |tool| {
            let programs = tool.example_programs();
            let shown = programs.iter().any(|code| shows_a_check(code));
            when(!programs.is_empty() && !shown, "/examples")
        },
    },
];

static ERRORS: LazyLock<RegexSet> = LazyLock::new(|| {
    let words = ERROR_WORDS.map(|word| format!("(?i){word}"));
    RegexSet::new(words).expect("a test reads them")
});

fn when(applies: bool, at: &str) -> Vec<Place> {
    applies.then(|| (at.to_owned(), String::new())).into_iter().collect()
}

/// A recorded name or place, cut where no honest one is that long.
fn place(field: &Field<'_>) -> Place {
    (cut(&field.at, SHOWN), cut(&field.path, SHOWN))
}

fn undescribed(fields: &[Field<'_>]) -> Vec<Place> {
    fields.iter().filter(|field| !field.is_described).map(place).collect()
}

/// A name in lower case and without the signs between words.
fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn flag<'d, 'a>(tool: &'d Definition<'a>) -> Option<&'d Field<'a>> {
    let is_on_top = |field: &Field<'_>| match field.path.split_once('.') {
        None => true,
        Some((group, rest)) => GROUPS.contains(&group) && !rest.contains('.'),
    };
    tool.outputs.iter().find(|field| {
        is_on_top(field)
            && field.is_of_type("boolean")
            && FLAG_NAMES.contains(&folded(field.name()).as_str())
    })
}

fn unnamed_flag(tool: &Definition<'_>) -> Vec<Place> {
    let text = tool.description.as_ref().filter(|text| ERRORS.is_match(text));
    let flag = flag(tool).zip(text).filter(|(flag, text)| !text.contains(flag.name()));
    flag.map(|(flag, _)| place(flag)).into_iter().collect()
}

fn is_status(field: &Field<'_>) -> bool {
    matches!(folded(field.name()).as_str(), "status" | "validationstatus")
        && (field.level == 0 || GROUPS.iter().any(|group| field.path.starts_with(group)))
}

fn is_error_data(field: &Field<'_>) -> bool {
    ERROR_DATA.contains(&folded(field.name()).as_str())
}

fn has(tool: &Definition<'_>, path: &str) -> bool {
    tool.output_at(path).is_some()
}

/// The field at a path, where it has fields of its own and all of these are missing. A field that
/// keeps its inside to itself promises nothing, and its description may say all.
fn lacking(tool: &Definition<'_>, path: &str, wanted: &[&str]) -> Vec<Place> {
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
    let telling = FLAG_NAMES.iter().filter(|name| name.len() > 4);
    telling.chain(&ERROR_DATA).any(|name| code.contains(name)) || code.contains("catch")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_advice_is_worded_within_the_bounds_of_an_issue() {
        let ids: BTreeSet<&str> = ADVICE.iter().map(|advice| advice.id).collect();
        assert_eq!(ids.len(), ADVICE.len(), "two pieces of advice have one id");
        for advice in &ADVICE {
            for text in [advice.message, advice.suggestion] {
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
            assert!(FLAG_NAMES.contains(&folded(name).as_str()), "{name}");
        }
    }
}
