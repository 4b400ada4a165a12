//! Tuning, through the built program, on made-up servers.

use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

/// A rulebook with two factors, of which one has the wrong sign for the made-up replies.
const OWN: &str = r#"name = "own"
extends = "guide"

[remove]
factors = ["mcp_code", "business_pattern", "http_status", "structured_error", "test_data", "validation_tool"]
decide = ["mcp code", "nothing in the text", "strong operational error", "validation tool"]

[signals.refused]
contains = ["refused"]
yes = ["refused it"]

[signals.polite]
contains = ["sorry"]

[factors]
refused = { weight = 1 }
polite = { weight = 4 }

[score]
denominator = 4

[[decide]]
name = "otherwise"
threshold = 0.5

[[examples]]
name = "a polite reply"
tool = "act"
error = "sorry, it exploded"
expect = { business_logic = true }
"#;

/// Errors of made-up servers with their labels, and a rulebook.
struct Made {
    folder: tempfile::TempDir,
}

impl Made {
    /// `servers` of 12 errors each, half of them failures, with labels by `is_failure(server, turn)`.
    fn new(servers: usize, is_failure: fn(usize, usize) -> bool) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (mut recording, mut labels) = (String::new(), String::new());
        for (server, turn) in
            (0..servers).flat_map(|server| (0..12).map(move |turn| (server, turn)))
        {
            let said = if turn % 2 == 0 { "sorry, it exploded" } else { "refused" };
            let id = format!("{server}-{turn}");
            let line = serde_json::json!({
                "id": id, "server": format!("server-{server}"), "tool": {"name": "act"}, "input": {"turn": turn},
                "response": {"isError": true, "content": [{"type": "text", "text": format!("{said} {turn}")}]},
            });
            let _ = writeln!(recording, "{line}");
            let class = if is_failure(server, turn) { "tool_failure" } else { "business_logic" };
            let label = serde_json::json!({"file": "calls.jsonl", "id": id, "label": class});
            let _ = writeln!(labels, "{label}");
        }
        let made = Self { folder };
        made.write("recordings/calls.jsonl", &recording);
        made.write("labels.jsonl", &labels);
        made.write("rules/own.toml", OWN);
        made
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect(name)
    }

    fn tune(&self, rulebook: &str, more: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tapecheck"));
        command.current_dir(self.folder.path());
        command.args(["tune", "recordings", "--labels", "labels.jsonl", "--rulebook", rulebook]);
        command.args(more).output().expect("the program runs")
    }

    fn json(&self, rulebook: &str, more: &[&str]) -> Value {
        let output = self.tune(rulebook, &[&["--format=json"], more].concat());
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", errors(&output)))
    }

    fn has(&self, name: &str) -> bool {
        Path::exists(&self.folder.path().join(name))
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn as_said(_: usize, turn: usize) -> bool {
    turn.is_multiple_of(2)
}

/// Labels that have nothing to do with what is said.
fn shuffled(server: usize, turn: usize) -> bool {
    let mixed = (server * 12 + turn + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ mixed >> 27).count_ones().is_multiple_of(2)
}

#[test]
fn fitted_numbers_are_written_as_a_rulebook_that_extends_the_tuned_one() {
    let made = Made::new(10, as_said);
    let output = made.tune("rules/own.toml", &["--write", "tuned.toml", "--yes", "--format=json"]);
    assert!(output.status.success(), "{}", errors(&output));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (&told["gain"]["finding"], &told["gain"]["after"]),
        (&"gain".into(), &1.0.into()),
        "{told}"
    );
    assert_eq!(told["breaking"][0]["example"], "a polite reply");
    let written = made.read("tuned.toml");
    assert!(written.contains("extends = \"rules/own.toml\"\n"), "{written}");
    assert_eq!(made.read("rules/own.toml"), OWN);
    let again = made.json("tuned.toml", &[]);
    assert_eq!(again["gain"]["before"], 1.0, "what was written answers as proposed: {written}");
    let twice = made.tune("rules/own.toml", &["--write", "tuned.toml"]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(errors(&twice).contains("tuned.toml exists already"), "{}", errors(&twice));
}

#[test]
fn what_is_unproven_or_breaks_an_example_is_not_written() {
    for (servers, is_failure, why) in [
        (10, shuffled as fn(usize, usize) -> bool, "no change was found"),
        (4, as_said, "Too few servers to show a gain: labels of 4 servers, 5 are needed"),
        (10, as_said, "it would break 1 example"),
    ] {
        let made = Made::new(servers, is_failure);
        let output = made.tune("rules/own.toml", &["--write", "tuned.toml"]);
        assert_eq!(output.status.code(), Some(1), "{why}: {}", errors(&output));
        assert!(errors(&output).contains(why), "{why}: {}", errors(&output));
        assert!(!made.has("tuned.toml"), "{why}");
    }
}

#[test]
fn labels_without_sense_show_no_gain_whatever_the_seed() {
    let made = Made::new(10, shuffled);
    for seed in ["1", "2", "3", "4", "5"] {
        let told = made.json("rules/own.toml", &["--config", &format!("seed={seed}")]);
        assert_ne!(told["gain"]["finding"], "gain", "seed {seed}: {told}");
    }
}

#[test]
fn the_same_seed_says_the_same() {
    let made = Made::new(10, shuffled);
    let [once, twice] = [(), ()].map(|()| made.tune("inspector", &["--config", "seed=7"]).stdout);
    assert!(String::from_utf8_lossy(&once).contains("\nNo gain"), "each thing has a line");
    assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice));
}

#[test]
fn weights_keep_to_their_bounds_and_too_few_labels_are_refused() {
    let made = Made::new(10, as_said);
    let bounds = ["--config=tune.largest_weight=0.5", "--config=tune.weight_step=0.25"];
    let told = made.json("rules/own.toml", &bounds);
    let changes = told["changes"].as_array().expect("changes");
    let weights = changes.iter().filter(|it| it["number"] == "weight");
    let weights: Vec<f64> = weights.filter_map(|it| it["to"].as_f64()).collect();
    assert!(!weights.is_empty(), "{told}");
    for weight in weights {
        assert!(weight.abs() <= 0.5 && (weight / 0.25).fract() == 0.0, "{weight}");
    }
    let few = Made::new(2, as_said);
    let output = few.tune("rules/own.toml", &[]);
    assert_eq!(output.status.code(), Some(3));
    let reason = "12 labels of failed on 2 servers, and 10 on 3 servers are needed";
    assert!(errors(&output).contains(reason), "{}", errors(&output));
    let output = made.tune("rules/own.toml", &["--config=tune.weight_step=10"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("next: set `tune.weight_step` to at most 4"),
        "{}",
        errors(&output)
    );
}
