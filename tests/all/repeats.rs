//! Equal exchanges that are judged differently, since keys know neither schema nor scenario nor session:
//! what comparisons, labels, baselines and reviews make of them.

use crate::harness::{Place, Ran, finish, program};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tapecheck::internals::compare::{Kind, Side, compare, read_run};
use tapecheck::internals::labels::{Class, Labelled, read_labels};

/// A rulebook under which errors in scenarios of errors are refusals.
const RULEBOOK: &str = r#"name = "scenarios"
extends = "guide"

[signals.expected]
equals = "error_case"
in = "scenario"

[[decide]]
name = "expected"
if = "expected"
return = true
before = "mcp code"
"#;

/// One call and its reply, under an output schema by which a number has this type.
fn count(number_is: &str, scenario: &str, session: &str) -> Value {
    json!({
        "server": "shop",
        "session": session,
        "scenarioCategory": scenario,
        "tool": {"name": "count", "outputSchema": {
            "type": "object",
            "properties": {"n": {"type": number_is}},
            "required": ["n"],
        }},
        "input": {"of": "shoes"},
        "response": {
            "content": [{"type": "text", "text": "{\"n\":3}"}],
            "structuredContent": {"n": 3},
        },
    })
}

/// One call and an error that says nothing.
fn order(scenario: &str, session: &str) -> Value {
    json!({
        "server": "shop",
        "session": session,
        "scenarioCategory": scenario,
        "tool": {"name": "order"},
        "input": {"of": "shoes"},
        "response": {"isError": true, "content": [{"type": "text", "text": "Something broke"}]},
    })
}

/// Twelve exchanges with two keys: eight under two schemas, in two scenarios and two sessions, and four in
/// two scenarios and two sessions.
fn repeats() -> Vec<Value> {
    let mut all = Vec::new();
    for session in ["morning", "evening"] {
        for scenario in ["happy_path", "error_case"] {
            all.extend(["integer", "string"].map(|number_is| count(number_is, scenario, session)));
            all.push(order(scenario, session));
        }
    }
    for (id, exchange) in all.iter_mut().enumerate() {
        exchange["id"] = id.into();
    }
    all
}

fn lines(exchanges: &[Value]) -> String {
    let texts: Vec<String> = exchanges.iter().map(Value::to_string).collect();
    crate::harness::lines(&texts)
}

/// A place with the rulebook and a recording of all repeats.
fn place() -> Place {
    let place = Place::new();
    place.write("scenarios.toml", RULEBOOK);
    place.recording("shop.jsonl", lines(&repeats()));
    place
}

fn run(place: &Place, recordings: &Path, out: &str, more: &[&str]) -> PathBuf {
    run_printing(place, recordings, out, more).0
}

/// The folder of a run, and what it printed.
fn run_printing(place: &Place, recordings: &Path, out: &str, more: &[&str]) -> (PathBuf, String) {
    let out = place.path(out);
    let mut command = program();
    command.current_dir(place.root()).arg("run").arg(recordings).arg("--out").arg(&out);
    command.args(["--rulebook", "scenarios.toml", "--quiet"]).args(more);
    let ran = finish(&mut command).ended_with(0);
    (out, ran.out)
}

fn side(run: &Path) -> Side {
    read_run(run).expect("a run")
}

fn kinds(before: &Path, after: &Path) -> BTreeMap<Kind, u64> {
    let mut kinds = compare(&side(before), &side(after)).kinds;
    kinds.retain(|_, count| *count > 0);
    kinds
}

#[test]
fn equal_exchanges_have_equal_keys_and_their_own_verdicts() {
    let place = place();
    let stdout = ["--stdout", "jsonl"];
    let (judged, text) = run_printing(&place, &place.recordings(), "run", &stdout);
    let side = side(&judged);
    let mut verdicts: BTreeMap<_, BTreeSet<(&str, u32)>> = BTreeMap::new();
    for entry in &side.entries {
        let class = side.verdict(entry.verdict).class.name();
        verdicts.entry(entry.key).or_default().insert((class, entry.verdict));
    }
    assert_eq!(side.entries.len(), 12);
    assert_eq!(verdicts.len(), 2, "two keys");
    assert!(verdicts.values().all(|verdicts| verdicts.len() == 2), "{verdicts:?}");
    let keys = text.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("an object");
        line["key"].as_str().expect("text").to_owned()
    });
    let keys: BTreeSet<String> = keys.collect();
    assert_eq!(keys, verdicts.keys().map(ToString::to_string).collect());
}

#[test]
fn neither_order_nor_threads_nor_recordings_change_anything() {
    let place = place();
    let judged = run(&place, &place.recordings(), "run", &["-j", "1"]);
    let mut reversed = repeats();
    reversed.reverse();
    let (first, rest) = reversed.split_at(5);
    let other = place.path("other");
    std::fs::create_dir(&other).expect("a folder");
    std::fs::write(other.join("z.jsonl"), lines(first)).expect("a file");
    std::fs::write(other.join("a.jsonl"), lines(rest)).expect("a file");
    let reordered = run(&place, &other, "reordered", &["-j", "3"]);
    assert_eq!(kinds(&judged, &reordered), [(Kind::Same, 12)].into());
    let digest = |run: &Path| side(run).header.corpus_digest;
    assert_eq!(digest(&judged), digest(&reordered));
    let fewer = place.path("fewer");
    std::fs::create_dir(&fewer).expect("a folder");
    std::fs::write(fewer.join("a.jsonl"), lines(&reversed[1..])).expect("a file");
    assert_ne!(digest(&judged), digest(&run(&place, &fewer, "without-one", &[])));
}

#[test]
fn what_is_left_over_is_gone_or_added_and_never_worse() {
    let place = place();
    let whole = run(&place, &place.recordings(), "whole", &[]);
    let is_refused =
        |exchange: &Value| exchange["tool"]["outputSchema"]["properties"]["n"]["type"] == "string";
    for (name, keeps_refused) in [("refused", true), ("accepted", false)] {
        let kept: Vec<Value> = repeats()
            .into_iter()
            .filter(|exchange| {
                exchange["tool"]["name"] == "order" || is_refused(exchange) == keeps_refused
            })
            .collect();
        let recordings = place.path(name);
        std::fs::create_dir(&recordings).expect("a folder");
        std::fs::write(recordings.join("shop.jsonl"), lines(&kept)).expect("a file");
        let part = run(&place, &recordings, &format!("run-{name}"), &[]);
        assert_eq!(kinds(&whole, &part), [(Kind::Same, 8), (Kind::Gone, 4)].into(), "{name}");
        assert_eq!(kinds(&part, &whole), [(Kind::Same, 8), (Kind::Added, 4)].into(), "{name}");
    }
}

#[test]
fn a_label_by_key_is_that_of_all_equal_exchanges() {
    let place = place();
    let judged = run(&place, &place.recordings(), "run", &[]);
    let side = side(&judged);
    let key = side.entries[0].key;
    place.write("labels.jsonl", &format!("{{\"key\":\"{key}\",\"label\":\"ok\"}}\n"));
    let labels = read_labels(&place.path("labels.jsonl")).expect("labels");
    let labelled = Labelled::of_run(&judged, &side, &labels).expect("a run");
    let expected: BTreeMap<u32, Class> = (0..)
        .zip(&side.entries)
        .filter(|(_, entry)| entry.key == key)
        .map(|(at, _)| (at, Class::Worked))
        .collect();
    assert_eq!(expected.len(), 8);
    assert_eq!(labelled.of, expected);
    // Another line names one of them by its place, and says otherwise.
    place.write(
        "labels.jsonl",
        &format!(
            "{{\"key\":\"{key}\",\"label\":\"ok\"}}\n\
             {{\"file\":\"shop.jsonl\",\"id\":4,\"label\":\"hidden_failure\"}}\n"
        ),
    );
    let labels = read_labels(&place.path("labels.jsonl")).expect("labels");
    let labelled = Labelled::of_run(&judged, &side, &labels).expect("a run");
    assert_eq!((labelled.of.len(), labelled.contradicted), (7, 1));
    place.write("labels.jsonl", &format!("{{\"key\":\"{key}-2\",\"label\":\"ok\"}}\n"));
    let error = read_labels(&place.path("labels.jsonl")).expect_err("a number behind a key");
    assert!(error.to_string().contains("is not a key"), "{error}");
}

fn snapshot(place: &Place, verb: &str, more: &[&str]) -> Ran {
    let mut command = program();
    command.current_dir(place.root()).args(["review", verb, "recordings"]);
    finish(command.args(["--baseline", "kept", "--rulebook", "scenarios.toml"]).args(more))
}

#[test]
fn a_baseline_has_each_key_and_verdict_once() {
    let place = place();
    snapshot(&place, "--all", &[]).ended_with(0);
    let text = place.read("kept/recordings/scenarios.snap");
    let keys = [4, 2]
        .map(|times| text.matches(&format!("\"times\":{times}")).count())
        .iter()
        .sum::<usize>();
    assert_eq!(keys, 4, "two keys with two verdicts each:\n{text}");
    snapshot(&place, "--list", &[]).ended_with(0);
    let mut reversed = repeats();
    reversed.reverse();
    place.recording("shop.jsonl", lines(&reversed));
    let ran = snapshot(&place, "--list", &[]).ended_with(0);
    assert!(ran.out.starts_with("clean "), "{}", ran.out);
    place.recording("shop.jsonl", lines(&reversed[1..]));
    let ran = snapshot(&place, "--list", &[]).ended_with(1);
    assert!(ran.out.contains("1 gone, 11 same"), "{}", ran.out);
}

#[test]
fn a_decision_by_key_is_about_all_equal_exchanges() {
    let place = place();
    snapshot(&place, "--all", &[]).ended_with(0);
    // Nothing is expected any more: errors in scenarios of errors are failures too.
    place.write("scenarios.toml", &RULEBOOK.replace("error_case", "nothing"));
    let ran = snapshot(&place, "--list", &[]).ended_with(1);
    assert!(ran.out.contains("2 stricter"), "{}", ran.out);
    let judged = run(&place, &place.recordings(), "run", &[]);
    let side = side(&judged);
    let (_, key) = side
        .entries
        .iter()
        .map(|entry| (side.names.get(entry.tool), entry.key.to_string()))
        .find(|(tool, _)| *tool == "order")
        .expect("it was called");
    let decide = |key: &str| {
        let mut command = program();
        command.current_dir(place.root()).args(["review", "recordings", "--baseline", "kept"]);
        finish(command.args(["--rulebook", "scenarios.toml", "--accept", key]))
    };
    decide(&format!("{key}-2")).ended_with(2).complaining("no group is called");
    let accepted = decide(&key).ended_with(0);
    assert!(accepted.out.contains("accepted  2 calls in 1 group"), "{}", accepted.out);
    snapshot(&place, "--list", &[]).ended_with(0);
    let log = place.read("kept/recordings/scenarios.review.jsonl");
    place.write("kept/recordings/scenarios.review.jsonl", &log.replace(&key, &format!("{key}-2")));
    let ran = decide(&key);
    assert!(ran.err.contains("is not a decision"), "{}", ran.err);
}
