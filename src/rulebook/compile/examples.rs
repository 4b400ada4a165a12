//! Example exchanges: whole ones, or the short form of a tool and a text.

use super::expectations::{self, Vocabulary};
use crate::rulebook::model::Example;
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Node, Section};
use serde_json::{Value, json};

pub(super) fn examples(
    nodes: &[Node],
    vocabulary: &Vocabulary<'_>,
    problems: &Problems,
) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for node in nodes {
        let Some(mut section) = Section::open(node, problems) else { continue };
        let name = section.require("name", Section::text);
        if let Some(name) = name
            && examples.iter().any(|other| other.name == name)
        {
            let message = format!("the example `{name}` is defined twice");
            section.error_at("name", message);
        }
        let exchange = exchange(&mut section);
        let expect = section.require("expect", Section::take).and_then(|node| {
            let expect = object(node, problems)?;
            expectations::check(&expect, node, vocabulary, problems);
            Some(expect)
        });
        let place = problems.place(section.mark);
        section.finish();
        if let (Some(name), Some(exchange), Some(expect)) = (name, exchange, expect) {
            examples.push(Example {
                name: name.to_owned(),
                exchange: exchange.to_string(),
                expect: expect.to_string(),
                place,
            });
        }
    }
    examples
}

fn exchange(section: &mut Section<'_>) -> Option<Value> {
    const SHORT: &str = "an example has an `exchange`, or a `tool` with an `error` or a `reply`";
    if let Some(node) = section.take("exchange") {
        return object(node, section.problems);
    }
    let tool = section.text("tool");
    let error = section.text("error");
    let reply = section.text("reply");
    let input = section.take("input").and_then(|node| object(node, section.problems));
    let input = input.unwrap_or_else(|| json!({}));
    let scenario = section.text("scenario");
    let (is_error, text) = match (error, reply) {
        (Some(error), None) => (true, error),
        (None, Some(reply)) => (false, reply),
        _ => {
            section.error(SHORT);
            return None;
        }
    };
    let Some(tool) = tool else {
        section.error(SHORT);
        return None;
    };
    let mut exchange = json!({
        "tool": {"name": tool},
        "input": input,
        "response": {"content": [{"type": "text", "text": text}], "isError": is_error},
    });
    if let Some(scenario) = scenario {
        exchange["scenarioCategory"] = scenario.into();
    }
    Some(exchange)
}

/// A JSON object, written as a TOML table or as JSON text.
pub(super) fn object(node: &Node, problems: &Problems) -> Option<Value> {
    let value = match node.text() {
        None => node.to_json(),
        Some(text) => match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) => {
                problems.error(node.mark, format!("this is not JSON: {error}"));
                return None;
            }
        },
    };
    if !value.is_object() {
        problems.error(node.mark, "expected a table, or a JSON object as text,");
        return None;
    }
    Some(value)
}
