//! How many attacks and leaks the built-in lists miss, and how many innocent texts they flag.
//!
//! The patterns of attacks were chosen by looking at the half `tune`; the bounds are for the half `test`.
//! The halves of the leaks are not independent, see `tests/leaks/README.md`.

use crate::harness::skipped;
use serde_json::Value;
use std::fs;
use tapecheck::internals::check::contract::{exposed, injection_hit, injection_lists};

const ATTACKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/attacks/texts.jsonl");
const LEAKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/leaks/texts.jsonl");

/// The most of each that a list may get wrong, in percent: attacks missed, innocent texts flagged.
const BOUNDS: [(&str, f64, f64); 2] = [("documented", 65.0, 35.0), ("strict", 10.0, 4.0)];
/// The same of what error messages expose, for each half.
const LEAK_BOUNDS: [(&str, f64, f64); 2] = [("tune", 2.0, 1.0), ("test", 23.0, 1.0)];

/// Shares in percent.
#[derive(Debug)]
struct Rates {
    missed: f64,
    flagged: f64,
}

/// The error rates of a list on one half of the labelled texts.
fn rates(half: &str, labelled: &str, is_hit: impl Fn(&str, &Value) -> bool) -> Rates {
    let (mut wanted, mut missed, mut innocent, mut flagged) = (0, 0, 0, 0);
    for line in labelled.lines() {
        let case: Value = serde_json::from_str(line).expect("a line of JSON");
        if case["half"] != half {
            continue;
        }
        let is_hit = is_hit(case["text"].as_str().expect("a text"), &case);
        match case["kind"].as_str() {
            Some("attack" | "leak") => {
                wanted += 1;
                missed += u32::from(!is_hit);
            }
            Some("innocent") => {
                innocent += 1;
                flagged += u32::from(is_hit);
            }
            other => panic!("{other:?} is no kind of text"),
        }
    }
    assert!(wanted > 0 && innocent > 0, "there is no half {half}");
    let share = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole);
    Rates { missed: share(missed, wanted), flagged: share(flagged, innocent) }
}

fn attack_rates(list: &str, labelled: &str) -> Rates {
    rates("test", labelled, |text, _| injection_hit(list, text).is_some())
}

#[test]
fn both_error_rates_stay_within_their_bounds() {
    let Ok(labelled) = fs::read_to_string(ATTACKS) else {
        return skipped("the labelled texts of attacks are absent");
    };
    let names: Vec<&str> = injection_lists().map(|(name, _)| name).collect();
    assert_eq!(names, BOUNDS.map(|(name, ..)| name), "every list has bounds");
    for (list, most_missed, most_flagged) in BOUNDS {
        let found = attack_rates(list, &labelled);
        let within = found.missed <= most_missed && found.flagged <= most_flagged;
        assert!(within, "{list}: {found:?}, at most {most_missed} and {most_flagged} percent");
    }
}

#[test]
fn leaks_missed_and_innocent_errors_flagged_stay_within_their_bounds() {
    let Ok(labelled) = fs::read_to_string(LEAKS) else {
        return skipped("the labelled texts of leaks are absent");
    };
    for (half, most_missed, most_flagged) in LEAK_BOUNDS {
        let found = rates(half, &labelled, |text, case| {
            let sent = case["sent"].as_array().into_iter().flatten();
            let sent: Vec<&str> = sent.filter_map(Value::as_str).collect();
            exposed(text, &sent).is_some()
        });
        let within = found.missed <= most_missed && found.flagged <= most_flagged;
        assert!(within, "{half}: {found:?}, at most {most_missed} and {most_flagged} percent");
    }
}

#[test]
fn rates_are_shares_of_their_kind() {
    let labelled = [
        r#"{"text": "a'; DROP TABLE t; --", "kind": "attack", "half": "test"}"#,
        r#"{"text": "hello", "kind": "attack", "half": "test"}"#,
        r#"{"text": "Update the report", "kind": "innocent", "half": "test"}"#,
        r#"{"text": "x", "kind": "attack", "half": "tune"}"#,
    ]
    .join("\n");
    let shown = |list| format!("{:?}", attack_rates(list, &labelled));
    assert_eq!(shown("strict"), "Rates { missed: 50.0, flagged: 0.0 }");
    assert_eq!(shown("documented"), "Rates { missed: 50.0, flagged: 100.0 }");
}
