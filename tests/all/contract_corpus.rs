//! The collection `corpus/contracts`, held against the contract it is about.

use crate::harness::{finish, program};
use crate::support::{Differences, contract_of, corpus};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use tapecheck::internals::check::schema::Schemas;
use tapecheck::internals::check::{CheckFiles, Checks, Judge, VerdictLine};
use tapecheck::internals::corpus::{Bounds, CorpusReader, Input};
use tapecheck::internals::rulebook::Rulebook;
use tapecheck::internals::run::{for_each_exchange, reading};

/// The verdicts on a recording of the collection, under the todo contract.
fn verdicts(recording: &str) -> Vec<Value> {
    verdicts_of(corpus().join("contracts").join(recording))
}

fn verdicts_of(recording: PathBuf) -> Vec<Value> {
    let files = CheckFiles { contracts: vec!["todo=todo".to_owned()], ..CheckFiles::default() };
    let rulebook = Rulebook::builtin("guide").expect("built in");
    let (bounds, inputs) = (Bounds::default(), [Input::Path(recording)]);
    let checks = Arc::new(Checks::load(&files, &[]).expect("a built-in contract"));
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(&rulebook, &schemas).with_checks(Arc::clone(&checks));
    let reader = CorpusReader::new(&inputs, bounds).expect("a recording");
    let reader = reading(reader, &files, &checks);
    let mut lines = Vec::new();
    for_each_exchange(reader, &bounds, |located| {
        let verdict = judge.judge(located.as_recorded());
        let line = VerdictLine::new(located.as_recorded(), &verdict, &rulebook);
        lines.push(serde_json::to_value(line).expect("plain data"));
        ControlFlow::<()>::Continue(())
    })
    .expect("a thread");
    lines
}

fn was_checked(line: &Value) -> bool {
    let checks = line["metadata"]["validation_types_run"].as_array().expect("a list");
    checks.iter().any(|check| check == "contract")
}

#[test]
fn valid_calls_keep_the_contract_and_invalid_ones_do_not() {
    let mut wrong = Differences::default();
    for (recording, is_right) in [("valid.jsonl", true), ("invalid.jsonl", false)] {
        for line in verdicts(recording) {
            let about = format!("{recording} {} with {}", line["id"], line["issues"]);
            wrong.compare(&about, &line["valid"], &is_right.into());
            if !was_checked(&line) {
                wrong.add(format!("{about} was not held against the contract"));
            }
        }
    }
    wrong.assert_none("corpus/contracts");
}

#[test]
fn what_an_attacker_sends_is_told_and_stops_nothing() {
    let lines = verdicts("adversarial.jsonl");
    let issues = |id: &str| -> Vec<&str> {
        let line = lines.iter().find(|line| line["id"] == id);
        let line = line.unwrap_or_else(|| panic!("{id} is lost"));
        let issues = line["issues"].as_array().expect("a list").iter();
        issues.filter_map(|issue| issue["type"].as_str()).collect()
    };
    for id in ["injection/documented-word", "unicode/null-byte", "unicode/lone-surrogate"] {
        assert!(issues(id).contains(&"security_validation"), "{id}: {:?}", issues(id));
    }
    assert!(!issues("unicode/whole-pair").contains(&"security_validation"));
    for id in ["names/look-alike", "names/unknown", "names/other-case"] {
        assert!(issues(id).contains(&"unknown_tool"), "{id}: {:?}", issues(id));
    }
    assert!(issues("huge/number-of-tasks").contains(&"invalid_response"));
}

#[test]
fn calls_of_a_session_on_the_wire_are_held_against_the_contract_too() {
    let lines = verdicts("session.jsonl");
    assert_eq!(lines.len(), 5);
    assert!(lines.iter().all(was_checked));
    let broken = lines.iter().filter(|line| line["valid"] == false).map(|line| &line["tool"]);
    assert_eq!(broken.collect::<Vec<_>>(), ["update_task"], "it was told to update nothing");
}

#[test]
fn a_run_tells_what_is_wrong_with_sessions_as_a_whole() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let mut run = program();
    run.args(["run", "--rulebook=guide", "--quiet", "--out"]).arg(out.path().join("run"));
    let collection = corpus().join("contracts");
    finish(run.arg(&collection).args(contract_of(&collection))).ended_with(0);
    let types = std::fs::read_to_string(out.path().join("run/issue_types.csv")).expect("a table");
    for kind in ["session_not_initialized", "tool_not_registered", "schema_drift", "unknown_tool"] {
        assert!(types.contains(&format!(",{kind},")), "{kind} is not in:\n{types}");
    }
}

/// Calls of `update_task` that answer with these times, on the wire behind an `add_task` that answered
/// `2026-03-01`; those whose time is not newer than what the session showed before.
fn not_newer(calls: &[(&str, &str)]) -> Vec<String> {
    let user = "11111111-1111-4111-8111-111111111111";
    let task = |id: &str, at: &str| {
        json!({"id": id, "user_id": user, "title": "Water the plants", "description": null,
            "completed": false, "created_at": "2019-01-01T00:00:00Z", "updated_at": at})
    };
    let first = "22222222-2222-4222-8222-222222222222";
    let added = ("add_task", json!({"user_id": user, "title": "Water the plants"}));
    let mut steps = vec![(added, task(first, "2026-03-01T00:00:00Z"))];
    for (id, at) in calls {
        let input = json!({"user_id": user, "task_id": id, "title": "Water the plants"});
        steps.push((("update_task", input), task(id, at)));
    }
    let mut wire = String::new();
    for (id, ((tool, input), task)) in steps.into_iter().enumerate() {
        let reply = json!({"success": true, "task": task}).to_string();
        for (direction, message) in [
            (
                "client_to_server",
                json!({"method": "tools/call", "params": {"name": tool, "arguments": input}}),
            ),
            ("server_to_client", json!({"result": {"content": [{"type": "text", "text": reply}]}})),
        ] {
            let mut message = message;
            message["jsonrpc"] = "2.0".into();
            message["id"] = id.into();
            let line = json!({"direction": direction, "server": "todo", "message": message});
            let _ = writeln!(wire, "{line}");
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("wire.jsonl");
    fs::write(&path, wire).expect("a file");
    let is_older =
        |issue: &&Value| issue["message"] == "task.updated_at must be newer than original";
    let lines = verdicts_of(path).into_iter();
    let issues = lines.filter_map(|line| {
        assert!(was_checked(&line), "{line}");
        line["issues"].as_array()?.iter().find(is_older).map(|_| line["id"].to_string())
    });
    issues.collect()
}

#[test]
fn an_update_is_compared_with_what_the_session_showed_before() {
    let first = "22222222-2222-4222-8222-222222222222";
    let other = "33333333-3333-4333-8333-333333333333";
    assert_eq!(not_newer(&[(first, "2026-03-02T00:00:00Z")]), [""; 0]);
    assert_eq!(not_newer(&[(first, "2020-01-01T00:00:00Z")]), ["\"1\""]);
    assert_eq!(not_newer(&[(other, "2020-01-01T00:00:00Z")]), [""; 0], "never shown before");
    let twice = [(first, "2026-03-02T00:00:00Z"), (first, "2026-03-02T00:00:00Z")];
    assert_eq!(not_newer(&twice), ["\"2\""], "an update shows the task, too");
}
