//! The quick program never contradicts the full validator, whatever the schema and the value.

use super::{declared, javascript};
use crate::check::schema::CompiledSchema;
use crate::json::scan_document;
use crate::verdict::SchemaOutcome;
use proptest::prelude::*;
use serde_json::{Value, json};

const NAMES: [&str; 6] = ["a", "b", "é", "a\"b", "toString", "x y"];
const DIALECTS: [Option<&str>; 6] = [
    None,
    Some("http://json-schema.org/draft-04/schema#"),
    Some("http://json-schema.org/draft-06/schema#"),
    Some("http://json-schema.org/draft-07/schema#"),
    Some("https://json-schema.org/draft/2019-09/schema"),
    Some("https://json-schema.org/draft/2020-12/schema"),
];

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(NAMES.as_slice()).prop_map(str::to_owned)
}

/// One of the words of a text.
fn word(text: &'static str) -> impl Strategy<Value = String> + Clone {
    let words: Vec<&str> = text.split_whitespace().collect();
    prop::sample::select(words).prop_map(str::to_owned)
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        (-3_i64..4).prop_map(|n| n.to_string()),
        word(
            "-0 0.0 -0.0 1.0 1e2 100 1.5 -1E+0 9007199254740993 9007199254740992
            123456789012345678901234567890 1e400 -1e400 0.1 2.50 999999999999999 1000000000000000"
        ),
    ]
}

fn string() -> impl Strategy<Value = String> {
    word(
        r#""" "a" "ab" "\u0061" "😀" "\ud83d\ude00" "\ud83d" "a\"b" "é" "2024-01-01" "abcdefghijklmnop""#,
    )
}

/// A value's text, with repeated keys, escapes in keys and white space.
fn instance() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![number(), string(), word("null true false")];
    leaf.prop_recursive(3, 24, 5, |inner| {
        let key = prop_oneof![
            8 => word(r#""a" "b" "é" "\u0061" "\u0062" "a\"b" "toString" "c""#),
            1 => Just(r#" "x y" "#.to_owned()),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|elements| format!("[ {}]", elements.join(","))),
            prop::collection::vec((key, inner), 0..5).prop_map(|members| {
                let members: Vec<String> =
                    members.into_iter().map(|(key, value)| format!("{key}: {value}")).collect();
                format!("{{{}}}", members.join(" ,"))
            }),
        ]
    })
}

fn literal() -> impl Strategy<Value = Value> {
    let literals = r#"null true "a" "ab" "é" 1 1.0 0 -0.0 9007199254740993 [] {"a":1}"#;
    prop_oneof![
        word(literals).prop_map(|text| serde_json::from_str(&text).expect("JSON")),
        (-2_i64..3).prop_map(Value::from),
    ]
}

fn types() -> impl Strategy<Value = Value> {
    let name = word("null boolean integer number string array object");
    prop_oneof![
        3 => name.clone().prop_map(Value::from),
        1 => prop::collection::hash_set(name, 1..3).prop_map(|names| {
            let mut names: Vec<String> = names.into_iter().collect();
            names.sort_unstable();
            json!(names)
        }),
    ]
}

/// One keyword with its value; a schema is a few of them.
fn keyword(inner: BoxedStrategy<Value>) -> impl Strategy<Value = (String, Value)> {
    fn key(name: &'static str) -> impl Fn(Value) -> (String, Value) + Clone {
        move |value| (name.to_owned(), value)
    }
    let list = prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from);
    let limit =
        || prop_oneof![(-2_i64..3).prop_map(Value::from), Just(json!(0.5)), Just(json!(100))];
    let size = |name| (0_u64..4).prop_map(Value::from).prop_map(key(name)).boxed();
    let bound = |name| limit().prop_map(key(name)).boxed();
    prop_oneof![
        6 => types().prop_map(key("type")),
        5 => prop::collection::btree_map(name(), inner.clone(), 0..4)
            .prop_map(|properties| ("properties".to_owned(), json!(properties))),
        3 => prop::collection::btree_set(name(), 0..3)
            .prop_map(|names| ("required".to_owned(), json!(names))),
        3 => inner.clone().prop_map(key("additionalProperties")),
        3 => inner.clone().prop_map(key("items")),
        1 => list.clone().prop_map(key("items")),
        1 => list.clone().prop_map(key("prefixItems")),
        1 => inner.clone().prop_map(key("additionalItems")),
        2 => list.clone().prop_map(key("anyOf")),
        2 => list.clone().prop_map(key("oneOf")),
        1 => list.prop_map(key("allOf")),
        1 => inner.clone().prop_map(key("not")),
        1 => inner.clone().prop_map(key("propertyNames")),
        1 => inner.clone().prop_map(key("contains")),
        1 => inner.prop_map(key("if")),
        2 => literal().prop_map(key("const")),
        2 => prop::collection::vec(literal(), 1..4).prop_map(|values| ("enum".to_owned(), json!(values))),
        1 => prop_oneof![bound("minimum"), bound("maximum"), bound("exclusiveMinimum"), bound("exclusiveMaximum")],
        1 => prop_oneof![size("minLength"), size("maxLength"), size("minItems"), size("maxItems")],
        1 => prop_oneof![size("minProperties"), size("maxProperties")],
        1 => prop::sample::select(["#", "#/$defs/d", "#/properties/a", "#/definitions/a~1%25"].as_slice())
            .prop_map(|reference| ("$ref".to_owned(), json!(reference))),
        1 => prop::sample::select(["date", "email", "int64"].as_slice())
            .prop_map(|format| ("format".to_owned(), json!(format))),
        1 => Just(("pattern".to_owned(), json!("^a"))),
        1 => Just(("uniqueItems".to_owned(), json!(true))),
        1 => Just(("multipleOf".to_owned(), json!(2))),
        1 => Just(("contentEncoding".to_owned(), json!("base64"))),
        1 => Just(("unevaluatedProperties".to_owned(), json!(false))),
        1 => Just(("dependentRequired".to_owned(), json!({"a": ["b"]}))),
        1 => Just(("title".to_owned(), json!("a title"))),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => types().prop_map(|types| json!({ "type": types })),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(json!({})),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop::collection::vec(keyword(inner.boxed()), 1..5)
            .prop_map(|keywords| Value::Object(keywords.into_iter().collect()))
    })
}

fn agrees(
    compiled: &CompiledSchema,
    schema: &Value,
    text: &str,
) -> Result<Option<bool>, TestCaseError> {
    let raw = scan_document(text, 100).expect("generated values are well-formed");
    let quick = compiled.check_quickly(raw);
    if let Some(quick) = quick {
        let full = compiled.check_slowly(raw);
        let agreed = [SchemaOutcome::Invalid, SchemaOutcome::Valid][usize::from(quick)];
        prop_assert!(full.outcome == agreed, "{schema}\n{text}\nquick {quick:?}, full {full:?}");
    }
    Ok(quick)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn quick_answers_are_the_full_ones(
        mut schema in schema(),
        definition in schema(),
        dialect in prop::sample::select(DIALECTS.as_slice()),
        instances in prop::collection::vec(instance(), 1..12),
    ) {
        if let Value::Object(keywords) = &mut schema {
            keywords.insert("$defs".to_owned(), json!({ "d": definition }));
            if let Some(dialect) = dialect {
                keywords.insert("$schema".to_owned(), json!(dialect));
            }
        }
        for rule in [declared(), javascript()] {
            let compiled = CompiledSchema::compile(&schema.to_string(), &rule);
            if compiled.unusable().is_some() {
                continue;
            }
            for instance in &instances {
                agrees(&compiled, &schema, instance)?;
            }
        }
    }
}

/// What the usual generators of schemas write, with values that conform: these must be quick.
#[test]
fn everyday_schemas_are_answered_quickly() {
    let pydantic = json!({
        "$defs": {
            "Hit": {
                "properties": {
                    "id": {"title": "Id", "type": "integer"},
                    "title": {"type": "string", "description": "What it is called"},
                    "score": {"default": null, "anyOf": [{"type": "number"}, {"type": "null"}]},
                    "kind": {"enum": ["a", "b"], "type": "string"},
                    "children": {"items": {"$ref": "#/$defs/Hit"}, "type": "array"},
                    "source": {"oneOf": [{"$ref": "#/$defs/File"}, {"$ref": "#/$defs/Web"}]}
                },
                "required": ["id", "title", "kind"],
                "type": "object"
            },
            "File": {"type": "object", "properties": {"type": {"const": "file"}, "path": {"type": "string"}}, "required": ["type"]},
            "Web": {"type": "object", "properties": {"type": {"const": "web"}, "url": {"type": "string", "format": "uri"}}, "required": ["type"]}
        },
        "properties": {"result": {"items": {"$ref": "#/$defs/Hit"}, "type": "array"}, "total": {"type": "integer", "minimum": 0}},
        "required": ["result"],
        "title": "searchOutput",
        "type": "object"
    });
    let zod = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "temperature": {"type": "number"},
            "conditions": {"type": "string", "minLength": 1, "maxLength": 80},
            "tags": {"type": "array", "items": {"type": ["string", "null"]}, "maxItems": 5},
            "extra": {"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": {"type": "number"}}
        },
        "required": ["temperature"],
        "additionalProperties": false
    });
    for (schema, text) in [
        (
            &pydantic,
            r#"{"result":[{"id":1,"title":"x","kind":"a","score":null,"children":[{"id":2,"title":"\u00e9","kind":"b","score":1.5}],"source":{"type":"web","url":"x"}}],"total":1}"#,
        ),
        (&pydantic, r#"{"total":0,"result":[],"more":{"a":[1,2]}}"#),
        (
            &zod,
            r#"{"temperature":-1.5e1,"conditions":"sunny ☀","tags":["a",null],"extra":{"a":1,"a":2}}"#,
        ),
    ] {
        let compiled = CompiledSchema::compile(&schema.to_string(), &declared());
        assert_eq!(compiled.unusable(), None);
        let answer = agrees(&compiled, schema, text).expect("no contradiction");
        assert_eq!(answer, Some(true), "{text}");
    }
}

#[test]
fn a_repeated_key_means_its_last_value() {
    let schema = json!({"properties": {"a": {"type": "integer"}}});
    let compiled = CompiledSchema::compile(&schema.to_string(), &declared());
    for (text, valid) in [
        (r#"{"a":"x","a":1}"#, true),
        (r#"{"a":1,"\u0061":"x"}"#, false),
        (r#"{"a":1,"a":2}"#, true),
    ] {
        let check = compiled.check(scan_document(text, 10).expect("well-formed"));
        assert_eq!(check.outcome == SchemaOutcome::Valid, valid, "{text}: {check:?}");
    }
}
