use super::*;
use crate::json::scan_document;
use serde_json::{Value, json};

fn read(value: &Value) -> Result<JudgeResult, Vec<Issue>> {
    read_result(scan_document(&value.to_string(), 1_000).expect("well-formed"))
}

/// A result without a flaw, for tests to change.
fn flawless() -> Value {
    json!({"valid": true, "confidence": 0.95, "quality_score": 0.9, "issues": []})
}

fn with(changes: &Value) -> JudgeResult {
    let mut value = flawless();
    for (name, change) in changes.as_object().expect("changes") {
        value[name] = change.clone();
    }
    read(&value).expect("a result that can be read")
}

fn found(issue: &Value) -> Value {
    json!({"issues": [issue]})
}

#[test]
fn a_result_is_recognised_with_one_member_missing() {
    let is = |value: Value| is_result(scan_document(&value.to_string(), 100).expect("well-formed"));
    assert!(is(flawless()));
    assert!(is(json!({"confidence": 1, "issues": [], "quality_score": 2})));
    assert!(!is(json!({"valid": true, "issues": []})));
    assert!(!is(json!(["valid", "confidence", "issues", "quality_score"])));
}

#[test]
fn what_breaks_the_schema_but_can_be_read_is_read() {
    let mut value = flawless();
    value["confidence"] = json!(1.5);
    value["issues"] = json!([{"severity": "info", "type": "style_issue", "message": "short"}]);
    value["metadata"] = json!({"total_issues": "one", "info_count": 1.0});
    let result = read(&value).expect("it can be read");
    let found: Vec<_> = result.violations.iter().map(|issue| issue.location.as_deref()).collect();
    assert_eq!(
        found,
        [Some("/confidence"), Some("/issues/0/message"), Some("/metadata/total_issues")]
    );
    assert_eq!(result.metadata.map(|metadata| metadata.info_count), Some(Some(1)));
}

#[test]
fn what_cannot_be_read_says_why() {
    for (member, broken) in [
        ("valid", json!("yes")),
        ("confidence", json!(null)),
        ("issues", json!({})),
        ("issues", json!([{"severity": "fatal", "type": "x", "message": "long enough"}])),
        ("issues", json!(["a text"])),
        ("passed_criteria", json!([1])),
    ] {
        let mut value = flawless();
        value[member] = broken;
        let issues = read(&value).expect_err(member);
        assert!(issues.iter().any(|issue| issue.severity == Severity::Error), "{member}");
    }
    assert!(read(&json!(null)).is_err_and(|issues| issues.len() == 1));
}

#[test]
fn an_issue_of_an_unknown_type_is_counted_and_kept() {
    let result = with(&json!({"issues": [
        {"severity": "info", "type": "tone", "message": "It sounds harsh"},
        {"severity": "info", "type": "tone", "message": "It sounds cold"},
        {"severity": "info", "type": "style_issue", "message": "Tabs and spaces"}
    ]}));
    assert_eq!(result.unknown_kinds(), BTreeMap::from([("tone", 2)]));
    let issues: Vec<Issue> = result.issues.iter().map(RecordedIssue::to_issue).collect();
    assert_eq!(issues[0].kind, IssueType::UnlistedIssue);
    assert_eq!(issues[0].message, "It sounds harsh");
    assert_eq!(issues[2].kind, IssueType::StyleIssue);
    assert!(result.complaints().is_empty());
}

#[test]
fn high_confidence_does_not_go_with_doubt() {
    let doubt =
        json!({"severity": "warning", "type": "source_missing", "message": "No source given"});
    let complaints = with(&found(&doubt)).complaints();
    assert_eq!(complaints.len(), 1);
    assert_eq!(complaints[0].kind, IssueType::ConfidenceMismatch);
    assert_eq!(complaints[0].message, "confidence is 0.95, but an issue is of type source_missing");
    let unsure = json!({"issues": [doubt], "confidence": 0.9_f64.next_down()});
    assert!(with(&unsure).complaints().is_empty());
}

#[test]
fn severities_disagree_only_at_one_place_and_for_one_type() {
    let pair = |places: [&str; 2], kinds: [&str; 2]| {
        let issue = |severity: &str, at: usize| {
            json!({"severity": severity, "type": kinds[at], "location": places[at],
                "message": "Something is odd here"})
        };
        let issues = json!([issue("error", 0), issue("warning", 1)]);
        with(&json!({"valid": false, "issues": issues})).inconsistencies().len()
    };
    assert_eq!(pair(["line:42", "line:42"], ["style_issue", "style_issue"]), 1);
    assert_eq!(pair(["line:42", "line:43"], ["style_issue", "style_issue"]), 0);
    assert_eq!(pair(["line:42", "line:42"], ["style_issue", "security_issue"]), 0);
    assert_eq!(pair(["N/A", "N/A"], ["style_issue", "style_issue"]), 0);
}

#[test]
fn many_contradicting_criteria_do_not_make_many_issues() {
    let names: Vec<String> = (0..1_000).map(|number| format!("criterion {number}")).collect();
    let result = with(&json!({"passed_criteria": names, "failed_criteria": names}));
    let contradicting = result.inconsistencies().into_iter();
    let both = contradicting.filter(|issue| issue.message.contains("both passed and failed"));
    assert_eq!(both.count(), 20);
}

#[test]
fn what_blocks_acceptance_is_an_error() {
    let found = |result: serde_json::Value| -> Vec<String> {
        with(&result).inconsistencies().into_iter().map(|issue| issue.message).collect()
    };
    let issue = json!({"severity": "info", "type": "hallucination", "message": "It was made up"});
    assert_eq!(
        found(json!({"valid": true, "issues": [issue]})),
        ["the severity of hallucination is info, but it blocks acceptance"]
    );
    assert_eq!(
        found(json!({"valid": true, "failed_criteria": ["Tests are included"]})),
        ["valid is true, but 1 criterion failed"]
    );
}

#[test]
fn a_report_shows_control_characters_instead_of_sending_them() {
    let odd = json!({"severity": "error", "type": "x\u{1b}[2J", "message": "two\nlines, é", "suggestion": ""});
    let report = text_report(&with(&json!({"valid": false, "issues": [odd]})));
    assert!(report.contains("  • [x\\u{1b}[2J] two\\nlines, é\n"), "{report}");
    assert!(!report.contains('→') && !report.contains('\u{1b}'));
}

#[test]
fn hostile_results_end() {
    let read_text = |text: &str| read_result(scan_document(text, 1_000_000).expect("well-formed"));
    let deep = format!(
        r#"{{"valid": true, "confidence": 1, "quality_score": 1, "issues": [], "metadata": {}{}}}"#,
        "{\"a\":".repeat(20_000) + "1",
        "}".repeat(20_000)
    );
    assert!(read_text(&deep).is_ok());
    let many = format!("[{}0]", "{},".repeat(500_000));
    let wide = format!(r#"{{"valid":true,"confidence":1e999,"quality_score":-0,"issues":{many}}}"#);
    assert!(read_text(&wide).is_err());
    let result = read_text(
        r#"{"valid":true,"confidence":1e999,"quality_score":0,"issues":[],
            "metadata":{"total_issues":99999999999999999999,"error_count":-9223372036854775808,
            "warning_count":-1,"info_count":0}}"#,
    );
    let result = result.expect("odd numbers can be read");
    assert_eq!(result.inconsistencies().len(), 4);
}
