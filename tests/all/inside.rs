//! Results inside results, and what functions returned: whose text is judged, and how.

use crate::harness::Place;
use serde_json::{Value, json};

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../inner_cases.json")).expect("JSON")
}

#[test]
fn results_inside_results_are_judged_with_their_flag_under_the_rulebooks_that_say_so() {
    let lines = cases().into_iter().enumerate().map(|(at, case)| {
        let inside = &case["inside"];
        let text = inside.as_str().map_or_else(|| inside.to_string(), str::to_owned);
        let mut reply = json!({"content": [{"type": "text", "text": text}]});
        if let Some(flag) = case.get("flag") {
            reply["isError"] = flag.clone();
        }
        json!({"id": at, "tool": "call", "input": {}, "response": reply}).to_string()
    });
    let place = Place::new();
    let recording = place.recording("calls.jsonl", lines.collect::<Vec<_>>().join("\n"));
    let opened = cases().iter().filter(|case| !case["judged"].is_null()).count();
    for (rulebook, expected) in [("guide", 0), ("inspector", 0), ("calibrated", opened)] {
        place.run(&["--rulebook", rulebook]).ended_with(0);
        let rows = place.text("recordings.csv");
        assert!(rows.ends_with(&format!(",{expected}\n")), "{rulebook}: {rows}");
    }
    for (at, (case, verdict)) in cases().iter().zip(place.verdicts()).enumerate() {
        let Some(judged) = case["judged"].as_str() else { continue };
        assert_eq!(verdict["outcome"], case["outcome"], "{case}");
        for hit in verdict["hits"].as_array().expect("a list") {
            let place =
                |end: &str| usize::try_from(hit[end].as_u64().expect("a place")).expect("a place");
            assert!(judged.get(place("start")..place("end")).is_some(), "{hit} in {judged}");
        }
        let call = format!("{}:{}", recording.display(), at + 1);
        let told = crate::harness::tapecheck(&["explain", &call]).ended_with(0);
        let _ = told
            .printing("the reply's text is a result itself")
            .printing(&format!("text          {judged}\n"));
    }
}

#[test]
fn what_a_function_returned_is_the_reply() {
    let place = Place::new();
    let line = |returned: Value| {
        json!({"response": returned, "tool_name": "add_task", "parameters": {"user_id": 7}})
            .to_string()
    };
    let returned = [json!({"success": true, "task": {"id": 1}}), json!("added"), json!([1])];
    let own = json!({"isError": true, "content": [{"type": "text", "text": "Task 31 not found"}]});
    let lines: Vec<_> = returned.into_iter().chain([own]).map(line).collect();
    let recording = place.recording("todo.jsonl", lines.join("\n"));
    place.run(&[]).ended_with(0);
    assert_eq!(place.each("tool"), ["add_task"; 4]);
    assert_eq!(place.each("outcome"), ["worked", "worked", "worked", "refused"]);
    let call = format!("{}:1", recording.display());
    let told = crate::harness::tapecheck(&["explain", &call]).ended_with(0);
    let _ = told.printing("input         {\"user_id\":7}").printing("success");
}
