use super::*;
use crate::cases;
use crate::check::tests::in_words;
use crate::json::scan_document;
use serde_json::json;

#[test]
fn envelopes_are_judged_as_their_cases_list() {
    cases::check("tests/cases/envelopes.txt", |case| {
        let (questions, files) = case.questions(&["request", "response", "recognise"]);
        let file = |name| {
            let mut files = files.split("--- ").filter_map(|file| file.split_once('\n'));
            files.find(|file| file.0 == name).map(|(name, text)| SchemaFile { name, text })
        };
        let envelopes = match Envelopes::load(file("request.json"), file("response.json")) {
            Ok(envelopes) => envelopes,
            Err(error) => return error.to_string(),
        };
        let found = |question: &&str| {
            let (word, envelope) = question.split_once(' ').expect("a word and JSON");
            let envelope = scan_document(envelope, 1_000).expect("JSON");
            let direction = match word {
                "request" => Direction::Request,
                "response" => Direction::Response,
                _ => return format!("{} {}", is_request(envelope), is_response(envelope)),
            };
            let Validation { valid, issues } = envelopes.recorded(direction, envelope);
            let valid = if valid { "valid" } else { "not valid" };
            format!("{valid}: {}", in_words(&issues))
        };
        questions.iter().map(found).collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn the_words_of_a_status_are_those_of_the_schema() {
    let schema: Value = serde_json::from_str(Direction::Response.schema()).expect("JSON");
    assert_eq!(schema["properties"]["status"]["enum"], json!(STATUSES));
}

#[test]
fn functions_for_programs_know_the_built_in_schemas() {
    let builtin = Envelopes::builtin();
    assert_eq!(validate_request(&json!({})), builtin.request(&json!({})));
    assert_eq!(validate_response(&json!({})), builtin.response(&json!({})));
}

#[test]
fn hostile_envelopes_are_judged_and_end() {
    let recorded = |text: &str| {
        let raw = scan_document(text, 1_000_000).expect("well-formed");
        Envelopes::builtin().recorded(Direction::Request, raw)
    };
    let (open, close) = ("[".repeat(50_000), "]".repeat(50_000));
    let deep = format!(r#"{{"query":7,"context":{{"previous_context":{{"x":{open}{close}}}}}}}"#);
    let found = recorded(&deep).issues.into_iter().map(|issue| issue.message);
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            "Invalid type, expected string",
            "What is deeper than 128 levels in this request was not looked at"
        ]
    );
    assert!(!recorded(&format!("[{}1]", "1,".repeat(1_000_000))).valid);
}
