//! Tuning, through the built program: on made-up servers, and on the recorded ones where they are there.

use crate::support::shared;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

/// Words that only stand around messages.
const AROUND: [&str; 8] = ["alpha", "bravo", "delta", "gamma", "kappa", "omega", "sigma", "theta"];

/// A corpus of ten servers whose failures and refusals have nothing in common but what is planted.
struct Made {
    folder: tempfile::TempDir,
    labels: String,
}

/// What is said by the `turn`-th reply of a kind of a server.
type Says = fn(server: usize, fails: bool, turn: usize) -> String;

impl Made {
    fn new(says: Says, is_failure: fn(server: usize, fails: bool, turn: usize) -> bool) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut labels = String::new();
        for server in 0..10 {
            let mut recording = String::new();
            for turn in 0..12 {
                let fails = turn % 2 == 0;
                let text = says(server, fails, turn);
                let id = format!("{server}-{turn}");
                let line = serde_json::json!({
                    "id": id, "server": format!("server-{server}"), "tool": {"name": "act"}, "input": {},
                    "response": {"isError": true, "content": [{"type": "text", "text": text}]},
                });
                let _ = writeln!(recording, "{line}");
                let class =
                    if is_failure(server, fails, turn) { "tool_failure" } else { "business_logic" };
                let label = serde_json::json!({"file": format!("s{server}.jsonl"), "id": id, "label": class});
                let _ = writeln!(labels, "{label}");
            }
            std::fs::write(folder.path().join(format!("s{server}.jsonl")), recording)
                .expect("a recording");
        }
        Self { folder, labels }
    }

    fn tune(&self, more: &[&str]) -> Output {
        let place = tempfile::tempdir().expect("a temporary folder");
        let labels = place.path().join("labels.jsonl");
        std::fs::write(&labels, &self.labels).expect("labels");
        tune(self.folder.path(), &labels, more)
    }

    fn json(&self, more: &[&str]) -> Value {
        told(&self.tune(&[&["--format=json"], more].concat()))
    }
}

/// A failure says `zorblax` on six of ten servers; the first server says `quibbent` whenever it fails.
fn planted(server: usize, fails: bool, turn: usize) -> String {
    let around = AROUND[(3 * server + turn) % AROUND.len()];
    match (server, fails) {
        (0, true) => format!("quibbent {around}"),
        (1..=6, true) => format!("{around} zorblax happened"),
        _ => format!("{around} went there"),
    }
}

fn as_it_is(_: usize, fails: bool, _: usize) -> bool {
    fails
}

/// Failures and refusals have their words on all servers.
fn two_ways(server: usize, fails: bool, turn: usize) -> String {
    let around = AROUND[(3 * server + turn) % AROUND.len()];
    let what = if fails { "kettle exploded" } else { "forms lack ink" };
    format!("{around} {what}")
}

/// Labels that have nothing to do with what is said.
fn shuffled(server: usize, _: bool, turn: usize) -> bool {
    let mixed = (server * 12 + turn + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ mixed >> 27).count_ones().is_multiple_of(2)
}

fn tune(corpus: &Path, labels: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tapecheck"));
    command.arg("tune").arg(corpus).arg("--labels").arg(labels).args(more);
    if !more.contains(&"--rulebook") {
        command.args(["--rulebook", "inspector"]);
    }
    command.output().expect("the program runs")
}

fn errors_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn told(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

fn phrases(told: &Value) -> Vec<&str> {
    let proposals = told["proposals"].as_array().expect("proposals");
    proposals.iter().filter_map(|proposal| proposal["phrase"].as_str()).collect()
}

#[test]
fn a_word_of_several_servers_is_proposed_first_and_one_of_a_single_server_never() {
    let made = Made::new(planted, as_it_is);
    let told = made.json(&[]);
    let phrases = phrases(&told);
    assert!(phrases.first().is_some_and(|first| first.contains("zorblax")), "{phrases:?}");
    assert!(phrases.iter().all(|phrase| !phrase.contains("quibbent")), "{phrases:?}");
    assert_eq!(told["format"], "tapecheck-tune/1");
    let first = &told["proposals"][0];
    assert_eq!((first["replies"].as_u64(), first["servers"].as_u64()), (Some(36), Some(6)));
    assert_eq!(first["class"], "tool_failure");
}

/// Replies that share words across servers, as those of real ones do; a library's sentence stands in many. Of
/// both classes, six servers say `zorblax`.
fn planted_among_others(server: usize, fails: bool, turn: usize) -> String {
    let [one, other] = [turn + 3 * server, 5 * turn + server]
        .map(|at| AROUND[at % AROUND.len()].to_owned() + &"x".repeat(1 + server));
    let library = if fails { "backend pool drained quickly" } else { "form field left blank" };
    match (server, fails, turn % 4 < 2) {
        (1..=6, true, true) => format!("{one} glimfrop {other}"),
        (4..=9, false, true) => format!("{one} {other} zorblax"),
        (0, false, _) => format!("quibbent {one} {library}"),
        _ => format!("{one} {library}"),
    }
}

#[test]
fn words_of_both_classes_come_before_a_librarys_sentence_that_more_servers_say() {
    let told = Made::new(planted_among_others, as_it_is).json(&[]);
    let phrases = phrases(&told);
    let mut first: Vec<&str> = phrases.iter().take(2).copied().collect();
    first.sort_unstable();
    assert_eq!(first, ["glimfrop", "zorblax"], "{phrases:?}");
    assert!(phrases.iter().all(|phrase| !phrase.contains("quibbent")), "{phrases:?}");
    let proposals = told["proposals"].as_array().expect("proposals");
    let [planted, library] = [&proposals[0], &proposals[2]];
    assert_eq!((planted["servers"].as_u64(), planted["wordings"].as_u64()), (Some(6), Some(6)));
    assert!(library["servers"].as_u64() > Some(6), "{library}");
    assert!(library["strength"].as_f64() < planted["strength"].as_f64(), "{library}");
    assert!(planted["known"].is_null());
}

/// Refusals that `cat` finds inside of other words, and failures that it finds as one.
const CATS: &str = r#"name = "cats"
extends = "guide"

[remove]
factors = ["mcp_code", "business_pattern", "http_status", "structured_error", "test_data", "validation_tool"]
decide = ["mcp code", "nothing in the text", "strong operational error", "validation tool"]

[lists.refusals]
entries = ["refuse", "cat", "never said"]

[signals.refused]
contains = "refusals"

[factors]
refused = { weight = 4 }

[score]
denominator = 4

[[decide]]
name = "otherwise"
threshold = 0.5
"#;

fn tune_cats(says: Says) -> (Value, String) {
    let made = Made::new(says, as_it_is);
    let place = tempfile::tempdir().expect("a temporary folder");
    let file = place.path().join("cats.toml");
    std::fs::write(&file, CATS).expect("a rulebook");
    let name = file.to_string_lossy().into_owned();
    let tuned = place.path().join("tuned.toml");
    let write = tuned.to_string_lossy().into_owned();
    let output = made.tune(&["--rulebook", &name, "--write", &write, "--format=json"]);
    let written = std::fs::read_to_string(&tuned).expect("the rulebook");
    assert!(written.contains("extends = \"cats.toml\"\n"), "{written}");
    let again = made.json(&["--rulebook", &write]);
    assert_eq!(again["before"], 1.0, "what was written judges as was proposed: {written}");
    (told(&output), written)
}

/// Words of which no two servers share one.
fn own_words(server: usize, turn: usize) -> String {
    format!("{}{}", AROUND[turn % AROUND.len()], "yz".repeat(1 + server))
}

#[test]
fn an_entry_that_is_wrong_inside_of_words_becomes_a_word() {
    let (told, written) = tune_cats(|server, fails, turn| {
        let own = own_words(server, turn);
        match (fails, turn % 4 < 2) {
            (true, _) => format!("{own}cat{own}"),
            (false, true) => format!("{own}, I refuse"),
            (false, false) => format!("{own} cat {own}"),
        }
    });
    let variant = &told["variants"][0];
    assert_eq!((variant["kind"].as_str(), variant["entry"].as_str()), (Some("word"), Some("cat")));
    assert_eq!((&variant["taken"], &variant["mended"]["servers"]), (&true.into(), &10.into()));
    assert_eq!(variant["hits"]["tool_failure"]["replies"], 60, "{variant}");
    assert!(variant["examples"][0]["text"].as_str().is_some_and(|text| text.contains("cat")));
    assert_eq!((&told["after"], &told["verdict"]), (&1.0.into(), &"gain".into()), "{told}");
    for part in [
        "remove = [\n  \"cat\",\n]",
        "[lists.refusals_as_words]",
        "# \"cat\" of list `refusals` matches whole words only",
    ] {
        assert!(written.contains(part), "{part}: {written}");
    }
}

#[test]
fn an_entry_that_is_wrong_everywhere_goes() {
    let (told, written) = tune_cats(|server, fails, turn| {
        let own = own_words(server, turn);
        if fails { format!("{own} cat {own}") } else { format!("{own}, I refuse") }
    });
    let variant = &told["variants"][0];
    assert_eq!(
        (variant["kind"].as_str(), variant["entry"].as_str()),
        (Some("without"), Some("cat"))
    );
    assert_eq!(told["after"], 1.0, "{told}");
    let part =
        "# \"cat\" is removed from list `refusals`\n[lists.refusals]\nremove = [\n  \"cat\",\n]\n";
    assert!(written.contains(part), "{written}");
}

#[test]
fn a_signal_that_is_wrong_beside_a_phrase_is_vetoed_by_it() {
    let (told, written) = tune_cats(|server, fails, turn| {
        let own = own_words(server, turn);
        if fails { format!("{own} cat {own} crashed {own}") } else { format!("{own} cat {own}") }
    });
    let variants = told["variants"].as_array().expect("variants");
    let veto = variants.iter().find(|variant| variant["kind"] == "veto").expect("a veto");
    assert_eq!(
        (veto["signal"].as_str(), veto["unless_phrase"].as_str()),
        (Some("refused"), Some("crashed"))
    );
    assert_eq!((&veto["taken"], &told["after"]), (&true.into(), &1.0.into()), "{told}");
    assert!(written.contains("not = { contains = [\"crashed\"], match = \"word\" }"), "{written}");
}

#[test]
fn phrases_keep_to_the_bounds_of_weights() {
    let made = Made::new(planted_among_others, as_it_is);
    for (largest, step) in [("0.5", "0.25"), ("3", "1.5")] {
        let told = made.json(&[
            &format!("--config=tune.largest_weight={largest}"),
            &format!("--config=tune.weight_step={step}"),
        ]);
        let changes = told["changes"].as_array().expect("changes");
        let changes = changes.iter().filter_map(|change| change.as_str());
        let weights = changes.filter_map(|change| change.split_once(", weight "));
        let weights: Vec<f64> =
            weights.map(|(_, weight)| weight.parse().expect("a number")).collect();
        let [largest, step]: [f64; 2] = [largest, step].map(|it| it.parse().expect("a number"));
        assert!(!weights.is_empty(), "{told}");
        for weight in weights {
            assert!(weight.abs() <= largest && (weight / step).fract() == 0.0, "{weight}");
        }
        assert_eq!(told["verdict"], "gain", "{told}");
    }
}

#[test]
fn the_same_seed_says_the_same() {
    let made = Made::new(planted, as_it_is);
    let [once, twice] = [(), ()]
        .map(|()| made.tune(&["--seed", "7", "--config=tune.compare_classifier=true"]).stdout);
    assert!(!once.is_empty());
    let plain = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(plain(&once), plain(&twice));
}

#[test]
fn labels_without_sense_bring_no_gain_and_nothing_is_written() {
    let made = Made::new(planted, shuffled);
    let place = tempfile::tempdir().expect("a temporary folder");
    let file = place.path().join("tuned.toml");
    let output = made.tune(&["--write", &file.to_string_lossy()]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Errors: no gain"), "{text}");
    assert!(!text.contains("+: adopted"), "what no phrase bears is not explained: {text}");
    assert_eq!(output.status.code(), Some(1));
    assert!(!file.exists());
}

#[test]
fn what_is_measured_on_few_servers_cannot_be_told_and_is_not_written() {
    let made = Made::new(two_ways, as_it_is);
    let place = tempfile::tempdir().expect("a temporary folder");
    let file = place.path().join("tuned.toml");
    let name = file.to_string_lossy().into_owned();
    let output = made.tune(&["--config=tune.test_servers=server-1", "--write", &name]);
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), errors_of(&output));
    assert_eq!(output.status.code(), Some(1), "{text}{errors}");
    assert!(text.contains("too few servers to show a gain: measured on 1 server"), "{text}");
    assert!(errors.contains("measured on 1 server") && errors.contains("--force"), "{errors}");
    assert!(!file.exists());
    let told = made.json(&["--config=tune.test_servers=server-1"]);
    assert_eq!(told["verdict"], "unknown");
    let enough = (1..=5).map(|at| format!("\"server-{at}\"")).collect::<Vec<_>>().join(", ");
    assert_eq!(made.json(&[&format!("--config=tune.test_servers=[{enough}]")])["verdict"], "gain");
}

#[test]
fn a_tuned_rulebook_extends_the_one_it_was_learned_from() {
    const OWN: &str = "name = \"own\"\nextends = \"inspector\"\n[[decide]]\nname = \"validation tool\"\n\
        threshold = 0.3\n";
    let made = Made::new(two_ways, as_it_is);
    let place = tempfile::tempdir().expect("a temporary folder");
    let [folder, rules] = ["out", "rules"].map(|name| place.path().join(name));
    for folder in [&folder, &rules] {
        std::fs::create_dir(folder).expect("a folder");
    }
    let own = rules.join("own.toml").to_string_lossy().into_owned();
    std::fs::write(&own, OWN).expect("a rulebook");
    let file = folder.join("tuned.toml").to_string_lossy().into_owned();
    let output = made.tune(&["--rulebook", &own, "--write", &file, "--force"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", errors_of(&output));
    assert!(text.contains("A note for its commit"), "{text}");
    assert_eq!(std::fs::read_to_string(&own).expect("the rulebook"), OWN);
    let written = std::fs::read_to_string(&file).expect("the rulebook");
    assert!(written.contains("extends = \"../rules/own.toml\"\n"), "{written}");
    assert!(written.starts_with("# Tune own: errors 1.000 instead of 0."), "{written}");
    assert!(!written.contains("weight = 0"), "what weighs nothing goes: {written}");
    assert!(written.contains("factors = [\n  \"mcp_code\""), "also what is inherited: {written}");
    let seen = "\"kettle\", # 60 of tool_failure on 10 servers\n";
    assert!(written.contains(seen), "phrases tell where they were seen: {written}");
    let again = made.json(&["--rulebook", &file]);
    assert_eq!(again["before"], 1.0, "what was written judges as was proposed: {written}");
    let output = made.tune(&["--rulebook", &file, "--write", &file]);
    assert_eq!(output.status.code(), Some(2), "{}", errors_of(&output));
    assert!(errors_of(&output).contains("tuned.toml exists already"), "{}", errors_of(&output));
}

/// What failures and refusals have in common is a word that a signal looks for; only failures have a kettle.
fn sorry(server: usize, fails: bool, turn: usize) -> String {
    let around = AROUND[(3 * server + turn) % AROUND.len()];
    let what = if fails { "sorry kettle exploded" } else { "sorry forms lack ink" };
    format!("{around} {what} {turn}")
}

#[test]
fn texts_of_a_signal_that_come_out_otherwise_are_told() {
    const OWN: &str = r#"name = "own"
extends = "inspector"
remove = { decide = ["mcp code", "strong operational error", "high confidence", "validation tool"] }

[signals.polite]
contains = ["sorry", "excuse me"]
in = "text"
yes = ["a stone", "sorry, the kettle"]

[factors]
polite = { weight = 9 }

[[decide]]
name = "otherwise"
threshold = 0.5
"#;
    let made = Made::new(sorry, as_it_is);
    let place = tempfile::tempdir().expect("a temporary folder");
    let own = place.path().join("own.toml").to_string_lossy().into_owned();
    std::fs::write(&own, OWN).expect("a rulebook");
    let told = made.json(&["--rulebook", &own]);
    let of_own = |it: &&Value| it["rulebook"] == "own";
    let breaking = told["breaking_examples"].as_array().expect("examples");
    let breaking: Vec<&Value> = breaking.iter().filter(of_own).collect();
    let [broken] = breaking[..] else { panic!("what is wrong already is not told: {told}") };
    assert_eq!(broken["example"], "a text of `polite`");
    let why = "`polite` should be true for \"sorry, the kettle\", but is not";
    assert_eq!(broken["difference"], why);
}

#[test]
fn too_few_labels_and_wrong_names_are_told() {
    let mut few = Made::new(planted, as_it_is);
    few.labels = few.labels.lines().take(9).fold(String::new(), |all, line| all + line + "\n");
    let output = few.tune(&[]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    for reason in ["5 labels of tool_failure, and 10 are needed", "1 server with labelled errors"] {
        assert!(errors.contains(reason), "{reason}: {errors}");
    }
    let made = Made::new(planted, as_it_is);
    let output = made.tune(&["--config=tune.test_servers=nobody"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors_of(&output).contains("`nobody`"));
    assert!(
        errors_of(&output).contains("next: name servers with labels, such as server-0, server-1")
    );
    let output = made.tune(&["--config=tune.weight_step=10", "--config=tune.largest_weight=4"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors_of(&output).contains("no weight but 0 is a multiple of 10 and at most 4"));
    assert!(errors_of(&output).contains("next: set `tune.weight_step` to at most 4"));
    let output =
        made.tune(&["--config=tune.train_servers=server-1", "--config=tune.test_servers=server-1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors_of(&output).contains("`server-1` is named on both sides"));
    let output = made.tune(&["--config=tune.train_servers=[\"server-1\", \"server-2\"]"]);
    assert_eq!(output.status.code(), Some(3), "all labels are enough, those learned from are not");
    assert!(errors_of(&output).contains("the labels of the servers to learn from are too few"));
    let output = made.tune(&["--config=tune.folds=11"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors_of(&output).contains("more than the 10 servers with labels"));
    let output = made.tune(&["--config=tune.objective=beauty"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_change_that_breaks_own_or_inherited_examples_is_written_only_if_asked_for() {
    let base = "name = \"base\"\nextends = \"inspector\"\n\n[[examples]]\nname = \"no ink\"\ntool = \"act\"\n\
        error = \"forms lack ink\"\nexpect = { business_logic = false }\n";
    let made = Made::new(two_ways, as_it_is);
    let place = tempfile::tempdir().expect("a temporary folder");
    let [base_file, own, tuned] = ["base.toml", "own.toml", "tuned.toml"]
        .map(|name| place.path().join(name).to_string_lossy().into_owned());
    std::fs::write(&base_file, base).expect("a rulebook");
    std::fs::write(&own, "name = \"own\"\nextends = \"base.toml\"\n").expect("a rulebook");
    for (rulebook, told_of) in [(&base_file, "no ink (base)"), (&own, "no ink (base)")] {
        let output = made.tune(&["--rulebook", rulebook, "--write", &tuned]);
        let (text, errors) = (String::from_utf8_lossy(&output.stdout), errors_of(&output));
        assert_eq!(output.status.code(), Some(1), "{text}{errors}");
        assert!(
            errors.contains(&format!("  {told_of}: business_logic should be false")),
            "{errors}"
        );
        assert!(errors.contains("--force"), "{errors}");
        assert!(errors.contains("(inspector)"), "those of built-in rulebooks count too: {errors}");
        assert!(text.contains(&format!("- {told_of}\n    business_logic should be")), "{text}");
        assert!(!Path::new(&tuned).exists());
    }
    let output = made.tune(&["--rulebook", &own, "--write", &tuned, "--force"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", errors_of(&output));
    assert!(text.contains("- no ink (base): business_logic should be"), "in the note: {text}");
    let written = std::fs::read_to_string(&tuned).expect("the rulebook");
    assert!(written.contains("# - no ink (base): business_logic should be"), "{written}");
    let told = made.json(&["--rulebook", &tuned]);
    let broken = &told["breaking_examples"];
    assert_eq!(*broken, serde_json::json!([]), "what is wrong already is not told");
}

#[test]
fn a_run_is_tuned_for_a_file_only_if_its_rulebook_is_found() {
    let made = Made::new(two_ways, as_it_is);
    let place = tempfile::tempdir().expect("a temporary folder");
    let [run, own, tuned] = ["run", "own.toml", "tuned.toml"]
        .map(|name| place.path().join(name).to_string_lossy().into_owned());
    std::fs::write(&own, "name = \"own\"\nextends = \"inspector\"\n").expect("a rulebook");
    let labels = place.path().join("labels.jsonl");
    std::fs::write(&labels, &made.labels).expect("labels");
    for (rulebook, code) in [(&*own, 2), ("inspector", 0)] {
        let mut judge = Command::new(env!("CARGO_BIN_EXE_tapecheck"));
        judge.arg("run").arg(made.folder.path()).args(["--rulebook", rulebook, "--out", &run]);
        assert!(judge.output().expect("the program runs").status.code().is_some());
        let mut tune = Command::new(env!("CARGO_BIN_EXE_tapecheck"));
        tune.args(["tune", &run, "--write", &tuned, "--force", "--labels"]).arg(&labels);
        let output = tune.output().expect("the program runs");
        let errors = errors_of(&output);
        assert_eq!(output.status.code(), Some(code), "{rulebook}: {errors}");
        assert_eq!(errors.contains("the path of its rulebook own"), code == 2, "{errors}");
    }
    let written = std::fs::read_to_string(&tuned).expect("the rulebook");
    assert!(written.contains("extends = \"inspector\"\n"), "{written}");
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_anything_is_learned() {
    let made = Made::new(two_ways, as_it_is);
    let place = tempfile::tempdir().expect("a temporary folder");
    let nowhere = place.path().join("no/such/tuned.toml").to_string_lossy().into_owned();
    let folder = place.path().to_string_lossy().into_owned();
    let missing = format!("cannot write {nowhere}: its folder does not exist");
    for (target, why) in [(&nowhere, missing), (&folder, format!("{folder} exists already"))] {
        let output = made.tune(&["--write", target]);
        let errors = errors_of(&output);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(&why), "{errors}");
        assert!(output.stdout.is_empty());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_system_that_refuses_the_file_leaves_the_work_unfinished() {
    let made = Made::new(two_ways, as_it_is);
    // Nobody can write there, whatever the rights.
    let output = made.tune(&["--write", "/proc/tuned.toml"]);
    let errors = errors_of(&output);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("cannot write /proc/tuned.toml: "), "{errors}");
}

#[test]
fn labels_that_fit_nothing_are_told_by_tune_and_by_the_lint() {
    let mut made = Made::new(two_ways, as_it_is);
    made.labels.push_str("{\"file\":\"gone.jsonl\",\"id\":\"1\",\"label\":\"tool_failure\"}\n");
    let said = "warning: 1 label does not match exactly one call";
    let errors = errors_of(&made.tune(&[]));
    assert!(errors.contains(said), "{errors}");
    let labels = made.folder.path().join("labels.jsonl.kept");
    std::fs::write(&labels, &made.labels).expect("labels");
    let mut lint = Command::new(env!("CARGO_BIN_EXE_tapecheck"));
    lint.args(["check", "inspector", "--on"]).arg(made.folder.path());
    lint.arg("--labels").arg(&labels);
    let errors = errors_of(&lint.output().expect("the program runs"));
    assert_eq!(errors.matches(said).count(), 1, "{errors}");
}

#[test]
fn people_read_everything_within_eighty_columns_and_long_lists_are_bounded() {
    let made = Made::new(two_ways, as_it_is);
    let output = made.tune(&["--config=tune.compare_classifier=true", "--top", "3"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let (own, _) =
        text.split_once("All calls that would change").expect("the comparison comes last");
    for line in own.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(own.contains("… and 57 more (--top 60)"), "{own}");
    // Both are right about all of it.
    let says = "the tuned rulebook does not beat it: 0.000 more (+0.000 to +0.000 includes 0)";
    assert!(own.contains(says), "{own}");
}

#[test]
fn half_of_the_recorded_servers_teach_what_the_other_half_says() {
    let Some(recorded) = shared("corpora/recorded") else {
        return;
    };
    let labels = recorded.join("labels.jsonl");
    for seed in ["1", "2", "3"] {
        let told = told(&tune(
            &recorded,
            &labels,
            &["--config=tune.half=true", "--seed", seed, "--format=json"],
        ));
        let gain = told["gain"].as_f64().expect("a gain");
        assert!(gain >= 0.25, "seed {seed}: {gain}");
        assert_eq!(told["verdict"], "gain", "seed {seed}");
    }
}
