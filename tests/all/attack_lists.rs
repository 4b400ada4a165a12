//! How many attacks the injection lists miss, and how many innocent texts they flag.
//!
//! The patterns were chosen by looking at the half `tune`; what is held here is the half `test`.

use crate::harness::skipped;
use std::fs;
use tapecheck::internals::check::contract::{injection_hit, injection_lists};

const TEXTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/attacks/texts.jsonl");

/// The most of each that a list may get wrong, in percent: attacks missed, innocent texts flagged.
const BOUNDS: [(&str, f64, f64); 2] = [("documented", 65.0, 35.0), ("strict", 10.0, 4.0)];

/// Shares in percent.
#[derive(Debug)]
struct Rates {
    missed: f64,
    flagged: f64,
}

/// The error rates of a list on one half of the labelled texts.
fn rates(list: &str, half: &str, labelled: &str) -> Rates {
    let (mut attacks, mut missed, mut innocent, mut flagged) = (0, 0, 0, 0);
    for line in labelled.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        if case["half"] != half {
            continue;
        }
        let is_hit = injection_hit(list, case["text"].as_str().expect("a text")).is_some();
        match case["kind"].as_str() {
            Some("attack") => {
                attacks += 1;
                missed += u32::from(!is_hit);
            }
            Some("innocent") => {
                innocent += 1;
                flagged += u32::from(is_hit);
            }
            other => panic!("{other:?} is no kind of text"),
        }
    }
    assert!(attacks > 0 && innocent > 0, "there is no half {half}");
    let share = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole);
    Rates { missed: share(missed, attacks), flagged: share(flagged, innocent) }
}

#[test]
fn both_error_rates_stay_within_their_bounds() {
    let Ok(labelled) = fs::read_to_string(TEXTS) else {
        return skipped("the labelled texts of attacks are absent");
    };
    let names: Vec<&str> = injection_lists().map(|(name, _)| name).collect();
    assert_eq!(names, BOUNDS.map(|(name, ..)| name), "every list has bounds");
    for (list, most_missed, most_flagged) in BOUNDS {
        let found = rates(list, "test", &labelled);
        let within = found.missed <= most_missed && found.flagged <= most_flagged;
        assert!(within, "{list}: {found:?}, at most {most_missed} and {most_flagged} percent");
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
    let shown = |list| format!("{:?}", rates(list, "test", &labelled));
    assert_eq!(shown("strict"), "Rates { missed: 50.0, flagged: 0.0 }");
    assert_eq!(shown("documented"), "Rates { missed: 50.0, flagged: 100.0 }");
}
