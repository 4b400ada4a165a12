//! Example exchanges: whole ones, or the short form of a tool and a text.
//!
//! What they expect is checked by every name that can stand in a verdict, so that a misspelt one is an error at its
//! line instead of an expectation that never comes true.

use crate::rulebook::model::Example;
use crate::rulebook::problem::{Mark, Problems, hint};
use crate::rulebook::source::{Entry, Node, Section, Value};
use crate::verdict::{Classification, IssueType, Outcome, Severity};
use serde_json::{Value as Json, json};
use std::mem::discriminant;
use std::sync::LazyLock;

pub(super) fn examples(root: &mut Section<'_>, tree: &Node) -> Vec<Example> {
    root.lines("examples", |name, section| {
        let problems = section.problems;
        let exchange = exchange(section);
        let expect = section.require("expect", Section::take).and_then(|node| {
            let expect = object(node, problems)?;
            if !problems.is_known(node.mark) {
                let of_text = node.text().map(|_| narrowed(&expect, node.mark, problems));
                check(of_text.as_ref().unwrap_or(node), tree, problems);
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

fn exchange(section: &mut Section<'_>) -> Option<Json> {
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
pub(super) fn object(node: &Node, problems: &Problems) -> Option<Json> {
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

/// A verdict as a line of JSON, as far as it is the verdict's, with a value of the kind that each member has. A text
/// says which names can stand there, and a member in angle brackets which further names members can have. A test
/// expects every member that verdicts have.
const VERDICT: &str = r#"
valid = true
confidence = 0
issues = [{ severity = "severity", type = "type of issue", message = "", location = "", suggestion = "" }]
quality_score = 0
metadata = { validation_types_run = [""], total_issues = 0, error_count = 0, warning_count = 0, info_count = 0 }
id = ""
server = ""
tool = ""
scenario = ""
outcome = "outcome"
because = ""
classification = "class"
confidence_percent = 0
certainty = 0
is_valid = true
is_error = true
business_logic = true
score = 0
threshold = 0
decided_by = "decision line"
kind = ""
decision = ""
interpretation = ""
good_enough = true
needs_review = true
passed_criteria = [""]
failed_criteria = [""]
parameter_keys = [""]
signals = { "<signal>" = true }
hits = [{ list = "list", pattern = "", about = "", start = 0, end = 0, call = { start = 0, end = 0 } }]
error_kind = "kind of error"
hidden_failure = true
evidence = [""]
[response_metadata]
contentTypes = [""]
hasStructuredContent = true
hasMeta = true
outputSchemaValidation = { hasOutputSchema = true, isValid = true, error = "" }
"<counted kind of block>" = 0
"#;

static SHAPE: LazyLock<Node> =
    LazyLock::new(|| Node::parse(VERDICT, 0, &Problems::default()).expect("it is TOML"));

/// Reports everything in an expectation that no verdict can have, of a rulebook as it is written.
fn check(expected: &Node, rulebook: &Node, problems: &Problems) {
    Checker { rulebook, problems }.check(expected, &SHAPE, "a verdict");
}

struct Checker<'c> {
    rulebook: &'c Node,
    problems: &'c Problems,
}

impl Checker<'_> {
    /// `holder` is how messages call what the value's members belong to.
    fn check(&self, written: &Node, shape: &Node, holder: &str) {
        match (&shape.value, &written.value) {
            // JSON can expect that there is nothing.
            (_, Value::Null) => {}
            (Value::Text(what), Value::Text(name)) => {
                if !what.is_empty() {
                    self.problems.find(what, name, written.mark, self.names(what));
                }
            }
            (Value::List(shapes), Value::List(elements)) => {
                for (element, shape) in elements.iter().zip(shapes.iter().cycle()) {
                    self.check(element, shape, holder);
                }
            }
            (Value::Table(members), Value::Table(entries)) => {
                let of_names =
                    |key: &str| Some(key.strip_prefix('<')?.strip_suffix('>')?.to_owned());
                let further = members.iter().find_map(|it| Some((of_names(&it.key)?, &it.node)));
                let names = further.as_ref().map_or(Vec::new(), |(what, _)| self.names(what));
                for Entry { key, key_mark, node } in entries {
                    let key = key.as_str();
                    if let Some(member) = members.iter().find(|member| member.key == key) {
                        self.check(node, &member.node, &format!("`{key}`"));
                        continue;
                    }
                    match &further {
                        Some((_, shape)) if names.contains(&key) => self.check(node, shape, holder),
                        Some((what, _)) if members.len() == 1 => {
                            self.problems.find(what, key, *key_mark, names.iter().copied());
                        }
                        _ => {
                            let plain = members.iter().map(|member| member.key.as_str());
                            let plain = plain.filter(|key| !key.starts_with('<'));
                            let help = hint(key, plain.chain(names.iter().copied()));
                            let message = format!("{holder} has no member `{key}`");
                            self.problems.error_with_help(*key_mark, message, help);
                        }
                    }
                }
            }
            (wanted, found) if discriminant(wanted) == discriminant(found) => {}
            _ => {
                let message = format!("expected {}, not {}", shape.kind(), written.kind());
                self.problems.error(written.mark, message);
            }
        }
    }

    /// All names of a kind. What bears a name may be wrong otherwise: that is told where it stands, and not once more
    /// where it is named.
    fn names(&self, what: &str) -> Vec<&str> {
        fn keys(node: Option<&Node>) -> Vec<&str> {
            let entries = node.and_then(Node::entries).unwrap_or_default();
            entries.iter().map(|entry| entry.key.as_str()).collect()
        }
        let lines = |key| {
            let lines = self.rulebook.get(key).and_then(Node::elements).unwrap_or_default();
            lines.iter().filter_map(|line| line.get("name")?.text()).collect()
        };
        let section = |key| keys(self.rulebook.get(key));
        match what {
            "outcome" => Outcome::ALL.map(Outcome::name).into(),
            "class" => Classification::ALL.map(Classification::name).into(),
            "severity" => Severity::ALL.map(Severity::name).into(),
            "type of issue" => IssueType::ALL.iter().map(|kind| kind.name()).collect(),
            "signal" => section("signals"),
            "decision line" => lines("decide"),
            "kind of error" => lines("error_kinds"),
            "counted kind of block" => {
                keys(self.rulebook.get("metadata").and_then(|it| it.get("counted")))
            }
            // A regex, or a list without a name of its own, goes by the name of its signal.
            _ => [section("lists"), section("signals")].concat(),
        }
    }
}

/// A JSON object's text as a tree, in which names and texts have the places where they first stand behind the name
/// of what holds them.
fn narrowed(value: &Json, mark: Mark, problems: &Problems) -> Node {
    let mut tree = Node::from_json(value, mark);
    narrow(&mut tree, problems);
    tree
}

fn narrow(node: &mut Node, problems: &Problems) {
    let mark = node.mark;
    match &mut node.value {
        Value::Text(text) => node.mark = problems.narrowed(mark, &format!("\"{text}\"")),
        Value::List(elements) => elements.iter_mut().for_each(|element| {
            element.mark = mark;
            narrow(element, problems);
        }),
        Value::Table(entries) => entries.iter_mut().for_each(|entry| {
            entry.key_mark = problems.narrowed(mark, &format!("\"{}\"", entry.key));
            let start = if entry.key_mark == mark { mark.start } else { entry.key_mark.end };
            entry.node.mark = Mark { start, ..mark };
            narrow(&mut entry.node, problems);
        }),
        _ => {}
    }
}
