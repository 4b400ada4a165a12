//! Where schemas stand inside a schema.

use serde_json::{Map, Value};

/// What to do with the values of keywords that no dialect knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// They are data.
    Skip,
    /// A `$ref` may lead there, so they may be schemas.
    Visit,
}

/// What the value of a keyword holds.
#[derive(Clone, Copy)]
enum Holds {
    Schemas,
    NamedSchemas,
    Data,
    Anything,
}

fn holds(keyword: &str) -> Holds {
    match keyword {
        "additionalItems"
        | "additionalProperties"
        | "allOf"
        | "anyOf"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "oneOf"
        | "prefixItems"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schemas,
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
        | "properties" => Holds::NamedSchemas,
        "const" | "enum" | "required" | "type" => Holds::Data,
        _ => Holds::Anything,
    }
}

/// Visits every schema object in a schema, the inner ones first, until a visit fails.
pub(super) fn visit_schemas<E>(
    schema: &mut Value,
    unknown: Unknown,
    visit: &mut impl FnMut(&mut Map<String, Value>) -> Result<(), E>,
) -> Result<(), E> {
    match schema {
        Value::Object(keywords) => {
            for (keyword, value) in keywords.iter_mut() {
                match (holds(keyword), &mut *value) {
                    (Holds::Schemas, _) => visit_schemas(value, unknown, visit)?,
                    (Holds::NamedSchemas, Value::Object(named)) => {
                        for inner in named.values_mut() {
                            visit_schemas(inner, unknown, visit)?;
                        }
                    }
                    (Holds::Anything, _) if unknown == Unknown::Visit => {
                        visit_schemas(value, unknown, visit)?;
                    }
                    (Holds::NamedSchemas | Holds::Data | Holds::Anything, _) => {}
                }
            }
            visit(keywords)
        }
        Value::Array(list) => {
            list.iter_mut().try_for_each(|inner| visit_schemas(inner, unknown, visit))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}
