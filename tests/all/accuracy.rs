//! How right `calibrated` is by labels, and what hits tell of verdicts without the texts.

use crate::causes::{builtin, exchanges, side};
use crate::figures::{beside, bundled, figures, mistakes, ordinary};
use serde_json::Value;
use std::path::Path;
use tapecheck::internals::check::Judge;
use tapecheck::internals::check::schema::Schemas;
use tapecheck::internals::compare::{Observations, Patterns};
use tapecheck::internals::labels::Class;
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
            assert_eq!(told, Class::of(said), "{name}: {said:?}");
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
        let before = Class::of(&whole.verdicts[entry.verdict as usize]);
        if let Some(business_logic) = judged {
            assert_eq!(told == Some(Class::Refused), business_logic, "{exchange:?}");
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
        // Servers that were asked for what misleads, and some from which little was learned.
        let (of_errors, of_hidden) = match name {
            "fresh" => (0.0, 0.01),
            "mixed" => (0.04, 0.02),
            _ => (0.0, 0.0),
        };
        let wanted = [
            ("balanced_accuracy", 0.98 - of_errors),
            ("hidden_failure_precision", 0.98 - of_hidden),
            ("hidden_failure_recall", 0.97 - of_hidden),
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

/// Of the calls that worked, all and those that are said to have.
fn worked(folder: &Path) -> [f64; 2] {
    let all = figures(folder, "calibrated");
    let row = all["truth"]["confusion"]["worked"].as_object().expect("a row").clone();
    let count = |it: &Value| it.as_f64().expect("a count");
    [row.values().map(count).sum(), count(&row["worked"])]
}

#[test]
fn what_worked_in_ordinary_traffic_is_neither_a_refusal_nor_a_failure() {
    let [(_, read), (_, sealed)] = <[_; 2]>::try_from(ordinary()).expect("two collections");
    let [all, right] = worked(&read);
    assert!(all > 1_400.0, "{all} calls worked");
    let wrong = mistakes(&figures(&read, "calibrated"));
    let wrong: Vec<_> = wrong.iter().filter(|[_, label, ..]| label == "worked").collect();
    assert!(right >= all, "{right} of {all}: {wrong:#?}");
    let [all, right] = worked(&sealed);
    assert!(all > 600.0 && right / all >= 0.98, "{right} of {all}");
}
