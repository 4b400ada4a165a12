use super::*;
use crate::cases;
use crate::check::Checks;
use crate::check::tests::{in_words, judged, read};
use crate::json::scan_document;
use crate::rulebook::{Problem, Rulebook};
use crate::verdict::{CheckKind, Issue};
use std::sync::Arc;

const REPLIER: Replier<'_> = Replier { server: Some("nvd"), tool: "lookup" };

/// What facts find in `reply JSON`, the reply of a tool, or in `line JSON`, a line of a recording.
fn found(facts: &Arc<Facts>, question: &str) -> String {
    let (kind, text) = question.split_once(' ').expect("a word and JSON");
    let issues = if kind == "reply" {
        facts.check(REPLIER, scan_document(text, 1_000).expect("JSON"))
    } else {
        let rulebook = Rulebook::builtin("guide").expect("built in");
        let mut checks = Checks::default();
        checks.facts.push(Arc::clone(facts));
        let verdict = judged(&read(text), &rulebook, checks);
        if verdict.checks.made().all(|check| check != CheckKind::Facts) {
            return "not checked".to_owned();
        }
        let of_facts = |issue: &Issue| {
            [" is stated as ", " is stated without ", " has no source"]
                .iter()
                .any(|words| issue.message.contains(words))
                && issue.message.starts_with('/')
        };
        verdict.issues.into_iter().filter(of_facts).collect()
    };
    in_words(&issues)
}

#[test]
fn facts_find_what_their_cases_list() {
    cases::check("tests/cases/facts.txt", |case| {
        let (questions, file) = case.questions(&["reply", "line"]);
        let facts = if file.starts_with("subject,") {
            Facts::from_csv(&file, "facts.csv")
        } else {
            Facts::from_toml(&file, "facts.toml")
        };
        let answers: Vec<String> = match facts.map(Arc::new) {
            Ok(facts) => questions.iter().map(|question| found(&facts, question)).collect(),
            Err(problems) => problems.iter().map(Problem::in_words).collect(),
        };
        answers.join("\n")
    });
}

fn facts(text: &str) -> Facts {
    Facts::from_toml(text, "facts.toml").expect("a facts file in order")
}

#[test]
fn hostile_replies_end() {
    let facts = facts(
        "facts = [{subject = 'lookup', field = '/a', value = 'x', source = 'me', cited_at = ''}]",
    );
    let check = |text: &str| {
        facts.check(REPLIER, scan_document(text, 1_000_000).expect("well-formed")).len()
    };
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(check(&format!(r#"{{"a": {deep}}}"#)), 2);
    let wide = format!("[{}0]", "[],".repeat(500_000));
    assert_eq!(check(&format!(r#"{{"a": "x", "b": {wide}}}"#)), 1);
    assert_eq!(check(&format!(r#"{{"a": "{}"}}"#, "é".repeat(1_000_000))), 2);
}

#[test]
fn long_plain_texts_are_read_in_bounded_time() {
    let known =
        "facts = [{subject = '/cve=CVE-1', field = '/cvss_score', value = 7.5, source = 'NVD'}]";
    let facts = facts(known);
    let check = |text: String| facts.check_text(&text, &check::Speaker::Tool).len();
    assert_eq!(check("CVE-1 has a CVSS score of 9.8. ".repeat(100_000)), 1);
    assert_eq!(check("x of ".repeat(1_000_000)), 0);
    assert_eq!(check("é".repeat(1_000_000)), 0);
}
