//! The exchanges listed on a page: each shows its own call and its own reply, and no other's.

use super::harness::{Place, gzip, lines, tapecheck};
use serde_json::{Value, json};

/// What the script of a page makes a table of.
fn island(page: &str) -> Value {
    let (_, after) = page.split_once("id=\"data\">").expect("the data of the page");
    let (json, _) = after.split_once("</script>").expect("its end");
    serde_json::from_str(json).expect("JSON")
}

/// What a page shows of an exchange: its tool, its input and its reply; no texts where it has none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    tool: String,
    texts: Option<[String; 2]>,
}

fn rows(page: &str) -> Vec<Row> {
    let data = island(page);
    let row = |row: &Value| {
        let tool =
            &data["names"][usize::try_from(row[3].as_u64().expect("a number")).expect("small")];
        let texts = row[7].as_array().map(|texts| {
            let text = |pieces: &Value| -> String {
                let pieces = pieces.as_array().expect("pieces").iter();
                pieces.map(|piece| piece.as_str().or(piece[0].as_str()).expect("a text")).collect()
            };
            [text(&texts[1]), text(&texts[0])]
        });
        Row { tool: tool.as_str().expect("a name").to_owned(), texts }
    };
    let mut rows: Vec<Row> = data["rows"].as_array().expect("rows").iter().map(row).collect();
    rows.sort();
    rows
}

/// Whether a reply calls itself an error, and its text, given what is the call's own.
type Way = fn(&str) -> (bool, String);

/// Calls that end in all the ways that a page merges by, several in each, every one with texts of its own.
fn calls() -> Vec<(String, Value)> {
    let result = |is_error: bool, text: String| json!({"isError": is_error, "content": [{"type": "text", "text": text}]});
    let ways: [Way; 5] = [
        |own| (false, format!("done {own}")),
        |own| (true, format!("User {own} not found")),
        |own| (true, format!("TypeError: {own} is not a function")),
        |own| (false, format!("Error: cannot reach {own}: connection refused")),
        |own| (true, format!("something about {own}")),
    ];
    let mut calls = Vec::new();
    for (way, reply) in ways.iter().enumerate() {
        for number in 0..4 {
            let own = format!("w{way}n{number}");
            let (is_error, text) = reply(&own);
            calls.push((own, result(is_error, text)));
        }
    }
    for number in 0..2 {
        let own = format!("w8n{number}");
        let error = json!({"error": {"code": -32603, "message": format!("Internal error {own}")}});
        calls.push((own, error));
        calls.push((format!("w9n{number}"), Value::Null));
    }
    calls
}

fn lines_of(calls: &[(String, Value)]) -> String {
    let line = |(own, response): &(String, Value)| {
        json!({"tool": format!("get_{own}"), "input": {"of": own}, "response": response})
            .to_string()
    };
    lines(&calls.iter().map(line).collect::<Vec<_>>())
}

fn wire_of(calls: &[(String, Value)]) -> String {
    let mut messages = Vec::new();
    for (id, (own, response)) in calls.iter().enumerate() {
        let params = json!({"name": format!("get_{own}"), "arguments": {"of": own}});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        messages.push(json!({"dir": "c2s", "msg": call}).to_string());
        if let Some(error) = response.get("error") {
            let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
            messages.push(json!({"dir": "s2c", "msg": answer}).to_string());
        } else if !response.is_null() {
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": response});
            messages.push(json!({"dir": "s2c", "msg": answer}).to_string());
        }
    }
    lines(&messages)
}

/// Each row has the texts of its own call, which its tool names.
#[track_caller]
fn assert_own(rows: &[Row], calls: &[(String, Value)]) {
    assert_eq!(rows.len(), calls.len());
    for Row { tool, texts } in rows {
        let own = tool.strip_prefix("get_").expect("a name of these tools");
        let [input, reply] = texts.as_ref().unwrap_or_else(|| panic!("{tool} without texts"));
        assert_eq!(*input, json!({"of": own}).to_string());
        let (_, response) = calls.iter().find(|(name, _)| name == own).expect("a call");
        assert_eq!(reply.contains(own), !response.is_null(), "{tool}: {reply}");
        let others = calls.iter().filter(|(name, _)| name != own);
        let other = others.map(|(name, _)| name).find(|name| reply.contains(name.as_str()));
        assert_eq!(other, None, "{tool}: {reply}");
    }
}

#[test]
fn every_row_shows_its_own_call_and_reply() {
    let calls = calls();
    let place = Place::new();
    for (name, recording) in [
        ("lines.jsonl", lines_of(&calls).into_bytes()),
        ("wire.jsonl", wire_of(&calls).into_bytes()),
        ("lines.jsonl.gz", gzip(lines_of(&calls).as_bytes())),
    ] {
        for rulebook in ["guide", "calibrated"] {
            let recording = place.recording(name, &recording);
            place.run(&["--rulebook", rulebook]).ended_with(0);
            assert_own(&rows(&place.read("run/report.html")), &calls);
            std::fs::remove_file(recording).expect("removed");
        }
    }
}

#[test]
fn without_its_recording_a_row_shows_what_the_run_keeps_or_says_why_not() {
    let calls = calls();
    let place = Place::new();
    let recording = place.recording("recording.jsonl", lines_of(&calls));
    place.run(&[]).ended_with(0);
    let report = || {
        let run = place.out().display().to_string();
        tapecheck(&["show", &run, "--format=html"]).ended_with(0);
        place.read("run/report.html")
    };
    let whole = rows(&report());
    // The same place, where something else was recorded.
    let others: Vec<_> =
        calls.iter().map(|(own, _)| (own.clone(), json!({"content": []}))).collect();
    std::fs::write(&recording, lines_of(&others)).expect("written");
    let page = report();
    for (row, before) in rows(&page).iter().zip(&whole) {
        assert_eq!(row.tool, before.tool);
        let worked = row.tool.starts_with("get_w0");
        assert_eq!(row.texts, before.texts.clone().filter(|_| !worked), "{}", row.tool);
    }
    assert!(page.contains("its recording was not found or not read again."));
}

#[test]
fn a_run_that_keeps_no_texts_has_none_on_its_page() {
    let calls = calls();
    let place = Place::new();
    place.recording("recording.jsonl", lines_of(&calls));
    place.run(&["--config=output.texts=false"]).ended_with(0);
    let page = place.read("run/report.html");
    assert!(rows(&page).iter().all(|row| row.texts.is_none()));
    assert!(page.contains("The run keeps no texts"));
}

#[test]
fn what_a_reply_quotes_is_marked_in_the_call_too() {
    let reply = json!({"isError": true, "content": [{"type": "text", "text": "Unknown resource type: gold"}]});
    let line = json!({"tool": "get", "input": {"type": "gold"}, "response": reply});
    let place = Place::new();
    place.recording("a.jsonl", lines(&[line.to_string()]));
    place.run(&["--rulebook", "calibrated"]).ended_with(0);
    let texts = &island(&place.read("run/report.html"))["rows"][0][7];
    let marked = |pieces: &Value| -> Vec<String> {
        let pieces = pieces.as_array().expect("pieces").iter();
        let pieces =
            pieces.filter(|piece| piece[1].as_array().is_some_and(|hits| !hits.is_empty()));
        pieces.map(|piece| piece[0].as_str().expect("a text").to_owned()).collect()
    };
    assert_eq!(marked(&texts[1]), ["gold"], "of the call: {texts}");
    assert!(marked(&texts[0]).concat().ends_with("gold"), "of the reply: {texts}");
}

#[test]
fn what_is_read_again_has_its_secrets_masked() {
    let place = Place::new();
    let reply =
        json!({"content": [{"type": "text", "text": "all is well, token=abcdef1234567890"}]});
    let line = json!({"tool": "get", "input": {"password": "hunter2hunter2"}, "response": reply});
    place.recording("recording.jsonl", lines(&[line.to_string()]));
    place.run(&[]).ended_with(0);
    let page = place.read("run/report.html");
    let [input, reply] = rows(&page)[0].texts.clone().expect("texts");
    assert!(reply.starts_with("all is well, ") && reply.contains("[secret "), "{reply}");
    assert!(input.contains("password"), "{input}");
    for secret in ["abcdef1234567890", "hunter2hunter2"] {
        assert!(!page.contains(secret), "{secret}");
    }
}
