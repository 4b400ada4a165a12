use super::*;
use crate::check::schema::Schemas;
use crate::check::{Checks, Judge};
use crate::corpus::{Bounds, read_exchange};
use crate::json::scan_document;
use crate::rulebook::Rulebook;
use crate::verdict::{CheckKind, Issue};
use serde_json::json;
use std::sync::Arc;

const REPLIER: Replier<'_> = Replier { server: Some("nvd"), tool: "lookup" };

fn facts(text: &str) -> Facts {
    Facts::from_toml(text, "facts.toml").expect("a facts file in order")
}

fn check(facts: &Facts, reply: &Value) -> Vec<Issue> {
    facts.check(REPLIER, scan_document(&reply.to_string(), 1_000).expect("well-formed"))
}

fn kinds(facts: &Facts, reply: &Value) -> Vec<&'static str> {
    check(facts, reply).iter().map(|issue| issue.kind.name()).collect()
}

#[test]
fn a_reply_is_held_against_the_facts_about_what_it_speaks_of() {
    let facts = facts(
        r#"
        [[facts]]
        subject = "/id=CVE-2024-1"
        field = "/score"
        value = 7.5
        source = "NVD"
        "#,
    );
    let issues = check(&facts, &json!({"id": "CVE-2024-1", "score": 9.8}));
    assert_eq!(
        issues[0].message,
        "/score of CVE-2024-1 is stated as 9.8, but is 7.5 according to NVD"
    );
    assert_eq!(issues[0].suggestion.as_deref(), Some("Correct /score to 7.5"));
    assert_eq!(kinds(&facts, &json!({"id": "CVE-2024-1", "score": 7.50})), [""; 0]);
    assert_eq!(kinds(&facts, &json!({"id": "CVE-2024-1", "score": null})), [""; 0]);
    assert_eq!(kinds(&facts, &json!({"id": "CVE-2024-2", "score": 9.8})), [""; 0]);
    assert_eq!(kinds(&facts, &json!({"id": "CVE-2024-1", "score": "7.5"})), ["fact_mismatch"]);
}

#[test]
fn a_tool_is_named_alone_or_with_its_server() {
    for (subject, applies) in [
        ("lookup", true),
        ("nvd/lookup", true),
        ("nvd/*", true),
        ("other/lookup", false),
        ("search", false),
    ] {
        let text = format!("facts = [{{subject = '{subject}', field = '/a', unknown = true}}]");
        let found = kinds(&facts(&text), &json!({"a": [1]}));
        assert_eq!(found.as_slice(), if applies { &["unsupported_claim"][..] } else { &[] });
    }
}

#[test]
fn a_source_must_be_there_and_named_where_that_is_demanded() {
    let facts = facts(
        r#"
        facts = [
            {subject = "lookup", field = "/a", value = "x"},
            {subject = "lookup", field = "/b", value = 1, source = "RFC 1", cited_at = "/refs"},
            {subject = "lookup", field = "/c", value = true, source = "RFC 2", cited_at = ""},
        ]
        "#,
    );
    let messages = |reply: &Value| -> Vec<String> {
        check(&facts, reply).into_iter().map(|issue| issue.message).collect()
    };
    assert_eq!(messages(&json!({"a": "x"})), ["The fact about /a of lookup has no source"]);
    assert_eq!(
        messages(&json!({"b": 1, "text": "see RFC 1"})),
        ["/b of lookup is stated without its source RFC 1"]
    );
    assert_eq!(messages(&json!({"b": 1, "refs": [{"title": "the RFC 1, 1969"}]})), [""; 0]);
    assert_eq!(messages(&json!({"c": true, "text": "see RFC 2"})), [""; 0]);
}

#[test]
fn lists_and_tables_are_compared_by_what_is_in_them() {
    let facts = facts(
        "facts = [{subject = 'lookup', field = '/a', value = {b = [1, 2.0]}, source = 'me'}]",
    );
    assert_eq!(kinds(&facts, &json!({"a": {"b": [1.0, 2]}})), [""; 0]);
    assert_eq!(kinds(&facts, &json!({"a": {"b": [2, 1]}})), ["fact_mismatch"]);
}

#[test]
fn csv_says_the_same_without_types() {
    let text = "subject,field,value,source,cited_at\n\
                /id=7,/score,7.50,NVD,\n\
                /id=7,/fixed,true,NVD,\n\
                /id=7,/name,\"Smith, A\",NVD,/refs\n\
                /id=7,/finder,,,\n";
    let facts = Facts::from_csv(text, "facts.csv").expect("a facts file in order");
    assert_eq!(facts.len(), 4);
    let right = json!({"id": 7, "score": 7.5, "fixed": true, "name": "Smith, A", "refs": "NVD"});
    assert_eq!(kinds(&facts, &right), [""; 0]);
    let wrong = json!({"id": 7, "score": 8, "fixed": "no", "name": [], "finder": "x"});
    assert_eq!(
        kinds(&facts, &wrong),
        ["fact_mismatch", "fact_mismatch", "fact_mismatch", "source_missing", "unsupported_claim"]
    );
}

#[test]
fn all_mistakes_of_a_toml_file_are_told_at_once_with_their_lines() {
    let text = "\
[[facts]]
subject = 'lookup'
field = 'a.b'
value = 2024-01-01
[[facts]]
subject = '/id'
field = '/a'
value = 1
unknown = true
[[facts]]
subjet = 'lookup'
field = '/a'
cited_at = '/refs'
[[facts]]
subject = 'x'
field = '/a'
unknown = true
[[facts]]
subject = 'x'
field = '/a'
value = 1
";
    let FactsError(problems) = Facts::from_toml(text, "facts.toml").expect_err("mistakes");
    let found: Vec<(usize, &str)> =
        problems.iter().map(|problem| (problem.line, problem.message.as_str())).collect();
    assert_eq!(
        found,
        [
            (3, "a JSON pointer begins with a slash"),
            (4, "JSON has no dates: write it as a text, in quotes"),
            (6, "a subject that begins with a slash must be POINTER=VALUE"),
            (8, "a fact has either `value` or `unknown`: remove one of them"),
            (10, "`subject` is missing here"),
            (10, "`value` is missing here, or `unknown = true`"),
            (11, "unknown key `subjet`"),
            (13, "a source must be named before a reply can cite it: add `source`"),
            (18, "/a of x is stated twice, first at facts.toml:14"),
        ]
    );
    assert_eq!(problems[0].help.as_deref(), Some("did you mean `/a/b`?"));
}

#[test]
fn all_mistakes_of_a_csv_file_are_told_at_once_with_their_lines() {
    let lines = |text: &str| -> Vec<(usize, String)> {
        let FactsError(problems) = Facts::from_csv(text, "facts.csv").expect_err("mistakes");
        problems.into_iter().map(|problem| (problem.line, problem.message)).collect()
    };
    let found = lines("subject,field,value,source\nx,a,1,me\nx,/b,1\n,/c,1,me\n");
    let found: Vec<(usize, &str)> = found.iter().map(|(line, text)| (*line, &**text)).collect();
    assert_eq!(
        found,
        [
            (2, "a JSON pointer begins with a slash"),
            (3, "this line has 3 columns, but the first has 4"),
            (4, "the subject is empty: name a tool, or POINTER=VALUE"),
        ]
    );
    let found = lines("subject,feld,value\n");
    assert_eq!(found.len(), 3);
    assert_eq!(lines("subject,field,value,source\n")[0].1, "there are no facts in this file");
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

/// What is known of two vulnerabilities.
const KNOWN: &str = r#"
[[facts]]
subject = "/cve=CVE-1"
field = "/cvss_score"
value = 7.5
source = "NVD"
[[facts]]
subject = "/cve=CVE-1"
field = "/fixed_in"
value = "1.24.1"
source = "NVD"
[[facts]]
subject = "/cve=CVE-1"
field = "/discoverer"
unknown = true
"#;

/// What the facts check finds in a recorded line: location, type and message of each issue. `None` where the
/// check is not made.
fn found(line: &Value) -> Option<Vec<String>> {
    let rulebook = Rulebook::builtin("guide").expect("built in");
    let schemas = Schemas::new(rulebook.schema.clone());
    let line = line.to_string();
    let exchange = read_exchange(&line, &Bounds::default()).expect("a call");
    let mut checks = Checks::default();
    checks.facts.push(Arc::new(facts(KNOWN)));
    let verdict = Judge::new(&rulebook, &schemas).with_checks(checks).judge(&exchange);
    let own = |issue: &&Issue| issue.message.contains("CVE-1 ");
    let told = |issue: &Issue| {
        let place = issue.location.as_deref().unwrap_or("nowhere");
        format!("{place}: {} {}", issue.kind.name(), issue.message)
    };
    let is_made = verdict.checks.made().any(|check| check == CheckKind::Facts);
    is_made.then(|| verdict.issues.iter().filter(own).map(told).collect())
}

fn judged(valid: bool, issues: &Value) -> Value {
    json!({"valid": valid, "confidence": 0.8, "quality_score": 0.9, "issues": issues})
}

fn tool_said(text: &str) -> Option<Vec<String>> {
    found(
        &json!({"tool": "ask", "input": {}, "response": {"content": [{"type": "text", "text": text}]}}),
    )
}

#[test]
fn a_judge_that_accepts_a_wrong_output_is_contradicted() {
    let output =
        json!({"cve": "CVE-1", "cvss_score": 9.8, "fixed_in": "1.24.1", "discoverer": "A. Smith"});
    let result = judged(true, &json!([]));
    let known = [
        "/output/cvss_score: hallucination /cvss_score of CVE-1 is stated as 9.8, but is 7.5 according to NVD; the judge called the output valid",
        "/output/discoverer: unsupported_claim /discoverer of CVE-1 is stated as \"A. Smith\", but nothing is known about it; the judge called the output valid",
    ];
    let mut bare = result.clone();
    bare["output"] = output.clone();
    for line in [
        json!({"result": result, "output": output}),
        json!({"result": result, "output": output.to_string()}),
        json!({"result": result, "input": {"question": "How bad is CVE-1 ?"}, "output": output}),
        json!({"request": {"output": output}, "response": result}),
        bare,
        json!({"tool": "validate", "input": {"output": output}, "response": {"structuredContent": result}}),
    ] {
        assert_eq!(found(&line).as_deref(), Some(&known.map(str::to_owned)[..]), "{line}");
    }
    let right = json!({"cve": "CVE-1", "cvss_score": 7.5});
    assert_eq!(found(&json!({"result": result, "output": right})), Some(Vec::new()));
    assert_eq!(found(&json!({"result": result})), None, "nothing was judged");
    assert_eq!(found(&json!({"result": result, "input": output})), None, "it is the question");
}

#[test]
fn what_a_judge_reports_itself_is_not_reported_twice() {
    let output = json!({"cve": "CVE-1", "cvss_score": 9.8});
    let line = |kind: &str, message: &str| {
        let issue = json!({"severity": "error", "type": kind, "message": message});
        found(&json!({"result": judged(false, &json!([issue])), "output": output}))
    };
    let own = "/output/cvss_score: hallucination /cvss_score of CVE-1 is stated as 9.8, but is 7.5 according to NVD";
    let said = "CVSS score stated as 9.8 but actual score is 7.5 according to NVD";
    for kind in ["hallucination", "fact_mismatch"] {
        assert_eq!(line(kind, said), Some(Vec::new()), "{kind}");
    }
    for (kind, message) in [
        ("style_issue", "The score 9.8 is not in bold"),
        ("hallucination", "The version 9.8.1 does not exist"),
        ("hallucination", "The date was made up"),
    ] {
        assert_eq!(line(kind, message), Some(vec![own.to_owned()]), "{message}");
    }
}

#[test]
fn a_clear_statement_in_plain_text_is_compared() {
    let score = "fact_mismatch /cvss_score of CVE-1 is stated as 9.8, but is 7.5 according to NVD";
    for text in [
        "The CVSS score of CVE-1 is 9.8.",
        "CVE-1 has a CVSS score of 9.8",
        "Two findings.\n\n- CVE-1's CVSS score is 9.8.\n- Fix it soon! CVE-1 has a cvss_score of 9.8.",
        "It was bad once.\n\nNow for the list.\n\nThe CVSS score for CVE-1 is 9.8!",
    ] {
        assert_eq!(tool_said(text), Some(vec![format!("nowhere: {score}")]), "{text}");
        let line = json!({"result": judged(true, &json!([])), "output": text});
        let judged = "/output: hallucination /cvss_score of CVE-1 is stated as 9.8, but is 7.5 according to NVD; the judge called the output valid";
        assert_eq!(found(&line), Some(vec![judged.to_owned()]), "{text}");
    }
    let quoted = [
        "nowhere: fact_mismatch /fixed_in of CVE-1 is stated as \"1.24.0\", but is \"1.24.1\" according to NVD",
        "nowhere: unsupported_claim /discoverer of CVE-1 is stated as \"Ann Smith\", but nothing is known about it",
    ];
    let text = "CVE-1 has a fixed in of \"1.24.0\". The discoverer of `CVE-1` is \"Ann Smith\".";
    assert_eq!(tool_said(text).as_deref(), Some(&quoted.map(str::to_owned)[..]));
}

#[test]
fn plain_text_that_is_not_clear_is_no_contradiction() {
    for text in [
        "",
        "CVE-1",
        "CVE-1 has a CVSS score of 7.5.",
        "CVE-1 has a CVSS score of 8.",
        "CVE-2 has a CVSS score of 9.8.",
        "CVE-1 has an EPSS score of 9.8.",
        "CVE-1 has a score of 9.8.",
        "CVE-1 has a CVSS score of 9.8 in version 2.",
        "CVE-1 has a CVSS score of 9.8, which nobody believes.",
        "CVE-1 has a CVSS score of 9.8?",
        "Does it matter? CVE-1 has a CVSS score of 9.8.",
        "It is wrong that CVE-1 has a CVSS score of 9.8.",
        "The following is wrong.\n\nCVE-1 has a CVSS score of 9.8.",
        "CVE-1 has a CVSS score of 9.8. That was an error.",
        "CVE-1 has a CVSS score of 9.8.\n\n\n\nCorrection: it is 7.5.",
        "For example: e.g. CVE-1 has a CVSS score of 9.8.",
        "> CVE-1 has a CVSS score of 9.8.",
        "The CVSS score of CVE-1 is \"high\".",
        "The CVSS score of CVE-1 is high.",
        "The discoverer of CVE-1 is unknown.",
        "The fixed in of CVE-1 is 1.24.0.",
    ] {
        assert_eq!(tool_said(text), Some(Vec::new()), "{text}");
    }
}

#[test]
fn a_statement_that_several_facts_could_be_about_is_not_compared() {
    let two = "facts = [{subject = '/a=7', field = '/n', value = 1}, {subject = '/b=7', field = '/n', value = 2}]";
    let check = |facts: &str, text| {
        Facts::from_toml(facts, "f").expect("facts").check_text(text, &speaker::Speaker::Tool)
    };
    assert!(check(two, "The n of 7 is 5.").is_empty());
    let nested = "facts = [{subject = '/cve/id=C', field = '/cve/cvss/score', value = 7.5}]";
    assert!(check(nested, "The score of C is 9.8.").is_empty(), "which score?");
    assert_eq!(check(nested, "The CVSS score of C is 9.8.").len(), 1);
}

#[test]
fn long_plain_texts_are_read_in_bounded_time() {
    let facts = facts(KNOWN);
    let check = |text: String| facts.check_text(&text, &speaker::Speaker::Tool).len();
    assert_eq!(check("CVE-1 has a CVSS score of 9.8. ".repeat(100_000)), 1);
    assert_eq!(check("x of ".repeat(1_000_000)), 0);
    assert_eq!(check("é".repeat(1_000_000)), 0);
}
