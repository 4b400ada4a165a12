//! The lists of what to act on, from small sessions: what is on which list, and what is said of it.

use crate::cases::{Case, check};
use crate::harness::{Place, finish, program};
use serde_json::{Value, json};

/// The reply that a word stands for, and how long it took.
fn reply(word: &str) -> (Option<Value>, Option<f64>) {
    let error = |text: &str| json!({"isError": true, "content": [{"type": "text", "text": text}]});
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    match word.split_once(' ').unwrap_or((word, "")) {
        ("refused", _) => (Some(error("User 'ann' does not exist")), None),
        ("crashed", _) => (Some(error("TypeError: undefined is not a function")), None),
        ("broke", _) => (Some(error("Something broke")), None),
        ("took", milliseconds) => (Some(text("fine")), milliseconds.parse().ok()),
        ("bytes", bytes) => (Some(text(&"x".repeat(bytes.parse().expect("bytes")))), None),
        ("twice", bytes) => {
            let long = "x".repeat(bytes.parse().expect("bytes"));
            let text = json!({"long": long}).to_string();
            let content = json!([{"type": "text", "text": text}]);
            (Some(json!({"content": content, "structuredContent": {"long": long}})), None)
        }
        ("lost", _) => (None, None),
        _ => (Some(text("fine")), None),
    }
}

/// Reads `session tool argument: reply` in each line, runs them and shows the rows of `lists.csv`; a line that
/// begins with `show` prints what that command does.
fn answer(case: &Case) -> String {
    let place = Place::new();
    let (asked, calls) = case.questions(&["show", "trend"]);
    let calls = calls.lines().map(|line| {
        let (call, word) = line.split_once(": ").expect("a call and its reply");
        let [session, tool, argument] = call.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let (response, duration) = reply(word);
        let call = json!({"server": "shop", "session": session, "tool": tool, "input": {"of": argument},
            "response": response, "duration_ms": duration});
        call.to_string() + "\n"
    });
    place.recording("calls.jsonl", calls.collect::<String>());
    let run = |words: &str| finish(program().current_dir(place.root()).args(words.split(' ')));
    run("run recordings --quiet --out run").ended_with(0);
    if !asked.is_empty() {
        return asked.into_iter().map(|words| run(words).ended_with(0).out).collect();
    }
    let table = place.read("run/lists.csv");
    table.lines().map(|line| line.rsplit_once(',').expect("a key").0.to_owned() + "\n").collect()
}

#[test]
fn calls_are_on_the_lists_of_what_to_act_on() {
    check("tests/cases/lists.txt", answer);
}
