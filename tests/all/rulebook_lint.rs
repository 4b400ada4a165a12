//! `tapecheck rulebook lint`, by the built program.

use crate::harness::{Place, finish, program};
use crate::support::corpus;
use serde_json::Value;
use std::collections::BTreeMap;

/// The findings over the bundled recordings.
fn lint(rulebook: &str, more: &[&str]) -> Value {
    let mut command = program();
    command.args(["rulebook", "lint", rulebook]).arg(corpus().join("recorded"));
    command.arg("--labels").arg(corpus().join("recorded/labels.jsonl"));
    let ran = finish(command.args(["--json", "--fail-on", "never"]).args(more)).ended_with(0);
    serde_json::from_str(&ran.out).expect("one JSON object")
}

fn findings(linted: &Value) -> &[Value] {
    linted["findings"].as_array().expect("findings")
}

/// The finding of a rule about something.
fn find<'v>(linted: &'v Value, rule: &str, name: &str) -> Option<&'v Value> {
    findings(linted).iter().find(|finding| finding["rule"] == rule && finding["name"] == name)
}

fn by_rule(linted: &Value) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings(linted) {
        *counts.entry(finding["rule"].as_str().expect("a name").to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn any_verb_in_a_tools_name_decides_alone_in_inspector() {
    let linted = lint("inspector", &[]);
    let found = find(&linted, "decisive_alone", "facts.validation_tool").expect("the finding");
    assert_eq!(found["severity"], "warning");
    let evidence = found["evidence"].as_str().expect("words");
    assert!(evidence.contains("it looks at the call and not at what came back"), "{evidence}");
    assert!(evidence.contains("its score 0.2222 reaches the 0.2"), "{evidence}");
    assert!(found["counts"]["exchanges"].as_u64() > Some(0), "{found}");
    assert!(found["place"].as_str().is_some_and(|place| place.starts_with("inspector:")));
}

#[test]
fn the_built_in_rulebooks_are_linted_over_the_bundled_recordings() {
    for name in tapecheck::rulebook::builtin_names() {
        let linted = lint(name, &[]);
        let rules = by_rule(&linted);
        assert!(!rules.contains_key("failing_example"), "{name}: {rules:?}");
        assert!(rules.get("dead") > Some(&10), "{name}: a small corpus hits little: {rules:?}");
        for finding in findings(&linted) {
            let of = |key: &str| finding[key].as_str().unwrap_or_default();
            assert!(!of("evidence").is_empty() && !of("advice").is_empty(), "{finding}");
            assert!(of("place").contains(':'), "{name}: no place: {finding}");
        }
    }
}

/// A rulebook in which everything is wrong once.
const ODD: &str = r#"name = "odd"
extends = "guide"
[lists.business_patterns]
add = ["page not found"]
[lists.more_patterns]
entries = ["already exists", "no such row"]
[facts.unused]
contains = ["whatever"]
yes = ["nothing of the kind"]
[facts.says_more]
any = ["business_pattern", { contains = "more_patterns" }]
[factors.light]
fact = "says_more"
weight = 0.001
[[decide]]
name = "more"
if = "says_more"
return = true
before = "mcp code"
[[examples]]
name = "a tool that fails"
tool = "ping"
error = "segmentation fault"
expect = { business_logic = true }
"#;

#[test]
fn what_a_rulebook_itself_tells_needs_no_recordings() {
    let place = Place::new();
    let file = place.root().join("odd.toml");
    std::fs::write(&file, ODD).expect("a rulebook");
    let mut command = program();
    command.args(["rulebook", "lint"]).arg(&file);
    let ran = finish(command.arg("--json")).ended_with(1);
    let linted: Value = serde_json::from_str(&ran.out).expect("one JSON object");
    let line = |rule: &str, name: &str| -> u64 {
        let found = find(&linted, rule, name);
        let found = found.unwrap_or_else(|| panic!("no {rule} {name} in {linted:#}"));
        let place = found["place"].as_str().expect("a place");
        let (path, line) = place.rsplit_once(':').expect("file and line");
        assert!(path.ends_with("odd.toml"), "{place}");
        line.parse().expect("a number")
    };
    assert_eq!(line("subsumed", "business_patterns/page not found"), 4);
    assert_eq!(line("duplicate", "more_patterns/already exists"), 6);
    assert_eq!(line("inert", "facts.unused"), 7);
    assert_eq!(line("inert", "factors.light"), 12);
    assert_eq!(line("failing_example", "examples.a tool that fails"), 20);
    assert_eq!(line("failing_example", "facts"), 9);
    assert_eq!(line("decisive_alone", "facts.says_more"), 10);
    assert!(find(&linted, "dead", "facts.unused").is_none(), "nothing was looked at");
}

#[test]
fn labels_tell_what_is_unstable_and_what_hits_benign_replies() {
    let place = Place::new();
    let line = |server: &str, id: u32, error: bool, text: &str, label: &str| {
        format!(
            r#"{{"server":"{server}","id":"{server}-{id}","tool":"ping","input":{{"n":{id}}},"label":"{label}","response":{{"isError":{error},"content":[{{"type":"text","text":"{text} {id}"}}]}}}}"#
        )
    };
    let mut lines = Vec::new();
    for (server, label) in [
        ("a", "business_logic"),
        ("b", "business_logic"),
        ("c", "tool_failure"),
        ("d", "tool_failure"),
    ] {
        lines.extend((0..3).map(|id| line(server, id, true, "conflict", label)));
    }
    lines.extend((0..4).map(|id| line("a", id + 10, false, "all went well: error", "ok")));
    place.tape("tape.jsonl", lines.join("\n") + "\n");
    let file = place.root().join("own.toml");
    let own = "name = \"own\"\nextends = \"guide\"\n[facts.says_error]\ncontains = [\"error\"]\n[hidden_failure]\nif = \"says_error\"\n";
    std::fs::write(&file, own).expect("a rulebook");
    let mut command = program();
    command.args(["rulebook", "lint"]).arg(&file).arg(place.root().join("tapes"));
    let ran = finish(command.arg("--json")).ended_with(1);
    let linted: Value = serde_json::from_str(&ran.out).expect("one JSON object");
    let unstable = find(&linted, "unstable", "business_patterns/conflict").expect("the finding");
    assert_eq!(unstable["severity"], "warning");
    assert_eq!(unstable["counts"]["servers_one_way"], 2);
    assert_eq!(unstable["counts"]["servers_other_way"], 2);
    let benign = find(&linted, "hits_benign", "says_error/error").expect("the finding");
    assert_eq!(benign["severity"], "warning");
    assert_eq!(benign["counts"]["exchanges"], 4);
    assert_eq!(benign["counts"]["called_failures"], 4);
}

#[test]
fn a_run_can_be_linted_under_what_its_facts_tell() {
    let place = Place::new();
    let run = place.root().join("run");
    let mut command = program();
    command.arg("run").arg(corpus().join("recorded")).args(["--quiet", "--rulebook", "guide"]);
    finish(command.arg("--out").arg(&run)).ended_with(0);
    let mut command = program();
    command.args(["rulebook", "lint", "guide", "--fail-on", "never", "--top", "2"]).arg(&run);
    let shown = finish(&mut command).ended_with(0).out;
    assert!(shown.starts_with("guide: 8 facts, "), "{shown}");
    assert!(shown.contains("and ") && shown.contains("--only dead"), "{shown}");
    let mut command = program();
    command.args(["rulebook", "lint", "calibrated"]).arg(&run);
    finish(&mut command).ended_with(3).complaining("not all that calibrated looks for");
}
