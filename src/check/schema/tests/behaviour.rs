//! Dialects, bounds and complaints.

use super::declared;
use crate::cases;
use crate::check::schema::{CompiledSchema, Schemas};
use crate::json::scan_document;
use crate::verdict::{OutputSchemaValidation, SchemaOutcome};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn compile(schema: &Value) -> CompiledSchema {
    CompiledSchema::compile(&schema.to_string(), &declared())
}

fn check(schema: &CompiledSchema, text: &str) -> OutputSchemaValidation {
    schema.check(scan_document(text, 10_000).expect("well-formed"))
}

#[test]
fn schemas_judge_values_as_their_cases_list() {
    cases::check("tests/cases/schemas.txt", |case| {
        let (values, schema) = case.questions(&["value"]);
        let schema = CompiledSchema::compile(&schema, &declared());
        let found = |value: &&str| {
            let found = check(&schema, &value["value ".len()..]);
            let pointer = found.pointer.map_or(String::new(), |pointer| format!(" {pointer}"));
            let error = found.error.map_or(String::new(), |error| format!(": {error}"));
            format!("{}{pointer}{error}", found.outcome.name())
        };
        let unusable = schema.unusable().map(|reason| format!("unusable: {reason}"));
        unusable.into_iter().chain(values.iter().map(found)).collect::<Vec<_>>().join("\n")
    });
}

/// A chain of definitions each of which refers to the next one twice.
fn bomb(dialect: &str, keyword: &str, levels: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/definitions/d{}", level + 1)});
        definitions.insert(format!("d{level}"), json!({ keyword: [next, next] }));
    }
    definitions.insert(format!("d{levels}"), json!({"type": "string"}));
    json!({"$schema": dialect, "$ref": "#/definitions/d0", "definitions": definitions})
}

#[test]
fn schemas_that_multiply_are_given_up_quickly() {
    let start = Instant::now();
    for dialect in [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let compiled = compile(&bomb(dialect, keyword, 40));
            assert_eq!(compiled.unusable(), None, "{dialect} {keyword}");
            let answer = check(&compiled, if keyword == "allOf" { "\"a\"" } else { "1" });
            assert_eq!(answer.outcome, SchemaOutcome::Undecided, "{dialect} {keyword}");
        }
    }
    let growing = json!({"$defs": {"n": {"properties": {"a": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}, "required": ["b"]}}, "$ref": "#/$defs/n"});
    let nested = format!("{}1{}", "{\"b\":1,\"a\":{\"a\":".repeat(40), "}}".repeat(40));
    assert_ne!(check(&compile(&growing), &nested).outcome, SchemaOutcome::Valid);
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
}

#[test]
fn nesting_without_references_is_bounded_too() {
    let start = Instant::now();
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let mut schema = json!({"required": ["b"]});
        for _ in 0..45 {
            schema = json!({"unevaluatedProperties": false, keyword: [schema]});
        }
        let answer = check(&compile(&schema), "{\"a\":1}");
        assert_ne!(answer.outcome, SchemaOutcome::Valid, "{keyword}");
    }
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
}

#[test]
fn oversized_schemas_are_refused_with_a_reason() {
    let wide: Vec<Value> = (0..30_000).map(|_| json!({})).collect();
    let reason = compile(&json!({ "anyOf": wide })).unusable().map(str::to_owned);
    assert!(reason.expect("refused").contains("too complex"));
    let deep = format!("{}{}{}", "{\"not\":".repeat(200), "{}", "}".repeat(200));
    assert!(CompiledSchema::compile(&deep, &declared()).unusable().is_some());
    let long = format!("{{\"title\":\"{}\"}}", "x".repeat(1 << 20));
    assert!(
        CompiledSchema::compile(&long, &declared()).unusable().expect("refused").contains("long")
    );
}

#[test]
fn patterns_that_backtrack_too_much_leave_the_question_open() {
    let text = format!("\"{}!\"", "a".repeat(2_000));
    for schema in [
        json!({"pattern": r"^(a|a)*\1$"}),
        json!({"not": {"pattern": r"^(a|a)*\1$"}}),
        json!({"anyOf": [{"pattern": r"^(a|a)*\1$"}, {"type": "null"}]}),
    ] {
        let compiled = compile(&schema);
        assert_eq!(compiled.unusable(), None);
        assert_eq!(check(&compiled, &text).outcome, SchemaOutcome::Undecided, "{schema}");
    }
    let linear = compile(&json!({"pattern": "^(a|a)*$"}));
    assert_eq!(check(&linear, &text).outcome, SchemaOutcome::Invalid);
}

#[test]
fn deep_values_do_not_exhaust_the_stack() {
    let recursive = compile(&json!({"items": {"$ref": "#"}, "uniqueItems": true}));
    let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let judge = move || {
        assert_eq!(check(&recursive, &deep(4_000)).outcome, SchemaOutcome::Valid);
        assert_eq!(check(&recursive, &deep(9_000)).outcome, SchemaOutcome::Undecided);
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(judge).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn complaints_are_short_whatever_the_value_is() {
    let long = format!("\"{}\"", "é😀".repeat(5_000));
    for schema in [
        json!({"type": "null"}),
        json!({"const": "é".repeat(1_000)}),
        json!({"enum": ["x".repeat(5_000)]}),
        json!({"additionalProperties": false}),
    ] {
        let text = if schema.get("additionalProperties").is_some() {
            format!("{{{long}:1,\"b\":{long}}}")
        } else {
            long.clone()
        };
        let found = check(&compile(&schema), &text);
        assert_eq!(found.outcome, SchemaOutcome::Invalid);
        let message = found.error.expect("a reason");
        assert!(message.chars().count() <= 300, "{message}");
    }
}

#[test]
fn equal_texts_share_one_compiled_schema() {
    let schemas = Schemas::new(declared());
    let first = schemas.get("{\"type\":\"object\"}");
    assert!(Arc::ptr_eq(&first, &schemas.get("{\"type\":\"object\"}")));
    assert!(!Arc::ptr_eq(&first, &schemas.get("{\"type\": \"object\"}")));
}

#[test]
fn old_schemas_make_room_for_new_ones() {
    let schemas = Schemas::new(declared());
    let padding = " ".repeat(400 << 10);
    let first = schemas.get(&format!("true{padding}"));
    for number in 0..60 {
        drop(schemas.get(&format!("{{\"minimum\":{number}}}{padding}")));
    }
    assert_eq!(Arc::strong_count(&first), 1, "nobody else holds the first one any more");
}
