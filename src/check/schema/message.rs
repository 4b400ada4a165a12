//! Complaints in our own words, never longer than a line.

use super::budget::PATTERN_KEYWORD;
use crate::verdict::{OutputSchemaValidation, SchemaOutcome, cut, push_count};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

/// The longest message, in characters.
const MESSAGE: usize = 300;
/// The longest quotation from a value or a schema, in characters.
const QUOTATION: usize = 60;

pub(super) fn valid() -> OutputSchemaValidation {
    let outcome = SchemaOutcome::Valid;
    OutputSchemaValidation { outcome, error: None, pointer: None, keyword: None, key: 0 }
}

/// An outcome that no part of the value is the reason of.
pub(super) fn without_place(outcome: SchemaOutcome, error: &str) -> OutputSchemaValidation {
    OutputSchemaValidation { outcome, error: Some(error.to_owned()), ..valid() }
}

/// A refusal whose reason is not spelled out.
pub(super) fn unexplained() -> OutputSchemaValidation {
    let error = "the value does not conform to the schema";
    OutputSchemaValidation {
        pointer: Some(String::new()),
        ..without_place(SchemaOutcome::Invalid, error)
    }
}

pub(super) fn complaint(error: &ValidationError<'_>) -> OutputSchemaValidation {
    if is_given_up(error.kind()) {
        let reason = "a pattern needs too much backtracking";
        return without_place(SchemaOutcome::Undecided, reason);
    }
    let pointer = error.instance_path().to_string();
    let place = if pointer.is_empty() {
        "the value".to_owned()
    } else {
        format!("the value at {}", cut(&pointer, 2 * QUOTATION))
    };
    let keyword = match error.kind().keyword() {
        PATTERN_KEYWORD => "pattern",
        // A schema that is `false` has none; this is what the validator calls it.
        other => other,
    };
    OutputSchemaValidation {
        outcome: SchemaOutcome::Invalid,
        error: Some(cut(&format!("{place} {}", fault(error)), MESSAGE)),
        pointer: Some(pointer),
        keyword: Some(keyword.into()),
        key: 0,
    }
}

pub(super) fn refusal(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Referencing(cause) => {
            format!("a $ref leads nowhere inside the schema: {cause}")
        }
        ValidationErrorKind::Custom { message, .. } => format!("the schema is invalid: {message}"),
        _ => {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { "its root".to_owned() } else { cut(&place, 120) };
            format!("the schema is invalid: at {place}, the value {}", fault(error))
        }
    }
}

pub(super) fn bounded(message: &str) -> String {
    cut(message, MESSAGE)
}

/// A count with what it counts.
fn of(count: &impl ToString, things: &str) -> String {
    let mut text = String::new();
    let rest = push_count(&mut text, &count.to_string(), things);
    text + rest
}

/// A scalar as it is; what a composite value is, because it may be of any size.
fn quoted(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => format!("{:?}", cut(text, QUOTATION)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn named(wanted: JsonType) -> String {
    with_article(&wanted.to_string())
}

/// The name of a type of JSON Schema in a sentence.
pub(in crate::check) fn with_article(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        "array" | "integer" | "object" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn list(names: &[String]) -> String {
    let quoted: Vec<String> =
        names.iter().take(5).map(|name| format!("{:?}", cut(name, QUOTATION))).collect();
    quoted.join(", ")
}

/// What is wrong with the value, as the predicate of a sentence about it.
fn fault(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as Kind;
    let value = error.instance();
    match error.kind() {
        Kind::Type { kind: wanted } => {
            let wanted: Vec<_> = match wanted {
                TypeKind::Single(wanted) => vec![named(*wanted)],
                TypeKind::Multiple(set) => set.iter().map(named).collect(),
            };
            format!("is {}, not {}", quoted(value), wanted.join(" or "))
        }
        Kind::Required { property } => format!("lacks the member {}", quoted(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("has members that the schema does not allow: {}", list(unexpected))
        }
        Kind::AdditionalItems { limit } => format!("has more than {}", of(limit, " elements")),
        Kind::UnevaluatedItems { .. } => "has elements that the schema does not allow".to_owned(),
        Kind::Enum { .. } => format!("is {}, which is none of the listed values", quoted(value)),
        Kind::Constant { expected_value } => {
            format!("is {}, not {}", quoted(value), quoted(expected_value))
        }
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            "fits none of the alternatives".to_owned()
        }
        Kind::OneOfMultipleValid { .. } => "fits more than one of the alternatives".to_owned(),
        Kind::Not { .. } => "fits a schema that it must not fit".to_owned(),
        Kind::Contains => "contains too few or too many elements of the wanted kind".to_owned(),
        Kind::UniqueItems => "has the same element twice".to_owned(),
        Kind::FalseSchema => "must not be there".to_owned(),
        Kind::Format { format } => {
            format!("is {}, which is no {}", quoted(value), cut(format, QUOTATION))
        }
        Kind::Pattern { pattern } => {
            format!("is {}, which does not match {}", quoted(value), cut(pattern, QUOTATION))
        }
        Kind::Minimum { limit } => format!("is {}, below {limit}", quoted(value)),
        Kind::Maximum { limit } => format!("is {}, above {limit}", quoted(value)),
        Kind::ExclusiveMinimum { limit } => format!("is {}, not above {limit}", quoted(value)),
        Kind::ExclusiveMaximum { limit } => format!("is {}, not below {limit}", quoted(value)),
        Kind::MultipleOf { multiple_of } => {
            format!("is {}, no multiple of {multiple_of}", quoted(value))
        }
        Kind::MinLength { limit } => format!("is shorter than {}", of(limit, " characters")),
        Kind::MaxLength { limit } => format!("is longer than {}", of(limit, " characters")),
        Kind::MinItems { limit } => format!("has fewer than {}", of(limit, " elements")),
        Kind::MaxItems { limit } => format!("has more than {}", of(limit, " elements")),
        Kind::MinProperties { limit } => format!("has fewer than {}", of(limit, " members")),
        Kind::MaxProperties { limit } => format!("has more than {}", of(limit, " members")),
        Kind::PropertyNames { .. } => "has a member whose name is not allowed".to_owned(),
        Kind::ContentEncoding { .. } | Kind::ContentMediaType { .. } | Kind::FromUtf8 { .. } => {
            "is not encoded as the schema demands".to_owned()
        }
        Kind::Custom { message, .. } => format!("is {}: {message}", quoted(value)),
        Kind::Referencing(_)
        | Kind::BacktrackLimitExceeded { .. }
        | Kind::RegexEngineFailure { .. } => "could not be checked".to_owned(),
    }
}

/// Whether the validator gave up on a pattern somewhere in this error.
fn is_given_up(kind: &ValidationErrorKind) -> bool {
    match kind {
        ValidationErrorKind::BacktrackLimitExceeded { .. }
        | ValidationErrorKind::RegexEngineFailure { .. } => true,
        ValidationErrorKind::AnyOf { context }
        | ValidationErrorKind::OneOfNotValid { context }
        | ValidationErrorKind::OneOfMultipleValid { context } => {
            context.iter().flatten().any(|error| is_given_up(error.kind()))
        }
        ValidationErrorKind::PropertyNames { error } => is_given_up(error.kind()),
        _ => false,
    }
}
