//! An exchange with its right verdict, as an example of a rulebook: text to be added to its file.

use crate::json::write_canonical;
use crate::recording::{Exchange, ExchangeKind, JsonText, Reply};
use crate::rulebook::Rulebook;
use crate::store::NamedVerdict;
use crate::verdict::{harmless, harmless_json};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The longest exchange that becomes an example, in bytes.
const LONGEST: usize = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExampleError {
    #[error("only tool calls can become examples")]
    NoToolCall,
    /// It would bury the file.
    #[error("the call has {0} bytes, more than the {LONGEST} that an example may have")]
    TooLong(usize),
    #[error("an example cannot express the difference between the two verdicts")]
    NothingToExpect,
}

/// An example as it is to stand in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedExample {
    pub name: String,
    /// The exchange, as one line of JSON.
    pub exchange: String,
    /// Members of the right verdict.
    pub expect: Map<String, Value>,
    /// Who wants it, and why: a comment above it.
    pub comment: String,
}

impl WantedExample {
    /// Expects what was said before; may only name what the rulebook knows that will judge it.
    pub fn new(
        exchange: &Exchange<'_>,
        (before, after): (&NamedVerdict, &NamedVerdict),
        rulebook: &Rulebook,
        comment: &str,
    ) -> Result<Self, ExampleError> {
        let text = exchange_text(exchange)?;
        let expect = expectation(before, after, rulebook);
        if expect.is_empty() {
            return Err(ExampleError::NothingToExpect);
        }
        let name = format!("{} of {}", exchange.tool.name, exchange.server);
        let (name, comment) = (harmless(&name), harmless(comment));
        Ok(Self { name, exchange: text, expect, comment })
    }

    pub fn toml(&self) -> String {
        let mut text = String::from("[[examples]]\n");
        let _ = writeln!(text, "# {}", self.comment);
        let _ = writeln!(text, "name = {}", toml::Value::from(self.name.as_str()));
        let _ = writeln!(text, "exchange = {}", literal(&self.exchange));
        let expect = Value::Object(self.expect.clone());
        let plain = expect.to_string();
        let json = harmless_json(&plain);
        let has_null = self.expect.values().any(Value::is_null);
        // TOML has no word for nothing; JSON can expect it. Nor is it sure to escape what steers.
        let expect = match toml::Value::try_from(&expect) {
            Ok(table) if !has_null && json == plain => table.to_string(),
            Ok(_) | Err(_) => literal(&json),
        };
        let _ = writeln!(text, "expect = {expect}");
        text
    }
}

/// The text of a rulebook's file with an example at its end. All that stands there stays as it is.
pub fn append_example(file: &str, example: &WantedExample) -> String {
    let mut text = file.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&example.toml());
    text
}

/// Text in the quotes of TOML in which nothing is escaped. JSON can spell out what cannot stand there.
fn literal(json: &str) -> String {
    let safe = json.replace('\'', "\\u0027").replace('\u{7f}', "\\u007f");
    if safe == json { format!("'{json}'") } else { format!("'''{}'''", careful(json)) }
}

/// Apostrophes may stand in long quotes, as long as there are not three of them.
fn careful(json: &str) -> String {
    let json = json.replace("'''", "''\\u0027").replace('\u{7f}', "\\u007f");
    match json.strip_suffix('\'') {
        Some(rest) => format!("{rest}\\u0027"),
        None => json,
    }
}

/// An exchange as one line of a recording.
fn exchange_text(exchange: &Exchange<'_>) -> Result<String, ExampleError> {
    let response = match (&exchange.reply, exchange.kind) {
        (Reply::Result(result), ExchangeKind::ToolCall) => Some((result.raw, "")),
        (Reply::Error(error), ExchangeKind::ToolCall) => Some((error.raw, "error")),
        (Reply::None, ExchangeKind::ToolCall) => None,
        _ => return Err(ExampleError::NoToolCall),
    };
    let name = &exchange.tool.name;
    let mut text = String::from("{");
    if let Some(id) = &exchange.id {
        let _ = write!(text, "\"id\":{},", json!(id));
    }
    let _ =
        write!(text, "\"server\":{},\"tool\":{{\"name\":{}", json!(exchange.server), json!(name));
    if let Some(schema) = &exchange.tool.output_schema {
        let _ = write!(text, ",\"outputSchema\":{schema}");
    }
    text.push('}');
    text.push_str(",\"input\":");
    match exchange.input.as_ref().map(JsonText::raw) {
        Some(input) => write_canonical(input, &mut text),
        None => text.push_str("{}"),
    }
    if let Some(scenario) = &exchange.scenario {
        let _ = write!(text, ",\"scenarioCategory\":{}", json!(scenario));
    }
    if let Some((raw, within)) = response {
        text.push_str(",\"response\":");
        if within.is_empty() {
            write_canonical(raw, &mut text);
        } else {
            let _ = write!(text, "{{\"{within}\":");
            write_canonical(raw, &mut text);
            text.push('}');
        }
    }
    text.push('}');
    if text.len() > LONGEST {
        Err(ExampleError::TooLong(text.len()))
    } else {
        Ok(harmless_json(&one_line(&text)))
    }
}

/// Recorded schemas may take several lines; no line break can stand within a text of JSON.
fn one_line(json: &str) -> String {
    json.replace(['\n', '\r', '\t'], " ")
}

/// What was right, as far as it differs from what is said now. How it stands says enough; where it
/// stands the same, everything that differs and that the rulebook knows.
fn expectation(
    before: &NamedVerdict,
    after: &NamedVerdict,
    rulebook: &Rulebook,
) -> Map<String, Value> {
    let standing = [
        ("classification", json!(before.class.name()), json!(after.class.name())),
        ("business_logic", json!(before.business_logic), json!(after.business_logic)),
        ("hidden_failure", json!(before.hidden_failure), json!(after.hidden_failure)),
        ("is_valid", json!(before.is_valid), json!(after.is_valid)),
    ];
    let expect = differing(standing);
    if !expect.is_empty() {
        return expect;
    }
    let mut expect = differing([
        ("confidence_percent", json!(before.confidence), json!(after.confidence)),
        ("score", json!(before.score), json!(after.score)),
        ("threshold", json!(before.threshold), json!(after.threshold)),
        ("decided_by", json!(before.decided_by), json!(after.decided_by)),
        ("error_kind", json!(before.error_kind), json!(after.error_kind)),
    ]);
    let lines = rulebook.decide.iter().map(|line| line.name.as_str());
    let kinds = rulebook.error_kinds.iter().map(|kind| kind.name.as_str());
    keep_known(&mut expect, "decided_by", lines);
    keep_known(&mut expect, "error_kind", kinds);
    let known = rulebook.signals.iter().map(|signal| signal.name.as_str());
    let holds = |verdict: &NamedVerdict, name: &str| {
        json!(verdict.signals.iter().any(|signal| signal == name))
    };
    let signals = differing(known.map(|name| (name, holds(before, name), holds(after, name))));
    if !signals.is_empty() {
        expect.insert("signals".to_owned(), Value::Object(signals));
    }
    expect
}

fn differing<'a>(members: impl IntoIterator<Item = (&'a str, Value, Value)>) -> Map<String, Value> {
    let changed = members.into_iter().filter(|(_, before, after)| before != after);
    changed.map(|(name, before, _)| (name.to_owned(), before)).collect()
}

/// Takes an expectation away that names what the rulebook does not know.
fn keep_known<'a>(
    expect: &mut Map<String, Value>,
    member: &str,
    mut known: impl Iterator<Item = &'a str>,
) {
    if let Some(Value::String(name)) = expect.get(member)
        && known.all(|other| other != name)
    {
        expect.shift_remove(member);
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::verdict;
    use super::*;
    use crate::corpus::{Bounds, read_exchange};
    use crate::run::run_examples;
    use crate::verdict::Answer;

    const FILE: &str = "# mine\nname = \"mine\"\nextends = \"guide\" # and no more";

    fn wanted(line: &str, before: &NamedVerdict, after: &NamedVerdict) -> WantedExample {
        let exchange = read_exchange(line, &Bounds::default()).expect("a call");
        let rulebook = Rulebook::builtin("guide").expect("built in");
        WantedExample::new(&exchange, (before, after), &rulebook, "ann: it's \u{1b}[31mwrong")
            .expect("an example")
    }

    #[test]
    fn an_example_expects_what_was_right() {
        let line = r#"{"id":7,"server":"s","tool":{"name":"get_user"},"input":{"a": "it's '''"},
            "response":{"isError":true,"content":[{"type":"text","text":"Server exploded\n'"}]}}"#;
        let (right, wrong) =
            (verdict(Answer::BusinessLogic, &[]), verdict(Answer::ToolFailure, &[]));
        let example = wanted(line, &right, &wrong);
        let text = append_example(FILE, &example);
        assert!(text.starts_with(FILE), "what stands there stays");
        assert!(text.contains("# ann: it's \\u{1b}[31mwrong\n"), "{text}");
        assert!(text.contains("expect = { business_logic = true }"), "{text}");
        let rulebook = Rulebook::from_toml(&text, "mine").unwrap_or_else(|error| panic!("{error}"));
        let mismatches = run_examples(&rulebook);
        let mine = mismatches.iter().find(|one| one.example == "get_user of s").expect("it fails");
        assert_eq!(mine.difference, "business_logic should be true, but is false");
    }

    #[test]
    fn nothing_can_be_expected_too() {
        let line = r#"{"tool":"t","input":{},"response":{"isError":true,"content":[{"type":"text","text":"x"}]}}"#;
        let (right, wrong) = (verdict(Answer::NotAsked, &[]), verdict(Answer::ToolFailure, &[]));
        let text =
            append_example("name = \"x\"\nextends = \"guide\"\n", &wanted(line, &right, &wrong));
        assert!(text.contains(r#"expect = '{"business_logic":null}'"#), "{text}");
        Rulebook::from_toml(&text, "x").unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn where_it_stands_the_same_what_differs_is_expected() {
        let before = verdict(Answer::ToolFailure, &["http_status", "unknown_here"]);
        let mut after = verdict(Answer::ToolFailure, &[]);
        after.score = Some(0.4);
        let line = r#"{"tool":"t","input":{},"response":{"error":{"code":-32603,"message":"m"}}}"#;
        let example = wanted(line, &before, &after);
        assert_eq!(
            Value::Object(example.expect),
            json!({"score": 0.0, "signals": {"http_status": true}})
        );
        assert!(
            example.exchange.ends_with(r#""response":{"error":{"code":-32603,"message":"m"}}}"#)
        );
    }

    #[test]
    fn an_exchange_that_would_bury_the_file_becomes_no_example() {
        let long = "x".repeat(LONGEST);
        let line = format!(r#"{{"tool":"t","input":{{"a":"{long}"}},"response":{{}}}}"#);
        let exchange = read_exchange(&line, &Bounds::default()).expect("a call");
        let rulebook = Rulebook::builtin("guide").expect("built in");
        let sides = (&verdict(Answer::NotAsked, &[]), &verdict(Answer::ToolFailure, &[]));
        let error = WantedExample::new(&exchange, sides, &rulebook, "").expect_err("too long");
        assert!(matches!(error, ExampleError::TooLong(_)), "{error}");
    }
}
