//! How long a call took to classify: only where asked for, since no two runs are equal then.

use crate::harness::{Place, lines};

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
