//! Standard input, sidecars and names: the ways in which recordings arrive.

use crate::harness::{Place, Ran, finish, good, gzip, lines, tapecheck_reading, zstd};
use serde_json::json;

/// Judges what comes on standard input.
fn piped(place: &Place, input: &[u8]) -> Ran {
    let out = place.out();
    let out = out.to_str().expect("UTF-8");
    place.keep_verdicts(tapecheck_reading(&["run", "-", "--out", out, "--stdout", "jsonl"], input))
}

#[test]
fn standard_input_takes_every_form() {
    let plain = lines(&[good("a"), good("b")]);
    let array = format!("[{},{}]", good("a"), good("b"));
    let records: Vec<serde_json::Value> = serde_json::from_str(&array).expect("JSON");
    let wire = lines(&records.iter().enumerate().flat_map(|(id, record)| {
        [
            json!({"dir": "c2s", "msg": {"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": record["tool"], "arguments": record["input"]}}}),
            json!({"dir": "s2c", "msg": {"jsonrpc": "2.0", "id": id, "result": record["response"]}}),
        ]
    }).map(|line| line.to_string()).collect::<Vec<_>>());
    let pretty = serde_json::to_string_pretty(&records).expect("JSON");
    let mut keys = Vec::new();
    for text in [plain, array, pretty, wire] {
        for input in [text.clone().into_bytes(), gzip(text.as_bytes()), zstd(text.as_bytes())] {
            let place = Place::new();
            piped(&place, &input).ended_with(0);
            place.adds_up();
            let mut found = place.keys();
            assert_eq!(found.len(), 2, "of {text}");
            keys.append(&mut found);
        }
    }
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 2, "all forms are the same two calls");
}

#[test]
fn the_records_of_a_document_have_lines_of_their_own_and_know_its_tools() {
    let tools = r#"[{"name":"get","outputSchema":{"type":"string"}}]"#;
    for (head, tail) in [
        (format!(r#""tools": {tools},"#), String::new()),
        (String::new(), format!(r#","tools": {tools}"#)),
    ] {
        let place = Place::new();
        let calls = [good("a"), good("b"), "{}".to_owned()].join(",\n");
        let text = format!("{{\n{head}\"exchanges\": [\n{calls}]\n{tail}}}\n");
        place.recording("document.json", &text);
        place.run(&[]).ended_with(0);
        place.adds_up();
        assert_eq!(place.each("line").iter().collect::<Vec<_>>(), ["3", "4"]);
        let issues = place.each("issues");
        assert!(issues.iter().all(|text| text.contains("no_structured_output")), "{issues:?}");
        let unreadable: Vec<_> =
            place.unreadable().into_iter().map(|row| (row.line, row.reason)).collect();
        assert_eq!(unreadable, [("5".to_owned(), "unrecognised".to_owned())]);
    }
}

#[test]
fn a_document_that_is_cut_keeps_its_records_and_names_the_cut() {
    let text = format!("{{\"exchanges\": [{},{}]}}", good("a"), good("b"));
    for (cut, ids, reason) in
        [(text.len() - 2, &["a", "b"][..], "cut_short"), (text.len() - 9, &["a"][..], "not_json")]
    {
        let place = Place::new();
        place.recording("document.json", &text[..cut]);
        place.run(&[]).ended_with(0);
        place.adds_up();
        assert_eq!(place.ids(), ids);
        let reasons: Vec<_> = place.unreadable().into_iter().map(|row| row.reason).collect();
        assert_eq!(reasons, [reason]);
    }
}

#[test]
fn a_document_may_be_longer_than_a_line() {
    let calls: Vec<String> = (0..200).map(|at| good(&format!("call-{at}"))).collect();
    let tools = r#"[{"name":"get","outputSchema":{"type":"string"}}]"#;
    let place = Place::new();
    place.recording("document.json", format!("{{\"exchanges\":[{}]}}", calls.join(",")));
    let many = vec![calls.join(","); 60].join(",");
    let late = format!("{{\"exchanges\":[{many}],\"tools\":{tools}}}");
    assert!(late.len() > 1 << 20, "longer than what is looked at to see what it is");
    place.recording("late.json", late);
    place.run(&["--config=bounds.max_line=1000"]).ended_with(0);
    place.adds_up();
    assert_eq!(place.ids().len(), 200 * 61);
    let unreadable = place.unreadable();
    assert_eq!(unreadable.len(), 1, "{unreadable:?}");
    assert!(unreadable[0].file == "late.json" && unreadable[0].reason == "unrecognised");
}

#[test]
fn standard_input_that_is_no_recording() {
    for (input, kind) in [("", "empty file"), ("# notes", "unknown file"), ("\0\0", "unknown file")]
    {
        let place = Place::new();
        piped(&place, input.as_bytes()).ended_with(3).complaining("no calls were found");
        let files = place.other_files();
        assert_eq!(files["-"].0, kind, "{files:?}");
    }
    let place = Place::new();
    piped(&place, &gzip(lines(&vec![good("a"); 1_000]).as_bytes())[..40]).ended_with(3);
    assert_eq!(place.unreadable().last().expect("a reject").reason, "corrupt");
}

#[test]
fn standard_input_beside_files() {
    let place = Place::with_good_recording();
    let (recordings, out) = (place.recordings(), place.out());
    let arguments = [
        "run",
        recordings.to_str().expect("UTF-8"),
        "-",
        "--out",
        out.to_str().expect("UTF-8"),
        "--stdout",
        "jsonl",
    ];
    let ran = tapecheck_reading(&arguments, lines(&[good("piped")]).as_bytes());
    place.keep_verdicts(ran).ended_with(0);
    place.lost_nothing();
    assert!(place.ids().contains(&"piped".to_owned()));
}

#[test]
fn tools_beside_a_recording_are_known_by_name() {
    let place = Place::with_good_recording();
    place.recording("tools.json", r#"[{"name":"get","outputSchema":{"type":"string"}}]"#);
    place.run(&[]).ended_with(0);
    let issues = place.each("issues");
    assert_eq!(issues.iter().filter(|text| text.contains("no_structured_output")).count(), 3);
    assert_eq!(place.other_files()["tools.json"].0, "tool list");
}

#[test]
fn broken_sidecars_cost_nothing_else() {
    for content in [&b"{"[..], b"\xff\xff", b"[1,2]", b"", b"{\"tools\":[{\"name\":5},null,{}]}"] {
        let place = Place::with_good_recording();
        place.recording("tools.json", content);
        place.recording("good.scenarios.jsonl", content);
        place.run(&[]).ended_with(0);
        place.lost_nothing();
    }
    let place = Place::with_good_recording();
    std::fs::create_dir(place.recordings().join("tools.json")).expect("a folder");
    std::fs::create_dir(place.recordings().join("good.scenarios.jsonl")).expect("a folder");
    place.run(&[]).ended_with(0);
    place.lost_nothing();
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_stay_apart() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::new();
    std::fs::create_dir_all(place.recordings()).expect("a folder");
    for name in [&b"a\xfe.jsonl"[..], b"a\xff.jsonl"] {
        let file = place.recordings().join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(file, lines(&[good("a")])).expect("a file");
    }
    place.run(&[]).ended_with(0);
    assert_eq!(place.each("file"), [r"a\xfe.jsonl", r"a\xff.jsonl"]);
}

#[cfg(unix)]
#[test]
fn pipes_among_the_recordings_are_not_waited_for() {
    let place = Place::with_good_recording();
    for name in ["tools.json", "good.scenarios.jsonl", "pipe.jsonl"] {
        let made = std::process::Command::new("mkfifo").arg(place.recordings().join(name)).status();
        if !made.is_ok_and(|status| status.success()) {
            crate::harness::skipped("mkfifo does not work here");
            return;
        }
    }
    let mut child = place.command().stdout(std::process::Stdio::null()).spawn().expect("starts");
    for _ in 0..300 {
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success(), "{status}");
            place.lost_nothing();
            assert_eq!(place.other_files()["pipe.jsonl"].1, "neither a file nor a folder");
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    child.kill().expect("killed");
    panic!("the run waits for a pipe that nobody writes to");
}

#[test]
fn odd_names() {
    let place = Place::with_good_recording();
    for (at, name) in
        ["-dash.jsonl", "=1+1.jsonl", "a,b\"c.jsonl", "line\nend.jsonl", "ü 中.jsonl", "'.JSONL"]
            .iter()
            .enumerate()
    {
        place.recording(name, lines(&[good(&format!("odd-{at}")), "broken".to_owned()]));
    }
    place.run(&[]).ended_with(0);
    place.lost_nothing();
    assert_eq!(place.ids().len(), 9);
    let files: Vec<String> = place.unreadable().into_iter().map(|row| row.file).collect();
    for name in
        ["'-dash.jsonl", "'=1+1.jsonl", "a,b\"c.jsonl", "line\nend.jsonl", "ü 中.jsonl", "'.JSONL"]
    {
        assert!(files.iter().any(|file| file == name), "{name:?} is not in {files:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::with_good_recording();
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe.jsonl");
    std::fs::write(place.recordings().join(name), lines(&[good("bytes")])).expect("a file");
    place.run(&[]).ended_with(0);
    place.lost_nothing();
    assert!(place.ids().contains(&"bytes".to_owned()));
}

/// Records of calls as a gateway logs them, behind a prefix; among them lines without JSON and damaged ones.
fn logged(prefix: &str) -> String {
    let records = ["a", "b", "c"].map(|id| format!("{prefix}{}\n", good(id)));
    let cut = format!("{prefix}{}\n", &good("d")[..40]);
    records.concat() + &cut + "shutting down\n"
}

#[test]
fn a_log_whose_lines_are_records_behind_a_prefix_is_a_recording() {
    for prefix in [
        "2026-01-02T03:04:05Z INFO mcp: ",
        "[info] <- ",
        "Jan  2 03:04:05 host gateway[12]: ",
        "mcp-1  | ",
        "2026/01/02 03:04:05 {trace=7} ",
        "<14>1 2026-01-02T03:04:05Z host app - - - ",
    ] {
        let place = Place::new();
        place.recording("gateway.log", logged(prefix));
        let ran = finish(&mut place.command()).ended_with(0);
        assert!(ran.out.contains("prefix of 3 lines stripped"), "{prefix}: {}", ran.out);
        assert_eq!(place.ids(), ["a", "b", "c"], "{prefix}");
        let unreadable: Vec<_> = place.unreadable().into_iter().map(|row| row.line).collect();
        assert_eq!(unreadable, ["4"], "{prefix}: the damaged line alone");
        place.adds_up();
    }
}

#[test]
fn what_is_no_such_log_is_not_taken_for_one() {
    let place = Place::with_good_recording();
    // A text log, one with JSON that is no record, one with a few records among much else.
    place.recording("text.log", "2026-01-02 starting\n2026-01-02 ready\n");
    place.recording("json.log", "INFO {\"user\":1}\nINFO {\"user\":2}\n");
    place.recording("few.log", format!("x\ny\nz\nINFO {}\n", good("e")));
    // Lines of a recording with damage in front stay unreadable.
    place.recording("torn.jsonl", format!("{}\nrubbish {}\n", good("f"), good("g")));
    place.run(&[]).ended_with(0);
    let files = place.other_files();
    assert_eq!(files["text.log"].1, "no JSON records");
    assert_eq!(files["json.log"].1, "no JSON records");
    assert!(files["few.log"].1.contains("keep only the JSON: sed"), "{files:?}");
    assert_eq!(place.ids().len(), 4);
    assert_eq!(place.unreadable().len(), 1);
    place.adds_up();
}
