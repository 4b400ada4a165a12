//! What must not matter to an outcome: whether a reply that reports a failure is flagged, what a tool is called, and
//! the values that a call sends, where call and reply change alike.

use crate::causes::builtin;
use crate::figures::{beside, bundled, for_each_labelled, ordinary, unread};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use tapecheck::internals::check::Judge;
use tapecheck::internals::check::schema::Schemas;
use tapecheck::internals::corpus::{Bounds, read_exchange};
use tapecheck::internals::labels::Label;
use tapecheck::internals::recording::{Exchange, Reply};
use tapecheck::internals::rulebook::Rulebook;
use tapecheck::internals::verdict::Outcome;

/// A call as one line of JSON, with its label and what it is said to be.
struct Call {
    record: Value,
    label: Option<Label>,
    outcome: Outcome,
}

/// The calls of a collection with labels.
struct Collection {
    name: &'static str,
    calls: Vec<Call>,
}

static COLLECTIONS: LazyLock<Vec<Collection>> = LazyLock::new(|| {
    let folders: Vec<(&str, PathBuf)> =
        bundled().into_iter().chain(unread()).chain(ordinary()).chain(beside()).collect();
    folders.into_iter().map(|(name, folder)| Collection { name, calls: calls(&folder) }).collect()
});

fn calls(folder: &Path) -> Vec<Call> {
    let rulebook = builtin("calibrated");
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(&rulebook, &schemas);
    let mut calls = Vec::new();
    for_each_labelled(folder, |exchange, said| {
        calls.extend(record(exchange).map(|record| {
            let outcome = outcome(&mut judge, &record);
            Call { record, label: said.map(|said| said.label), outcome }
        }));
    });
    calls
}

/// An answered call as a line of its own.
fn record(exchange: &Exchange<'_>) -> Option<Value> {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    let response = match &exchange.reply {
        Reply::Result(result) => read(result.raw.text())?,
        Reply::Error(error) => json!({ "error": read(error.raw.text())? }),
        Reply::Document(_) | Reply::None => return None,
    };
    let schema = exchange.tool.output_schema.as_deref().and_then(read);
    let input = exchange.input.as_ref().and_then(|input| read(input.raw().text()));
    Some(json!({
        "tool": { "name": exchange.tool.name, "outputSchema": schema },
        "input": input,
        "response": response,
    }))
}

/// What a line is said to be.
fn outcome(judge: &mut Judge<'_>, record: &Value) -> Outcome {
    let line = record.to_string();
    let exchange = read_exchange(&line, &Bounds::default()).expect("a call");
    judge.judge(&exchange).conclusion.judgement.outcome
}

/// Changes a line, or leaves it out.
type Change = fn(&Call) -> Option<Value>;

fn with_the_flag(call: &Call) -> Option<Value> {
    let is_reported = matches!(call.label?, Label::Refused | Label::Failed | Label::Hidden);
    flagged(call, false, true).filter(|_| is_reported)
}

fn without_the_flag(call: &Call) -> Option<Value> {
    let is_reported = matches!(call.label?, Label::Refused | Label::Failed);
    flagged(call, true, false).filter(|_| is_reported)
}

/// A result that is an error, or not, made the other.
fn flagged(call: &Call, before: bool, after: bool) -> Option<Value> {
    let mut record = call.record.clone();
    let result = record["response"].as_object_mut().filter(|it| !it.contains_key("error"))?;
    let flag = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
    result.insert("isError".to_owned(), after.into());
    (flag == before).then_some(record)
}

fn renamed(call: &Call) -> Option<Value> {
    let mut record = call.record.clone();
    let name = record["tool"]["name"].as_str()?.to_owned();
    record["tool"]["name"] = "t1".into();
    in_texts(&mut record["response"], &|text| in_words(text, &name, "t1"));
    Some(record)
}

fn with_other_values(call: &Call) -> Option<Value> {
    with_values(call, |value| {
        let other = |(at, letter): (usize, char)| {
            let of = |letters: [char; 5]| letters[(letter as usize + at) % 5];
            match letter {
                'a'..='z' if at % 2 == 0 => of(['k', 'r', 'v', 'm', 't']),
                'a'..='z' => of(['a', 'e', 'i', 'o', 'u']),
                'A'..='Z' => of(['K', 'R', 'V', 'M', 'T']),
                '0'..='9' => of(['3', '8', '1', '6', '4']),
                sign => sign,
            }
        };
        value.chars().enumerate().map(other).collect()
    })
}

fn with_letters(call: &Call) -> Option<Value> {
    with_values(call, |value| {
        if value.bytes().all(|it| it.is_ascii_digit()) { "7" } else { "x" }.to_owned()
    })
}

/// Replaces each value of the call that is short and no prose, in call and reply alike.
fn with_values(call: &Call, other: fn(&str) -> String) -> Option<Value> {
    let mut record = call.record.clone();
    let mut values = Vec::new();
    leaves(&record["input"], &mut values);
    let words = |value: &str| value.split_whitespace().count();
    values.retain(|value| (1..=60).contains(&value.len()) && words(value) == 1);
    values.sort_by_key(|value| std::cmp::Reverse(value.len()));
    values.dedup();
    let changed: Vec<(String, String)> = values
        .into_iter()
        .map(|value| (other(&value), value))
        .map(|(new, old)| (old, new))
        .collect();
    for part in ["input", "response"] {
        for (old, new) in &changed {
            in_texts(&mut record[part], &|text| in_words(text, old, new));
        }
    }
    (!changed.is_empty()).then_some(record)
}

fn leaves(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, found)),
        Value::Object(members) => members.values().for_each(|item| leaves(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Changes the texts of a value, but not what its members are called nor what kind its blocks are of.
fn in_texts(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| in_texts(item, change)),
        Value::Object(members) => {
            let others = members.iter_mut().filter(|(name, _)| *name != "type");
            others.for_each(|(_, item)| in_texts(item, change));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A text with another word in the place of each that is `old`.
fn in_words(text: &str, old: &str, new: &str) -> String {
    let is_word = |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(old).filter(|_| !old.is_empty()) {
        let (before, after) = (&rest[..at], &rest[at + old.len()..]);
        let last = before.chars().next_back().or_else(|| made.chars().next_back());
        let is_whole = !is_word(last) && !is_word(after.chars().next());
        made.extend([before, if is_whole { new } else { old }]);
        rest = after;
    }
    made + rest
}

/// How many outcomes stay as they are of those that a change is about, collection by collection.
fn kept(rulebook: &Arc<Rulebook>, change: Change) -> Vec<(&'static str, usize, usize)> {
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(rulebook, &schemas);
    let mut counted = |collection: &Collection| {
        let (mut same, mut all) = (0, 0);
        for call in &collection.calls {
            if let Some(changed) = change(call) {
                same += usize::from(outcome(&mut judge, &changed) == call.outcome);
                all += 1;
            }
        }
        (collection.name, same, all)
    };
    COLLECTIONS.iter().map(&mut counted).collect()
}

#[test]
fn outcomes_stay_where_flag_name_or_values_are_others() {
    let changes: [(&str, Change, f64); 5] = [
        ("the flag set", with_the_flag, 0.95),
        ("the flag taken away", without_the_flag, 0.90),
        ("the tool called t1", renamed, 0.995),
        ("other values", with_other_values, 0.99),
        ("values of one letter", with_letters, 0.95),
    ];
    let rulebook = builtin("calibrated");
    let mut low = Vec::new();
    for (what, change, least) in changes {
        let counts = kept(&rulebook, change);
        let same: usize = counts.iter().map(|(_, same, _)| same).sum();
        let all: usize = counts.iter().map(|(.., all)| all).sum();
        let share = same as f64 / all as f64;
        assert!(all > 800, "{what} is about {all} calls");
        if share < least {
            low.push(format!("{what}: {share:.4} of {all} outcomes stay, not {least}: {counts:?}"));
        }
    }
    assert!(low.is_empty(), "{}", low.join("\n"));
}
