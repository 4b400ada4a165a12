//! Complaints in our own words, never longer than a line.

use super::SchemaCheck;
use super::pattern::PATTERN_KEYWORD;
use crate::verdict::push_count;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

/// The longest message, in characters.
const MESSAGE: usize = 300;
/// The longest quotation from a value or a schema, in characters.
const QUOTATION: usize = 60;

/// A refusal whose reason is not spelled out.
pub(super) fn unexplained() -> SchemaCheck {
    SchemaCheck::Invalid {
        message: "the value does not conform to the schema".to_owned(),
        pointer: String::new(),
        keyword: None,
    }
}

pub(super) fn complaint(error: &ValidationError<'_>) -> SchemaCheck {
    if is_given_up(error.kind()) {
        return SchemaCheck::Undecided {
            reason: "a pattern needs too much backtracking".to_owned(),
        };
    }
    let pointer = error.instance_path().to_string();
    let place = if pointer.is_empty() {
        "the value".to_owned()
    } else {
        format!("the value at {}", shortened(&pointer, 2 * QUOTATION))
    };
    let message = bounded(format!("{place} {}", fault(error)));
    SchemaCheck::Invalid { message, pointer, keyword: Some(keyword(error).into()) }
}

/// The keyword that is not met, as schemas spell it.
fn keyword<'e>(error: &'e ValidationError<'_>) -> &'e str {
    match error.kind().keyword() {
        PATTERN_KEYWORD => "pattern",
        // A schema that is `false` has none; this is what the validator calls it.
        other => other,
    }
}

/// Why a schema does not compile.
pub(super) fn refusal(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Referencing(cause) => {
            format!("a $ref leads nowhere inside the schema: {cause}")
        }
        ValidationErrorKind::Custom { message, .. } => format!("the schema is invalid: {message}"),
        _ => {
            let place = error.instance_path().to_string();
            let place =
                if place.is_empty() { "its root".to_owned() } else { shortened(&place, 120) };
            format!("the schema is invalid: at {place}, the value {}", fault(error))
        }
    }
}

pub(super) fn bounded(message: String) -> String {
    if message.len() <= MESSAGE { message } else { shortened(&message, MESSAGE) }
}

/// A count with what it counts.
fn of(count: &impl ToString, things: &str) -> String {
    let mut text = String::new();
    let rest = push_count(&mut text, &count.to_string(), things);
    text + rest
}

fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => text.chars().take(limit - 1).chain(['…']).collect(),
    }
}

/// A scalar as it is; what a composite value is, because it may be of any size.
fn quoted(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => kind(value).to_owned(),
        Value::String(text) => format!("{:?}", shortened(text, QUOTATION)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn named(wanted: JsonType) -> &'static str {
    match wanted {
        JsonType::Array => "an array",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

fn list(names: &[String]) -> String {
    let quoted: Vec<String> =
        names.iter().take(5).map(|name| format!("{:?}", shortened(name, QUOTATION))).collect();
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
            format!("is {}, which is no {}", quoted(value), shortened(format, QUOTATION))
        }
        Kind::Pattern { pattern } => {
            format!("is {}, which does not match {}", quoted(value), shortened(pattern, QUOTATION))
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
