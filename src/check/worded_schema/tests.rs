use super::*;
use serde_json::json;

fn shape(schema: Value) -> Shape {
    Shape::compile(schema, "thing").expect("a usable schema")
}

/// Type, place and message of every issue.
fn violations(schema: Value, value: &Value) -> Vec<(&'static str, String, String)> {
    let issues = shape(schema).check(value).into_iter();
    issues
        .map(|issue| (issue.kind.name(), issue.location.unwrap_or_default(), issue.message))
        .collect()
}

fn mistakes(schema: Value) -> Vec<(String, String)> {
    let mistakes = Shape::compile(schema, "thing").expect_err("an unusable schema").into_iter();
    mistakes.map(|mistake| (mistake.pointer, mistake.message)).collect()
}

#[test]
fn every_violation_is_told_in_general_words() {
    let schema = json!({
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "size": {"enum": ["S", "M", "L"]},
            "count": {"type": ["integer", "null"], "minimum": 1},
            "tags": {"uniqueItems": true}
        }
    });
    let found = violations(schema.clone(), &json!({"size": "XL", "count": 0, "tags": [1, 1]}));
    let found: Vec<(&str, &str, &str)> = found.iter().map(|(a, b, c)| (*a, &**b, &**c)).collect();
    assert_eq!(
        found,
        [
            ("missing_field", "/name", "Required property 'name' missing"),
            ("constraint_violation", "/size", "Invalid enum value"),
            ("constraint_violation", "/count", "count is below 1"),
            (
                "constraint_violation",
                "/tags",
                "The schema refuses tags: what stands here has non-unique elements"
            ),
        ]
    );
    let issues = shape(schema).check(&json!({"name": 1, "size": "XL", "count": "many"}));
    let advised: Vec<&str> =
        issues.iter().filter_map(|issue| issue.suggestion.as_deref()).collect();
    assert_eq!(
        advised,
        [
            "Ensure name is a text string",
            "Use only 'S', 'M', or 'L'",
            "Ensure count is a whole number or null"
        ]
    );
}

#[test]
fn a_schema_has_words_of_its_own_also_behind_a_reference() {
    let schema = json!({
        "$defs": {"age": {"minimum": 0, "x-messages": {"minimum": {
            "message": "Nobody is {limit} or younger here", "suggestion": "Check {field} of {nobody}"
        }}}},
        "properties": {"people": {"items": {"$ref": "#/$defs/age"}}}
    });
    let issues = shape(schema).check(&json!({"people": [4, -1]}));
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].message, "Nobody is 0 or younger here");
    assert_eq!(issues[0].suggestion.as_deref(), Some("Check people.1 of {nobody}"));
}

#[test]
fn advice_is_a_warning_where_it_applies_and_is_not_heeded() {
    let schema = json!({"x-advice": {"an age": {
        "if": {"required": ["name"]}, "then": {"required": ["age"]},
        "type": "missing_field", "location": "/age", "message": "A name should come with an age"
    }}});
    let issues = shape(schema.clone()).check(&json!({"name": "x"}));
    assert_eq!(issues.len(), 1);
    assert_eq!((issues[0].severity, issues[0].kind), (Severity::Warning, IssueType::MissingField));
    assert_eq!(violations(schema.clone(), &json!({})), []);
    assert_eq!(violations(schema, &json!({"name": "x", "age": 1})), []);
}

#[test]
fn all_mistakes_of_a_schema_are_told_at_once() {
    let found = mistakes(json!({
        "type": "text",
        "properties": {
            "x-messages": {"type": "string"},
            "name": {"minLength": -1, "x-messages": {"minLength": {"message": "short"}}}
        },
        "x-advice": {
            "a/b": {"if": {}, "then": {"type": 7}, "type": "typo", "message": "Something is odd"}
        }
    }));
    let pointers: Vec<&str> = found.iter().map(|(pointer, _)| &**pointer).collect();
    assert_eq!(
        pointers,
        [
            "/properties/name/minLength",
            "/type",
            "/properties/name/x-messages/minLength/message",
            "/x-advice/a~1b/then/type",
            "/x-advice/a~1b/type",
        ],
        "{found:#?}"
    );
    assert!(found[4].1.contains("`typo`"));
}

#[test]
fn schemas_that_lead_elsewhere_are_refused() {
    for schema in [
        json!({"$ref": "https://example.com/schema.json"}),
        json!({"$ref": "file:///etc/passwd"}),
        json!({"$schema": "https://example.com/dialect"}),
        json!({"pattern": "(?=ahead)"}),
        json!("a text"),
    ] {
        assert_eq!(mistakes(schema.clone()).len(), 1, "{schema}");
    }
}

#[test]
fn a_very_large_value_is_told_its_first_violation_only() {
    let schema = json!({"items": {"type": "string"}});
    let numbers = |count: usize| Value::from(vec![1; count]);
    assert_eq!(violations(schema.clone(), &numbers(50)).len(), 50);
    assert_eq!(violations(schema.clone(), &numbers(5_000)).len(), LISTED);
    assert_eq!(violations(schema, &numbers(GATHERED_PARTS + 1)).len(), 1);
}

#[test]
fn messages_stay_short_whatever_the_value_is() {
    let schema = json!({"additionalProperties": {"type": "object", "additionalProperties": false}});
    let long = "x".repeat(100_000);
    let value = json!({ long.clone(): { long: 1 } });
    for issue in shape(schema).check(&value) {
        let texts = [Some(issue.message), issue.location, issue.suggestion];
        assert!(texts.iter().flatten().all(|text| text.chars().count() <= Issue::LONGEST));
    }
}
