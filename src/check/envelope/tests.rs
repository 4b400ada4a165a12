use super::*;
use crate::json::scan_document;
use serde_json::json;

fn file(text: &str) -> SchemaFile<'_> {
    SchemaFile { name: "mine.json", text }
}

fn messages(validation: &Validation) -> Vec<&str> {
    validation.issues.iter().map(|issue| issue.message.as_str()).collect()
}

#[test]
fn a_patch_adds_replaces_and_takes_away() {
    let patch = r#"{
        "required": ["query", "locale"],
        "properties": {"locale": {"enum": ["en", "de"]}, "context": null}
    }"#;
    let envelopes = Envelopes::load(Some(file(patch)), None).expect("a usable patch");
    let validation = envelopes.request(&json!({"query": "", "context": 5, "locale": "fr"}));
    assert_eq!(messages(&validation), ["The query must not be empty", "Invalid enum value"]);
    assert!(!envelopes.request(&json!({"query": "Hi"})).valid);
    assert!(envelopes.response(&json!({"status": "pending"})).valid);
}

#[test]
fn a_whole_schema_stands_in_the_place_of_the_built_in_one() {
    let whole = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "required": ["code"]}"#;
    let envelopes = Envelopes::load(None, Some(file(whole))).expect("a usable schema");
    assert!(envelopes.response(&json!({"code": 1})).issues.is_empty());
    let validation = envelopes.response(&json!({"status": "error"}));
    assert_eq!(messages(&validation), ["Required property 'code' missing"]);
    let suggestion = validation.issues[0].suggestion.as_deref();
    assert_eq!(suggestion, Some("Add a code field to your response"));
}

#[test]
fn advice_can_be_taken_away_too() {
    let patch = r#"{"x-advice": {"transaction info": null}}"#;
    let envelopes = Envelopes::load(None, Some(file(patch))).expect("a usable patch");
    let response = json!({"status": "error", "conversation_context": {}});
    assert_eq!(
        messages(&envelopes.response(&response)),
        ["The error does not say what went wrong"]
    );
}

#[test]
fn all_mistakes_of_both_files_are_told_at_once_with_their_lines() {
    let request = "{\n  \"properties\": {\n    \"query\": {\"type\": \"text\"},\n    \"age\": {\"minimum\": \"0\"}\n  }\n}";
    let response = "{\n  \"properties\": {,}\n}";
    let error = Envelopes::load(Some(file(request)), Some(file(response)));
    let EnvelopeError(problems) = error.expect_err("three mistakes");
    let places: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(places, [3, 4, 2], "{problems:#?}");
    assert!(problems[2].message.starts_with("this is not JSON"));
    let shown = EnvelopeError(problems).to_string();
    assert!(shown.starts_with("the schemas of envelopes have 3 errors\n\n"), "{shown}");
    assert!(shown.contains("--> mine.json:4:24"), "{shown}");
}

#[test]
fn hostile_envelopes_are_judged_and_end() {
    let envelopes = Envelopes::builtin();
    let recorded = |text: &str| {
        let raw = scan_document(text, 1_000_000).expect("well-formed");
        envelopes.recorded(Direction::Request, raw)
    };
    let deep = format!(
        r#"{{"query": 7, "context": {{"previous_context": {{"x": {}{}}}}}}}"#,
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    let validation = recorded(&deep);
    assert_eq!(
        messages(&validation),
        [
            "Invalid type, expected string",
            "What is deeper than 128 levels in this request was not looked at"
        ]
    );
    assert!(!recorded(r#"{"query": "a", "query": 1e400}"#).valid);
    assert!(recorded(r#"{"query": "\ud800", "context": {"user_id": "\u0000"}}"#).valid);
    assert!(!recorded(&format!("[{}1]", "1,".repeat(1_000_000))).valid);
}

#[test]
fn messages_and_suggestions_have_the_length_they_may_have() {
    let odd = [
        json!(null),
        json!({}),
        json!({"query": 5, "context": []}),
        json!({"query": "", "context": {"user_id": 1, "previous_context": "x"}}),
        json!({"status": "done", "message": 1, "conversation_context": 1}),
        json!({"status": "success", "conversation_context": {}}),
        json!({"status": "error"}),
    ];
    for value in &odd {
        for validation in [validate_request(value), validate_response(value)] {
            for issue in validation.issues {
                let suggestion = issue.suggestion.expect("every issue says what to do");
                assert!((10..=500).contains(&issue.message.chars().count()), "{}", issue.message);
                assert!((10..=500).contains(&suggestion.chars().count()), "{suggestion}");
            }
        }
    }
}
