//! The wordings of issues: templates with places to fill in, and the severities.

use crate::check::worded_schema::filled;
use crate::rulebook::problem::{Problems, did_you_mean};
use crate::rulebook::source::{Entry, Node, Section};
use crate::verdict::{Issue, IssueType, Severity};
use std::sync::LazyLock;

const DEFAULTS: &str = include_str!("defaults.toml");

/// The types that contracts word: the error code, and the places its templates may fill in.
pub(super) const CODES: [(IssueType, &str, &[&str]); 16] = [
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

/// The keys of a code's table that word it: its plain message, and what is said instead where only one bound is known,
/// elements of a list are counted and not characters, something is there that the contract does not name, the name of a
/// tool is empty, a number is read as another one, and all of a response is meant.
const VARIANTS: [&str; 10] = [
    "message",
    "at_least",
    "at_most",
    "elements",
    "elements_at_least",
    "elements_at_most",
    "unexpected",
    "empty",
    "inexact",
    "whole",
];

#[derive(Clone, Debug)]
struct Wording {
    severity: Severity,
    suggestion: Option<String>,
    /// By their keys.
    texts: Vec<(&'static str, String)>,
}

/// The wordings of the codes, in the order of [`CODES`].
#[derive(Clone, Debug)]
pub(super) struct Wordings(Vec<Wording>);

static DEFAULT: LazyLock<Wordings> = LazyLock::new(|| {
    let mut problems = Problems::default();
    let file = problems.add_file("defaults.toml", DEFAULTS);
    let none = Wording { severity: Severity::Error, suggestion: None, texts: Vec::new() };
    let mut wordings = Wordings(vec![none; CODES.len()]);
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
            let Some(at) = CODES.iter().position(|(_, code, _)| *code == entry.key) else {
                let help = did_you_mean(&entry.key, CODES.iter().map(|(_, code, _)| *code));
                let message = format!("unknown error code `{}`", entry.key);
                problems.error_with_help(entry.key_mark, message, help);
                continue;
            };
            let Some(mut section) = Section::open_entry(entry, problems) else { continue };
            let (wording, places) = (&mut self.0[at], CODES[at].2);
            let mut template = |key| {
                let text = section.text(key)?;
                check_places(text, places, section.mark_of(key), problems);
                Some(text.to_owned())
            };
            for key in VARIANTS {
                if let Some(text) = template(key) {
                    wording.texts.retain(|(known, _)| *known != key);
                    wording.texts.push((key, text));
                }
            }
            let suggestion = template("suggestion");
            wording.suggestion = suggestion.or(wording.suggestion.take());
            wording.severity = section.word("severity").unwrap_or(wording.severity);
            section.finish();
        }
    }

    fn of(&self, kind: IssueType) -> Option<&Wording> {
        CODES.iter().position(|(known, ..)| *known == kind).map(|at| &self.0[at])
    }

    pub(super) fn severity(&self, kind: IssueType) -> Severity {
        self.of(kind).map_or(Severity::Error, |wording| wording.severity)
    }

    /// The template of a type; its plain message where it has no such variant.
    pub(super) fn template(&self, kind: IssueType, variant: &str) -> &str {
        let texts = self.of(kind).map_or(&[][..], |wording| &wording.texts);
        let of = |wanted: &str| texts.iter().find(|(key, _)| *key == wanted);
        of(variant).or_else(|| of("message")).map_or("", |(_, text)| text)
    }

    /// An issue worded by the table alone.
    pub(super) fn issue(&self, kind: IssueType, variant: &str, values: &[(&str, &str)]) -> Issue {
        let suggestion = self.of(kind).and_then(|wording| wording.suggestion.as_deref());
        let suggestion = suggestion.map(|suggestion| Issue::cut(fill(suggestion, values)));
        let message = fill(self.template(kind, variant), values);
        Issue { suggestion, ..self.worded(kind, &message) }
    }

    /// An issue with a message that is not too short for one.
    pub(super) fn worded(&self, kind: IssueType, message: &str) -> Issue {
        let is_short = message.chars().nth(Issue::SHORTEST - 1).is_none();
        let before = if is_short { "The contract says: " } else { "" };
        Issue::new(self.severity(kind), kind, format!("{before}{message}"))
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

pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    filled(template, |place| values.iter().find(|(name, _)| *name == place).map(|it| it.1.into()))
}
