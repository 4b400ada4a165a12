//! Every worked example and rule of the guide comes out as its text says.
//!
//! `worked-examples.jsonl` names records of `corpus/guide` and `corpus/replies` with what the text says
//! of them, under `guide` or under a rulebook that `docs/rulebooks.md` builds to follow the guide's
//! extension steps.

use crate::frame::Cell;
use crate::support::read_table;
use crate::support::{Differences, Judged, corpus, home, lines};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use tapecheck::internals::rulebook::{Rulebook, builtin_names};
use tapecheck::internals::run::run_examples;
use tapecheck::internals::store::Table;

const FILE: &str = "tests/all/worked-examples.jsonl";

/// The rulebooks that the documentation shows, but for the one that shows what errors look like.
fn documented_rulebooks() -> Vec<Rulebook> {
    let document = home().join("docs/rulebooks.md");
    let text = lines(&document).join("\n");
    // The opening fence names the file that a block stands for.
    let blocks = text.split("```toml ").skip(1).filter_map(|rest| rest.split_once('\n'));
    let sources = blocks.filter_map(|(_, rest)| rest.split_once("```"));
    sources.filter_map(|(block, _)| Rulebook::from_toml(block, "docs/rulebooks.md").ok()).collect()
}

/// Verdicts on the records that have an id, by these ids.
fn verdicts(rulebook: &Rulebook) -> BTreeMap<String, Map<String, Value>> {
    let judged = ["guide", "replies"].map(|folder| Judged::under(&corpus().join(folder), rulebook));
    let verdicts = judged.into_iter().flat_map(|judged| judged.verdicts);
    let with_id = verdicts.filter_map(|verdict| {
        let id = verdict.get("id")?.as_str()?.to_owned();
        Some((id, verdict))
    });
    with_id.collect()
}

/// Members that nobody expects anything of are ignored.
fn compare(what: &str, got: &Value, wanted: &Value, wrong: &mut Differences) {
    match wanted.as_object() {
        Some(members) => {
            for (name, wanted) in members {
                compare(&format!("{what} {name}"), &got[name], wanted, wrong);
            }
        }
        None => wrong.compare(what, got, wanted),
    }
}

#[test]
fn every_worked_example_of_the_guide_comes_out_as_its_text_says() {
    let mut rulebooks: BTreeMap<String, Rulebook> = documented_rulebooks()
        .into_iter()
        .map(|rulebook| (rulebook.name.clone(), rulebook))
        .collect();
    let guide = Rulebook::builtin("guide").expect("built in");
    rulebooks.insert(guide.name.clone(), guide);
    let mut judged: BTreeMap<String, BTreeMap<String, Map<String, Value>>> = BTreeMap::new();
    let mut wrong = Differences::default();
    for line in lines(&home().join(FILE)) {
        let example: Value = serde_json::from_str(&line).expect("JSON");
        let id = example["id"].as_str().expect("an id");
        let name = example["rulebook"].as_str().unwrap_or("guide");
        let rulebook = rulebooks.get(name).unwrap_or_else(|| panic!("no rulebook {name}"));
        let verdicts = judged.entry(name.to_owned()).or_insert_with(|| verdicts(rulebook));
        let verdict = verdicts.get(id).unwrap_or_else(|| panic!("no record {id}"));
        let got = Value::Object(verdict.clone());
        compare(&format!("{id} under {name}:"), &got, &example["expect"], &mut wrong);
    }
    wrong.assert_none(FILE);
}

#[test]
fn no_worked_example_is_left_out() {
    let expected = lines(&home().join(FILE)).join("\n");
    let examples = lines(&corpus().join("guide/examples.jsonl"));
    let ids = examples.iter().map(|line| -> String {
        let record: Value = serde_json::from_str(line).expect("JSON");
        record["id"].as_str().expect("an id").to_owned()
    });
    // Statuses are properties of tools; they have a test of their own.
    let forgotten: Vec<String> = ids
        .filter(|id| !id.starts_with("status/") && !expected.contains(&format!("\"id\":\"{id}\"")))
        .collect();
    assert!(forgotten.is_empty(), "{FILE} says nothing of {forgotten:?}");
}

#[test]
fn the_guides_three_scenarios_average_to_83_and_tools_get_their_status() {
    let guide = Rulebook::builtin("guide").expect("built in");
    let judged = Judged::under(&corpus().join("guide"), &guide);
    let frame = read_table(judged.folder(), Table::Tools);
    let of = |tool: &str| {
        let row = (0..frame.height).find(|row| frame.text("tool", *row) == tool);
        let row = row.unwrap_or_else(|| panic!("no tool {tool}"));
        let Cell::Float(overall) = frame.column("overall_confidence").cells[row] else {
            panic!("no number");
        };
        (frame.text("status", row), overall)
    };
    // To the last bit, as the guide's arithmetic gives it in doubles.
    assert_eq!(of("weigh").1.to_bits(), 83.0_f64.to_bits());
    for (tool, status) in [
        ("status_all", "fully_working"),
        ("status_most", "partially_working"),
        ("status_half", "connectivity_only"),
        ("status_some", "connectivity_only"),
        ("status_none", "broken"),
    ] {
        assert_eq!(of(tool).0, status, "{tool}");
    }
}

#[test]
fn the_rulebooks_keep_what_their_own_examples_promise() {
    let built_in = builtin_names().iter().map(|name| Rulebook::builtin(name).expect("built in"));
    for rulebook in built_in.chain(documented_rulebooks()) {
        assert!(!rulebook.examples.is_empty(), "{} has examples", rulebook.name);
        assert_eq!(run_examples(&rulebook), [], "{}", rulebook.name);
    }
}
