//! How right `calibrated` is by labels, and what hits tell of verdicts without the texts.

use crate::causes::{builtin, exchanges, side};
use crate::figures::{beside, bundled, figures, mistakes};
use crate::harness::Place;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tapecheck::internals::check::Judge;
use tapecheck::internals::check::schema::Schemas;
use tapecheck::internals::compare::{Observations, Patterns};
use tapecheck::internals::labels::Label;
use tapecheck::internals::measure::accuracy::answer;
use tapecheck::internals::rulebook::Rulebook;

#[test]
fn answers_told_from_hits_are_those_that_were_given() {
    let exchanges = exchanges();
    for name in tapecheck::internals::rulebook::builtin_names() {
        let side = side(&exchanges, &builtin(name));
        let observations = Observations::of(&side).expect("the side keeps what hit");
        for (at, said) in (0..).zip(&side.verdicts) {
            let told = answer(&observations, at, observations.rulebook, &Patterns::default());
            assert_eq!(told, Label::of(said), "{name}: {said:?}");
        }
    }
}

#[test]
fn answers_without_a_pattern_are_those_of_a_rulebook_without_it() {
    let exchanges = exchanges();
    let whole = side(&exchanges, &builtin("guide"));
    let observations = Observations::of(&whole).expect("the side keeps what hit");
    let wanted = "not found";
    let without: Patterns = observations
        .rulebook
        .patterns
        .iter()
        .zip(0..)
        .filter(|(pattern, _)| pattern.text == wanted && pattern.list == "business_patterns")
        .map(|(_, number)| number)
        .collect();
    assert_eq!(without.len(), 1, "the pattern is there once");
    let less = format!(
        "name = \"less\"\nextends = \"guide\"\n[lists.business_patterns]\nremove = [\"{wanted}\"]\n"
    );
    let less = Rulebook::from_toml(&less, "less.toml").expect("a rulebook");
    let schemas = Schemas::new(less.schema.clone());
    let mut judge = Judge::new(&less, &schemas);
    let mut flipped = 0;
    for (entry, exchange) in whole.entries.iter().zip(&exchanges) {
        let told = answer(&observations, entry.verdict, observations.rulebook, &without);
        let judged = judge.judge(exchange).conclusion.business_logic();
        let before = Label::of(&whole.verdicts[entry.verdict as usize]);
        if let Some(business_logic) = judged {
            assert_eq!(told == Some(Label::BusinessLogic), business_logic, "{exchange:?}");
            flipped += u32::from(told != before);
        }
    }
    assert!(flipped > 0, "no verdict of the corpus rests on the pattern");
}

/// Fails, naming the mistakes, where one of the figures is below what it has to be.
fn hold(name: &str, all: &Value, measured: &Value, wanted: [(&str, f64); 3]) {
    let low: Vec<String> = wanted
        .iter()
        .filter(|(figure, least)| measured[*figure].as_f64().is_none_or(|it| it < *least))
        .map(|(figure, least)| format!("{figure} is {}, not {least}", measured[*figure]))
        .collect();
    let wrong: Vec<String> = mistakes(all)
        .into_iter()
        .map(|[place, label, answer, text]| format!("{place}: {answer}, not {label}: {text:?}"))
        .collect();
    assert!(low.is_empty(), "{name}: {}\n{}", low.join(", "), wrong.join("\n"));
}

#[test]
fn calibrated_is_right_about_the_bundled_recordings() {
    for (name, folder) in bundled() {
        let all = figures(&folder, "calibrated");
        let wanted = [
            ("balanced_accuracy", 0.98),
            ("hidden_failure_precision", 0.98),
            ("hidden_failure_recall", 0.97),
        ];
        hold(name, &all, &all, wanted);
    }
}

#[test]
fn calibrated_is_right_about_servers_that_it_is_not_told_of() {
    let Some((name, folder)) = beside() else { return };
    let all = figures(&folder, "calibrated");
    let wanted = [
        ("balanced_accuracy", 0.95),
        ("hidden_failure_precision", 0.93),
        ("hidden_failure_recall", 0.90),
    ];
    hold(name, &all, &all["leave_one_server_out"], wanted);
}

/// How many replies of a folder that are labelled hidden failures keep their outcome where `isError` says it, of
/// how many.
fn kept_with_the_flag(folder: &Path) -> [usize; 2] {
    let labels = std::fs::read_to_string(folder.join("labels.jsonl")).expect("labels");
    let json = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
    let labels: Vec<Value> = labels.lines().map(json).collect();
    let mut hidden: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for label in labels.iter().filter(|label| label["label"] == "hidden_failure") {
        let file = label["file"].as_str().expect("a file").to_owned();
        hidden.entry(file).or_default().insert(label["id"].to_string());
    }
    let [as_recorded, flagged] = [Place::new(), Place::new()];
    for (file, ids) in &hidden {
        let text = std::fs::read_to_string(folder.join(file)).expect("a recording");
        as_recorded.recording(file, &text);
        let flag = |line: &str| {
            let mut message = json(line);
            let reply = &mut message["msg"];
            if ids.contains(&reply["id"].to_string()) && reply["result"].is_object() {
                reply["result"]["isError"] = true.into();
            }
            message.to_string()
        };
        flagged.recording(file, text.lines().map(|line| flag(line) + "\n").collect::<String>());
    }
    let outcomes = |place: &Place| {
        place.keep_verdicts(place.run(&["--rulebook", "calibrated"]));
        let of = |verdict: &Value| {
            let name = verdict["file"].as_str().and_then(|file| file.rsplit('/').next());
            let key =
                (name.unwrap_or_default().to_owned(), verdict["id"].to_string().replace('"', ""));
            (key, verdict["outcome"].clone())
        };
        place.verdicts().iter().map(of).collect::<BTreeMap<_, _>>()
    };
    let (before, after) = (outcomes(&as_recorded), outcomes(&flagged));
    let all =
        hidden.iter().flat_map(|(file, ids)| ids.iter().map(move |id| (file.clone(), id.clone())));
    let all: Vec<_> = all.filter(|call| before.contains_key(call)).collect();
    [all.iter().filter(|call| before.get(call) == after.get(call)).count(), all.len()]
}

#[test]
fn the_event_decides_and_not_the_flag() {
    let folders = bundled().into_iter().chain(beside());
    let counts: Vec<[usize; 2]> = folders.map(|(_, folder)| kept_with_the_flag(&folder)).collect();
    let [kept, of] = [0, 1].map(|at| counts.iter().map(|it| it[at]).sum::<usize>());
    assert!(of >= 400, "{of} labels tell");
    assert!(kept * 100 >= of * 95, "{kept} of {of} keep their outcome: {counts:?}");
}
