//! The collection `corpus/contracts`, held against the contract it is about.

use crate::support::{Differences, Judged, corpus};
use serde_json::Value;
use std::ops::ControlFlow;
use tapecheck::internals::check::schema::Schemas;
use tapecheck::internals::check::{CheckFiles, Checks, ContractPlace, Judge, VerdictLine};
use tapecheck::internals::corpus::{Bounds, CorpusReader, Input};
use tapecheck::internals::rulebook::Rulebook;
use tapecheck::internals::run::for_each_exchange;

/// The verdicts on a recording of the collection, under the todo contract.
fn verdicts(recording: &str) -> Vec<Value> {
    let files = CheckFiles {
        contracts: vec![ContractPlace::Named("todo=todo".to_owned())],
        ..CheckFiles::default()
    };
    let rulebook = Rulebook::builtin("guide").expect("built in");
    let checks = Checks::load(&files, &rulebook.criteria).expect("a built-in contract");
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(&rulebook, &schemas).with_checks(checks);
    let (bounds, recording) = (Bounds::default(), corpus().join("contracts").join(recording));
    let reader = CorpusReader::new(&[Input::Path(recording)], bounds).expect("a recording");
    let mut lines = Vec::new();
    for_each_exchange(reader, &bounds, |located| {
        let verdict = judge.judge(located.exchange);
        let line = VerdictLine::new(located.exchange, &verdict, &rulebook);
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
    let ran = Judged::new(&corpus().join("contracts"), "guide");
    let types = std::fs::read_to_string(ran.folder().join("issue_types.csv")).expect("a table");
    for kind in ["session_not_initialized", "tool_not_registered", "schema_drift", "unknown_tool"] {
        assert!(types.contains(&format!(",{kind},")), "{kind} is not in:\n{types}");
    }
}
