//! Where schemas stand inside a schema.

use serde_json::{Map, Value};

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
