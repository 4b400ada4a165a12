//! What must not depend on threads, names, order, packing or the borders of blocks.

use crate::harness::{Place, good, gzip, lines, zstd};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The files of a run below one of its folders.
fn names(run: &Path, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(run.join(folder)).expect("a run");
    let mut found = Vec::new();
    for entry in entries.map(|entry| entry.expect("an entry")) {
        let name = format!("{folder}{}", entry.file_name().to_string_lossy());
        // The page tells the hour and what changed since the run before.
        if name == "report.html" {
            continue;
        }
        if entry.path().is_dir() {
            found.extend(names(run, &format!("{name}/")));
        } else {
            found.push(name);
        }
    }
    found
}

/// Every file of a run, the part of the manifest left out that tells the hour.
pub(crate) fn folder(place: &Place) -> BTreeMap<String, Vec<u8>> {
    folder_at(&place.out())
}

pub(crate) fn folder_at(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in names(run, "") {
        let mut content = std::fs::read(run.join(&name)).expect("a file of the run");
        if name == "manifest.json" {
            let mut manifest: Value = serde_json::from_slice(&content).expect("JSON");
            assert!(manifest["wall"].take().is_object(), "the wall part stands apart");
            content = manifest.to_string().into_bytes();
        }
        files.insert(name, content);
    }
    files
}

#[track_caller]
pub(crate) fn assert_same(
    one: &BTreeMap<String, Vec<u8>>,
    other: &BTreeMap<String, Vec<u8>>,
    what: &str,
) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(one), names(other), "{what}: other files");
    for (name, content) in one {
        assert!(*content == other[name], "{what}: {name} differs");
    }
}

/// An exchange of some size and kind, told from others by its number.
fn exchange(number: usize, size: usize) -> Value {
    let text = match number % 4 {
        0 => "User not found: no such id".to_owned(),
        1 => "x".repeat(size),
        2 => "ECONNREFUSED 127.0.0.1:5432".to_owned(),
        _ => "Invalid parameter: name is required".to_owned(),
    };
    json!({
        "id": format!("e-{number}"),
        "recorded_at": format!("2026-03-{:02}T10:00:00Z", number % 28 + 1),
        "server": format!("server-{}", number % 3),
        "tool": format!("get_{}", number % 5),
        "input": {"number": number / 2},
        "response": {"content": [{"type": "text", "text": text}], "isError": number % 4 != 1},
    })
}

pub(crate) fn recording(numbers: impl Iterator<Item = usize>, size: usize) -> String {
    lines(&numbers.map(|number| exchange(number, size).to_string()).collect::<Vec<_>>())
}

/// Several recordings larger than a block each, with unreadable and other files among them.
fn varied() -> Place {
    let place = Place::with_good_recording();
    for part in 0..3 {
        let mut text = recording(part * 1_000..part * 1_000 + 900, 12_000);
        text.insert_str(0, "not json\n");
        text.push_str("{\"cut\":");
        place.recording(&format!("part-{part}/recording.jsonl"), text);
    }
    place.recording("wire.jsonl", wire(2_000, 1_500));
    place.recording("notes.txt", "nothing");
    place.recording("cut.jsonl.gz", &gzip(recording(0..50, 100).as_bytes())[..200]);
    place
}

#[test]
fn any_number_of_threads_leaves_the_same_folder() {
    let place = varied();
    place.run(&["-j", "1"]).ended_with(0);
    place.lost_nothing();
    let alone = folder(&place);
    assert!(alone.len() >= 12, "all files are compared: {:?}", alone.keys());
    for threads in ["2", "3", "8"] {
        place.run(&["-j", threads]).ended_with(0);
        assert_same(&alone, &folder(&place), &format!("{threads} threads"));
    }
}

#[test]
fn the_order_in_which_files_were_made_does_not_matter() {
    let recordings: Vec<(String, String)> =
        (0..6).map(|at| (format!("{at}.jsonl"), recording(at * 5..at * 5 + 5, 10))).collect();
    let run = |recordings: &mut dyn Iterator<Item = &(String, String)>| {
        let place = Place::new();
        recordings.for_each(|(name, text)| drop(place.recording(name, text)));
        place.run(&[]).ended_with(0);
        folder(&place)
    };
    assert_same(
        &run(&mut recordings.iter()),
        &run(&mut recordings.iter().rev()),
        "made in reverse",
    );
}

/// What must not change when recordings are renamed or told in another order.
fn essence(place: &Place) -> (Vec<String>, Value, BTreeMap<&'static str, String>) {
    place.adds_up();
    let tables = ["rates.csv", "tools.csv", "issue_types.csv"];
    let tables = tables.map(|name| (name, place.text(name))).into();
    (place.keys(), place.json("manifest.json")["comparable"].clone(), tables)
}

#[test]
fn names_and_order_of_recordings_do_not_matter() {
    let run = |names: [&str; 4]| {
        let place = Place::new();
        place.recording(names[0], recording(0..40, 10));
        place.recording(names[1], recording(20..70, 10));
        place.recording(names[2], wire(30, 10));
        // A server that never said its name.
        place.recording(names[3], wire(30, 10).replace("serverInfo", "nothing"));
        place.run(&[]).ended_with(0);
        essence(&place)
    };
    let plain = run(["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"]);
    assert_eq!(plain.0.len(), 150, "every call has a key");
    let unique: std::collections::BTreeSet<_> = plain.0.iter().collect();
    assert_eq!(unique.len(), 130, "twenty calls are on two recordings");
    assert_eq!(plain, run(["z.jsonl", "sub/y.jsonl", "sub/x.ndjson", "0.txt"]));
}

#[test]
fn the_order_of_lines_does_not_matter() {
    let run = |numbers: &mut dyn Iterator<Item = usize>| {
        let place = Place::new();
        place.recording("a.jsonl", recording(numbers, 10));
        place.run(&[]).ended_with(0);
        essence(&place)
    };
    assert_eq!(run(&mut (0..100)), run(&mut (0..100).rev()));
}

/// The calls that every form of a recording below records.
fn calls() -> Vec<Value> {
    (0..40).map(|number| exchange(number, 30)).collect()
}

/// A call and its answer as messages.
fn messages(number: usize, exchange: &Value) -> [Value; 2] {
    [
        json!({"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": exchange["tool"], "arguments": exchange["input"]}}),
        json!({"jsonrpc": "2.0", "id": number, "result": exchange["response"]}),
    ]
}

fn wire_line(direction: &str, exchange: &Value, message: &Value) -> Value {
    json!({"ts": exchange["recorded_at"], "dir": direction, "server": exchange["server"],
        "msg": message})
}

#[test]
fn one_recording_in_every_form_has_the_same_keys() {
    let calls = calls();
    let plain = lines(&calls.iter().map(Value::to_string).collect::<Vec<_>>());
    let pretty: Vec<String> =
        calls.iter().map(|call| serde_json::to_string_pretty(call).expect("JSON")).collect();
    let wires: Vec<Value> = calls
        .iter()
        .enumerate()
        .flat_map(|(number, call)| {
            let [question, answer] = messages(number, call);
            [wire_line("c2s", call, &question), wire_line("s2c", call, &answer)]
        })
        .collect();
    let wire = lines(&wires.iter().map(Value::to_string).collect::<Vec<_>>());
    let forms: Vec<(&str, Vec<u8>)> = vec![
        ("lines.jsonl", plain.clone().into_bytes()),
        ("lines-crlf.jsonl", plain.replace('\n', "\r\n").into_bytes()),
        ("lines.jsonl.gz", gzip(plain.as_bytes())),
        ("lines.jsonl.zst", zstd(plain.as_bytes())),
        ("no-extension", plain.into_bytes()),
        ("array.json", Value::from(calls.clone()).to_string().into_bytes()),
        ("array-pretty.json", serde_json::to_vec_pretty(&calls).expect("JSON")),
        ("array.json.gz", gzip(&serde_json::to_vec_pretty(&calls).expect("JSON"))),
        ("objects-pretty.json", pretty.join("\n").into_bytes()),
        ("objects-touching.json", pretty.concat().into_bytes()),
        ("document.json", json!({"exchanges": calls}).to_string().into_bytes()),
        ("wire.jsonl", wire.clone().into_bytes()),
        ("wire.jsonl.zst", zstd(wire.as_bytes())),
        ("wire-array.json", Value::from(wires.clone()).to_string().into_bytes()),
        ("wire-pretty.json", serde_json::to_vec_pretty(&wires).expect("JSON")),
        ("wire-document.json", json!({"messages": wires}).to_string().into_bytes()),
    ];
    let mut keys: Option<(Vec<String>, Value)> = None;
    for (name, content) in forms {
        let place = Place::new();
        place.recording(name, content);
        place.run(&[]).ended_with(0);
        place.adds_up();
        let digest = place.json("manifest.json")["comparable"]["corpus_digest"].clone();
        let found = (place.keys(), digest);
        assert_eq!(found.0.len(), 40, "{name}");
        let expected = keys.get_or_insert_with(|| found.clone());
        assert_eq!(*expected, found, "{name} has other keys than plain lines");
    }
}

#[test]
fn the_way_json_is_written_does_not_matter() {
    // The order of members and the spelling of numbers are part of the content; all else is not.
    let forms = [
        r#"{"tool":"get","input":{"a":1,"b":"é"},"response":{"content":[{"type":"text","text":"x/y"}]}}"#,
        r#"{ "response" : {"content":[ {"type":"\u0074ext","text":"x\/y"}]}, "input":{"a": 1,"b":"\u00e9"}, "tool":"get" }"#,
        r#"{"tool":{"name":"get","description":"d"},"input":{"a":1,"b":"\u00E9"},"response":{"content":[{"type":"text","text":"x\u002fy"}]}}"#,
    ];
    let place = Place::new();
    place.recording("forms.jsonl", lines(&forms));
    place.run(&[]).ended_with(0);
    let keys = place.keys();
    let first = &keys[0];
    assert_eq!(keys, [first.clone(), first.clone(), first.clone()]);
}

/// A wire recording: a greeting, calls answered out of order and far away from their requests, ids used
/// again, calls without an answer, requests of the server with the ids of the client, batches, and
/// lines that are no messages.
pub(crate) fn wire(calls: usize, size: usize) -> String {
    let line =
        |direction: &str, message: Value| json!({"dir": direction, "msg": message}).to_string();
    let call = |id: Value, number: usize| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "get", "arguments": {"number": number}}})
    };
    let answer = |id: Value, number: usize, size: usize| {
        let text = format!("answer to {number} {}", "y".repeat(size));
        json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}})
    };
    let mut out = vec![
        line("c2s", json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {}})),
        line(
            "s2c",
            json!({"jsonrpc": "2.0", "id": "hello", "result": {"serverInfo": {"name": "wired"}}}),
        ),
        // Answered by the last line of the recording.
        line("c2s", call(json!("far"), 900_001)),
    ];
    for number in 0..calls.saturating_sub(4) {
        let id = json!(number % 7);
        out.push(line("c2s", call(id.clone(), number)));
        // The server asks something of its own, under the same id.
        out.push(line("s2c", json!({"jsonrpc": "2.0", "id": id, "method": "roots/list"})));
        out.push(line("c2s", json!({"jsonrpc": "2.0", "id": id, "result": {"roots": []}})));
        out.push(line("s2c", answer(id, number, size)));
    }
    out.push(line("c2s", json!([call(json!("b1"), 900_002), call(json!("b2"), 900_003)])));
    out.push(json!({"dir": "s2c", "raw": "Server listening"}).to_string());
    out.push(line(
        "s2c",
        json!([answer(json!("b2"), 900_003, 1), answer(json!("b1"), 900_002, 1)]),
    ));
    out.push(line("c2s", call(json!("never"), 900_004)));
    out.push(line("s2c", answer(json!("far"), 900_001, 1)));
    lines(&out)
}

#[test]
fn answers_find_their_requests_across_blocks() {
    let recording = wire(2_000, 1_500);
    assert!(recording.len() > 3 << 20, "the recording spans blocks");
    let place = Place::new();
    place.recording("wire.jsonl", &recording);
    place.run(&["-j", "3"]).ended_with(0);
    place.adds_up();
    let summary = place.json("summary.json");
    assert_eq!(summary["counts"]["exchanges"], 2_000);
    assert_eq!(
        summary["replies"],
        json!({
            "result": 1_999,
            "tool_error": 0,
            "protocol_error": 0,
            "no_reply": 1,
            "document": 0
        })
    );
    assert_eq!(summary["traffic"]["roots/list"], 1_996);
    assert_eq!(summary["traffic"]["(answer from client)"], 1_996);
    assert_eq!(summary["traffic"]["tools/call (answer)"], 1_999);
    assert_eq!(summary["traffic"]["(not JSON-RPC, from server)"], 1);
    // Each call met its own answer: the numbers of both agree, so the keys are those of the same
    // calls recorded whole.
    let exchange = |number: usize, size: Option<usize>| {
        let response = size.map(|size| {
            let text = format!("answer to {number} {}", "y".repeat(size));
            json!({"content": [{"type": "text", "text": text}]})
        });
        json!({"server": "wired", "tool": "get", "input": {"number": number}, "response": response})
            .to_string()
    };
    let mut whole: Vec<String> = (0..1_996).map(|number| exchange(number, Some(1_500))).collect();
    whole.extend([900_001, 900_002, 900_003].map(|number| exchange(number, Some(1))));
    whole.push(exchange(900_004, None));
    let other = Place::new();
    other.recording("whole.jsonl", lines(&whole));
    other.run(&[]).ended_with(0);
    assert_eq!(place.keys(), other.keys());
}

#[test]
fn ids_are_compared_as_they_are_meant() {
    let place = Place::new();
    let call = |id: &str, number: usize| {
        format!(
            r#"{{"dir":"c2s","msg":{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t","arguments":{{"n":{number}}}}}}}}}"#
        )
    };
    let answer = |id: &str, text: &str| {
        format!(
            r#"{{"dir":"s2c","msg":{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"{text}"}}]}}}}}}"#
        )
    };
    place.recording(
        "ids.jsonl",
        lines(&[
            call("1", 1),
            call("\"1\"", 2),
            call("\"é\"", 3),
            call("null", 4),
            answer("\"\\u00e9\"", "three"),
            answer("\"1\"", "two"),
            answer("1", "one"),
            answer("null", "four"),
        ]),
    );
    place.run(&[]).ended_with(0);
    place.adds_up();
    let summary = place.json("summary.json");
    assert_eq!(
        summary["replies"],
        json!({
            "result": 3,
            "tool_error": 0,
            "protocol_error": 0,
            "no_reply": 1,
            "document": 0
        })
    );
    assert_eq!(summary["traffic"]["(answer without request)"], 1);
}

#[test]
fn equal_exchanges_have_equal_keys_whatever_recording_they_are_in() {
    let place = Place::new();
    place.recording("a.jsonl", lines(&[good("same"), good("same")]));
    place.recording("b.jsonl", lines(&[good("same")]));
    place.run(&["-j", "2"]).ended_with(0);
    let keys = place.keys();
    assert_eq!(keys, [keys[0].clone(), keys[0].clone(), keys[0].clone()]);
}
