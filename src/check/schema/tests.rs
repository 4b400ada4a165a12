//! Dialects, bounds and complaints; and that the quick program never contradicts the full validator.

use super::{CompiledSchema, Schemas};
use crate::cases;
use crate::json::scan_document;
use crate::rulebook::{Rulebook, SchemaRule};
use crate::verdict::{OutputSchemaValidation, SchemaOutcome};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// How built-in rulebooks read schemas: `guide` every dialect, `inspector` draft 7 as JavaScript does.
static RULES: LazyLock<[SchemaRule; 2]> = LazyLock::new(|| {
    ["guide", "inspector"].map(|name| Rulebook::builtin(name).expect("built in").schema)
});

fn compile(schema: &str) -> CompiledSchema {
    CompiledSchema::compile(schema, &RULES[0])
}

fn check(schema: &CompiledSchema, text: &str) -> OutputSchemaValidation {
    schema.check(scan_document(text, 10_000).expect("well-formed"))
}

/// Whether the quick program accepts a value, which the full validator then accepts as well.
fn is_quick(schema: &CompiledSchema, text: &str) -> Result<bool, TestCaseError> {
    let raw = scan_document(text, 100).expect("well-formed");
    let is_quick = schema.check_quickly(raw);
    if is_quick {
        let full = schema.check_slowly(raw);
        prop_assert!(full.outcome == SchemaOutcome::Valid, "{text}: {full:?}");
    }
    Ok(is_quick)
}

#[test]
fn schemas_judge_values_as_their_cases_list() {
    cases::check("tests/cases/schemas.txt", |case| {
        let (values, text) = case.questions(&["value", "quick", "inspector"]);
        let schema = compile(&text);
        let found = |value: &&str| {
            let (word, value) = value.split_once(' ').expect("a word and JSON");
            if word == "quick" {
                return is_quick(&schema, value).expect("no contradiction").to_string();
            }
            let found = match word {
                "inspector" => check(&CompiledSchema::compile(&text, &RULES[1]), value),
                _ => check(&schema, value),
            };
            let pointer = found.pointer.map_or(String::new(), |pointer| format!(" {pointer}"));
            let error = found.error.map_or(String::new(), |error| format!(": {error}"));
            format!("{}{pointer}{error}", found.outcome.name())
        };
        let unusable = schema.unusable().map(|reason| format!("unusable: {reason}"));
        unusable.into_iter().chain(values.iter().map(found)).collect::<Vec<_>>().join("\n")
    });
}

/// Texts of which some hold others: each `@` of a line behind the empty one stands for one of them.
fn generated(lines: &'static str, around: fn(Vec<String>) -> String) -> BoxedStrategy<String> {
    let (leaves, inner) = lines.split_once("\n\n").expect("an empty line");
    let [leaves, holders] = [leaves, inner].map(|lines| lines.lines().collect::<Vec<_>>());
    let leaf = prop::sample::select(leaves).prop_map(str::to_owned);
    let holding = move |inner: BoxedStrategy<String>| {
        let holder = prop::sample::select(holders.clone());
        let holder = (holder, prop::collection::vec(inner, 4)).prop_map(|(holder, inner)| {
            inner.iter().fold(holder.to_owned(), |text, inner| text.replacen('@', inner, 1))
        });
        prop::collection::vec(holder, 1..5).prop_map(around)
    };
    leaf.prop_recursive(3, 24, 4, holding).boxed()
}

fn schema() -> BoxedStrategy<String> {
    let keywords = include_str!("../../../tests/cases/generated-schemas.txt");
    generated(keywords, |keywords| format!("{{{}}}", keywords.join(",")))
}

fn value() -> BoxedStrategy<String> {
    generated(include_str!("../../../tests/cases/generated-values.txt"), |mut values| {
        values.pop().unwrap_or_default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_accepted_quickly_is_valid(
        schema in schema(),
        definition in schema(),
        dialect in prop::sample::select(["4", "6", "7", "2019-09", "2020-12", ""].as_slice()),
        values in prop::collection::vec(value(), 1..12),
    ) {
        let mut schema: Value = serde_json::from_str(&schema).expect("JSON");
        if let Value::Object(keywords) = &mut schema {
            let definition: Value = serde_json::from_str(&definition).expect("JSON");
            keywords.insert("$defs".to_owned(), json!({ "d": definition }));
            if !dialect.is_empty() {
                keywords.insert("$schema".to_owned(), json!(uri(dialect)));
            }
        }
        for rule in &*RULES {
            let compiled = CompiledSchema::compile(&schema.to_string(), rule);
            if compiled.unusable().is_none() {
                for value in &values {
                    is_quick(&compiled, value)?;
                }
            }
        }
    }
}

/// What a draft calls itself.
fn uri(draft: &str) -> String {
    match draft {
        "2019-09" | "2020-12" => format!("https://json-schema.org/draft/{draft}/schema"),
        old => format!("http://json-schema.org/draft-0{old}/schema#"),
    }
}

/// A chain of definitions each of which refers to the next one twice.
fn bomb(draft: &str, keyword: &str, levels: usize) -> String {
    let mut definitions = serde_json::Map::new();
    for level in 0..levels {
        let next = json!({"$ref": format!("#/definitions/d{}", level + 1)});
        definitions.insert(format!("d{level}"), json!({ keyword: [next, next] }));
    }
    definitions.insert(format!("d{levels}"), json!({"type": "string"}));
    json!({"$schema": uri(draft), "$ref": "#/definitions/d0", "definitions": definitions})
        .to_string()
}

#[test]
fn schemas_that_multiply_are_given_up_quickly() {
    let start = Instant::now();
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for draft in ["4", "6", "7", "2019-09", "2020-12"] {
            let compiled = compile(&bomb(draft, keyword, 40));
            assert_eq!(compiled.unusable(), None, "{draft} {keyword}");
            let answer = check(&compiled, if keyword == "allOf" { "\"a\"" } else { "1" });
            assert_eq!(answer.outcome, SchemaOutcome::Undecided, "{draft} {keyword}");
        }
        let nested = (0..45).fold(
            json!({"required": ["b"]}),
            |schema, _| json!({"unevaluatedProperties": false, keyword: [schema]}),
        );
        let answer = check(&compile(&nested.to_string()), "{\"a\":1}");
        assert_ne!(answer.outcome, SchemaOutcome::Valid, "{keyword}");
    }
    let growing = r##"{"$defs": {"n": {"properties": {"a": {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}},
        "required": ["b"]}}, "$ref": "#/$defs/n"}"##;
    let nested = format!("{}1{}", "{\"b\":1,\"a\":{\"a\":".repeat(40), "}}".repeat(40));
    assert_ne!(check(&compile(growing), &nested).outcome, SchemaOutcome::Valid);
    assert!(start.elapsed() < Duration::from_mins(2), "{:?}", start.elapsed());
}

#[test]
fn oversized_schemas_are_refused_with_a_reason() {
    let wide = format!(r#"{{"anyOf": [{}{{}}]}}"#, "{},".repeat(30_000));
    let deep = format!("{}{}{}", "{\"not\":".repeat(200), "{}", "}".repeat(200));
    let long = format!("{{\"title\":\"{}\"}}", "x".repeat(1 << 20));
    for (schema, reason) in [(wide, "too complex"), (deep, "unreadable"), (long, "too long")] {
        let compiled = compile(&schema);
        let refused = compiled.unusable().expect("refused");
        assert!(refused.contains(reason), "{refused}");
    }
}

#[test]
fn patterns_that_backtrack_too_much_leave_the_question_open() {
    let text = format!("\"{}!\"", "a".repeat(2_000));
    for (schema, outcome) in [
        (r#"{"pattern": "^(a|a)*\\1$"}"#, SchemaOutcome::Undecided),
        (r#"{"not": {"pattern": "^(a|a)*\\1$"}}"#, SchemaOutcome::Undecided),
        (r#"{"anyOf": [{"pattern": "^(a|a)*\\1$"}, {"type": "null"}]}"#, SchemaOutcome::Undecided),
        (r#"{"pattern": "^(a|a)*$"}"#, SchemaOutcome::Invalid),
    ] {
        let compiled = compile(schema);
        assert_eq!(compiled.unusable(), None);
        assert_eq!(check(&compiled, &text).outcome, outcome, "{schema}");
    }
}

#[test]
fn deep_values_do_not_exhaust_the_stack() {
    let recursive = compile(r##"{"items": {"$ref": "#"}, "uniqueItems": true}"##);
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
    let object = format!("{{{long}:1,\"b\":{long}}}");
    for (schema, text) in [
        (json!({"type": "null"}), &long),
        (json!({"const": "é".repeat(1_000)}), &long),
        (json!({"enum": ["x".repeat(5_000)]}), &long),
        (json!({"additionalProperties": false}), &object),
    ] {
        let found = check(&compile(&schema.to_string()), text);
        assert_eq!(found.outcome, SchemaOutcome::Invalid);
        let message = found.error.expect("a reason");
        assert!(message.chars().count() <= 300, "{message}");
    }
}

#[test]
fn equal_texts_share_one_compiled_schema_and_old_ones_make_room() {
    let schemas = Schemas::new(RULES[0].clone());
    let first = schemas.get("{\"type\":\"object\"}");
    assert!(Arc::ptr_eq(&first, &schemas.get("{\"type\":\"object\"}")));
    assert!(!Arc::ptr_eq(&first, &schemas.get("{\"type\": \"object\"}")));
    let padding = " ".repeat(400 << 10);
    for number in 0..60 {
        drop(schemas.get(&format!("{{\"minimum\":{number}}}{padding}")));
    }
    assert_eq!(Arc::strong_count(&first), 1, "nobody else holds the first one any more");
}
