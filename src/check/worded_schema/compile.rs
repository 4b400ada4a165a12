//! From a schema with words to a [`Shape`](super::Shape), or to all that is wrong with it.

use super::words::Wording;
use super::{Advice, ShapeMistake};
use crate::json::escaped_step;
use crate::verdict::IssueType;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;
use std::sync::LazyLock;

/// How large a compiled pattern may be, in bytes.
const PATTERN_SIZE: usize = 1 << 20;
/// Keywords whose members are named by the user, not by JSON Schema.
const NAMED: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];
/// Keywords whose values are data, in which nothing is a keyword.
const DATA: [&str; 5] = ["const", "enum", "default", "examples", "x-advice"];

/// What the words in a schema must look like.
static WORDS_SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema = serde_json::from_str(include_str!("words.schema.json")).expect("it is JSON");
    build(&schema).expect("the schema of words is a schema")
});

pub(super) fn compile(schema: &Value) -> Result<(Validator, Vec<Advice>), Vec<ShapeMistake>> {
    let mut mistakes = Vec::new();
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        return Err(vec![mistake("", "a schema is an object")]);
    }
    match jsonschema::meta::validator_for(schema) {
        Ok(meta) => mistakes.extend(meta.iter_errors(schema).map(|error| refusal(&error, ""))),
        Err(_) => mistakes.push(mistake("/$schema", "no known draft of JSON Schema is called so")),
    }
    check_words(schema, &mut String::new(), &mut mistakes);
    let advice = schema.get("x-advice").and_then(Value::as_object);
    let advice: Vec<Advice> = advice
        .into_iter()
        .flatten()
        .filter_map(|(name, entry)| read_advice(name, entry, &mut mistakes))
        .collect();
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    match build(schema) {
        Ok(validator) => Ok((validator, advice)),
        Err(error) => Err(vec![refusal(&error, "")]),
    }
}

/// Builds a validator that opens no file and no connection and matches patterns in linear time.
fn build(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    let patterns = PatternOptions::regex().size_limit(PATTERN_SIZE);
    jsonschema::options().offline().with_pattern_options(patterns).build(schema)
}

fn mistake(pointer: &str, message: &str) -> ShapeMistake {
    ShapeMistake { pointer: pointer.to_owned(), message: message.to_owned() }
}

fn refusal(error: &ValidationError<'_>, below: &str) -> ShapeMistake {
    ShapeMistake {
        pointer: format!("{below}{}", error.instance_path()),
        message: format!("the schema cannot be used: {}", error.masked_with("what stands here")),
    }
}

/// Looks for words everywhere in a schema, and whether they can be used.
fn check_words(value: &Value, pointer: &mut String, mistakes: &mut Vec<ShapeMistake>) {
    match value {
        Value::Object(keywords) => {
            let complaints = WORDS_SCHEMA.iter_errors(value);
            mistakes.extend(complaints.map(|error| refusal(&error, pointer)));
            for (keyword, inner) in keywords {
                if DATA.contains(&keyword.as_str()) {
                    continue;
                }
                below(pointer, keyword, |pointer| match inner.as_object() {
                    Some(named) if NAMED.contains(&keyword.as_str()) => {
                        for (name, inner) in named {
                            below(pointer, name, |at| check_words(inner, at, mistakes));
                        }
                    }
                    _ => check_words(inner, pointer, mistakes),
                });
            }
        }
        Value::Array(elements) => {
            for (at, inner) in elements.iter().enumerate() {
                below(pointer, &at.to_string(), |pointer| check_words(inner, pointer, mistakes));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Does something one step further down.
fn below(pointer: &mut String, step: &str, work: impl FnOnce(&mut String)) {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(&escaped_step(step));
    work(pointer);
    pointer.truncate(length);
}

/// One advice; `None` together with a mistake, or where the form of it was complained about before.
fn read_advice(name: &str, entry: &Value, mistakes: &mut Vec<ShapeMistake>) -> Option<Advice> {
    let entry = entry.as_object()?;
    let pointer = format!("/x-advice/{}", escaped_step(name));
    let mut condition = |key: &str| {
        let place = format!("{pointer}/{key}");
        let built = build(entry.get(key)?).map_err(|error| refusal(&error, &place));
        built.map_err(|refusal| mistakes.push(refusal)).ok()
    };
    let (applies, wanted) = (condition("if"), condition("then"));
    let written = entry.get("type")?.as_str()?;
    let kind = IssueType::named(written);
    if kind.is_none() {
        let message = format!("unknown issue type `{written}`");
        mistakes.push(ShapeMistake { pointer: format!("{pointer}/type"), message });
    }
    let location = entry.get("location").and_then(Value::as_str).map(str::to_owned);
    let words = Wording::written(entry)?;
    Some(Advice { applies: applies?, wanted: wanted?, kind: kind?, location, words })
}
