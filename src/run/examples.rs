//! Runs the examples that a rulebook carries.

use crate::check::schema::Schemas;
use crate::check::{Judge, VerdictLine};
use crate::corpus::{Bounds, read_exchange};
use crate::rulebook::{Example, Rulebook};
use serde_json::Value;

/// An example whose verdict is not the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    pub example: String,
    pub place: String,
    pub difference: String,
}

pub fn run_examples(rulebook: &Rulebook) -> Vec<Mismatch> {
    let schemas = Schemas::new(rulebook.schema.clone());
    let mut judge = Judge::new(rulebook, &schemas);
    rulebook.examples.iter().flat_map(|example| differences(example, &mut judge)).collect()
}

fn differences(example: &Example, judge: &mut Judge<'_>) -> Vec<Mismatch> {
    let mismatch = |difference| Mismatch {
        example: example.name.clone(),
        place: example.place.clone(),
        difference,
    };
    let exchange = match read_exchange(&example.exchange, &Bounds::default()) {
        Ok(exchange) => exchange,
        Err(error) => return vec![mismatch(format!("the call cannot be read: {error}"))],
    };
    let expected: Value = match serde_json::from_str(&example.expect) {
        Ok(expected) => expected,
        Err(error) => return vec![mismatch(format!("`expect` cannot be read: {error}"))],
    };
    let verdict = judge.judge(&exchange);
    let line = VerdictLine::new(&exchange, &verdict, judge.rulebook());
    let got = serde_json::to_value(line).unwrap_or(Value::Null);
    let mut found = Vec::new();
    compare("", &expected, &got, &mut found);
    found.into_iter().map(mismatch).collect()
}

/// Every expected member must be there; members nobody expects anything of are ignored.
fn compare(path: &str, expected: &Value, got: &Value, found: &mut Vec<String>) {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            for (name, value) in expected {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                compare(&path, value, got.get(name).unwrap_or(&Value::Null), found);
            }
        }
        (Value::Number(a), Value::Number(b)) if close(a.as_f64(), b.as_f64()) => {}
        (expected, got) if expected == got => {}
        (expected, got) => found.push(format!("{path} should be {expected}, but is {got}")),
    }
}

fn close(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b).is_some_and(|(a, b)| (a - b).abs() < 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::builtin_names;
    use std::fmt::Write as _;

    /// Exchanges whose verdicts have every member between them.
    const VARIED: [&str; 4] = [
        r#"{"id":"1","server":"s","tool":"get","input":{},"scenarioCategory":"edge","response":{"isError":true,"content":[{"type":"text","text":"User not found"}]}}"#,
        r#"{"tool":{"name":"get","outputSchema":{"type":"string"}},"input":{},"response":{"structuredContent":5,"_meta":{},"content":[{"type":"text","text":"Error: failed to connect"},{"type":"image"}]}}"#,
        r#"{"tool":"get","input":{},"response":{"error":{"code":-32603,"message":"internal error"}}}"#,
        r#"{"tool":"get","input":{}}"#,
    ];

    #[test]
    fn whatever_a_verdict_has_can_be_expected() {
        for name in builtin_names() {
            let rulebook = Rulebook::builtin(name).expect("built in");
            let schemas = Schemas::new(rulebook.schema.clone());
            let mut judge = Judge::new(&rulebook, &schemas);
            let mut text = format!("name = \"x\"\nextends = \"{name}\"\n");
            for (at, exchange) in VARIED.iter().enumerate() {
                let read = read_exchange(exchange, &Bounds::default()).expect("a call");
                let verdict = judge.judge(&read);
                let line = VerdictLine::new(&read, &verdict, &rulebook);
                let line = serde_json::to_string(&line).expect("plain data");
                let _ = write!(
                    text,
                    "[[examples]]\nname = \"{at}\"\nexchange = '''{exchange}'''\nexpect = '''{line}'''\n"
                );
            }
            let rulebook = Rulebook::from_toml(&text, "x").unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(run_examples(&rulebook), [], "{name}");
        }
    }
}
