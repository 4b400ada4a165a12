//! Where schemas stand inside a schema, what one must satisfy before it is compiled, and the guards put into it.

use super::budget::STEP_KEYWORD;
use jsonschema::Draft;
use serde_json::{Map, Value, json};

pub(super) const SCHEMA_BYTES: usize = 512 << 10;
pub(super) const SCHEMA_DEPTH: usize = 100;
const SCHEMA_PARTS: usize = 20_000;
/// How many patterns it may have: each one costs time and memory to compile.
const SCHEMA_PATTERNS: usize = 500;

#[derive(Debug, Default)]
pub(super) struct Size {
    /// Objects and arrays.
    pub(super) parts: usize,
    patterns: usize,
    /// Lists of alternatives.
    pub(super) alternatives: usize,
    pub(super) references: usize,
}

impl Size {
    pub(super) fn of(schema: &Value) -> Self {
        let mut size = Self::default();
        let mut open = vec![schema];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(members) => {
                    size.parts += 1;
                    for (key, inner) in members {
                        match key.as_str() {
                            "pattern" => size.patterns += 1,
                            "patternProperties" => {
                                size.patterns += inner.as_object().map_or(0, Map::len);
                            }
                            "anyOf" | "oneOf" => size.alternatives += 1,
                            "$ref" | "$dynamicRef" | "$recursiveRef" => size.references += 1,
                            _ => {}
                        }
                        open.push(inner);
                    }
                }
                Value::Array(elements) => {
                    size.parts += 1;
                    open.extend(elements);
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        size
    }

    pub(super) fn refusal(&self) -> Option<String> {
        if self.parts > SCHEMA_PARTS {
            return Some(format!("the schema is too complex: {} parts", self.parts));
        }
        (self.patterns > SCHEMA_PATTERNS)
            .then(|| format!("the schema is too complex: {} patterns", self.patterns))
    }
}

/// Puts a guard before every reference (see [`super::budget`]), or says which one cannot have one.
pub(super) fn guard_references(schema: &mut Value, draft: Draft) -> Result<(), String> {
    visit_schemas(schema, true, &mut |keywords| {
        if let Some(Value::String(reference)) = keywords.get("$ref")
            && leads_into_data(reference)
        {
            return Err(format!("the $ref {reference:?} leads into data, not to a schema"));
        }
        match draft {
            Draft::Draft4 | Draft::Draft6 | Draft::Draft7 => guard_lonely(keywords, draft),
            _ => guard_beside_siblings(keywords),
        }
        Ok(())
    })
}

/// Whether a pointer leads into values of `const` or `enum`, which a guard would change.
fn leads_into_data(reference: &str) -> bool {
    let pointer = decode_percent(reference.split_once('#').map_or("", |(_, pointer)| pointer));
    let steps: Vec<&str> = pointer.split('/').collect();
    steps
        .windows(2)
        .any(|pair| matches!(pair[1], "const" | "enum") && !holds_named_schemas(pair[0]))
}

fn decode_percent(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|hex| std::str::from_utf8(hex).ok());
        let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Up to draft 7 a reference stands alone: what is beside it asserts nothing, and must go on
/// asserting nothing when the reference moves.
fn guard_lonely(keywords: &mut Map<String, Value>, draft: Draft) {
    if !keywords.get("$ref").is_some_and(Value::is_string) {
        return;
    }
    let Some(reference) = keywords.shift_remove("$ref") else {
        return;
    };
    keywords.retain(|keyword, _| !is_assertion(keyword));
    let target = json!({ "$ref": reference });
    if draft == Draft::Draft7 {
        keywords.extend(gate(target));
    } else {
        keywords.insert("allOf".into(), json!([{ STEP_KEYWORD: true }, target]));
    }
}

fn guard_beside_siblings(keywords: &mut Map<String, Value>) {
    for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
        if !keywords.get(keyword).is_some_and(Value::is_string) {
            continue;
        }
        // A list that is no list is for the full validator to complain about.
        if keywords.get("allOf").is_some_and(|list| !list.is_array()) {
            return;
        }
        if let Some(reference) = keywords.shift_remove(keyword) {
            let gate = Value::Object(gate(json!({ keyword: reference })));
            if let Value::Array(list) = keywords.entry("allOf").or_insert_with(|| json!([])) {
                list.push(gate);
            }
        }
    }
}

fn gate(target: Value) -> Map<String, Value> {
    Map::from_iter([
        ("if".to_owned(), json!({ STEP_KEYWORD: true })),
        ("then".to_owned(), target),
        ("else".to_owned(), Value::Bool(false)),
    ])
}

/// The keywords that assert something up to draft 7.
const ASSERTIONS: &str = "$id id type enum const multipleOf maximum exclusiveMaximum minimum \
    exclusiveMinimum maxLength minLength pattern items additionalItems maxItems minItems uniqueItems \
    contains maxProperties minProperties required properties patternProperties additionalProperties \
    dependencies propertyNames if then else allOf anyOf oneOf not format contentMediaType \
    contentEncoding";

fn is_assertion(keyword: &str) -> bool {
    ASSERTIONS.split(' ').any(|known| known == keyword) || keyword.starts_with("x-tapecheck-")
}

/// Keywords whose value has schemas as its members.
const NAMED_SCHEMAS: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];
/// Keywords whose value is data, in which nothing is a schema.
const DATA: [&str; 4] = ["const", "enum", "required", "type"];

/// Whether the value of a keyword is a schema or a list of them.
fn holds_schemas(keyword: &str) -> bool {
    matches!(
        keyword,
        "if" | "not"
            | "else"
            | "then"
            | "allOf"
            | "anyOf"
            | "oneOf"
            | "items"
            | "contains"
            | "prefixItems"
            | "propertyNames"
            | "contentSchema"
            | "additionalItems"
            | "unevaluatedItems"
            | "additionalProperties"
            | "unevaluatedProperties"
    )
}

pub(super) fn holds_named_schemas(keyword: &str) -> bool {
    NAMED_SCHEMAS.contains(&keyword)
}

/// Visits every schema object in a schema, the inner ones first, until a visit fails. The values of keywords that no
/// dialect knows are data, unless they are visited, too: a `$ref` may lead there.
pub(super) fn visit_schemas<E>(
    schema: &mut Value,
    visits_unknown: bool,
    visit: &mut impl FnMut(&mut Map<String, Value>) -> Result<(), E>,
) -> Result<(), E> {
    match schema {
        Value::Object(keywords) => {
            for (keyword, value) in keywords.iter_mut() {
                if holds_named_schemas(keyword) {
                    let mut named = value.as_object_mut().into_iter().flat_map(Map::values_mut);
                    named.try_for_each(|inner| visit_schemas(inner, visits_unknown, visit))?;
                } else if holds_schemas(keyword)
                    || (visits_unknown && !DATA.contains(&keyword.as_str()))
                {
                    visit_schemas(value, visits_unknown, visit)?;
                }
            }
            visit(keywords)
        }
        Value::Array(list) => {
            list.iter_mut().try_for_each(|inner| visit_schemas(inner, visits_unknown, visit))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}
