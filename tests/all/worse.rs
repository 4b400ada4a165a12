//! What counts as worse, whatever the rulebook: in `tapecheck diff` and under a policy of `tapecheck gate`.

use crate::harness::{Place, Ran, finish, lines, program};
use serde_json::{Value, json};
use std::fs;
use tapecheck::internals::rulebook::builtin_names;

const CONTRACT: &str = "name = \"shop\"\n[tools.get.input.properties]\nof = { type = \"string\", required = true }\n\
     [tools.get.output.properties]\nok = { const = true, required = true }\n";

const TRACEBACK: &str = "Traceback (most recent call last):\n  File \"app.py\", line 7, in get\n    row = db.get(key)\n\
     psycopg2.OperationalError: server closed the connection unexpectedly";

/// A call of which only the reply differs from night to night.
fn call(scenario: &str, response: &Value) -> String {
    let call = json!({"server": "shop", "tool": "get", "input": {"of": "tea"}, "scenarioCategory": scenario,
        "response": response});
    call.to_string()
}

fn success(structured: &Value) -> Value {
    json!({"content": [{"type": "text", "text": structured.to_string()}], "structuredContent": structured})
}

fn error(text: &str) -> Value {
    json!({"isError": true, "content": [{"type": "text", "text": text}]})
}

/// What `diff` and `gate` say of a call that was recorded twice.
fn compared(scenario: &str, [before, after]: [&Value; 2], rulebook: &str) -> [Ran; 2] {
    let place = Place::new();
    let file = |name: &str, text: &str| {
        let path = place.root().join(name);
        fs::write(&path, text).expect("a file");
        path
    };
    let contract = file("shop.toml", CONTRACT);
    let policy = file("gate.toml", "[flips]\nmost = 0\nkind = \"regressed\"\n");
    let runs = [("before", before), ("after", after)].map(|(name, reply)| {
        let recording =
            place.recording(&format!("{name}/shop.jsonl"), lines(&[call(scenario, reply)]));
        let out = place.root().join(format!("run-{name}"));
        let mut run = program();
        run.arg("run").arg(recording).arg("--out").arg(&out).arg("--contract").arg(&contract);
        finish(run.args(["--quiet", "--rulebook", rulebook])).ended_with(0);
        out
    });
    let [before, after] = &runs;
    let diff = finish(program().arg("diff").args([before, after]).args(["--fail-on", "worse"]));
    let mut gate = program();
    gate.arg("gate").arg(after).arg("--baseline").arg(before).arg("--policy").arg(policy);
    [diff, finish(&mut gate)]
}

#[track_caller]
fn assert_kind(kind: &str, scenario: &str, replies: [&Value; 2]) {
    for rulebook in builtin_names() {
        let [diff, gate] = compared(scenario, replies, rulebook);
        assert!(diff.out.contains(&format!("1 {kind}")), "{rulebook}: {}{}", diff.out, diff.err);
        let code = i32::from(kind == "regressed");
        assert_eq!(diff.code, Some(code), "{rulebook}: {}{}", diff.out, diff.err);
        assert_eq!(gate.code, Some(code), "{rulebook}: {}{}", gate.out, gate.err);
    }
}

#[test]
fn a_success_that_becomes_a_traceback_is_worse() {
    let (fine, broken) = (success(&json!({"ok": true})), error(TRACEBACK));
    assert_kind("regressed", "success", [&fine, &broken]);
    assert_kind("fixed", "success", [&broken, &fine]);
}

#[test]
fn a_success_that_breaks_its_contract_is_worse() {
    let (fine, wrong) = (success(&json!({"ok": true})), success(&json!({"ok": "yes"})));
    assert_kind("regressed", "success", [&fine, &wrong]);
    assert_kind("fixed", "success", [&wrong, &fine]);
}

#[test]
fn refusing_is_worse_unless_the_call_was_made_to_be_refused() {
    let (fine, refused) = (success(&json!({"ok": true})), error("Invalid id: tea not found"));
    assert_kind("regressed", "success", [&fine, &refused]);
    assert_kind("changed", "success", [&refused, &fine]);
    assert_kind("regressed", "error_case", [&refused, &fine]);
    assert_kind("fixed", "error_case", [&fine, &refused]);
}
