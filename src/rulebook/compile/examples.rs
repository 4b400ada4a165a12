//! Example exchanges: whole ones, or the short form of a tool and a text.

use super::expectations;
use crate::rulebook::model::Example;
use crate::rulebook::problem::Problems;
use crate::rulebook::source::{Node, Section};
use serde_json::{Value, json};

pub(super) fn examples(root: &mut Section<'_>, tree: &Node) -> Vec<Example> {
    root.lines("examples", |name, section| {
        let problems = section.problems;
        let exchange = exchange(section);
        let expect = section.require("expect", Section::take).and_then(|node| {
            let expect = object(node, problems)?;
            if !problems.is_known(node.mark) {
                let of_text = node.text().map(|_| expectations::tree(&expect, node.mark, problems));
                expectations::check(of_text.as_ref().unwrap_or(node), tree, problems);
            }
            Some(expect)
        });
        Some(Example {
            name: name?,
            exchange: exchange?.to_string(),
            expect: expect?.to_string(),
            place: problems.place(section.mark),
        })
    })
}

fn exchange(section: &mut Section<'_>) -> Option<Value> {
    if let Some(node) = section.take("exchange") {
        return object(node, section.problems);
    }
    let [tool, error, reply, scenario] =
        ["tool", "error", "reply", "scenario"].map(|key| section.text(key));
    let input = section.take("input").and_then(|node| object(node, section.problems));
    let is_one = error.is_some() != reply.is_some();
    let (Some(tool), Some(text), true) = (tool, error.or(reply), is_one) else {
        section.error("an example has an `exchange`, or a `tool` with an `error` or a `reply`");
        return None;
    };
    let mut exchange = json!({
        "tool": {"name": tool},
        "input": input.unwrap_or_else(|| json!({})),
        "response": {"content": [{"type": "text", "text": text}], "isError": error.is_some()},
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
