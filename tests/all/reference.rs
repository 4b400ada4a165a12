//! The built-in rulebooks against the recorded answers of what they stand for.
//!
//! `docs/reference-agreement.md` says how this is measured and which records deviate.

use crate::support::{Differences, Judged, home, is_same, lines, shared};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tapecheck::internals::json::{scan_document, to_value};

/// How many records there are; both files hold every one of them once.
const RECORDS: usize = 3_507;

/// Verdicts by the ids of their records.
type ById = BTreeMap<String, Map<String, Value>>;

fn expected(folder: &Path) -> BTreeMap<String, Value> {
    let lines = lines(&folder.join("expected.jsonl.gz"));
    let records = lines.iter().map(|line| {
        // The recorded answers quote half surrogate pairs, which a strict reader refuses. Marked,
        // they cannot pass for what they are read as here.
        let marked = mark_half_pairs(line);
        let record = to_value(scan_document(&marked, 100).expect("JSON"));
        (record["id"].as_str().expect("an id").to_owned(), record)
    });
    let records: BTreeMap<_, _> = records.collect();
    assert_eq!(records.len(), RECORDS, "answers");
    records
}

/// Rewrites the escapes of surrogates without a partner, `\ud83d`, as text, `<d83d>`.
fn mark_half_pairs(line: &str) -> String {
    let half = regex::Regex::new(
        r"(\\\\)|(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u([dD][89a-fA-F][0-9a-fA-F]{2})",
    );
    half.expect("a pattern")
        .replace_all(line, |found: &regex::Captures<'_>| {
            found.get(3).map_or_else(|| found[0].to_owned(), |half| format!("<{}>", half.as_str()))
        })
        .into_owned()
}

fn judged(folder: &Path, rulebook: &str) -> ById {
    let judged = Judged::new(&folder.join("exchanges.jsonl.gz"), rulebook);
    judged.assert_adds_up();
    let totals = &judged.finished.totals;
    assert_eq!(totals.lines, RECORDS as u64, "every line is accounted for: {totals:?}");
    assert_eq!(totals.unreadable_files, BTreeMap::new(), "no part of the file was lost");
    let by_id: ById = judged
        .verdicts
        .into_iter()
        .map(|verdict| (verdict["id"].as_str().expect("an id").to_owned(), verdict))
        .collect();
    assert_eq!(by_id.len() as u64, totals.exchanges, "ids are unique");
    by_id
}

/// The records that the documentation lists as deviations, with the fields that deviate.
fn listed_deviations() -> BTreeSet<(String, String)> {
    let document = home().join("docs/reference-agreement.md");
    let rows = lines(&document).into_iter().filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| {
        let cells: Vec<String> = row.split('|').map(|cell| cell.replace('`', "")).collect();
        let names = |cell: &str| cell.split(',').map(|name| name.trim().to_owned()).collect();
        let (ids, fields): (Vec<String>, Vec<String>) = (names(&cells[1]), names(&cells[2]));
        let of_id = move |id: String| fields.clone().into_iter().map(move |it| (id.clone(), it));
        ids.into_iter().flat_map(of_id)
    })
    .collect()
}

#[test]
fn inspector_answers_what_the_shipped_validator_answers() {
    let Some(folder) = shared("reference") else { return };
    let verdicts = judged(&folder, "inspector");
    let listed = listed_deviations();
    let mut met = BTreeSet::new();
    let (mut validated, mut asked, mut schemas) = (0, 0, 0);
    let mut wrong = Differences::default();
    for (id, record) in expected(&folder) {
        let wanted = &record["inspector"];
        let Some(verdict) = verdicts.get(&id) else {
            // A reject is an answer only where the reference itself has none.
            if wanted.get("throws").is_none() {
                wrong.add(format!("{id}: not judged"));
            }
            continue;
        };
        if wanted["businessLogic"].is_boolean() && verdict["is_error"] == true {
            asked += 1;
            let what = format!("{id} businessLogic");
            wrong.compare(what, &verdict["business_logic"], &wanted["businessLogic"]);
        }
        if wanted.get("throws").is_some() {
            continue;
        }
        validated += 1;
        for (field, member) in [
            ("classification", "classification"),
            ("isValid", "is_valid"),
            ("confidence", "confidence_percent"),
            ("isError", "is_error"),
        ] {
            let deviation = (id.clone(), field.to_owned());
            if listed.contains(&deviation) && !is_same(&verdict[member], &wanted[field]) {
                met.insert(deviation);
            } else {
                wrong.compare(format!("{id} {field}"), &verdict[member], &wanted[field]);
            }
        }
        schemas += u64::from(wanted["metadata"].get("outputSchemaValidation").is_some());
        for field in metadata_differences(&verdict["response_metadata"], &wanted["metadata"]) {
            let deviation = (id.clone(), field);
            if listed.contains(&deviation) {
                met.insert(deviation);
            } else {
                let (id, field) = deviation;
                let (got, wanted) = (&verdict["response_metadata"], &wanted["metadata"]);
                wrong.compare(format!("{id} {field}"), &got[&field], &wanted[&field]);
            }
        }
    }
    wrong.assert_none("inspector and the shipped validator");
    assert_eq!((validated, asked, schemas), (3_444, 2_478, 759), "records compared");
    let resolved: Vec<_> = listed.difference(&met).collect();
    assert!(resolved.is_empty(), "listed as deviations, but there is none: {resolved:?}");
}

#[test]
fn guide_answers_what_the_guide_decides() {
    let Some(folder) = shared("reference") else { return };
    let verdicts = judged(&folder, "guide");
    let mut compared = 0;
    let mut wrong = Differences::default();
    for (id, record) in expected(&folder) {
        let Some(wanted) = record.get("guide") else { continue };
        let Some(verdict) = verdicts.get(&id) else {
            wrong.add(format!("{id}: not judged"));
            continue;
        };
        compared += 1;
        for field in ["business_logic", "score", "threshold"] {
            wrong.compare(format!("{id} {field}"), &verdict[field], &wanted[field]);
        }
        for (signal, holds) in wanted["facts"].as_object().expect("signals") {
            wrong.compare(format!("{id} {signal}"), &verdict["signals"][signal], holds);
        }
    }
    wrong.assert_none("guide and its key");
    assert_eq!(compared, 2_462, "records compared");
}

/// The names of the members of `metadata` that differ.
fn metadata_differences(got: &Value, wanted: &Value) -> Vec<String> {
    let Some(members) = wanted.as_object() else {
        return if got.is_null() { Vec::new() } else { vec!["metadata".to_owned()] };
    };
    let surplus = got.as_object().into_iter().flat_map(Map::keys);
    let surplus = surplus.filter(|name| !members.contains_key(*name)).cloned();
    let different = members.iter().filter(|(name, wanted)| {
        let got = &got[name.as_str()];
        if *name == "outputSchemaValidation" {
            // The complaint is worded by whoever checks; that there is one is not.
            let answer = |value: &Value| {
                let complains = value["error"].as_str().is_some_and(|error| !error.is_empty());
                (value["hasOutputSchema"].clone(), value["isValid"].clone(), complains)
            };
            answer(got) != answer(wanted)
        } else {
            got != *wanted
        }
    });
    different.map(|(name, _)| name.clone()).chain(surplus).collect()
}
