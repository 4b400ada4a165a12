use super::*;
use crate::json::scan_document;
use crate::verdict::Issue;
use serde_json::json;

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
