//! `tapecheck check RECORDINGS`: which tools it finds, what it prints, how it ends.

use crate::harness::{Place, Ran, lines, tapecheck, tapecheck_reading};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A definition that nothing can be said against.
const CLEAN: &str = r#"{"name":"ping","description":"Answers; when the server is down, ok is false and an error says why.","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"ok":{"type":"boolean","description":"Whether it is up"}}},"examples":[{"input":{}}]}"#;
/// A definition without any description.
const BARE: &str = r#"{"name":"bare","inputSchema":{"type":"object"}}"#;

/// Everything that is found, advice on style included.
fn lint(place: &Place, more: &[&str]) -> Ran {
    let recordings = place.recordings();
    let recordings = recordings.to_str().expect("UTF-8");
    tapecheck(&[&["check", recordings, "--verbose"], more].concat())
}

fn findings(ran: &Ran) -> Vec<Value> {
    ran.json()["files"][0]["findings"].as_array().expect("findings").clone()
}

/// The tools that something was found about.
fn tools(ran: &Ran, rule: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let all = findings(ran).into_iter();
    all.filter(|found| rule(&text(&found["rule"]))).map(|found| text(&found["name"])).collect()
}

fn wire(messages: &[Value]) -> String {
    lines(&messages.iter().map(Value::to_string).collect::<Vec<_>>())
}

#[test]
fn findings_are_summed_up_by_rule() {
    let place = Place::new();
    place.recording("tools.json", format!("[{CLEAN},{BARE}]"));
    assert_snapshot!(place.transcript(0, &["check recordings", "check recordings --verbose"]), @"
    $ tapecheck check recordings
    recordings (tool definitions): 2 tools of 1 server

    warning description (1)
      - unknown / bare  /description
        The tool has no description.
      to do: Describe what the tool does, what it returns, and how it reports errors.

    0 errors, 1 warning, 0 notes in 1 file

    $ tapecheck check recordings --verbose
    recordings (tool definitions): 2 tools of 1 server

    warning description (1)
      - unknown / bare  /description
        The tool has no description.
      to do: Describe what the tool does, what it returns, and how it reports errors.

    warning examples (1)
      - unknown / bare  /examples
        The tool has no examples of use.
      to do: Add examples: what to pass, and how to check the result for errors.

    warning output-schema (1)
      - unknown / bare  /outputSchema
        The tool has no output schema.
      to do: Add an outputSchema that describes each field of the result.

    0 errors, 3 warnings, 0 notes in 1 file
    ");
}

#[test]
fn tools_are_found_wherever_recordings_hold_them() {
    let place = Place::new();
    let exchange = |server: &str, tool: &str| {
        format!(r#"{{"server":"{server}","tool":{tool},"input":{{}},"response":{{"content":[]}}}}"#)
    };
    // In exchange lines; the same definition twice, and one tool of which only the name is known.
    let lost = exchange("lines", "\"lost\"");
    place.recording(
        "a/lines.jsonl",
        lines(&[exchange("lines", BARE), exchange("lines", BARE), lost]),
    );
    // Listed in a recording, called or not.
    let listed = format!(r#"{{"server":"listed","tools":[{CLEAN},{BARE}]}}"#);
    place.recording("b/listed.jsonl", lines(&[listed, exchange("listed", "\"ping\"")]));
    // Listed by a server on the wire and never called.
    let clean: Value = serde_json::from_str(CLEAN).expect("JSON");
    place.recording(
        "c/wire.jsonl",
        wire(&[
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {"name": "wire"}}}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
            json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": [clean]}}),
            json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "gone"}}),
        ]),
    );
    // Alone in a file: once for tools of no server, and as what another server uses.
    place.recording("d/tools.json", format!(r#"{{"tools":[{BARE},{{"name":"alone"}}]}}"#));
    let ran = lint(&place, &["--format=json"]).ended_with(0);
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let found: BTreeSet<String> =
        named(&["lines / bare", "listed / bare", "unknown / alone", "wire / ping"]);
    assert_eq!(
        tools(&ran, |rule| rule == "description")
            .union(&tools(&ran, |rule| rule == "examples-errors"))
            .count(),
        3,
        "{found:?}"
    );
    let undefined: BTreeSet<String> = named(&["lines / lost", "wire / gone"]);
    assert_eq!(tools(&ran, |rule| rule == "undefined"), undefined);
    assert_eq!(ran.json()["files"][0]["about"], "5 tools of 4 servers");
}

#[test]
fn what_is_printed_depends_on_nothing_but_the_recordings() {
    let place = Place::new();
    for at in 0..20 {
        let tool = format!(r#"{{"name":"t{}","description":"{at}"}}"#, at % 7);
        place.recording(&format!("{at}/tools.json"), format!("[{tool}]"));
    }
    let first = lint(&place, &["--format=json"]);
    let of_one = findings(&first).into_iter().filter(|found| found["name"] == "unknown / t3");
    assert_eq!(of_one.filter(|found| found["rule"] == "input-schema").count(), 3, "{}", first.out);
    assert_eq!(lint(&place, &["--format=json"]).out, first.out);
}

#[test]
fn the_exit_code_follows_the_severity_asked_for() {
    let clean = Place::new();
    clean.recording("tools.json", format!("[{CLEAN}]"));
    let infos = Place::new();
    infos.recording("tools.json", format!("[{}]", CLEAN.replace("ok is false and ", "")));
    let warnings = Place::new();
    warnings.recording("tools.json", format!("[{BARE}]"));
    let cases = [(&clean, [0, 0, 0, 0]), (&infos, [0, 0, 0, 1]), (&warnings, [0, 0, 1, 1])];
    for (place, codes) in cases {
        for (fail_on, code) in ["never", "error", "warning", "info"].iter().zip(codes) {
            lint(place, &["--fail-on", fail_on]).ended_with(code);
        }
    }
    lint(&clean, &[]).ended_with(0);
    assert_snapshot!(clean.transcript(2, &["check no/such/folder"]), @"
    $ tapecheck check no/such/folder
    error: no/such/folder does not exist
      next: name a file, or something built in: calibrated, guide, inspector, todo
    ");
}

#[test]
fn without_a_definition_there_is_nothing_to_say() {
    let place = Place::with_good_recording();
    assert_snapshot!(place.transcript(3, &["check recordings"]), @"
    $ tapecheck check recordings
    error: recordings has no tool definition
      next: record tools/list, or put a tools.json beside the recordings
    ");
}

#[test]
fn hostile_recordings_neither_stop_it_nor_act_on_the_terminal() {
    let place = Place::new();
    let evil = r#"{"name":"\u001b[2J\n","description":"\u202e","inputSchema":{"properties":{"\u0007":{}}}}"#;
    let deep = "{\"properties\":{\"a\":".repeat(2_000) + "1" + &"}}".repeat(2_000);
    let nested = format!(r#"{{"name":"deep","outputSchema":{deep}}}"#);
    place.recording("tools.json", format!("[{evil},{nested},{{\"name\":\"\"}},{{\"name\":5}}]"));
    place.recording("broken.jsonl", "{\n");
    for more in [&[][..], &["--format=json"]] {
        let ran = lint(&place, &[more, &["--fail-on", "unreadable"]].concat()).ended_with(1);
        assert!(!ran.out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{}", ran.out);
    }
}

#[test]
fn standard_input_is_read() {
    let ran = tapecheck_reading(&["check", "-"], format!("[{CLEAN}]\n").as_bytes());
    assert_snapshot!(ran.ended_with(0).out, @"
    - (tool definitions): 1 tool of 1 server

    0 errors, 0 warnings, 0 notes in 1 file
    ");
}
