//! One schema, ready to be held against values.

use super::budget::{self, BACKTRACKS, PATTERN_KEYWORD, PATTERN_SIZE, Pattern, STEP_KEYWORD, Step};
use super::guard::{SCHEMA_BYTES, SCHEMA_DEPTH, Size, guard_references, visit_schemas};
use super::message;
use super::program::Program;
use crate::json::{self, Raw};
use crate::rulebook::{DialectRule, SchemaRule, UnknownFormat};
use crate::verdict::{OutputSchemaValidation, SchemaOutcome};
use jsonschema::{Draft, PatternOptions, ValidationError, ValidationOptions, Validator};
use serde_json::Value;
use std::convert::Infallible;
use xxhash_rust::xxh3::xxh3_128;

/// How deep a value may be nested for the full validator, which calls itself for each level.
const VALUE_DEPTH: usize = 5_000;
/// The largest product of a schema's parts and a value's bytes that the full validator is given.
const PRODUCT: usize = 1 << 31;
/// How many references one check may follow: so many at least, and so many more for each byte.
const STEPS: u64 = 50_000;
const STEPS_PER_BYTE: u64 = 4;
/// Above this many bytes a value is not copied into the complaints of many alternatives.
const EXPLAINED_BYTES: usize = 64 << 10;

/// A schema after compilation: a checker, or the reason why there is none.
#[derive(Debug)]
pub struct CompiledSchema {
    checker: Result<Checker, String>,
    /// Hash of the schema's canonical text; of the text itself where it cannot be read.
    key: u128,
}

#[derive(Debug)]
struct Checker {
    program: Program,
    validator: Validator,
    draft: Draft,
    size: Size,
}

impl CompiledSchema {
    pub fn compile(schema_text: &str, rule: &SchemaRule) -> Self {
        let checker = Checker::new(schema_text, rule).map_err(|reason| message::bounded(&reason));
        Self { checker, key: key(schema_text) }
    }

    pub fn unusable(&self) -> Option<&str> {
        self.checker.as_ref().err().map(String::as_str)
    }

    pub fn check(&self, instance: Raw<'_>) -> OutputSchemaValidation {
        let found = match &self.checker {
            Err(reason) => message::without_place(SchemaOutcome::Uncompilable, reason),
            Ok(checker) if checker.program.accepts(instance.text()) => message::valid(),
            Ok(checker) => checker.check_fully(instance),
        };
        OutputSchemaValidation { key: self.key, ..found }
    }

    /// What it says of a reply without any value.
    pub fn check_nothing(&self, outcome: SchemaOutcome, error: &str) -> OutputSchemaValidation {
        OutputSchemaValidation { key: self.key, ..message::without_place(outcome, error) }
    }

    /// The answer of the full validator alone.
    #[cfg(test)]
    pub(super) fn check_slowly(&self, instance: Raw<'_>) -> OutputSchemaValidation {
        self.checker.as_ref().expect("a usable schema").check_fully(instance)
    }

    /// Whether the quick program alone accepts it.
    #[cfg(test)]
    pub(super) fn check_quickly(&self, instance: Raw<'_>) -> bool {
        self.checker.as_ref().expect("a usable schema").program.accepts(instance.text())
    }
}

fn key(schema_text: &str) -> u128 {
    let mut canonical = String::new();
    if schema_text.len() <= SCHEMA_BYTES
        && let Ok(raw) = json::scan_document(schema_text, SCHEMA_DEPTH)
    {
        json::write_canonical(raw, &mut canonical);
    } else {
        canonical.push_str(schema_text);
    }
    xxh3_128(canonical.as_bytes())
}

impl Checker {
    fn new(text: &str, rule: &SchemaRule) -> Result<Self, String> {
        if text.len() > SCHEMA_BYTES {
            return Err(format!("the schema is too long: {} bytes", text.len()));
        }
        let raw = json::scan_document(text, SCHEMA_DEPTH)
            .map_err(|error| format!("the schema is unreadable: {error}"))?;
        let mut schema = json::to_value(raw);
        let size = Size::of(&schema);
        if let Some(refusal) = size.refusal() {
            return Err(refusal);
        }
        let draft = declared(&schema, rule.dialect)?;
        // What `format` does is left to the dialect where the rule does not say.
        let by_dialect = !matches!(draft, Draft::Draft201909 | Draft::Draft202012);
        let program = Program::new(&schema, draft, rule.assert_formats.unwrap_or(by_dialect));
        guard_references(&mut schema, draft)?;
        let validator = build(&mut schema, draft, rule)?;
        Ok(Self { program, validator, draft, size })
    }

    fn check_fully(&self, instance: Raw<'_>) -> OutputSchemaValidation {
        let text = instance.text();
        let undecided = |reason| message::without_place(SchemaOutcome::Undecided, reason);
        if self.size.parts.saturating_mul(text.len()) > PRODUCT {
            return undecided("the schema and the value are too large together");
        }
        if text.len() / 2 >= VALUE_DEPTH && json::scan_document(text, VALUE_DEPTH).is_err() {
            return undecided("the value is nested too deep");
        }
        let value = json::to_value(instance);
        let steps = STEPS + STEPS_PER_BYTE * text.len() as u64;
        let (valid, gave_up) = budget::limited(steps, || self.validator.is_valid(&value));
        match (gave_up, valid) {
            (Some(reason), _) => undecided(reason),
            (None, true) => message::valid(),
            (None, false) if self.explains(text) => {
                let complaint = budget::limited(steps, || {
                    self.validator.validate(&value).err().map(|error| message::complaint(&error))
                });
                complaint.0.unwrap_or_else(message::unexplained)
            }
            (None, false) => message::unexplained(),
        }
    }

    /// Whether finding out what is wrong is cheap enough: the validator copies parts of the value
    /// for each alternative that failed, and before draft 7 references in alternatives are followed
    /// without a bound.
    fn explains(&self, text: &str) -> bool {
        let bounded = !matches!(self.draft, Draft::Draft4 | Draft::Draft6);
        self.size.alternatives == 0
            || (text.len() <= EXPLAINED_BYTES && (bounded || self.size.references == 0))
    }
}

/// Builds the full validator, with patterns in linear time wherever the schema allows it.
fn build(schema: &mut Value, draft: Draft, rule: &SchemaRule) -> Result<Validator, String> {
    let linear = || PatternOptions::regex().size_limit(PATTERN_SIZE);
    let options = options(draft, rule);
    let refused = match options.clone().with_pattern_options(linear()).build(schema) {
        Ok(validator) => return Ok(validator),
        Err(error) => message::refusal(&error),
    };
    if !take_backtracking_patterns(schema) {
        return Err(refused);
    }
    let backtracking =
        PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS).size_limit(PATTERN_SIZE);
    options
        .clone()
        .with_pattern_options(linear())
        .build(schema)
        .or_else(|_| options.with_pattern_options(backtracking).build(schema))
        .map_err(|_| refused)
}

fn options(draft: Draft, rule: &SchemaRule) -> ValidationOptions<'static> {
    let mut options = jsonschema::options()
        .with_draft(draft)
        .offline()
        .should_ignore_unknown_formats(rule.unknown_format == UnknownFormat::Ignored)
        .with_keyword(STEP_KEYWORD, |_, _, _| Ok(Box::new(Step)))
        .with_keyword(PATTERN_KEYWORD, |_, value, _| {
            let pattern = value.as_str().and_then(Pattern::new);
            pattern.map_or_else(
                || Err(ValidationError::schema("the pattern is unusable")),
                |pattern| Ok(Box::new(pattern) as Box<_>),
            )
        });
    if let Some(asserted) = rule.assert_formats {
        options = options.should_validate_formats(asserted);
    }
    // Draft 7 has neither, and servers use both.
    if draft == Draft::Draft7 && rule.unknown_format == UnknownFormat::RefusesSchema {
        options = options.with_format("uuid", is_uuid).with_format("url", is_url);
    }
    options
}

fn is_uuid(text: &str) -> bool {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let lengths = text.split('-').map(str::len);
    let is_digit = |byte: u8| byte == b'-' || byte.is_ascii_hexdigit();
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(is_digit)
}

fn is_url(text: &str) -> bool {
    let rest = ["http://", "https://", "ftp://"].iter().find_map(|it| text.strip_prefix(it));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
}

/// Moves patterns with look-around or back-references to the private keyword, whose matcher tells
/// when it gave up. Says whether the schema has any patterns at all.
fn take_backtracking_patterns(schema: &mut Value) -> bool {
    let mut any = false;
    let visited: Result<(), Infallible> = visit_schemas(schema, false, &mut |keywords| {
        any |= keywords.contains_key("patternProperties") || keywords.contains_key("pattern");
        if let Some(Value::String(pattern)) = keywords.get("pattern")
            && ![r"\p", r"\P", r"\u{"].iter().any(|unicode| pattern.contains(unicode))
            && Pattern::new(pattern).is_some()
            && let Some(pattern) = keywords.shift_remove("pattern")
        {
            keywords.insert(PATTERN_KEYWORD.to_owned(), pattern);
        }
        Ok(())
    });
    match visited {
        Ok(()) => any,
    }
}

/// The draft that `$schema` names; where it is absent the newest that is known.
fn declared(schema: &Value, known: DialectRule) -> Result<Draft, String> {
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        return Err("the schema is neither an object nor a boolean".into());
    }
    let uri = match schema.get("$schema") {
        None if known == DialectRule::Draft7Only => return Ok(Draft::Draft7),
        None => return Ok(Draft::Draft202012),
        Some(Value::String(uri)) => uri,
        Some(_) => return Err("$schema is not a string".into()),
    };
    let name = uri.trim_end_matches(['#', '/']);
    let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"));
    match name.and_then(|name| name.strip_prefix("json-schema.org/")) {
        Some("draft-07/schema" | "schema") => Ok(Draft::Draft7),
        _ if known == DialectRule::Draft7Only => Err(format!("only draft 7 is known, not {uri:?}")),
        Some("draft-04/schema") => Ok(Draft::Draft4),
        Some("draft-06/schema") => Ok(Draft::Draft6),
        Some("draft/2019-09/schema") => Ok(Draft::Draft201909),
        Some("draft/2020-12/schema") => Ok(Draft::Draft202012),
        Some(_) | None => Err(format!("$schema names an unknown dialect: {uri:?}")),
    }
}
