//! The rows of verdicts: their hashes, the texts that they keep, and the rulebook beside them.

use crate::frame::Frame;
use crate::harness::Place;
use crate::support::read_table;
use crate::support::{Judged, corpus};
use std::collections::BTreeMap;
use tapecheck::internals::rulebook::{Rulebook, builtin_names};
use tapecheck::internals::store::Span;
use tapecheck::internals::store::{RULEBOOK, Table};

fn verdicts(judged: &Judged) -> Frame {
    read_table(judged.folder(), Table::Verdicts)
}

/// A column's cells as text.
fn cells(frame: &Frame, column: &str) -> Vec<String> {
    let text = |text: Option<String>| text.unwrap_or_else(|| "null".to_owned());
    frame.texts(column).into_iter().map(text).collect()
}

#[test]
fn verdicts_with_equal_hashes_say_the_same_and_others_do_not() {
    for rulebook in builtin_names() {
        let verdicts = verdicts(Judged::corpus(rulebook));
        let hashes = cells(&verdicts, "verdict_hash");
        let names = verdicts.columns.iter().map(|column| column.name.as_str());
        let columns: Vec<Vec<String>> = names
            .skip_while(|name| *name != "verdict_hash")
            .skip(1)
            .map(|name| cells(&verdicts, name))
            .collect();
        let mut hash_of: BTreeMap<Vec<&str>, &str> = BTreeMap::new();
        let mut said_by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (row, hash) in hashes.iter().enumerate() {
            let said: Vec<&str> = columns.iter().map(|column| column[row].as_str()).collect();
            assert_eq!(*hash_of.entry(said.clone()).or_insert(hash), hash, "row {row}, {rulebook}");
            assert_eq!(*said_by.entry(hash).or_insert(said.clone()), said, "row {row}, {rulebook}");
        }
        assert!(said_by.len() > 20, "{} verdicts under {rulebook}", said_by.len());
    }
}

#[test]
fn texts_are_kept_of_what_did_not_plainly_work_with_the_hits_in_them() {
    let verdicts = verdicts(Judged::corpus("calibrated"));
    let column = |name| cells(&verdicts, name);
    let (replies, inputs, spans) =
        (column("reply_excerpt"), column("input_excerpt"), column("hit_spans"));
    let (classes, errors, hits) = (column("classification"), column("is_error"), column("hits"));
    let (mut marked, mut quoted) = (0, 0);
    for row in 0..verdicts.height {
        let is_kept = replies[row] != "null";
        assert_eq!(is_kept, inputs[row] != "null");
        let is_plain = classes[row] == "fully_working" && errors[row] != "true";
        assert!(is_kept || is_plain, "row {row}");
        assert!(replies[row].len() <= 600 && inputs[row].len() <= 300);
        if spans[row] == "null" {
            continue;
        }
        let hits: Vec<String> = serde_json::from_str(&hits[row]).expect("a JSON array");
        let of_row = Span::read(Some(&spans[row]), &replies[row], &hits).expect("spans of the row");
        for Span { start, end, pattern, sent } in of_row {
            let hit = replies[row].get(start as usize..end as usize);
            assert!(hit.is_some_and(|hit| !hit.is_empty()));
            if let Some(sent) = sent {
                let sent = inputs[row].get(sent.start as usize..sent.end as usize);
                assert!(sent.is_some_and(|sent| !sent.is_empty()));
                quoted += 1;
            }
            assert!(hits.contains(&pattern), "{pattern} in {hits:?}");
            marked += 1;
        }
    }
    assert!(marked > 100, "the corpus is full of hits, and {marked} are marked");
    assert!(
        quoted > 10,
        "replies of the corpus quote their calls, and {quoted} quotations are marked"
    );
}

#[test]
fn texts_are_masked_when_they_are_kept_and_can_be_left_out() {
    let secret = format!("ghp_{}", "0aB1cD2eF3".repeat(4));
    let line = format!(
        r#"{{"tool":{{"name":"push"}},"input":{{"remote":"https://{secret}@example.org"}},"response":{{"isError":true,"content":[{{"type":"text","text":"Traceback: bad token {secret}"}}]}}}}"#
    );
    let place = Place::new();
    place.recording("a.jsonl", line);
    let texts = || {
        let verdicts = read_table(&place.out(), Table::Verdicts);
        ["reply_excerpt", "input_excerpt"].map(|name| cells(&verdicts, name).remove(0))
    };
    place.run(&[]).ended_with(0);
    for text in texts() {
        assert!(text != "null" && !text.contains(&secret), "{text}");
    }
    place.run(&["--config=output.texts=false"]).ended_with(0);
    assert_eq!(texts(), ["null", "null"]);
    place.run(&["--config=redact=none"]).ended_with(0);
    assert!(texts().iter().all(|text| text.contains(&secret)), "masking was all that hid it");
}

#[test]
fn the_rulebook_of_a_run_can_be_had_again() {
    let rulebook = Rulebook::builtin("inspector").expect("built in");
    let judged = Judged::under(&corpus().join("formats"), &rulebook);
    let text = std::fs::read_to_string(judged.folder().join(RULEBOOK)).expect("it is there");
    assert_eq!(Rulebook::from_toml(&text, "again").expect("whole").digest, rulebook.digest);
}

#[test]
fn schemas_are_told_apart_and_the_keyword_is_named() {
    let schema = r#"{"type":"object","required":["id"],"properties":{"id":{"type":"integer","multipleOf":2}}}"#;
    let line = |at: usize, schema: &str, structured: &str| {
        format!(
            r#"{{"id":"{at}","tool":{{"name":"get","outputSchema":{schema}}},"input":{{"at":{at}}},"response":{{"content":[{{"type":"text","text":"x"}}],"structuredContent":{structured}}}}}"#
        )
    };
    let spaced = schema.replace(':', ": ");
    let recording = [
        line(1, schema, r#"{"id":2}"#),
        line(2, schema, "{}"),
        line(3, &spaced, r#"{"id":"2"}"#),
        line(4, r#"{"type":"object"}"#, r#"{"id":3}"#),
        line(5, schema, r#"{"id":3}"#),
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.jsonl"), recording.join("\n")).expect("a file");
    let verdicts = verdicts(&Judged::new(folder.path(), "guide"));
    let keywords = cells(&verdicts, "schema_keyword");
    assert_eq!(keywords, ["null", "required", "type", "null", "multipleOf"]);
    let keys = cells(&verdicts, "schema_key");
    assert!(keys[0] == keys[1] && keys[0] == keys[2], "white space is no difference: {keys:?}");
    assert_ne!(keys[0], keys[3]);
    let issues = cells(&verdicts, "issue_types");
    assert_eq!(issues[..2], ["null", r#"["error schema_violation"]"#]);
}
