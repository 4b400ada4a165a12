//! Recorded session reports and tool definitions: one case a file, found by walking `tests/seeds`.

use crate::harness::paths_in;
use crate::support::{Differences, home};
use serde_json::Value;
use tapecheck::internals::check::session_report::{check, recognise};
use tapecheck::internals::json::{Raw, scan_document, to_value};
use tapecheck::internals::lint::tools::lint;
use tapecheck::internals::recording::Tool;
use tapecheck::internals::verdict::Issue;

/// The cases of a folder, by name.
fn cases(folder: &str) -> Vec<(String, String)> {
    let folder = home().join("tests/seeds").join(folder);
    paths_in(&folder)
        .into_iter()
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a readable case"))
        })
        .collect()
}

/// A case's text, read as recordings are: it may hold what a strict reader refuses.
fn part<'a>(text: &'a str, name: &str, member: &str) -> Raw<'a> {
    let case = scan_document(text, 1_000).unwrap_or_else(|error| panic!("{name}: {error}"));
    case.member(member).unwrap_or_else(|| panic!("{name} has no `{member}`"))
}

/// Issues as the cases write them.
fn written(issues: &[Issue], members: &[&str]) -> Vec<String> {
    let one = |issue: &Issue| {
        let member = |name: &&str| match *name {
            "severity" => issue.severity.name().to_owned(),
            "type" => issue.kind.name().to_owned(),
            _ => issue.location.clone().unwrap_or_else(|| "null".to_owned()),
        };
        members.iter().map(member).collect::<Vec<_>>().join(" ")
    };
    let mut lines: Vec<String> = issues.iter().map(one).collect();
    lines.sort();
    lines
}

/// The issues that a case expects, in the same form.
fn expected(expect: &Value, members: &[&str]) -> Vec<String> {
    let one = |issue: &Value| {
        let member = |name: &&str| issue[*name].as_str().unwrap_or("null").to_owned();
        members.iter().map(member).collect::<Vec<_>>().join(" ")
    };
    let issues = expect["issues"].as_array().expect("expected issues");
    let mut lines: Vec<String> = issues.iter().map(one).collect();
    lines.sort();
    lines
}

fn assert_worded(name: &str, issues: &[Issue]) {
    for issue in issues {
        let length = issue.message.chars().count();
        assert!((10..=500).contains(&length), "{name}: {length} characters: {}", issue.message);
        let suggestion = issue.suggestion.as_deref().unwrap_or_default();
        assert!((10..=500).contains(&suggestion.len()), "{name}: {suggestion}");
    }
}

#[test]
fn recorded_reports_are_held_against_themselves() {
    const MEMBERS: [&str; 2] = ["type", "location"];
    let mut differences = Differences::default();
    let cases = cases("session");
    assert!(cases.len() > 80, "only {} cases were found", cases.len());
    for (name, text) in &cases {
        let response = part(text, name, "response");
        let expect = to_value(part(text, name, "expect"));
        let is_one = expect["recognised"].as_bool().unwrap_or(true);
        differences.compare(name, &recognise(response).into(), &is_one.into());
        if is_one {
            let issues = check(response);
            assert_worded(name, &issues);
            let found = written(&issues, &MEMBERS);
            differences.compare(name, &found.into(), &expected(&expect, &MEMBERS).into());
        }
    }
    differences.assert_none("recorded session reports");
}

#[test]
fn tool_definitions_are_held_against_the_advice() {
    const MEMBERS: [&str; 3] = ["severity", "type", "location"];
    let mut differences = Differences::default();
    let cases = cases("tools");
    assert!(cases.len() > 15, "only {} cases were found", cases.len());
    for (name, text) in &cases {
        let definition = part(text, name, "tool").text().to_owned();
        let tool = Tool { definition: Some(definition), ..Tool::named(name.as_str()) };
        let issues: Vec<_> = lint(&tool).into_iter().map(|given| given.issue).collect();
        assert_worded(name, &issues);
        let expect = to_value(part(text, name, "expect"));
        let found = written(&issues, &MEMBERS);
        differences.compare(name, &found.into(), &expected(&expect, &MEMBERS).into());
    }
    differences.assert_none("tool definitions");
}

#[test]
fn sessions_without_errors_are_reports_too() {
    let flat = r#"{"id":"s-1","content":"Ready","tasks":[]}"#;
    for report in [flat.to_owned(), format!(r#"{{"session":{flat}}}"#)] {
        let raw = scan_document(&report, 64).expect("well-formed");
        assert!(recognise(raw), "{report}");
        assert_eq!(check(raw), [], "{report}");
    }
    for other in [r#"{"session":"s-1"}"#, r#"{"tasks":[{"id":1}]}"#] {
        assert!(!recognise(scan_document(other, 64).expect("well-formed")), "{other}");
    }
}

#[test]
fn the_severity_of_an_issue_is_error_or_warning() {
    let report = r#"{"hasValidationErrors":false,"integrityIssues":[{"type":"parse","severity":"info","message":"Odd spacing"}]}"#;
    let found = check(scan_document(report, 64).expect("well-formed"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.contains("`info` instead of error or warning"), "{found:?}");
}
