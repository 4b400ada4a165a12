//! Envelopes, judge results and session reports: every form in which they can be recorded, through
//! the program, and the collections of the corpus that hold them.

use crate::harness::{
    Place, finish, good, gzip, lines, program, tapecheck, tapecheck_reading, zstd,
};
use crate::support::{Differences, Judged, corpus};
use serde_json::{Map, Value, json};
use tapecheck::internals::verdict::IssueType;

/// A request and its response.
const PAIR: &str = r#"{"id":"p","request":{"query":"Find a cab"},"response":{"status":"done"}}"#;
/// A result that does not agree with itself.
const RESULT: &str = r#"{"id":"r","result":{"valid":true,"confidence":0.5,"quality_score":0.7,"issues":[{"severity":"error","type":"tone_of_voice","message":"The answer shouts"}]}}"#;
/// A report whose flag is wrong.
const REPORT: &str = r#"{"id":"s","response":{"hasValidationErrors":true,"validationStatus":"success","integrityIssues":[]}}"#;

fn piped(place: &Place, input: &[u8]) {
    let out = place.out();
    let arguments = ["run", "-", "--out", out.to_str().expect("UTF-8"), "--stdout", "jsonl"];
    place.keep_verdicts(tapecheck_reading(&arguments, input)).ended_with(0);
}

/// What stands in a member of each verdict, by the id of the exchange.
fn by_id(place: &Place, member: &str) -> Vec<(String, String)> {
    let mut found: Vec<_> = place.ids().into_iter().zip(place.each(member)).collect();
    found.sort();
    found
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(id, value)| ((*id).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn every_form_of_a_recording_holds_them() {
    let records = [PAIR, RESULT, REPORT];
    let pretty: Vec<Value> =
        records.iter().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    let one_by_one: String =
        pretty.iter().map(|it| serde_json::to_string_pretty(it).expect("JSON") + "\n").collect();
    let mut keys = Vec::new();
    for text in [
        lines(&records),
        format!("[{}]", records.join(",")),
        serde_json::to_string_pretty(&pretty).expect("JSON"),
        one_by_one,
        json!({ "records": pretty }).to_string(),
        json!({"log": {"version": "1.2", "entries": pretty}}).to_string(),
    ] {
        for input in [text.clone().into_bytes(), gzip(text.as_bytes()), zstd(text.as_bytes())] {
            let place = Place::new();
            piped(&place, &input);
            place.adds_up();
            assert_eq!(
                by_id(&place, "kind"),
                pairs(&[("p", "envelope"), ("r", "judge_result"), ("s", "session_report")]),
                "of {text}"
            );
            keys.push(place.keys());
        }
    }
    keys.dedup();
    assert_eq!(keys.len(), 1, "all forms are the same three calls");
}

#[test]
fn one_run_judges_all_kinds_at_once() {
    let place = Place::with_good_recording();
    place.recording("a.jsonl", lines(&[PAIR, &good("a"), RESULT, REPORT]));
    place.recording("b.jsonl", lines(&[RESULT]));
    place.run(&[]).ended_with(0);
    place.lost_nothing();
    let formats = &place.json("summary.json")["formats"];
    assert_eq!(formats, &json!({"envelopes": 1, "call lines": 1, "judge results": 1}));
    let called = &place.json("summary.json")["top_tools"];
    assert_eq!(called.as_array().map(Vec::len), Some(1), "documents call no tool: {called}");
    let types: Vec<String> = place
        .verdicts()
        .iter()
        .flat_map(|verdict| verdict["issues"].as_array().expect("issues").clone())
        .map(|issue| issue["type"].as_str().expect("text").to_owned())
        .collect();
    for wanted in ["constraint_violation", "tone_of_voice", "report_untruthful"] {
        assert!(types.iter().any(|found| found == wanted), "no {wanted} among {types:?}");
    }
}

#[test]
fn a_run_of_documents_speaks_of_documents_and_no_tools() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[PAIR, RESULT, REPORT]));
    place.run(&[]).ended_with(0);
    let show =
        |more: &[&str]| finish(program().arg("show").arg(place.out()).args(more)).ended_with(0);
    let table =
        "  outcome  documents\n  worked           0    0.0 %\n  invalid          3  100.0 %";
    show(&[]).printing(table).printing("3 of 3 documents invalid");
    show(&["-v"]).printing(table).printing("3 lines = 3 documents + 0 other messages");
    let page = show(&["--format", "md"]).printing("3 of 3 documents invalid.").out;
    assert!(!page.contains("worst tool"), "{page}");
    assert_eq!(page.matches("documents invalid").count(), 1, "{page}");
    assert_eq!(place.json("summary.json")["tools"], 0);
    place.recording("b.jsonl", lines(&[good("a")]));
    place.run(&[]).ended_with(0);
    show(&["-v"]).printing("  outcome  calls\n").printing("4 lines = 1 call and 3 documents + 0 ");
    let page = show(&["--format", "md"]).printing("3 of 3 documents invalid.").out;
    assert!(page.contains("Of 1 call, 1 worked.") && !page.contains("(no name)"), "{page}");
}

#[test]
fn what_was_sent_over_http_is_taken_out_of_it() {
    let place = Place::new();
    let plain = r#"{"request":{"query":"Find a cab"},"response":{"status":"pending"}}"#;
    let parsed = r#"{"method":"POST","path":"/mcp/v1","request":{"headers":{},"body":{"query":"Find a cab"}},"response":{"status":202,"body":{"status":"pending"}}}"#;
    let texts = r#"{"method":"POST","url":"/mcp/v1","request":{"body":"{\"query\":\"Find a cab\"}"},"response":{"status":202,"body":" {\"status\":\"pending\"}\n"}}"#;
    let har = r#"{"startedDateTime":"2026-03-01T10:00:00Z","time":12.5,"request":{"method":"POST","url":"/mcp/v1","postData":{"text":"{\"query\":\"Find a cab\"}"}},"response":{"status":202,"content":{"text":"{\"status\":\"pending\"}"}}}"#;
    let html = r#"{"id":"html","method":"POST","url":"/mcp/v1","request":{"body":{"query":"a"}},"response":{"status":502,"body":"<html>"}}"#;
    let options = r#"{"method":"OPTIONS","url":"/mcp/v1","request":{"headers":{}},"response":{"status":204,"headers":{}}}"#;
    place.recording("http.jsonl", lines(&[plain, parsed, texts, har, html, options]));
    place.run(&[]).ended_with(0);
    place.adds_up();
    let keys = place.keys();
    let same = keys
        .iter()
        .filter(|key| key.starts_with(&keys[0][..32]))
        .count()
        .max(keys.iter().filter(|key| key.starts_with(&keys[keys.len() - 1][..32])).count());
    assert_eq!(same, 4, "four ways of writing down one call: {keys:?}");
    let traffic = &place.json("summary.json")["traffic"];
    assert_eq!(traffic["(HTTP without bodies)"], 1, "{traffic}");
    let verdicts = place.verdicts();
    let html = verdicts.iter().find(|verdict| verdict["id"] == "html").expect("it was judged");
    assert_eq!(html["decision"], "reject", "a text is no envelope: {html}");
}

/// An entry of a HAR file.
fn entry(method: &str, url: &str, request: &Value, response: &Value) -> Value {
    let body = (!request.is_null()).then(|| json!({"text": request.to_string()}));
    json!({
        "startedDateTime": "2026-03-01T10:00:00Z",
        "time": 12.5,
        "request": {"method": method, "url": url, "headers": [], "postData": body},
        "response": {"status": 200, "content": {"text": response.to_string()}},
    })
}

#[test]
fn only_requests_to_the_paths_of_envelopes_are_envelopes() {
    const OTHER: &str = "(HTTP to other paths than envelope_paths)";
    let place = Place::new();
    let judged = json!({"valid": true, "confidence": 0.9, "issues": [], "quality_score": 0.9});
    let entries = [
        entry("GET", "https://a.example/health", &Value::Null, &json!({"status": "ok"})),
        entry("POST", "https://a.example/login", &json!({"user": "u"}), &json!({"token": "t"})),
        entry(
            "POST",
            "https://a.example/mcp/v1?t=1",
            &json!({"query": 5}),
            &json!({"status": "error"}),
        ),
        entry("POST", "https://a.example/validate", &json!({"output": "x"}), &judged),
    ];
    place.recording("web.har", json!({"log": {"entries": entries}}).to_string());
    let ran = place.run(&["-v"]).ended_with(0);
    place.adds_up();
    assert_eq!(place.each("kind"), ["envelope", "judge_result"], "{}", ran.err);
    assert_eq!(place.json("summary.json")["traffic"][OTHER], 2);
    let explain = |more: &[&str]| {
        let arguments = [&["explain", "web.har:1:1", "recordings"], more].concat();
        finish(program().current_dir(place.root()).args(arguments)).ended_with(0)
    };
    explain(&[]).printing("kind          envelope");
    let two = "--config=envelope_paths=[\"/login\", \"/mcp/*\"]";
    place.run(&[two]).ended_with(0);
    assert_eq!(place.each("kind"), ["envelope", "envelope", "judge_result"]);
    explain(&[two]).printing("missing_field at /query");
    let everything = "--config=envelope_paths=[\"/*\"]";
    place.run(&[everything, "-j", "3"]).ended_with(0);
    assert_eq!(place.each("kind"), ["envelope", "envelope", "envelope", "judge_result"]);
    // A run remembers them.
    let key = place.verdicts()[0]["key"].as_str().expect("a key").to_owned();
    let out = place.out();
    let explained = tapecheck(&["explain", &key, out.to_str().expect("UTF-8")]).ended_with(0);
    explained.printing(r#"{"status":"ok"}"#);
}

#[test]
fn a_recording_of_other_paths_alone_tells_the_setting() {
    let place = Place::new();
    let health = entry("GET", "/health", &Value::Null, &json!({"status": "ok"}));
    place.recording("web.har", json!({"log": {"entries": [health]}}).to_string());
    place
        .run(&[])
        .ended_with(3)
        .complaining("1 HTTP request to other paths than `envelope_paths` names");
    for (paths, complaint) in [
        ("[]", "`envelope_paths` names no path"),
        ("[\"health\"]", "a path must begin with `/`"),
        ("[\"/*/v1\"]", "`*` can only be the end of a path"),
    ] {
        let given = format!("--config=envelope_paths={paths}");
        place.run(&[&given]).ended_with(2).complaining(complaint).complaining("envelope_paths");
    }
}

#[test]
fn a_server_that_refuses_invalid_requests_is_told_from_one_that_answers_them() {
    let place = Place::new();
    let pair = |id: &str, query: Value, response: Value| {
        json!({"id": id, "request": {"query": query}, "response": response}).to_string()
    };
    let error = json!({"status": "error", "message": "The query must be a text"});
    let pairs = [
        pair("refused", json!(5), error.clone()),
        pair("answered", json!(5), json!({"status": "success", "data": {}})),
        pair("begun", json!(5), json!({"status": "pending"})),
        pair("unknown", json!(5), json!({"status": "done"})),
        pair("valid", json!("Hi"), json!({"status": "success", "data": {}})),
        pair("strict", json!("Hi"), error),
    ];
    place.recording("pairs.jsonl", lines(&pairs));
    place.run(&[]).ended_with(0);
    let has = |verdict: &Value| {
        let issues = verdict["issues"].as_array().expect("issues").iter();
        issues.filter(|issue| issue["type"] == "request_not_refused").count()
    };
    let found: Vec<(String, usize)> = place
        .verdicts()
        .iter()
        .map(|verdict| (verdict["id"].as_str().expect("an id").to_owned(), has(verdict)))
        .filter(|(_, count)| *count > 0)
        .collect();
    assert_eq!(found, [("answered".to_owned(), 1), ("begun".to_owned(), 1)]);
}

#[test]
fn bare_bodies_are_exchanges_too() {
    let place = Place::new();
    let bodies = [
        r#"{"query":"Find a cab","context":5}"#,
        r#"{"status":"success"}"#,
        r#"{"valid":true,"confidence":0.9,"issues":[],"quality_score":0.9}"#,
        r#"{"validation":{"hasErrors":false,"errorCount":2,"issues":[]}}"#,
    ];
    place.recording("bare.jsonl", lines(&bodies));
    place.run(&[]).ended_with(0);
    place.adds_up();
    let kinds = ["envelope", "envelope", "judge_result", "session_report"];
    assert_eq!(place.each("kind"), kinds);
    assert_eq!(place.each("decision"), ["reject", "reject", "accept", "reject"]);
}

#[test]
fn calls_and_messages_are_told_from_them_as_before() {
    let place = Place::new();
    let judged = r#"{"valid":true,"confidence":0.9,"issues":[],"quality_score":0.9}"#;
    let calls = [
        format!(r#"{{"tool":"judge","input":{{}},"response":{{"structuredContent":{judged}}}}}"#),
        format!(
            r#"{{"dir":"c2s","msg":{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"judge","arguments":{judged}}}}}}}"#
        ),
        format!(
            r#"{{"dir":"s2c","msg":{{"jsonrpc":"2.0","id":1,"result":{{"structuredContent":{judged},"content":[]}}}}}}"#
        ),
        r#"{"response":{"content":[]}}"#.to_owned(),
    ];
    place.recording("calls.jsonl", lines(&calls));
    place.run(&[]).ended_with(0);
    place.adds_up();
    assert_eq!(place.each("kind"), ["tool_call", "tool_call", "tool_call"]);
}

#[test]
fn explain_shows_what_was_found_and_what_follows() {
    let place = Place::new();
    place.recording("all.jsonl", lines(&[PAIR, RESULT, REPORT]));
    for (line, shown) in [
        (
            1,
            [
                "kind          envelope of",
                r#"document      {"status":"done"}"#,
                "at /status:",
                "advice        reject · ",
            ],
        ),
        (
            2,
            [
                "kind          judge_result of",
                "tone_of_voice",
                "checks        judge_result",
                "advice        review · ",
            ],
        ),
        (
            3,
            [
                "kind          session_report of",
                "report_untruthful",
                "invalid: A check found an error in the document",
                "checks        session_report",
            ],
        ),
    ] {
        let what = format!("all.jsonl:{line}");
        let explain = ["explain", &what, "recordings"];
        let ran = finish(program().current_dir(place.root()).args(explain)).ended_with(0);
        for shown in shown {
            assert!(ran.out.contains(shown), "expected `{shown}` in:\n{}", ran.out);
        }
    }
}

#[test]
fn hostile_documents_are_shown_harmless() {
    let recordings = corpus().join("judge-results");
    let file = recordings.join("adversarial.jsonl");
    let text = std::fs::read_to_string(&file).expect("a recording");
    for line in 1..=text.lines().count() {
        let what = format!("{}:{line}", file.display());
        let ran = finish(program().arg("explain").arg(what)).ended_with(0);
        let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert_eq!(ran.out.chars().find(|c| acts(*c)), None, "line {line}: {:?}", ran.out);
    }
}

/// The collections whose recordings are sorted by what is right and what is wrong.
const COLLECTIONS: [&str; 3] = ["envelopes", "judge-results", "session-reports"];

/// The severities of what is found about a document. A session report may tell errors of its own and be right.
fn found(verdict: &Map<String, Value>) -> Vec<&str> {
    let issues = verdict["issues"].as_array().expect("issues").iter();
    let is_own = |issue: &&Value| {
        let of_session = verdict["metadata"]["validation_types_run"] == json!(["session_report"]);
        !of_session || IssueType::named(issue["type"].as_str().unwrap_or_default()).is_some()
    };
    issues.filter(is_own).filter_map(|issue| issue["severity"].as_str()).collect()
}

#[test]
fn valid_recordings_of_the_corpus_are_accepted_and_invalid_ones_are_not() {
    let mut wrong = Differences::default();
    for collection in COLLECTIONS {
        for (recording, is_right) in [("valid.jsonl", true), ("invalid.jsonl", false)] {
            let judged = Judged::new(&corpus().join(collection).join(recording), "guide");
            judged.assert_adds_up();
            assert_eq!(judged.finished.totals.unreadable(), 0, "{collection}/{recording}");
            for verdict in &judged.verdicts {
                let id = verdict.get("id").unwrap_or(&Value::Null);
                let (key, issues) = (&verdict["key"], &verdict["issues"]);
                wrong.compare(
                    format!("{collection}/{recording} {id} {key} with {issues}"),
                    &(!found(verdict).contains(&"error")).into(),
                    &is_right.into(),
                );
            }
        }
    }
    wrong.assert_none("the sorted recordings of the corpus");
}

#[test]
fn recordings_of_warnings_are_accepted_with_them() {
    for collection in ["envelopes", "session-reports"] {
        let judged = Judged::new(&corpus().join(collection).join("warnings.jsonl"), "guide");
        for verdict in &judged.verdicts {
            let found = found(verdict);
            assert!(found.contains(&"warning") && !found.contains(&"error"), "{verdict:?}");
        }
    }
}

#[test]
fn nothing_in_the_adversarial_recordings_stops_a_run() {
    for collection in COLLECTIONS.into_iter().chain(["contracts"]) {
        let judged = Judged::new(&corpus().join(collection).join("adversarial.jsonl"), "guide");
        judged.assert_adds_up();
        assert_eq!(judged.finished.totals.unreadable(), 0, "{collection}");
        assert!(judged.verdicts.len() > 10, "{collection}");
        for verdict in &judged.verdicts {
            for share in ["confidence", "quality_score"] {
                let share = verdict[share].as_f64().expect("a number");
                assert!((0.0..=1.0).contains(&share), "{collection}: {verdict:?}");
            }
        }
    }
}
