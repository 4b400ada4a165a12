//! Every rulebook in the documentation and every built-in one compiles, and what its examples say of
//! signals and decisions holds. What they say of whole verdicts is checked where verdicts are made.

use super::{Observing, Rulebook, Subject, builtin_names};
use crate::json::scan_document;
use serde_json::Value;

fn check_examples(rulebook: &Rulebook) -> usize {
    let mut checked = 0;
    for example in &rulebook.examples {
        let expect: Value = serde_json::from_str(&example.expect).expect("JSON");
        let exchange = scan_document(&example.exchange, 64).expect("JSON");
        let value: Value = serde_json::from_str(exchange.text()).expect("JSON");
        let reply = &value["response"];
        if reply["isError"] != true {
            continue;
        }
        let input = value["input"].to_string();
        let subject = Subject {
            text: reply["content"][0]["text"].as_str().expect("a text"),
            tool: value["tool"]["name"].as_str().expect("a name"),
            input: &input,
            scenario: value["scenarioCategory"].as_str().unwrap_or_default(),
            code: "",
        };
        let observed = rulebook.observe(&subject, Observing::Errors);
        let decided = rulebook.decide(observed.signals);
        let place = format!("{} ({})", example.name, example.place);
        if let Some(answer) = expect.get("business_logic") {
            assert_eq!(*answer, decided.business_logic, "{place}");
        }
        if let Some(score) = expect.get("score").and_then(Value::as_f64) {
            assert!((score - decided.score).abs() < 1e-12, "{place}: {}", decided.score);
        }
        if let Some(threshold) = expect.get("threshold").and_then(Value::as_f64) {
            assert_eq!(Some(threshold), decided.threshold, "{place}");
        }
        for (name, holds) in expect["signals"].as_object().into_iter().flatten() {
            let signal = rulebook.signals.iter().position(|signal| signal.name == *name);
            assert_eq!(*holds, observed.signals.has(signal.expect(name)), "{place}: {name}");
        }
        checked += 1;
    }
    checked
}

#[test]
fn the_built_in_rulebooks_keep_their_promises() {
    for name in builtin_names() {
        let rulebook = Rulebook::builtin(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(rulebook.warnings, [], "{name}");
        assert_eq!(rulebook.broken_examples(), [], "{name}");
        let checked = check_examples(&rulebook);
        assert_eq!(checked > 5, rulebook.examples.len() > 5, "{name}");
    }
}
