//! The vectors: replies with what is said of them, for whoever builds on the judge. Each binding is held to them.
//!
//! What was written once stays: a verdict that is to change goes into a file of the next version. Rows that do not say
//! their outcome yet are filled in with `TAPECHECK_WRITE_CASES=1`.

use crate::support::{Differences, home, lines};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;
use tapecheck::{Bounds, Judge, Outcome, Rulebook, Schemas, Tool, read_call, read_definition};

const FILE: &str = "vectors/v1.jsonl";
/// What is expected of each.
const EXPECTED: [&str; 3] = ["outcome", "kind", "why"];

fn vectors() -> Vec<Value> {
    let rows = lines(&home().join(FILE));
    rows.iter().map(|row| serde_json::from_str(row).expect("JSON")).collect()
}

/// The vector with what is said of its reply.
fn judged(vector: &Value, judge: &mut Judge<'_>) -> Value {
    let bounds = Bounds::default();
    let tool = match &vector["call"]["tool"] {
        Value::Null => Tool::default(),
        Value::String(name) => Tool::named(name),
        definition => read_definition(&definition.to_string(), &bounds).expect("a tool"),
    };
    let [arguments, reply] = [&vector["call"]["arguments"], &vector["reply"]].map(Value::to_string);
    let call = read_call(&Arc::new(tool), Some(&arguments), &reply, &bounds).expect("a call");
    let verdict = judge.judge(&call);
    let brief = judge.rulebook().brief(&verdict.conclusion);
    let mut said = vector.clone();
    said["outcome"] = json!(brief.outcome.name());
    said["kind"] = json!(brief.kind.map(|kind| kind.name));
    said["why"] = json!(brief.why);
    said
}

#[test]
fn replies_get_the_verdicts_of_the_vectors() {
    let rulebook = Rulebook::builtin("calibrated").expect("built in");
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(&rulebook, &schemas);
    let mut wrong = Differences::default();
    let mut rows = String::new();
    for vector in vectors() {
        let said = judged(&vector, &mut judge);
        let is_new = vector["outcome"] == "";
        if !is_new {
            for member in EXPECTED {
                let what = format!("{} {member}", vector["case"]);
                wrong.compare(&what, &said[member], &vector[member]);
            }
        }
        writeln!(rows, "{}", if is_new { &said } else { &vector }).expect("a text takes all");
    }
    wrong.assert_none(FILE);
    let path = home().join(FILE);
    if fs::read_to_string(&path).expect("the vectors") != rows {
        assert!(std::env::var_os("TAPECHECK_WRITE_CASES").is_some(), "{FILE}: rows are new");
        fs::write(path, rows).expect("the vectors");
    }
}

#[test]
fn vectors_have_every_outcome_of_a_reply_and_every_kind() {
    let vectors = vectors();
    let all = |member: &str| -> BTreeSet<String> {
        vectors.iter().filter_map(|it| it[member].as_str().map(str::to_owned)).collect()
    };
    // What a host kept from its server has no reply.
    let told = Outcome::ALL.into_iter().filter(|outcome| *outcome != Outcome::NotSent);
    assert_eq!(all("outcome"), told.map(|outcome| outcome.name().to_owned()).collect());
    let rulebook = Rulebook::builtin("calibrated").expect("built in");
    let kinds = rulebook.error_kinds.iter().map(|kind| kind.name.clone());
    assert_eq!(all("kind"), kinds.collect());
    assert_eq!(all("case").len(), vectors.len(), "each shows something else");
}
