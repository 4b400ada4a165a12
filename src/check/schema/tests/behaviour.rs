//! Dialects, bounds and complaints.

use super::declared;
use crate::check::schema::{CompiledSchema, SchemaCheck, Schemas};
use crate::json::scan_document;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn compile(schema: &Value) -> CompiledSchema {
    CompiledSchema::compile(&schema.to_string(), &declared())
}

fn check(schema: &CompiledSchema, text: &str) -> SchemaCheck {
    schema.check(scan_document(text, 10_000).expect("well-formed"))
}

fn complaint(schema: &Value, text: &str) -> (String, String) {
    match check(&compile(schema), text) {
        SchemaCheck::Invalid { message, pointer, .. } => (message, pointer),
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_dialect_reads_its_own_keywords() {
    let with = |dialect: &str, mut schema: Value| {
        schema["$schema"] = format!("http{dialect}").into();
        compile(&schema)
    };
    let exclusive = json!({"minimum": 1, "exclusiveMinimum": true});
    let old = with("://json-schema.org/draft-04/schema#", exclusive.clone());
    assert!(matches!(check(&old, "1"), SchemaCheck::Invalid { .. }));
    assert!(with("://json-schema.org/draft-06/schema#", exclusive).unusable().is_some());
    let tuple = json!({"prefixItems": [{"type": "string"}]});
    let newest = with("s://json-schema.org/draft/2020-12/schema", tuple.clone());
    assert!(matches!(check(&newest, "[1]"), SchemaCheck::Invalid { .. }));
    let older = with("s://json-schema.org/draft/2019-09/schema", tuple);
    assert_eq!(check(&older, "[1]"), SchemaCheck::Valid);
    let conditional = json!({"if": {"type": "string"}, "then": {"minLength": 2}});
    let seven = with("://json-schema.org/draft-07/schema#", conditional);
    assert!(matches!(check(&seven, "\"a\""), SchemaCheck::Invalid { .. }));
}

#[test]
fn references_never_leave_the_schema() {
    for reference in [
        "http://nowhere.invalid/s.json",
        "file:///etc/passwd",
        "/etc/passwd",
        "#/nope",
        "other.json",
        "//host/share",
    ] {
        let compiled = compile(&json!({"properties": {"a": {"$ref": reference}}}));
        let reason = compiled.unusable().expect("unusable");
        assert!(reason.contains("$ref"), "{reason}");
        assert!(matches!(check(&compiled, "{}"), SchemaCheck::Undecided { .. }));
    }
    for reference in ["#/enum/0", "#/%65num/0", "#/properties/a/const"] {
        let compiled = compile(&json!({"allOf": [{"$ref": reference}], "enum": [{}]}));
        assert!(compiled.unusable().expect("unusable").contains("data"));
    }
    let named =
        compile(&json!({"allOf": [{"$ref": "#/properties/enum"}], "properties": {"enum": {}}}));
    assert_eq!(named.unusable(), None);
    let local = compile(&json!({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "null"}}}));
    assert_eq!(check(&local, "null"), SchemaCheck::Valid);
    assert!(matches!(check(&local, "1"), SchemaCheck::Invalid { .. }));
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
            assert!(
                matches!(answer, SchemaCheck::Undecided { .. }),
                "{dialect} {keyword}: {answer:?}"
            );
        }
    }
    let growing = json!({"$defs": {"n": {"properties": {"a": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}, "required": ["b"]}}, "$ref": "#/$defs/n"});
    let nested = format!("{}1{}", "{\"b\":1,\"a\":{\"a\":".repeat(40), "}}".repeat(40));
    assert!(!matches!(check(&compile(&growing), &nested), SchemaCheck::Valid));
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
        assert!(!matches!(answer, SchemaCheck::Valid), "{keyword}");
    }
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
}

#[test]
fn circular_references_end() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
        json!({"allOf": [{"$ref": "#"}]}),
    ] {
        let answer = check(&compile(&schema), "[1]");
        assert!(!matches!(answer, SchemaCheck::Invalid { .. }), "{schema}: {answer:?}");
    }
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
    for text in ["", "{", "5", "null", "[]", "\"x\""] {
        assert!(CompiledSchema::compile(text, &declared()).unusable().is_some(), "{text}");
    }
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
        assert!(matches!(check(&compiled, &text), SchemaCheck::Undecided { .. }), "{schema}");
    }
    let linear = compile(&json!({"pattern": "^(a|a)*$"}));
    assert!(matches!(check(&linear, &text), SchemaCheck::Invalid { .. }));
    let ahead = compile(&json!({"pattern": "^(?!x)[a-z]+$"}));
    assert_eq!(check(&ahead, "\"abc\""), SchemaCheck::Valid);
    assert!(matches!(check(&ahead, "\"xbc\""), SchemaCheck::Invalid { .. }));
}

#[test]
fn deep_values_do_not_exhaust_the_stack() {
    let recursive = compile(&json!({"items": {"$ref": "#"}, "uniqueItems": true}));
    let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let judge = move || {
        assert_eq!(check(&recursive, &deep(4_000)), SchemaCheck::Valid);
        assert!(matches!(check(&recursive, &deep(9_000)), SchemaCheck::Undecided { .. }));
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(judge).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn complaints_say_what_and_where() {
    let schema = json!({"properties": {"hits": {"items": {"required": ["id"], "properties": {"id": {"type": "integer"}}}}}, "additionalProperties": false});
    let (message, pointer) = complaint(&schema, r#"{"hits":[{"id":1},{"id":"x"}]}"#);
    assert_eq!(pointer, "/hits/1/id");
    assert_eq!(message, "the value at /hits/1/id is \"x\", not an integer");
    let (message, pointer) = complaint(&schema, r#"{"hits":[{}]}"#);
    assert_eq!(message, "the value at /hits/0 lacks the member \"id\"");
    assert_eq!(pointer, "/hits/0");
    let (message, _) = complaint(&schema, r#"{"more":1}"#);
    assert_eq!(message, "the value has members that the schema does not allow: \"more\"");
    let (message, _) = complaint(&json!({"pattern": "^a"}), "\"b\"");
    assert_eq!(message, "the value is \"b\", which does not match ^a");
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
        let (message, _) = complaint(&schema, &text);
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
