//! Where another rulebook judges equal replies, labels say which of the verdicts are right now.

use crate::harness::{Place, Ran, finish, lines, program};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// Claims success; the guide believes it and calibrated does not.
const CLAIM: &str = "Error: connection refused by db-1:5432";

/// Three calls that calibrated judges more strictly, and one that both judge alike. By the labels the first
/// is a hidden failure and the second is all right; of the third nothing is said.
struct Shop {
    place: Place,
}

impl Shop {
    fn new(labels: &[(&str, &str)]) -> Self {
        let place = Place::new();
        let call = |id: &str, text: &str| {
            json!({"id": id, "server": "shop", "tool": "get", "input": {"id": id},
                "response": {"content": [{"type": "text", "text": text}]}})
            .to_string()
        };
        let calls = [call("a", CLAIM), call("b", CLAIM), call("c", CLAIM), call("d", "tea, 3 EUR")];
        place.recording("shop.jsonl", lines(&calls));
        let line = |(id, label): &(&str, &str)| {
            json!({"file": "shop.jsonl", "id": id, "label": label}).to_string() + "\n"
        };
        let labels: String = labels.iter().map(line).collect();
        if !labels.is_empty() {
            fs::write(place.root().join("recordings/labels.jsonl"), labels).expect("labels");
        }
        for rulebook in ["guide", "calibrated"] {
            let mut run = program();
            run.current_dir(place.root()).args([
                "run",
                "recordings",
                "--quiet",
                "--rulebook",
                rulebook,
            ]);
            finish(run.args(["--out", rulebook])).ended_with(0);
        }
        Self { place }
    }

    fn labelled() -> Self {
        Self::new(&[("a", "hidden_failure"), ("b", "ok"), ("d", "ok")])
    }

    fn ran(&self, command: &str) -> Ran {
        let mut asked = program();
        finish(asked.current_dir(self.place.root()).args(command.split_whitespace()))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.place.root().join(name)
    }
}

const COUNTS: &str = "3 equal replies classified differently, 2 labelled: 1 now right, 1 now wrong";

#[test]
fn a_comparison_counts_what_is_right_now_and_says_it_of_each() {
    let shop = Shop::labelled();
    let ran = shop.ran("diff guide calibrated").ended_with(0);
    assert!(ran.out.contains(&format!("labels   {COUNTS}")), "{}", ran.out);
    assert!(ran.out.contains("by labels 1 now right, 1 now wrong"), "{}", ran.out);
    let marks = ran.out.lines().filter(|line| line.contains("- shop / get"));
    let marks: Vec<&str> = marks.map(|line| line.rsplit(" · ").next().unwrap_or("")).collect();
    assert_eq!(marks[..2], ["now right", "now wrong"], "{}", ran.out);
    let json = shop.ran("diff guide calibrated --format json").ended_with(0).json();
    assert_eq!(json["by_labels"], json!({"now_right": 1, "now_wrong": 1}));
    assert_eq!(json["groups"][0]["by_labels"], json["by_labels"]);
    assert_eq!(json["groups"][0]["examples"][1]["by_label"], "now_wrong");
    let group = json["groups"][0]["id"].as_str().expect("an id");
    let listed = shop.ran(&format!("diff guide calibrated --filter {group}")).ended_with(0);
    let ends: Vec<bool> = listed.out.lines().map(|line| line.ends_with("  now right")).collect();
    assert_eq!(ends, [true, false, false], "{}", listed.out);
    shop.ran("diff guide calibrated --out tables").ended_with(0);
    let flips = fs::read_to_string(shop.file("tables/flips.csv")).expect("a table");
    let last: Vec<&str> = flips.lines().map(|line| line.rsplit(',').next().unwrap_or("")).collect();
    assert_eq!(last, ["by_label", "now_right", "now_wrong", "", ""], "{flips}");
    let groups = fs::read_to_string(shop.file("tables/groups.csv")).expect("a table");
    assert!(groups.lines().next().is_some_and(|head| head.ends_with(",now_right,now_wrong")));
    assert!(groups.lines().nth(1).is_some_and(|row| row.ends_with(",1,1")), "{groups}");
}

#[test]
fn the_other_commands_and_the_page_say_the_same() {
    let shop = Shop::labelled();
    let gate = shop.ran("gate calibrated --baseline guide").ended_with(1);
    assert!(gate.out.contains("FAIL stricter: 2 calls (2 stricter)"), "{}", gate.out);
    assert!(gate.out.contains(COUNTS), "{}", gate.out);
    shop.ran("show calibrated --format html --baseline guide").ended_with(0);
    let page = fs::read_to_string(shop.file("calibrated/report.html")).expect("a page");
    assert!(page.contains(COUNTS), "the page has no counts");
    assert!(page.contains("by labels 1 now right, 1 now wrong"), "the page has no groups");
    // Under the guide's rules the three are fine again.
    let back = shop.ran("diff calibrated --rulebook guide --format json").ended_with(0).json();
    let counts: &Value = &back["comparison"]["by_labels"];
    assert_eq!(*counts, json!({"now_right": 1, "now_wrong": 1}), "{back:#}");
    shop.ran("review recordings --all --rulebook guide").ended_with(0);
    let review =
        shop.ran("review calibrated --baseline snapshots/recordings/guide.snap").ended_with(1);
    assert!(review.out.contains("      by labels 1 now right, 1 now wrong"), "{}", review.out);
    assert!(review.out.contains("shop/get  shop.jsonl:1  now right"), "{}", review.out);
    let filtered = "review calibrated --baseline snapshots/recordings/guide.snap --filter wrong";
    let filtered = shop.ran(filtered).ended_with(1);
    assert!(filtered.out.contains("by labels"), "{}", filtered.out);
}

#[test]
fn labels_that_call_every_change_right_let_the_gate_pass() {
    let all = ["a", "b", "c"].map(|id| (id, "hidden_failure"));
    let shop = Shop::new(&all);
    let gate = shop.ran("gate calibrated --baseline guide").ended_with(0);
    let counts = "3 equal replies classified differently, 3 labelled: 3 now right, 0 now wrong";
    assert!(gate.out.contains(counts), "{}", gate.out);
    let other = shop.ran("gate guide --baseline calibrated").ended_with(1);
    assert!(other.out.contains("0 now right, 3 now wrong"), "{}", other.out);
}

#[test]
fn without_labels_nothing_is_said_of_them() {
    let shop = Shop::new(&[]);
    let ran = shop.ran("diff guide calibrated").ended_with(0);
    assert!(ran.out.contains("3 stricter"), "{}", ran.out);
    assert!(!ran.out.contains("label"), "{}", ran.out);
    let json = shop.ran("diff guide calibrated --format json").ended_with(0).json();
    assert_eq!(json.get("by_labels"), None);
    assert_eq!(json["groups"][0].get("by_labels"), None);
    // A file that is named counts as one that lies there.
    fs::write(
        shop.file("mine.jsonl"),
        "{\"file\":\"shop.jsonl\",\"id\":\"c\",\"label\":\"hidden_failure\"}\n",
    )
    .expect("labels");
    let ran = shop.ran("diff guide calibrated --labels mine.jsonl").ended_with(0);
    assert!(ran.out.contains("1 labelled: 1 now right, 0 now wrong"), "{}", ran.out);
    assert!(ran.out.contains("tapecheck gate calibrated --baseline guide --labels mine.jsonl"));
}
