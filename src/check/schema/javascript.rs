//! Reading a schema the way the common JavaScript validator of draft 7 does.
//!
//! What differs from the full validator is rewritten before compilation: numbers are doubles,
//! patterns are JavaScript's, members that every JavaScript object inherits count as present, and
//! what that validator refuses to compile is refused here.

use super::formats;
use super::pattern::{MULTIPLE_KEYWORD, PATTERN_KEYWORD, Pattern};
use super::places::{Unknown, visit_schemas};
use crate::rulebook::UnknownFormat;
use serde_json::{Map, Number, Value};
use std::collections::HashSet;

/// What every JavaScript object has without being given it.
const INHERITED: [&str; 12] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];
/// Integers beyond this are not exact in a double.
const LARGEST_EXACT: u64 = 1 << 53;

/// Rewrites a schema for the full validator, or says why it does not compile.
pub(super) fn rewrite(schema: &mut Value, unknown_format: UnknownFormat) -> Result<(), String> {
    match schema {
        Value::Bool(_) => return Ok(()),
        Value::Object(keywords) => check_dialect(keywords)?,
        _ => return Err("the schema is neither an object nor a boolean".into()),
    }
    round_numbers(schema);
    if unknown_format == UnknownFormat::RefusesSchema {
        formats::check_reachable(schema)?;
    }
    visit_schemas(schema, Unknown::Skip, &mut |keywords| {
        rewrite_pattern(keywords)?;
        rewrite_divisor(keywords)?;
        check_enum(keywords)?;
        if keywords
            .get("format")
            .and_then(Value::as_str)
            .is_some_and(|name| !formats::is_known(name))
        {
            keywords.shift_remove("format");
        }
        keywords.shift_remove("contentMediaType");
        keywords.shift_remove("contentEncoding");
        rewrite_inherited(keywords);
        Ok(())
    })
}

/// Only draft 7 is known; its schema has four spellings.
fn check_dialect(keywords: &Map<String, Value>) -> Result<(), String> {
    match keywords.get("$schema") {
        None => Ok(()),
        Some(Value::String(uri)) => {
            let trimmed = uri.strip_suffix("#/").or(uri.strip_suffix('#')).unwrap_or(uri);
            if ["http://json-schema.org/draft-07/schema", "http://json-schema.org/schema"]
                .contains(&trimmed)
            {
                Ok(())
            } else {
                Err(format!("only draft 7 is known, not {uri:?}"))
            }
        }
        Some(_) => Err("$schema is not a string".into()),
    }
}

/// Makes every number what it is as a double.
pub(super) fn round_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let exact = number.as_i64().is_some_and(|n| n.unsigned_abs() <= LARGEST_EXACT);
            if !exact && let Some(double) = number.as_f64().and_then(Number::from_f64) {
                *number = double;
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(round_numbers),
        Value::Object(members) => members.values_mut().for_each(round_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn rewrite_pattern(keywords: &mut Map<String, Value>) -> Result<(), String> {
    let Some(Value::String(pattern)) = keywords.get("pattern") else {
        return Ok(());
    };
    if Pattern::new(pattern).is_none() {
        return Err(format!("{pattern:?} is not a usable pattern"));
    }
    rename(keywords, "pattern", PATTERN_KEYWORD);
    Ok(())
}

fn rewrite_divisor(keywords: &mut Map<String, Value>) -> Result<(), String> {
    match keywords.get("multipleOf").map(Value::as_f64) {
        None | Some(None) => Ok(()),
        Some(Some(divisor)) if divisor > 0.0 => {
            rename(keywords, "multipleOf", MULTIPLE_KEYWORD);
            Ok(())
        }
        Some(Some(divisor)) => Err(format!("multipleOf is {divisor}, which is not above 0")),
    }
}

fn rename(keywords: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = keywords.shift_remove(from) {
        keywords.insert(to.to_owned(), value);
    }
}

fn check_enum(keywords: &Map<String, Value>) -> Result<(), String> {
    let Some(Value::Array(values)) = keywords.get("enum") else {
        return Ok(());
    };
    if values.is_empty() {
        return Err("enum has no values".into());
    }
    let mut spellings = HashSet::new();
    for value in values {
        if !spellings.insert(spelling(value)) {
            return Err("enum has the same value twice".into());
        }
    }
    Ok(())
}

/// One text for all spellings of equal values.
fn spelling(value: &Value) -> String {
    fn plain(value: &mut Value) {
        match value {
            Value::Number(number) => {
                let whole = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 9e15);
                // Printing a whole double without its fraction gives back an integer's digits.
                if let Some(whole) =
                    whole.and_then(|n| format!("{:.0}", n + 0.0).parse::<i64>().ok())
                {
                    *number = whole.into();
                }
            }
            Value::Array(elements) => elements.iter_mut().for_each(plain),
            Value::Object(members) => members.values_mut().for_each(plain),
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    let mut value = value.clone();
    plain(&mut value);
    value.sort_all_objects();
    value.to_string()
}

/// Inherited members are always there, so requiring them asks nothing; but their values are
/// functions, which no type or fixed value in a schema describes.
fn rewrite_inherited(keywords: &mut Map<String, Value>) {
    // That validator skips this one name wherever a schema names members.
    for keyword in ["properties", "patternProperties", "dependencies"] {
        if let Some(Value::Object(named)) = keywords.get_mut(keyword) {
            named.shift_remove("__proto__");
        }
    }
    if let Some(Value::Array(names)) = keywords.get_mut("required") {
        names.retain(|name| name.as_str().is_none_or(|name| !INHERITED.contains(&name)));
    }
    let Some(Value::Object(properties)) = keywords.get("properties") else {
        return;
    };
    let impossible: Vec<Value> = INHERITED
        .iter()
        .filter(|name| properties.get(**name).is_some_and(refuses_functions))
        .map(|name| Value::from(*name))
        .collect();
    if impossible.is_empty() {
        return;
    }
    if let Value::Array(names) =
        keywords.entry("required").or_insert_with(|| Value::Array(Vec::new()))
    {
        names.extend(impossible);
    }
}

fn refuses_functions(schema: &Value) -> bool {
    match schema {
        Value::Bool(allowed) => !allowed,
        Value::Object(keywords) => {
            ["const", "enum", "type"].iter().any(|keyword| keywords.contains_key(*keyword))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusal(mut schema: Value) -> Option<String> {
        rewrite(&mut schema, UnknownFormat::RefusesSchema).err()
    }

    #[test]
    fn other_dialects_and_odd_schemas_do_not_compile() {
        assert_eq!(refusal(json!({"$schema": "http://json-schema.org/draft-07/schema#"})), None);
        assert!(
            refusal(json!({"$schema": "https://json-schema.org/draft/2020-12/schema"})).is_some()
        );
        assert!(refusal(json!({"$schema": 7})).is_some());
        assert!(refusal(json!({"enum": [1, 1.0]})).is_some());
        assert!(refusal(json!({"multipleOf": 0})).is_some());
        assert!(refusal(json!("string")).is_some());
    }

    #[test]
    fn unknown_formats_matter_where_the_schema_is_compiled() {
        assert!(refusal(json!({"properties": {"a": {"format": "int64"}}})).is_some());
        assert_eq!(refusal(json!({"definitions": {"a": {"format": "int64"}}})), None);
        assert_eq!(refusal(json!({"properties": {"format": {"type": "string"}}})), None);
    }

    #[test]
    fn inherited_members_count_as_present() {
        let mut schema = json!({"required": ["toString", "a"], "properties": {"constructor": {"type": "string"}}});
        rewrite(&mut schema, UnknownFormat::Ignored).expect("a schema");
        assert_eq!(schema["required"], json!(["a", "constructor"]));
    }
}
