//! `tapecheck check` of rulebooks, by the built program.

use crate::harness::{Place, finish, program};
use crate::support::corpus;
use insta::assert_snapshot;
use serde_json::Value;
use std::collections::BTreeMap;

/// The findings over the bundled recordings.
fn lint(rulebook: &str, more: &[&str]) -> Value {
    let mut command = program();
    command.args(["check", rulebook, "--on"]).arg(corpus().join("recorded"));
    command.arg("--labels").arg(corpus().join("recorded/labels.jsonl"));
    let ran =
        finish(command.args(["--format=json", "--fail-on", "never"]).args(more)).ended_with(0);
    ran.json()
}

fn findings(linted: &Value) -> &[Value] {
    linted["files"][0]["findings"].as_array().expect("findings")
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
    let found = find(&linted, "decisive_alone", "signals.validation_tool").expect("the finding");
    assert_eq!(found["severity"], "warning");
    let evidence = found["evidence"].as_str().expect("words");
    assert_snapshot!(evidence, @r#"it alone makes an error refused: its score 0.2222 reaches the threshold 0.2 of line "validation tool"; it looks at the call and not at the reply, and any one of 57 patterns is enough; 76 of 159 error replies would be classified differently without it, right for 46 of 76 labelled ones; by tool:validation_verbs/map 17, tool:validation_verbs/run 13, tool:validation_verbs/query 10, tool:validation_verbs/get 9, tool:validation_verbs/search 9, and 12 more"#);
    assert!(found["counts"]["exchanges"].as_u64() > Some(0), "{found}");
    assert!(found["place"].as_str().is_some_and(|place| place.starts_with("inspector:")));
}

#[test]
fn the_built_in_rulebooks_are_linted_over_the_bundled_recordings() {
    for name in tapecheck::internals::rulebook::builtin_names() {
        let linted = lint(name, &[]);
        let rules = by_rule(&linted);
        assert!(!rules.contains_key("failing_example"), "{name}: {rules:?}");
        assert!(rules.get("dead") > Some(&10), "{name}: a small corpus hits little: {rules:?}");
        for finding in findings(&linted) {
            if finding["rule"] == "inherited_example" {
                continue;
            }
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
[signals.unused]
contains = ["whatever"]
yes = ["nothing of the kind"]
[signals.says_more]
any = ["business_pattern", { contains = "more_patterns" }]
[factors.light]
signal = "says_more"
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
    command.arg("check").arg(&file);
    let ran = finish(command.arg("--format=json")).ended_with(1);
    let linted = ran.json();
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
    assert_eq!(line("inert", "signals.unused"), 7);
    assert_eq!(line("inert", "factors.light"), 12);
    assert_eq!(line("failing_example", "examples.a tool that fails"), 20);
    assert_eq!(line("failing_example", "signals"), 9);
    assert_eq!(line("decisive_alone", "signals.says_more"), 10);
    assert!(find(&linted, "dead", "signals.unused").is_none(), "nothing was looked at");
}

#[test]
fn a_factor_that_an_earlier_line_overrules_is_a_warning_until_the_line_asks_for_it() {
    let place = Place::new();
    let book = "name = \"mine\"\nextends = \"guide\"\n[signals.object]\nregex = '^\\s*\\{'\n\
                [factors.object]\nweight = 3\n";
    let asked = "[signals.textual_evidence]\nany = [\"mcp_code\", \"business_pattern\", \
                 \"http_status\", \"test_data\", \"object\"]\n";
    let mut found = Vec::new();
    for (name, text) in
        [("overruled.toml", book.to_owned()), ("asked.toml", format!("{book}{asked}"))]
    {
        let file = place.root().join(name);
        std::fs::write(&file, text).expect("a rulebook");
        let linted = finish(program().arg("check").arg(&file).arg("--format=json")).json();
        let finding = find(&linted, "overruled", "factors.object");
        found.push(finding.map(|it| it["evidence"].as_str().expect("a text").to_owned()));
    }
    let why = "alone it makes a score of 0.5000, which reaches the threshold 0.5, but the line \
               \"nothing in the text\" answers no first";
    assert_eq!(found, [Some(why.to_owned()), None]);
}

#[test]
fn labels_tell_what_hits_benign_replies() {
    let place = Place::new();
    let line = |id: u32| {
        format!(
            r#"{{"id":"{id}","tool":"ping","input":{{"n":{id}}},"label":"ok","response":{{"isError":false,"content":[{{"type":"text","text":"all went well: error {id}"}}]}}}}"#
        )
    };
    place.recording("recording.jsonl", (0..4).map(line).collect::<Vec<_>>().join("\n"));
    let file = place.root().join("own.toml");
    let own = "name = \"own\"\nextends = \"guide\"\n[signals.says_error]\ncontains = [\"error\"]\n[hidden_failure]\nif = \"says_error\"\n";
    std::fs::write(&file, own).expect("a rulebook");
    let mut command = program();
    command.arg("check").arg(&file).arg("--on").arg(place.root().join("recordings"));
    let ran = finish(command.args(["--format=json", "--fail-on", "warning"])).ended_with(1);
    let linted = ran.json();
    let benign = find(&linted, "hits_benign", "says_error/error").expect("the finding");
    assert_eq!(benign["severity"], "warning");
    assert_eq!(benign["counts"]["exchanges"], 4);
    assert_eq!(benign["counts"]["called_failures"], 4);
}

/// A rulebook that asks its question of every reply.
const ASKS_ALL: &str = r#"name = "asks all"
extends = "guide"
[errors]
question = "all"
[signals.says_done]
contains = ["all done", "never said"]
[[decide]]
name = "done"
if = "says_done"
return = true
before = "mcp code"
"#;

/// Lints a rulebook over two replies that claim success and one error.
fn lint_over_three(rulebook: &str, more: &[&str]) -> Value {
    let place = Place::new();
    let reply = |id: u32, error: bool, text: &str| {
        format!(
            r#"{{"server":"a","tool":"ping","input":{{"n":{id}}},"response":{{"isError":{error},"content":[{{"type":"text","text":"{text} {id}"}}]}}}}"#
        )
    };
    let lines = [reply(1, false, "all done"), reply(2, false, "fine"), reply(3, true, "oh no")];
    place.recording("recording.jsonl", lines.join("\n") + "\n");
    let file = place.root().join("own.toml");
    std::fs::write(&file, rulebook).expect("a rulebook");
    let mut command = program();
    command.arg("check").arg(&file).arg("--on").arg(place.root().join("recordings"));
    let ran =
        finish(command.args(["--format=json", "--fail-on", "never"]).args(more)).ended_with(0);
    ran.json()
}

#[test]
fn where_every_reply_is_asked_those_that_claim_success_count() {
    let linted = lint_over_three(ASKS_ALL, &[]);
    let of_signal = |finding: &&Value| {
        finding["rule"] == "decisive_alone" && finding["name"] == "signals.says_done"
    };
    let told: Vec<&Value> = findings(&linted).iter().filter(of_signal).collect();
    let exchanges: Vec<u64> =
        told.iter().filter_map(|finding| finding["counts"]["exchanges"].as_u64()).collect();
    assert_eq!(exchanges, [1, 0], "the reply that claims success rests on it: {told:#?}");
    let evidence = told[0]["evidence"].as_str().expect("words");
    assert_snapshot!(evidence, @r#"it alone makes a reply that claims success refused: line "done" decides; 1 of 2 replies that claim success would be classified differently without it; by says_done/all done 1"#);
    assert!(find(&linted, "dead", "says_done/all done").is_none(), "it hit a success");
    let dead = find(&linted, "dead", "says_done/never said").expect("the finding");
    assert_snapshot!(dead["evidence"], @r#""it matches none of 3 replies""#);
    assert!(find(&linted, "inert", "signals.says_done").is_none());
    assert!(find(&linted, "dead", "decide.mcp code").is_none(), "a line of the guide");
    let benign = find(&linted, "hits_benign", "says_done/all done").expect("the finding");
    assert_eq!(benign["counts"]["of"], 2);
}

#[test]
fn what_labels_of_successes_cannot_tell_is_not_counted_as_wrong() {
    let place = Place::new();
    let line = |id: u32| {
        format!(
            r#"{{"server":"a","tool":"ping","input":{{"n":{id}}},"label":"ok","response":{{"isError":false,"content":[{{"type":"text","text":"all done {id}"}}]}}}}"#
        )
    };
    place.recording("recording.jsonl", (0..8).map(line).collect::<Vec<_>>().join("\n") + "\n");
    let file = place.root().join("own.toml");
    std::fs::write(&file, ASKS_ALL).expect("a rulebook");
    let mut command = program();
    command.arg("check").arg(&file).arg("--on").arg(place.root().join("recordings"));
    let ran = finish(command.args(["--format=json", "--fail-on", "never"])).ended_with(0);
    let linted = ran.json();
    let found = find(&linted, "decisive_alone", "signals.says_done").expect("the finding");
    assert_eq!((&found["counts"]["labelled"], &found["severity"]), (&0.into(), &"info".into()));
    let evidence = found["evidence"].as_str().expect("words");
    assert_snapshot!(evidence, @r#"it alone makes a reply that claims success refused: line "done" decides; 8 of 8 replies that claim success would be classified differently without it; whether it is right about 8 labelled ones is unknown: labels of successes say whether they worked; by says_done/all done 8"#);
}

#[test]
fn where_two_texts_are_judged_it_says_what_it_cannot_tell() {
    let both = format!("{ASKS_ALL}[hidden_failure]\nif = \"says_done\"\n");
    let linted = lint_over_three(&both, &["--filter", "decisive_alone"]);
    let of_success = findings(&linted).iter().find(|finding| {
        finding["evidence"]
            .as_str()
            .is_some_and(|words| words.contains("makes a reply a hidden failure"))
    });
    let evidence = of_success.expect("the finding")["evidence"].as_str().expect("words");
    assert_snapshot!(evidence, @r#"it alone makes a reply that claims success refused: line "done" decides; it alone makes a reply a hidden failure; none of 2 replies that claim success depends on it alone (unknown for 2: two of their texts are examined, and the matches of only one are kept)"#);
}

#[test]
fn where_two_texts_are_judged_what_rests_on_the_first_is_still_told() {
    let both = format!(
        "{ASKS_ALL}[signals.crashed]\ncontains = [\"crashed\"]\n[hidden_failure]\nif = \"crashed\"\n"
    );
    let linted = lint_over_three(&both, &[]);
    let found = find(&linted, "decisive_alone", "signals.says_done").expect("the finding");
    assert_eq!(found["counts"]["exchanges"], 1, "{found:#}");
    let evidence = found["evidence"].as_str().expect("words");
    assert!(!evidence.contains("cannot be told"), "{evidence}");
    assert!(find(&linted, "inert", "signals.says_done").is_none());
}

#[test]
fn a_rule_that_could_not_look_says_so() {
    let silent = |linted: &Value| -> BTreeMap<String, String> {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let all = linted["files"][0]["unchecked"].as_array().expect("a list").iter();
        all.map(|silent| (text(&silent["rule"]), text(&silent["why"]))).collect()
    };
    let plain = "name = \"plain\"\nextends = \"guide\"\n";
    let told = silent(&lint_over_three(plain, &[]));
    assert_eq!(told.keys().collect::<Vec<_>>(), ["hits_benign"]);
    assert_snapshot!(told["hits_benign"], @"2 of 2 replies that claim success are not examined: the rulebook has no `[hidden_failure]`");
    let looked = silent(&lint_over_three(ASKS_ALL, &["--filter", "hits_benign"]));
    assert!(!looked.contains_key("hits_benign"), "{looked:?}");
    let ran = finish(program().args(["check", "guide", "--verbose"]));
    let shown = ran.ended_with(0).out;
    assert!(shown.contains("hits_benign  it needs recordings (--on)"), "{shown}");
    assert!(!shown.contains("replys"));
}

#[test]
fn a_run_can_be_linted_under_what_its_signals_tell() {
    let place = Place::new();
    let run = place.root().join("run");
    let mut command = program();
    command.arg("run").arg(corpus().join("recorded")).args(["--quiet", "--rulebook", "guide"]);
    finish(command.arg("--out").arg(&run)).ended_with(0);
    let mut command = program();
    command.args(["check", "guide", "--verbose", "--top", "2", "--on"]).arg(&run);
    let shown = finish(&mut command).ended_with(0).out;
    assert!(shown.starts_with("guide (rulebook): 8 signals, "), "{shown}");
    assert!(shown.contains("and ") && shown.contains("--filter dead"), "{shown}");
    let mut command = program();
    command.args(["check", "calibrated", "--on"]).arg(&run);
    finish(&mut command).ended_with(3).complaining("everything that calibrated looks for");
}
