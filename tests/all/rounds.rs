//! Calls that a first reply does not settle, results of several types, and replies without blocks: what
//! becomes of each, as `tests/rounds/cases.jsonl` says: tool, outcome, fate, duration, time waited, issues.

use super::frame::Frame;
use super::harness::{Place, lines};
use super::support::{self, read_table};
use serde_json::Value;
use std::collections::BTreeMap;
use tapecheck::internals::store::Table;

type Cases = BTreeMap<String, Vec<String>>;

fn found(place: &Place, threads: &str) -> Cases {
    place.run(&["-j", threads]).ended_with(0);
    let issues = read_table(&place.out(), Table::Issues);
    let place_of = |table: &Frame, row| [table.text("file", row), table.text("line", row)];
    let mut types: BTreeMap<[String; 2], String> = BTreeMap::new();
    for row in (0..issues.height).filter(|row| !issues.text("key", *row).is_empty()) {
        let of_call = types.entry(place_of(&issues, row)).or_default();
        of_call.push(' ');
        of_call.push_str(&issues.text("type", row));
    }
    let verdicts = read_table(&place.out(), Table::Verdicts);
    let mut cases = Cases::new();
    for row in 0..verdicts.height {
        let cell = |name| Some(verdicts.text(name, row)).filter(|cell| !cell.is_empty());
        let cells = ["tool", "outcome", "fate", "duration_ms", "waited_ms"];
        let shown = cells.map(|name| cell(name).unwrap_or_else(|| "-".to_owned())).join(" ");
        let types = types.remove(&place_of(&verdicts, row)).unwrap_or_default();
        let case = verdicts.text("file", row).trim_end_matches(".jsonl").to_owned();
        cases.entry(case).or_default().push(shown + &types);
    }
    for calls in cases.values_mut() {
        calls.sort();
    }
    cases
}

#[test]
fn every_case_ends_as_it_says() {
    let place = Place::new();
    let mut expected = Cases::new();
    for case in support::lines(&support::home().join("tests/rounds/cases.jsonl")) {
        let case: Value = serde_json::from_str(&case).expect("JSON");
        let texts = |name: &str| -> Vec<String> {
            let list = case[name].as_array().expect("a list").iter();
            list.map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned)).collect()
        };
        let name = case["case"].as_str().expect("a name");
        place.recording(&format!("{name}.jsonl"), lines(&texts("lines")));
        let mut calls = texts("expect");
        calls.sort();
        expected.insert(name.to_owned(), calls);
    }
    let one = found(&place, "1");
    expected.retain(|case, calls| one.get(case) != Some(calls));
    let told = |case: &String| format!("{case}: {:?}, not {:?}", one.get(case), expected[case]);
    assert!(expected.is_empty(), "{:#?}", expected.keys().map(told).collect::<Vec<_>>());
    assert_eq!(found(&place, "3"), one, "with more threads");
}
