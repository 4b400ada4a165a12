//! `tapecheck diff RUN --set`: what other values would make of a run, by the built program.

use crate::harness::{Place, Ran, finish, program};
use crate::support::corpus;
use crate::support::read_table;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tapecheck::internals::store::Table;

/// A place with a run over the bundled recordings.
fn run_of_recordings(rulebook: &str) -> (Place, PathBuf) {
    let place = Place::new();
    let out = place.root().join("run");
    let mut command = program();
    command.arg("run").arg(corpus().join("recorded")).args(["--quiet", "--rulebook", rulebook]);
    finish(command.arg("--out").arg(&out)).ended_with(0);
    (place, out)
}

fn labels() -> PathBuf {
    corpus().join("recorded/labels.jsonl")
}

fn what_if(run: &Path, more: &[&str]) -> Ran {
    finish(program().arg("diff").arg(run).args(more).arg("--labels").arg(labels()))
}

/// Groups as what became of how many by what.
fn groups(comparison: &Value) -> Vec<String> {
    let groups = comparison["groups"].as_array().expect("groups");
    let mut groups: Vec<String> = groups
        .iter()
        .map(|group| format!("{} {} {}", group["kind"], group["exchanges"], group["causes"]))
        .collect();
    groups.sort();
    groups
}

/// How many labelled errors one side answers rightly.
fn right(side: &Value) -> i64 {
    ["business_logic_recall", "tool_failure_recall"]
        .map(|recall| side[recall]["hits"].as_i64().expect("a count"))
        .iter()
        .sum()
}

/// How likely so uneven a change is, or one still less even, where both ways are as likely.
fn two_sided(lost: i64, gained: i64) -> f64 {
    let all = lost + gained;
    let ways =
        |fewer: i64| (0..fewer).fold(1.0, |ways, at| ways * (all - at) as f64 / (at + 1) as f64);
    let tail: f64 = (0..=lost.min(gained)).map(ways).sum();
    (2.0 * tail / 2_f64.powi(i32::try_from(all).expect("few"))).min(1.0)
}

#[test]
fn what_would_be_is_what_comes_of_judging_the_recordings_again() {
    let (place, run) = run_of_recordings("guide");
    for settings in [
        &["factors.http_status.weight=3", "threshold=0.3"][..],
        &["lists.business_patterns.remove=[\"not found\", \"conflict\"]"],
        &["decide.mcp_code.return=false", "score.denominator=9"],
    ] {
        let saved = place.root().join("new.toml");
        let mut words: Vec<&str> = settings.iter().flat_map(|text| ["--set", *text]).collect();
        let path = saved.to_string_lossy();
        words.extend(["--format=json", "--write", &path]);
        let told = what_if(&run, &words).ended_with(0).json();
        let mut diff = program();
        diff.arg("diff").arg(&run).arg(corpus().join("recorded")).arg("--rulebook").arg(&saved);
        let judged = finish(diff.args(["--format", "json"])).ended_with(0).json();
        assert_eq!(told["comparison"]["kinds"], judged["kinds"], "{settings:?}");
        assert_eq!(groups(&told["comparison"]), groups(&judged), "{settings:?}");
        assert_eq!(told["excluded"], 0, "{settings:?}");
        let accuracy = &told["accuracy"];
        let errors = &accuracy["errors"];
        let [lost, gained] = ["lost", "gained"].map(|way| errors[way].as_i64().expect("a count"));
        assert_eq!(right(&accuracy["after"]) - right(&accuracy["before"]), gained - lost);
        assert!(lost + gained > 0, "{settings:?} change no answer: {errors}");
        let p = errors["p"].as_f64().expect("a probability");
        assert!((p - two_sided(lost, gained)).abs() < 1e-9, "{errors}");
        assert!(accuracy["labelled"].as_u64() > Some(50), "{accuracy}");
    }
}

#[test]
fn calls_whose_words_may_be_left_out_are_not_told() {
    // What was found in the first stands in what it was given, in the second and third not; nothing in the last.
    const CALLS: &str = r#"{"server":"s","tool":"show_branch","input":{"branch":"fix/econnrefused"},"response":{"isError":true,"content":[{"type":"text","text":"Branch 'fix/econnrefused' was not found"}]}}
{"server":"s","tool":"show_branch","input":{"branch":"main"},"response":{"isError":true,"content":[{"type":"text","text":"The host was not found: ECONNREFUSED"}]}}
{"server":"s","tool":"show_branch","input":{"branch":"main"},"response":{"isError":true,"content":[{"type":"text","text":"Branch 'main' was not found"}]}}
{"server":"s","tool":"show_branch","input":{"branch":"main"},"response":{"isError":true,"content":[{"type":"text","text":"Hm"}]}}
"#;
    for (rulebook, other, excluded) in [("calibrated", "false", 1), ("guide", "true", 3)] {
        let place = Place::new();
        let [calls, run] = ["calls.jsonl", "run"].map(|name| place.root().join(name));
        fs::write(&calls, CALLS).expect("recordings");
        let mut command = program();
        command.arg("run").arg(&calls).args(["--quiet", "--rulebook", rulebook, "--out"]);
        finish(command.arg(&run)).ended_with(0);
        let setting = format!("text.own_words={other}");
        let mut diff = program();
        diff.arg("diff").arg(&run).args(["--set", &setting, "--partial", "--format", "json"]);
        let told = finish(&mut diff).ended_with(0).json();
        assert_eq!(told["excluded"], excluded, "{rulebook}: {told}");
        assert_eq!(told["comparison"]["kinds"]["same"], 4 - excluded, "{rulebook}: {told}");
    }
}

#[test]
fn a_score_that_a_pattern_decides_that_was_not_looked_for_is_no_change() {
    let (_place, run) = run_of_recordings("guide");
    let word = "lists.validation_verbs.match=word";
    let told = what_if(&run, &["--set", word, "--partial", "--format=json"]).ended_with(0).json();
    let calls = told["in_part"].as_u64().expect("a count");
    assert!(calls > 0, "{told}");
    assert_eq!(told["comparison"]["kinds"]["changed"], 0, "{told}");
    let text = what_if(&run, &["--set", word, "--partial"]).ended_with(0);
    text.printing(&format!("in part   {calls} calls: class and answer are known"));
}

#[test]
fn no_check_passes_on_calls_that_are_told_in_part() {
    const CALLS: &str = r#"{"server":"s","tool":"show_branch","input":{"branch":"main"},"response":{"isError":true,"content":[{"type":"text","text":"Branch 'main' was not found"}]}}
{"server":"s","tool":"show_branch","input":{"branch":"main"},"response":{"isError":true,"content":[{"type":"text","text":"Hm"}]}}
"#;
    let place = Place::new();
    let [calls, run] = ["calls.jsonl", "run"].map(|name| place.root().join(name));
    fs::write(&calls, CALLS).expect("recordings");
    let mut command = program();
    command.arg("run").arg(&calls).args(["--quiet", "--rulebook", "guide", "--out"]);
    finish(command.arg(&run)).ended_with(0);
    for (more, exit) in [("", 0), ("--fail-on worse", 3), ("--fail-on any --partial", 0)] {
        let mut diff = program();
        diff.arg("diff").arg(&run).args(["--set", "lists.business_patterns.add=[\"call failed\"]"]);
        let told = finish(diff.args(more.split_whitespace())).ended_with(exit);
        told.printing("0 changed verdicts").printing("in part");
    }
}

#[test]
fn what_is_worse_whatever_an_open_question_says_is_told() {
    const OTHER: &str = r#"
name = "other"
extends = "calibrated"
[endings.hidden_refusal]
issue = { severity = "error", type = "hidden_refusal", message = "x" }
[lists.absent]
add = ["nothing"]
"#;
    let (place, run) = run_of_recordings("calibrated");
    let other = place.root().join("other.toml");
    fs::write(&other, OTHER).expect("a rulebook");
    let path = other.to_string_lossy();
    let told = what_if(&run, &["--rulebook", &path, "--partial", "--format=json"]).ended_with(0);
    let told = told.json();
    let mut diff = program();
    diff.arg("diff").arg(&run).arg(corpus().join("recorded")).arg("--rulebook").arg(&other);
    let judged = finish(diff.args(["--format", "json"])).ended_with(0).json();
    let stricter = |comparison: &Value| comparison["kinds"]["stricter"].as_u64().expect("a count");
    assert!(told["in_part"].as_u64() > Some(0), "{told}");
    assert!(stricter(&judged) > 20, "{judged}");
    assert_eq!(stricter(&told["comparison"]), stricter(&judged), "{told}");
}

#[test]
fn a_sweep_counts_the_same_calls_for_every_value() {
    let (_place, run) = run_of_recordings("calibrated");
    let words = "--set lists.statements.add=[\"invalid\"] --set threshold=0.1..0.9:0.2";
    let words: Vec<&str> = words.split(' ').chain(["--partial", "--format=json"]).collect();
    let told = what_if(&run, &words).ended_with(0).json();
    let points = told["sweep"]["points"].as_array().expect("points");
    let calls = |point: &Value| -> u64 {
        let answers =
            ["not_asked", "business_logic", "tool_failure", "hidden_failure", "hidden_refusal"];
        answers.map(|answer| point[answer].as_u64().expect("a count")).iter().sum()
    };
    let counts: Vec<u64> = points.iter().map(calls).collect();
    assert!(told["sweep"]["excluded"].as_u64() > Some(0), "{told}");
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

#[test]
fn no_recording_is_read() {
    let place = Place::new();
    let recordings = place.root().join("recordings/recorded");
    std::fs::create_dir_all(&recordings).expect("a folder");
    for file in std::fs::read_dir(corpus().join("recorded")).expect("a folder") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), recordings.join(file.file_name())).expect("a copy");
    }
    let out = place.root().join("run");
    let mut command = program();
    command.arg("run").arg(&recordings).args(["--quiet", "--rulebook", "guide", "--out"]).arg(&out);
    finish(&mut command).ended_with(0);
    std::fs::remove_dir_all(&recordings).expect("gone");
    let told = what_if(&out, &["--set", "threshold=0.2"]).ended_with(0);
    assert!(told.out.contains("threshold of \"otherwise\" 0.5 -> 0.2"), "{}", told.out);
    assert!(told.out.contains("balanced accuracy of errors"), "{}", told.out);
}

#[test]
fn a_sweep_shows_the_curve_and_leaves_it_as_tables() {
    let (place, run) = run_of_recordings("guide");
    let out = place.root().join("out");
    let folder = out.to_string_lossy();
    let words = ["--set", "threshold=0.1..0.9:0.1", "--out", &folder];
    let shown = what_if(&run, &words).ended_with(0).out;
    assert!(shown.contains("sweep of decide.otherwise.threshold, now 0.5"), "{shown}");
    assert!(
        shown.lines().any(|line| line.trim_start().starts_with("0.5 ") && line.contains("now"))
    );
    assert!(shown.contains("best: "), "{shown}");
    let table = read_table(&out, Table::Sweep);
    assert_eq!(table.height, 9);
    let csv = std::fs::read_to_string(out.join("sweep.csv")).expect("a table");
    assert_eq!(csv.lines().count(), 10);
    let swept = what_if(&run, &["--set", "factors.http_status=0..4:1", "--format=json"])
        .ended_with(0)
        .json();
    let points = swept["sweep"]["points"].as_array().expect("points");
    assert_eq!(points.len(), 5);
    for point in points {
        let is_now = point["value"].as_f64() == Some(1.0);
        assert_eq!(point["is_now"], is_now);
        assert!(!is_now || point["flips"] == 0);
        // Setting a value comes to what the sweep says of it.
        let set = format!("factors.http_status={}", point["value"]);
        let told = what_if(&run, &["--set", &set, "--format=json"]).ended_with(0).json();
        assert_eq!(
            told["accuracy"]["after"]["balanced_accuracy"], point["balanced_accuracy"],
            "{set}"
        );
        assert_eq!(told["flips"], point["flips"], "{set}");
    }
}

#[test]
fn what_cannot_be_told_is_said_with_the_command_that_tells_it() {
    let (_place, run) = run_of_recordings("guide");
    let words = ["--set", "lists.business_patterns.add=[\"teapot\", \"kettle\"]"];
    let told = what_if(&run, &words)
        .ended_with(3)
        .complaining("cannot be re-scored without their recordings");
    assert!(told.err.contains("add --write new.toml to this command, then tapecheck diff"));
    assert!(told.out.contains("patterns that were not looked for would matter"), "{}", told.out);
    assert!(told.out.contains("business_patterns/teapot"), "{}", told.out);
    let partial = what_if(&run, &[&words[..], &["--partial"]].concat()).ended_with(0);
    assert_eq!(partial.out, told.out);
    let other = what_if(&run, &["--rulebook", "calibrated"]).ended_with(3);
    assert!(other.err.contains("--rulebook calibrated"), "{}", other.err);
}

#[test]
fn a_corpus_takes_the_rulebook_that_judges_it_first() {
    let mut command = program();
    command.arg("diff").arg(corpus().join("recorded")).args([
        "--rulebook",
        "guide",
        "--format=json",
    ]);
    command.args(["--set", "threshold=0.3", "--format=md"]);
    finish(&mut command).ended_with(2);
    let mut command = program();
    command.arg("diff").arg(corpus().join("recorded")).args(["--rulebook", "guide"]);
    let shown = finish(command.args(["--set", "threshold=0.3", "--format=md"])).ended_with(0);
    assert!(shown.out.contains("guide"), "{}", shown.out);
}

#[test]
fn mistakes_are_told_before_anything_is_done() {
    let (_place, run) = run_of_recordings("guide");
    for (words, about) in [
        (&[][..], "nothing to compare it with"),
        (&["--set", "factors.http_statu.weight=3"], "did you mean `http_status`?"),
        (&["--set", "threshold"], "expected PATH=VALUE"),
        (&["--set", "threshold=much"], "expected a number"),
        (&["--set", "threshold=0..1", "--set", "threshold=0..2"], "one range at a time"),
        (&["--set", "threshold=1..0"], "with FROM less than TO"),
        (&["--set", "threshold=a..b"], "invalid range"),
        (&["--set", "factors.http_status=0..1e308"], "too great or too fine"),
        (&["--set", "threshold=0..1e-12"], "too great or too fine"),
        (
            &["--set", "threshold=0..2"],
            "threshold` cannot be 2: `threshold` must be between 0 and 1",
        ),
        (&["--set", "threshold=0..1", "--filter", "8932d4fc"], "a sweep has no groups"),
        (
            &["--set", "threshold=0..1", "--fail-on", "any"],
            "--fail-on checks one value, not a range",
        ),
        (
            &["--set", "threshold=0.3", "--set", "decide.otherwise=0.4"],
            "`decide.otherwise.threshold=0.3` and `decide.otherwise.threshold=0.4` set the same",
        ),
        (&["--set", "text.success_bytes=100..200:50"], "which needs the recordings"),
        (&["--set", "errors.policy=0..1"], "is not a number"),
        (&["--rulebook", "guide", "--rulebook", "inspector"], "too many rulebooks"),
    ] {
        what_if(&run, words).ended_with(2).complaining(about);
    }
}

#[test]
fn what_was_tried_is_written_over_nothing_but_a_rulebook() {
    let (place, run) = run_of_recordings("guide");
    let [notes, new] = ["notes.txt", "new.toml"].map(|name| place.root().join(name));
    fs::write(&notes, "mine").expect("a file");
    for (file, about) in [
        (run.join("manifest.json"), "manifest.json would overwrite "),
        (run.join("rulebook.toml"), "rulebook.toml would overwrite "),
        (notes.clone(), "notes.txt already exists and is not a valid rulebook"),
    ] {
        let before = fs::read(&file).expect("it is there");
        let words = ["--set", "threshold=0.1", "--write", &file.to_string_lossy()];
        what_if(&run, &words).ended_with(2).complaining(about);
        assert_eq!(fs::read(&file).expect("it is there"), before, "{about}");
    }
    fs::write(place.root().join("guide"), "mine").expect("a file");
    let mut diff = program();
    diff.current_dir(place.root()).arg("diff").arg(&run).args(["--set", "threshold=0.1"]);
    finish(diff.args(["--write", "guide"])).ended_with(2).complaining("guide already exists");
    for threshold in ["threshold=0.1", "threshold=0.2"] {
        let words = ["--set", threshold, "--write", &new.to_string_lossy()];
        what_if(&run, &words).ended_with(0);
        let written = fs::read_to_string(&new).expect("a rulebook");
        assert!(written.contains(&threshold.replace('=', " = ")), "{threshold}: {written}");
    }
}

#[test]
fn a_denominator_that_is_a_sum_says_how_it_becomes_a_number() {
    let (_place, run) = run_of_recordings("inspector");
    let refused = what_if(&run, &["--set", "score.denominator=1..20"]).ended_with(2);
    assert!(
        refused.err.contains("`score.denominator` is not a number: it is \"sum\""),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("add --set score.denominator=9"), "{}", refused.err);
    let words = ["--set", "score.denominator=9", "--set", "score.denominator=1..20"];
    let swept = what_if(&run, &words).ended_with(0).out;
    assert!(swept.contains("sweep of score.denominator, now 9"), "{swept}");
}

#[test]
fn the_present_value_is_marked_once_also_where_it_is_nothing() {
    let (_place, run) = run_of_recordings("guide");
    let words =
        ["--set=factors.http_status=0", "--set=factors.http_status=-1..1:0.1", "--format=json"];
    let swept = what_if(&run, &words).ended_with(0).json();
    let points = swept["sweep"]["points"].as_array().expect("points");
    assert_eq!(points.len(), 21);
    let now: Vec<&Value> = points.iter().filter(|point| point["is_now"] == true).collect();
    assert_eq!(now.len(), 1, "{points:#?}");
    assert_eq!(now[0]["value"].to_string(), "0.0");
}

#[test]
fn values_that_all_come_to_the_same_are_not_called_best() {
    let (_place, run) = run_of_recordings("guide");
    let words = ["--set", "threshold=0.4..0.9:0.1"];
    let shown = what_if(&run, &words).ended_with(0).out;
    assert!(!shown.contains("best"), "{shown}");
    assert!(shown.contains("all are equal: balanced accuracy 0.5942"), "{shown}");
    assert!(shown.contains("none of these values changes a verdict"), "{shown}");
}
