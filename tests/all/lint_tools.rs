//! `tapecheck lint-tools`: which tools it finds, what it prints, how it ends.

use crate::harness::{Place, Ran, lines, tapecheck, tapecheck_reading};
use insta::assert_snapshot;
use serde_json::{Value, json};

/// A definition that nothing can be said against.
const CLEAN: &str = r#"{"name":"ping","description":"Answers; when the server is down, ok is false and an error says why.","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"ok":{"type":"boolean","description":"Whether it is up"}}},"examples":[{"input":{}}]}"#;
/// A definition without any description.
const BARE: &str = r#"{"name":"bare","inputSchema":{"type":"object"}}"#;

fn lint(place: &Place, more: &[&str]) -> Ran {
    let recordings = place.recordings();
    let mut arguments = vec!["lint-tools", recordings.to_str().expect("UTF-8")];
    arguments.extend(more);
    tapecheck(&arguments)
}

fn tools(ran: &Ran) -> Vec<(String, String)> {
    let printed = ran.json();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let tools = printed["tools"].as_array().expect("tools");
    tools.iter().map(|tool| (text(&tool["server"]), text(&tool["tool"]))).collect()
}

fn wire(messages: &[Value]) -> String {
    lines(&messages.iter().map(Value::to_string).collect::<Vec<_>>())
}

#[test]
fn findings_are_printed_by_server_and_tool_one_a_line() {
    let place = Place::new();
    place.recording("tools.json", format!("[{CLEAN},{BARE}]"));
    let ran = lint(&place, &[]).ended_with(1);
    assert_snapshot!(ran.out, @r"
    unknown
      - bare
        warning  tool_undescribed /description: The tool has no description. Say what the tool does, what it returns, and how it reports errors.
        warning  tool_schema_missing /outputSchema: The tool has no output schema. Add an outputSchema that describes each field of the result.
        warning  tool_examples_missing /examples: The tool has no examples of use. Add examples: what to pass, and how to check the result for errors.
      - ping: nothing found

    2 tools of 1 server, 1 without findings: 0 errors, 3 warnings, 0 infos
    ");
    assert!(ran.err.is_empty(), "{}", ran.err);
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
    let ran = lint(&place, &["--json"]).ended_with(1);
    let pair = |server: &str, tool: &str| (server.to_owned(), tool.to_owned());
    let expected = [
        pair("lines", "bare"),
        pair("listed", "bare"),
        pair("listed", "ping"),
        pair("unknown", "alone"),
        pair("wire", "ping"),
    ];
    assert_eq!(tools(&ran), expected);
    let printed = ran.json();
    assert_eq!(
        printed["undefined"],
        json!([{"server": "lines", "tool": "lost"}, {"server": "wire", "tool": "gone"}])
    );
    let summary = &printed["summary"];
    assert_eq!((&summary["tools"], &summary["servers"]), (&json!(5), &json!(4)));
    assert_eq!(summary["is_complete"], true);
    let first = &printed["tools"][0]["findings"][0];
    assert_eq!(
        (&first["type"], &first["severity"]),
        (&json!("tool_undescribed"), &json!("warning"))
    );
}

#[test]
fn what_is_printed_depends_on_nothing_but_the_recordings() {
    let place = Place::new();
    for at in 0..20 {
        let tool = format!(r#"{{"name":"t{}","description":"{at}"}}"#, at % 7);
        place.recording(&format!("{at}/tools.json"), format!("[{tool}]"));
    }
    let first = lint(&place, &[]).ended_with(1);
    assert_eq!(first.out.matches("\n  - t3\n").count(), 3, "{}", first.out);
    assert_eq!(lint(&place, &[]).out, first.out);
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
            let ran = lint(place, &["--fail-on", fail_on, "--quiet"]).ended_with(code);
            assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
        }
    }
    lint(&clean, &[]).ended_with(0);
    assert_snapshot!(
        clean.transcript(
            2,
            &[
                "lint-tools recordings --quiet --json",
                "lint-tools recordings --fail-on unreadable",
                "lint-tools",
                "lint-tools no/such/folder",
            ],
        ),
        @"
    $ tapecheck lint-tools recordings --quiet --json
    error: the argument '--quiet' cannot be used with '--json'

    Usage: tapecheck lint-tools --quiet <CORPUS>...

    For more information, try '--help'.

    $ tapecheck lint-tools recordings --fail-on unreadable
    error: invalid value 'unreadable' for '--fail-on <FAIL_ON>'
      [possible values: never, error, warning, info]

    For more information, try '--help'.

    $ tapecheck lint-tools
    error: the following required arguments were not provided:
      <CORPUS>...

    Usage: tapecheck lint-tools <CORPUS>...

    For more information, try '--help'.

    $ tapecheck lint-tools no/such/folder
    error: cannot read no/such/folder: No such file or directory (os error 2)
      next: name an existing file or folder, or `-` for standard input
    "
    );
}

#[test]
fn without_a_definition_there_is_nothing_to_say() {
    let place = Place::with_good_recording();
    let ran = lint(&place, &["--json"]).ended_with(3);
    assert!(tools(&ran).is_empty());
    assert_snapshot!(place.transcript(3, &["lint-tools recordings"]), @r"
    $ tapecheck lint-tools recordings

    0 tools of 0 servers, 0 without findings: 0 errors, 0 warnings, 0 infos
    1 tool called but defined nowhere; record tools/list to have them looked at
    warning: no tool definition was found; recordings hold them in tools/list or beside calls, folders in tools.json
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
    let ran = lint(&place, &[]).ended_with(1);
    assert!(!ran.out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{}", ran.out);
    let last = ran.out.lines().last();
    assert_snapshot!(last.expect("a line"), @"1 line or file could not be read; `tapecheck run` names them");
}

#[test]
fn standard_input_is_read() {
    let ran = tapecheck_reading(&["lint-tools", "-"], format!("[{CLEAN}]\n").as_bytes());
    assert_snapshot!(ran.ended_with(0).out, @r"
    unknown
      - ping: nothing found

    1 tool of 1 server, 1 without findings: 0 errors, 0 warnings, 0 infos
    ");
}
