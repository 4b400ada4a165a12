//! Agreement with recorded answers of the JavaScript validator, where the recording is at hand.

use super::javascript;
use crate::check::schema::Schemas;
use crate::json::{Raw, is_js_truthy, scan_document, to_value};
use crate::verdict::SchemaOutcome;
use std::collections::HashMap;
use std::io::Read as _;
use std::path::PathBuf;

/// Records that are known to differ, by what `docs/schema-quirks.md` says of them.
#[rustfmt::skip]
const KNOWN: [(&str, &[&str]); 7] = [
    ("spellings that only JavaScript takes as patterns", &[
        "schema-err/7", "schema-sc/99", "schema-sc/102", "schema-text/59", "schema-text/60", "rand/250", "rand/646",
    ]),
    ("a month 13", &["schema-sc/108"]),
    ("formats that the specification of draft 7 has", &["schema-sc/136", "schema-text/85", "rand/377"]),
    ("numbers are no doubles", &[
        "schema-err/26", "schema-sc/157", "schema-sc/160", "schema-text/96", "schema-text/98", "schema-text/101",
        "schema-text/107",
    ]),
    ("an enum without values or with one twice", &[
        "schema-sc/171", "schema-sc/172", "schema-text/104", "rand/107", "rand/201", "rand/217", "rand/679",
    ]),
    ("members of every JavaScript object", &["schema-err/45", "schema-sc/246", "schema-sc/247", "schema-text/151"]),
    ("contentEncoding asserts", &["schema-text/155", "rand/598"]),
];

fn lines(name: &str) -> Option<String> {
    let folder = std::env::var_os("TAPECHECK_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let file = std::fs::File::open(folder.join("reference").join(name)).ok()?;
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).expect("a readable file");
    Some(text)
}

/// The JSON that is held against the schema: the structured content if there is any, else the first
/// text block that is JSON, unless that is `null`.
fn judged<'t>(response: Raw<'t>, texts: &'t mut Vec<String>) -> Option<Raw<'t>> {
    if let Some(structured) = response.member("structuredContent") {
        return Some(structured);
    }
    for block in response.member("content")?.elements()? {
        // One block that is no block hides all the others.
        let kind = block.member("type")?.as_str()?;
        let text = block.member("text");
        if text.is_some_and(|text| text.as_str().is_none()) {
            return None;
        }
        for name in ["data", "mimeType", "uri"] {
            let shaped = block.member(name).is_none_or(|value| value.as_str().is_some());
            let (needs_shape, is_text) = (!shaped, kind.is("text") && text.is_some());
            if needs_shape && !is_text {
                return None;
            }
        }
        if let Some(text) = text.and_then(Raw::as_str).filter(|_| kind.is("text")) {
            texts.push(text.decode().into_owned());
        }
    }
    let texts: &'t Vec<String> = texts;
    texts
        .iter()
        .find_map(|text| scan_document(text, 10_000).ok())
        .filter(|raw| raw.text() != "null")
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn recorded_answers_are_reproduced() {
    let (Some(exchanges), Some(expected)) =
        (lines("exchanges.jsonl.gz"), lines("expected.jsonl.gz"))
    else {
        eprintln!("skipped: the recorded answers are not at hand");
        return;
    };
    // Error texts cut in the middle of a character end in half a surrogate pair, so the tolerant
    // reader reads them.
    let expected: HashMap<String, serde_json::Value> = expected
        .lines()
        .map(|line| to_value(scan_document(line, 10_000).expect("JSON")))
        .map(|record| {
            (record["id"].as_str().expect("an id").to_owned(), record["inspector"].clone())
        })
        .collect();
    let schemas = Schemas::new(javascript());
    let mut differing = Vec::new();
    let mut compared = (0, 0);
    for line in exchanges.lines() {
        let record = scan_document(line, 10_000).expect("JSON");
        let id = record.member("id").and_then(Raw::as_str).expect("an id").decode();
        let wanted = &expected[&*id];
        let Some(compiles) = wanted["schemaCompile"].as_str().map(|outcome| outcome == "ok") else {
            continue;
        };
        let schema = record.member("tool").and_then(|tool| tool.member("outputSchema"));
        let schema = schemas.get(schema.filter(|raw| is_js_truthy(*raw)).expect("a schema").text());
        compared.0 += 1;
        if schema.unusable().is_none() != compiles {
            differing.push(format!("{id}: compiles {compiles}, ours {:?}", schema.unusable()));
        }
        let validity = wanted["metadata"]["outputSchemaValidation"]["isValid"].as_bool();
        if let (Some(valid), None) = (validity, schema.unusable()) {
            compared.1 += 1;
            let mut texts = Vec::new();
            let response = record.member("response").expect("a response");
            let ours = judged(response, &mut texts).map(|raw| schema.check(raw));
            let is_valid = ours.as_ref().is_some_and(|it| it.outcome == SchemaOutcome::Valid);
            if is_valid != valid {
                differing.push(format!("{id}: valid {valid}, ours {ours:?}"));
            }
        }
    }
    assert!(compared.0 > 500 && compared.1 > 500, "too little was compared: {compared:?}");
    let known: Vec<&str> = KNOWN.iter().flat_map(|(_, ids)| *ids).copied().collect();
    let (quirks, differing): (Vec<String>, Vec<String>) = differing
        .into_iter()
        .partition(|line| known.iter().any(|known| line.starts_with(&format!("{known}:"))));
    assert_eq!(quirks.len(), known.len(), "{quirks:#?}");
    assert!(differing.is_empty(), "{compared:?}\n{}", differing.join("\n"));
}
