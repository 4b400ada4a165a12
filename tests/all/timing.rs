//! How long validation takes is measured in every run, and told only where runs need not be equal.

use crate::harness::{Place, good, lines};
use serde_json::Value;

/// A call of the contract `todo`, with the time that its answer took.
fn call(number: usize) -> String {
    format!(
        r#"{{"server":"todo","tool":"add_task","input":{{"user_id":1,"title":"Task {number}"}},"duration_ms":40,"response":{{"content":[{{"type":"text","text":"{{\"success\":true}}"}}]}}}}"#
    )
}

fn durations(place: &Place) -> Vec<Option<f64>> {
    place.verdicts().iter().map(|verdict| verdict["metadata"]["duration_ms"].as_f64()).collect()
}

#[test]
fn a_run_tells_what_its_validation_took_and_what_share_of_the_requests_that_is() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&(0..20).map(call).chain([good("g")]).collect::<Vec<_>>()));
    let ran = place.run(&["--contract", "todo", "-v"]).ended_with(0);
    for part in [
        "validation time",
        "ms on average",
        "ms at most",
        "% of the time of 20 calls with a duration",
    ] {
        assert!(ran.err.contains(part), "no `{part}` in {}", ran.err);
    }
    let manifest = place.json("manifest.json");
    let time = &manifest["wall"]["validation"];
    let number = |member: &str| time[member].as_f64().unwrap_or_else(|| panic!("{member}: {time}"));
    assert_eq!((time["exchanges"].as_u64(), time["timed"].as_u64()), (Some(21), Some(20)));
    assert!(number("mean_ms") > 0.0 && number("mean_ms") <= number("longest_ms"), "{time}");
    let above = number("above_10_ms");
    assert_eq!(above > 0.0, number("longest_ms") > 10.0, "{time}");
    let share = number("share_of_requests");
    let most = number("longest_ms") / 40.0;
    assert!(share > 0.0 && share <= most, "a share of 40 ms a request: {time}");
    assert!(manifest["comparable"]["validation"].is_null(), "equal runs stay equal");
}

#[test]
fn without_recorded_durations_there_is_no_share() {
    let place = Place::with_good_recording();
    let ran = place.run(&["-v"]).ended_with(0);
    assert!(ran.err.contains("ms at most"), "{}", ran.err);
    assert!(!ran.err.contains("with a duration"), "a share of nothing: {}", ran.err);
    assert_eq!(place.json("manifest.json")["wall"]["validation"]["share_of_requests"], Value::Null);
}

#[test]
fn lines_of_verdicts_tell_durations_only_where_they_are_asked_for() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&(0..20).map(call).collect::<Vec<_>>()));
    place.run(&["-j", "1"]).ended_with(0);
    assert!(durations(&place).iter().all(Option::is_none), "{:?}", durations(&place));
    let one = place.text("verdicts.jsonl");
    place.run(&["-j", "4"]).ended_with(0);
    assert!(one == place.text("verdicts.jsonl"), "lines differ with the number of threads");

    place.run(&["--config=output.durations=true"]).ended_with(0);
    let told = durations(&place);
    assert_eq!(told.len(), 20);
    assert!(told.iter().all(|told| told.is_some_and(|took| took > 0.0)), "{told:?}");
}
