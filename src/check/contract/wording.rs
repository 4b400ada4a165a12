//! The wordings of issues: templates with places to fill in, and the severities.

use crate::rulebook::problem::{Problems, did_you_mean};
use crate::rulebook::source::{Entry, Node, Section};
use crate::verdict::{Issue, IssueType, Severity, push_count};
use std::sync::LazyLock;

/// What every contract starts from.
const DEFAULTS: &str = include_str!("defaults.toml");

/// Shortest and longest message of an issue, in characters.
const MESSAGE: std::ops::RangeInclusive<usize> = 10..=500;

/// The types that contracts word: the error code, and the places its templates may fill in.
const CODES: [(IssueType, &str, &[&str]); 16] = [
    (IssueType::MissingParameter, "MISSING_PARAMETER", &["parameter"]),
    (IssueType::InvalidType, "INVALID_TYPE", &["parameter", "expected_type"]),
    (IssueType::LengthConstraint, "LENGTH_CONSTRAINT", &["parameter", "min", "max"]),
    (IssueType::RangeConstraint, "RANGE_CONSTRAINT", &["parameter", "min", "max"]),
    (IssueType::UnknownTool, "UNKNOWN_TOOL", &["tool_name", "available_tools"]),
    (IssueType::ConditionalParameter, "CONDITIONAL_PARAMETER", &["parameters"]),
    (IssueType::SecurityValidation, "SECURITY_VALIDATION", &["list", "pattern"]),
    (IssueType::InvalidResponse, "INVALID_RESPONSE", &["field"]),
    (IssueType::InvalidTransition, "INVALID_TRANSITION", &["field"]),
    (IssueType::ResponseType, "RESPONSE_TYPE", &["field", "expected"]),
    (IssueType::ContractRule, "CONTRACT_RULE", &["rule", "why"]),
    (IssueType::SecurityIssue, "SECURITY_ISSUE", &["what"]),
    (IssueType::SessionNotInitialized, "SESSION_NOT_INITIALIZED", &["available_tools"]),
    (IssueType::ToolsNotListed, "TOOLS_NOT_LISTED", &["available_tools"]),
    (IssueType::ToolNotRegistered, "TOOL_NOT_REGISTERED", &["tool_name"]),
    (IssueType::SchemaDrift, "SCHEMA_DRIFT", &["tool_name", "change"]),
];

/// The error code of a type of issue, in capitals, where it is one that contracts give.
pub fn code(kind: IssueType) -> Option<&'static str> {
    CODES.iter().find(|(known, ..)| *known == kind).map(|(_, code, _)| *code)
}

pub(super) fn codes() -> [(IssueType, &'static str); CODES.len()] {
    CODES.map(|(kind, code, _)| (kind, code))
}

/// The ways in which a code can be worded: a key of its table for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    Message,
    AtLeast,
    AtMost,
    /// The elements of a list are counted, not characters.
    Elements,
    ElementsAtLeast,
    ElementsAtMost,
    /// Something is there that the contract does not name.
    Unexpected,
    /// The name of a tool is empty.
    Empty,
    /// A number is read as another one than was written.
    Inexact,
    /// All of a response is meant, not a field of it.
    Whole,
}

const VARIANTS: [(Variant, &str); 10] = [
    (Variant::Message, "message"),
    (Variant::AtLeast, "at_least"),
    (Variant::AtMost, "at_most"),
    (Variant::Elements, "elements"),
    (Variant::ElementsAtLeast, "elements_at_least"),
    (Variant::ElementsAtMost, "elements_at_most"),
    (Variant::Unexpected, "unexpected"),
    (Variant::Empty, "empty"),
    (Variant::Inexact, "inexact"),
    (Variant::Whole, "whole"),
];

#[derive(Clone, Debug)]
pub(super) struct Wordings {
    templates: Vec<(IssueType, Variant, String)>,
    severities: Vec<(IssueType, Severity)>,
    suggestions: Vec<(IssueType, String)>,
}

static DEFAULT: LazyLock<Wordings> = LazyLock::new(|| {
    let mut problems = Problems::default();
    let file = problems.add_file("defaults.toml", DEFAULTS);
    let mut wordings =
        Wordings { templates: Vec::new(), severities: Vec::new(), suggestions: Vec::new() };
    if let Some(tree) = Node::parse(DEFAULTS, file, &problems) {
        wordings.lay_over(tree.entries().unwrap_or_default(), &problems);
    }
    debug_assert!(!problems.has_errors(), "{}", problems.into_error());
    wordings
});

impl Default for Wordings {
    fn default() -> Self {
        DEFAULT.clone()
    }
}

impl Wordings {
    /// Replaces what a contract's `errors` words otherwise.
    pub(super) fn lay_over(&mut self, entries: &[Entry], problems: &Problems) {
        for entry in entries {
            let found = CODES.iter().find(|(_, code, _)| *code == entry.key);
            let Some((kind, _, places)) = found else {
                let help = did_you_mean(&entry.key, CODES.iter().map(|(_, code, _)| *code));
                let message = format!("unknown error code `{}`", entry.key);
                problems.error_with_help(entry.key_mark, message, help);
                continue;
            };
            let Some(mut section) = Section::open_entry(entry, problems) else { continue };
            for (variant, key) in VARIANTS {
                if let Some(text) = section.text(key) {
                    check_places(text, places, section.mark_of(key), problems);
                    set(
                        &mut self.templates,
                        |(k, v, _)| k == kind && *v == variant,
                        (*kind, variant, text.to_owned()),
                    );
                }
            }
            if let Some(severity) = section.word("severity") {
                set(&mut self.severities, |(k, _)| k == kind, (*kind, severity));
            }
            if let Some(text) = section.text("suggestion") {
                check_places(text, places, section.mark_of("suggestion"), problems);
                set(&mut self.suggestions, |(k, _)| k == kind, (*kind, text.to_owned()));
            }
            section.finish();
        }
    }

    pub(super) fn severity(&self, kind: IssueType) -> Severity {
        self.severities.iter().find(|(k, _)| *k == kind).map_or(Severity::Error, |(_, s)| *s)
    }

    /// The template of a type; its plain message where it has no such variant.
    pub(super) fn template(&self, kind: IssueType, variant: Variant) -> &str {
        let of = |wanted: Variant| {
            self.templates.iter().find(|(k, v, _)| *k == kind && *v == wanted).map(|(.., t)| t)
        };
        of(variant).or_else(|| of(Variant::Message)).map_or("", String::as_str)
    }

    /// An issue worded by the table alone.
    pub(super) fn issue(
        &self,
        kind: IssueType,
        variant: Variant,
        values: &[(&str, &str)],
    ) -> Issue {
        let message = fill(self.template(kind, variant), values);
        let mut issue = self.worded(kind, &message);
        issue.suggestion = self
            .suggestions
            .iter()
            .find(|(k, _)| *k == kind)
            .map(|(_, suggestion)| Issue::cut(fill(suggestion, values)));
        issue
    }

    pub(super) fn worded(&self, kind: IssueType, message: &str) -> Issue {
        Issue {
            severity: self.severity(kind),
            kind,
            side: kind.side(),
            message: fit(message),
            location: None,
            suggestion: None,
        }
    }
}

fn set<T>(list: &mut Vec<T>, is_same: impl Fn(&T) -> bool, value: T) {
    match list.iter_mut().find(|old| is_same(old)) {
        Some(old) => *old = value,
        None => list.push(value),
    }
}

/// Reports places that nobody will fill in.
pub(super) fn check_places(
    template: &str,
    known: &[&str],
    mark: crate::rulebook::problem::Mark,
    problems: &Problems,
) {
    for place in template.split('{').skip(1).filter_map(|rest| rest.split_once('}')) {
        if !known.contains(&place.0) {
            let help = did_you_mean(place.0, known.iter().copied())
                .unwrap_or_else(|| format!("known: {}", known.join(", ")));
            let message = format!("nothing fills in `{{{}}}` here", place.0);
            problems.error_with_help(mark, message, Some(help));
        }
    }
}

/// Fills in a template; what is filled in is not looked at again.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        rest = &rest[open..];
        let value = rest[1..].split_once('}').and_then(|(place, after)| {
            let value = values.iter().find(|(name, _)| *name == place)?;
            Some((value.1, after))
        });
        let (filled, after) = value.unwrap_or(("{", &rest[1..]));
        rest = push_count(&mut text, filled, after);
    }
    text.push_str(rest);
    text
}

/// Brings a message to the length that messages may have.
fn fit(message: &str) -> String {
    let length = message.chars().count();
    if length < *MESSAGE.start() {
        format!("The contract says: {message}")
    } else if length > *MESSAGE.end() {
        message.chars().take(MESSAGE.end() - 1).chain(['…']).collect()
    } else {
        message.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_message_of_its_own() {
        for (kind, code, _) in CODES {
            let template = Wordings::default().template(kind, Variant::Message).to_owned();
            assert!(!template.is_empty(), "{code} has no message in defaults.toml");
            assert_eq!(code, kind.name().to_uppercase(), "codes are the types in capitals");
        }
    }

    #[test]
    fn values_are_filled_in_once() {
        let filled = fill("Tool '{tool_name}' {unknown} {", &[("tool_name", "{tool_name}")]);
        assert_eq!(filled, "Tool '{tool_name}' {unknown} {");
    }

    #[test]
    fn messages_have_a_length_that_tables_take() {
        assert_eq!(fit("short"), "The contract says: short");
        assert_eq!(fit(&"é".repeat(600)).chars().count(), 500);
        assert_eq!(fit("user_id is required"), "user_id is required");
    }
}
