//! The built-in todo contract does what its document says: each example and each rule is a file in
//! `tests/seeds/contract`.

use crate::harness::paths_in;
use std::fs;
use std::path::Path;
use tapecheck::internals::check::contract::{Contract, InputCheck, OutputContext};
use tapecheck::internals::json::{Raw, RawStr, scan_document, to_value};
use tapecheck::internals::recording::Started;
use tapecheck::internals::verdict::Issue;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/seeds/contract");

/// What a case gives: issues, and the cleaned arguments where it has any.
fn outcome(contract: &Contract, case: Raw<'_>) -> InputCheck {
    let text = |name: &str| case.member(name).and_then(Raw::as_str).map(RawStr::decode);
    let tool = text("tool_name").unwrap_or_default();
    let only = |issues: Vec<Issue>| InputCheck { issues, sanitized: None };
    if let Some(session) = case.member("session") {
        let facts = to_value(session);
        let names = facts.get("listed").and_then(serde_json::Value::as_array);
        let listed: Option<Vec<String>> = names.map(|names| {
            names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        });
        let start = match facts["initialized"].as_bool() {
            Some(true) => Started::Initialized,
            _ => Started::NotInitialized,
        };
        only(contract.check_session(start, listed.as_deref()))
    } else if let Some(parameters) = case.member("parameters") {
        contract.check_input(&tool, parameters)
    } else if let Some(output) = case.member("response") {
        let original = case.member("original");
        only(contract.check_output(&tool, OutputContext { input: None, output, original }))
    } else {
        only(contract.check_tool_name(&tool).into_iter().collect())
    }
}

/// What is wrong with the outcome of a case.
fn complaint(contract: &Contract, file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).expect("a readable case");
    let case =
        scan_document(&text, 64).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let expect = to_value(case.member("expect").expect("what to expect"));
    let found = outcome(contract, case);
    let messages: Vec<&str> = found.issues.iter().map(|issue| issue.message.as_str()).collect();
    let is_valid = expect["valid"].as_bool().expect("valid");
    let texts = |name: &str| -> Option<Vec<String>> {
        let list = expect.get(name)?.as_array()?;
        Some(list.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect())
    };
    let as_expected = messages.is_empty() == is_valid
        && texts("errors").is_none_or(|errors| errors == messages)
        && texts("errors_include").is_none_or(|parts| {
            parts.iter().all(|part| messages.iter().any(|message| message.contains(part.as_str())))
        })
        && expect
            .get("sanitized_parameters")
            .is_none_or(|value| found.sanitized.as_ref() == Some(value))
        && found.issues.iter().all(|issue| (10..=500).contains(&issue.message.chars().count()));
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    (!as_expected)
        .then(|| format!("{}: {messages:?}, {:?}", name.unwrap_or_default(), found.sanitized))
}

#[test]
fn every_case_of_the_document_comes_out_as_it_says() {
    let contract = Contract::load("todo").expect("the built-in contract");
    let mut files = paths_in(Path::new(FOLDER));
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    assert!(files.len() > 100, "only {} cases were found", files.len());
    let complaints: Vec<String> =
        files.iter().filter_map(|file| complaint(&contract, file)).collect();
    assert!(complaints.is_empty(), "{} cases:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn the_checklists_name_cases_that_exist() {
    let document = include_str!("../../docs/contracts.md");
    let lists = document.split("\n## The checklists").nth(1).expect("the checklists");
    let rows =
        lists.lines().filter(|line| line.starts_with("| ")).filter_map(|row| row.split('|').nth(2));
    let names: Vec<&str> = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    assert!(names.len() >= 18, "only {} cases are named", names.len());
    for name in names {
        let file = Path::new(FOLDER).join(format!("{name}.json"));
        assert!(file.exists(), "there is no case {name}");
    }
}

#[test]
fn the_example_of_the_document_is_a_contract() {
    let document = include_str!("../../docs/contracts.md");
    let example =
        document.split("```toml notes.toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let contract = Contract::from_toml(example.expect("an example"), "docs/contracts.md");
    let contract = contract.unwrap_or_else(|error| panic!("{error}"));
    let told = |arguments| {
        let raw = scan_document(arguments, 64).expect("well-formed");
        contract.check_input("edit_note", raw).issues.into_iter().map(|issue| issue.message)
    };
    assert_eq!(
        told(r#"{"note_id": 0}"#).collect::<Vec<_>>(),
        ["note_id must be positive", "Give a title or a body"]
    );
}
