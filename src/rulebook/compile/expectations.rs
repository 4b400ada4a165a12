//! What examples may expect: every name that can stand in a verdict, so that a misspelt one is an
//! error at its line instead of an expectation that never comes true.

use crate::rulebook::problem::{Mark, Problems, did_you_mean};
use crate::rulebook::source::Node;
use crate::verdict::{Classification, IssueType, Outcome, Severity};
use serde_json::Value;

/// What can stand at a place of a verdict.
enum Shape {
    Flag,
    Number,
    Text,
    Name(Names),
    List(&'static Shape),
    /// These members, and further ones that bear such names.
    Object(&'static [(&'static str, Shape)], Option<(Names, &'static Shape)>),
}

#[derive(Clone, Copy)]
enum Names {
    Outcomes,
    Classes,
    Severities,
    IssueTypes,
    Signals,
    DecisionLines,
    ErrorKinds,
    Counted,
    PatternLists,
}

/// A verdict as a line of JSON, as far as it is the verdict's. A test expects every member that
/// verdicts have.
const VERDICT: Shape = Shape::Object(
    &[
        ("valid", Shape::Flag),
        ("confidence", Shape::Number),
        ("issues", Shape::List(&ISSUE)),
        ("quality_score", Shape::Number),
        ("metadata", COUNTS),
        ("id", Shape::Text),
        ("server", Shape::Text),
        ("tool", Shape::Text),
        ("scenario", Shape::Text),
        ("outcome", Shape::Name(Names::Outcomes)),
        ("because", Shape::Text),
        ("classification", Shape::Name(Names::Classes)),
        ("confidence_percent", Shape::Number),
        ("certainty", Shape::Number),
        ("is_valid", Shape::Flag),
        ("is_error", Shape::Flag),
        ("business_logic", Shape::Flag),
        ("score", Shape::Number),
        ("threshold", Shape::Number),
        ("decided_by", Shape::Name(Names::DecisionLines)),
        ("kind", Shape::Text),
        ("decision", Shape::Text),
        ("interpretation", Shape::Text),
        ("good_enough", Shape::Flag),
        ("needs_review", Shape::Flag),
        ("passed_criteria", Shape::List(&Shape::Text)),
        ("failed_criteria", Shape::List(&Shape::Text)),
        ("parameter_keys", Shape::List(&Shape::Text)),
        ("signals", Shape::Object(&[], Some((Names::Signals, &Shape::Flag)))),
        ("hits", Shape::List(&HIT)),
        ("error_kind", Shape::Name(Names::ErrorKinds)),
        ("hidden_failure", Shape::Flag),
        ("evidence", Shape::List(&Shape::Text)),
        ("response_metadata", RESPONSE),
    ],
    None,
);

const ISSUE: Shape = Shape::Object(
    &[
        ("severity", Shape::Name(Names::Severities)),
        ("type", Shape::Name(Names::IssueTypes)),
        ("message", Shape::Text),
        ("location", Shape::Text),
        ("suggestion", Shape::Text),
    ],
    None,
);

const COUNTS: Shape = Shape::Object(
    &[
        ("validation_types_run", Shape::List(&Shape::Text)),
        ("total_issues", Shape::Number),
        ("error_count", Shape::Number),
        ("warning_count", Shape::Number),
        ("info_count", Shape::Number),
    ],
    None,
);

const HIT: Shape = Shape::Object(
    &[
        ("list", Shape::Name(Names::PatternLists)),
        ("pattern", Shape::Text),
        ("about", Shape::Text),
        ("start", Shape::Number),
        ("end", Shape::Number),
        ("call", PLACE),
    ],
    None,
);

const PLACE: Shape = Shape::Object(&[("start", Shape::Number), ("end", Shape::Number)], None);

const RESPONSE: Shape = Shape::Object(
    &[
        ("contentTypes", Shape::List(&Shape::Text)),
        ("hasStructuredContent", Shape::Flag),
        ("hasMeta", Shape::Flag),
        ("outputSchemaValidation", SCHEMA_RESULT),
    ],
    Some((Names::Counted, &Shape::Number)),
);

const SCHEMA_RESULT: Shape = Shape::Object(
    &[("hasOutputSchema", Shape::Flag), ("isValid", Shape::Flag), ("error", Shape::Text)],
    None,
);

/// The names that a rulebook brings along, as it writes them.
pub(super) struct Vocabulary<'a> {
    signals: Vec<&'a str>,
    decision_lines: Vec<&'a str>,
    error_kinds: Vec<&'a str>,
    counted: Vec<&'a str>,
    lists: Vec<&'a str>,
}

impl<'a> Vocabulary<'a> {
    /// The names in a merged tree. What bears a name may be wrong otherwise: that is told where it
    /// stands, and not once more where it is named.
    pub(super) fn of(tree: &'a Node) -> Self {
        let keys = |node: Option<&'a Node>| -> Vec<&'a str> {
            let entries = node.and_then(Node::entries).unwrap_or_default();
            entries.iter().map(|entry| entry.key.as_str()).collect()
        };
        let lines = |key| -> Vec<&'a str> {
            let lines = tree.get(key).and_then(Node::elements).unwrap_or_default();
            lines.iter().filter_map(|line| line.get("name")?.text()).collect()
        };
        Self {
            signals: keys(tree.get("signals")),
            decision_lines: lines("decide"),
            error_kinds: lines("error_kinds"),
            counted: keys(tree.get("metadata").and_then(|metadata| metadata.get("counted"))),
            lists: keys(tree.get("lists")),
        }
    }

    /// What the names are called, and all of them.
    fn names(&self, of: Names) -> (&'static str, Vec<&'a str>) {
        match of {
            Names::Outcomes => ("outcome", Outcome::ALL.map(Outcome::name).into()),
            Names::Classes => ("class", Classification::ALL.map(Classification::name).into()),
            Names::Severities => ("severity", Severity::ALL.map(Severity::name).into()),
            Names::IssueTypes => {
                ("type of issue", IssueType::ALL.iter().map(|kind| kind.name()).collect())
            }
            Names::Signals => ("signal", self.signals.clone()),
            Names::DecisionLines => ("decision line", self.decision_lines.clone()),
            Names::ErrorKinds => ("kind of error", self.error_kinds.clone()),
            Names::Counted => ("counted kind of block", self.counted.clone()),
            // A regex, or a list without a name of its own, goes by the name of its signal.
            Names::PatternLists => {
                ("list", self.lists.iter().chain(&self.signals).copied().collect())
            }
        }
    }
}

/// Reports everything in an expectation that no verdict can have. `value` is what `node` says.
pub(super) fn check(value: &Value, node: &Node, vocabulary: &Vocabulary<'_>, problems: &Problems) {
    let written = Written { value, node: node.entries().map(|_| node), mark: node.mark };
    Checker { vocabulary, problems }.check(&written, &VERDICT, "a verdict");
}

/// A part of an expectation.
struct Written<'a> {
    value: &'a Value,
    /// The TOML it was read from; `None` inside a text of JSON.
    node: Option<&'a Node>,
    mark: Mark,
}

struct Checker<'c, 'v> {
    vocabulary: &'c Vocabulary<'v>,
    problems: &'c Problems,
}

impl Checker<'_, '_> {
    /// `holder` is how messages call what the value's members belong to.
    fn check(&mut self, written: &Written<'_>, shape: &Shape, holder: &str) {
        match (shape, written.value) {
            (Shape::Flag, Value::Bool(_))
            | (Shape::Number, Value::Number(_))
            | (Shape::Text, Value::String(_)) => {}
            // JSON can expect that there is nothing; TOML has no such value but reads dates as it.
            (_, Value::Null) if written.node.is_none() => {}
            (Shape::Name(names), Value::String(name)) => self.check_name(*names, name, written),
            (Shape::List(shape), Value::Array(elements)) => {
                let nodes = written.node.and_then(Node::elements).unwrap_or_default();
                for (at, value) in elements.iter().enumerate() {
                    let node = nodes.get(at);
                    let mark = node.map_or(written.mark, |node| node.mark);
                    self.check(&Written { value, node, mark }, shape, holder);
                }
            }
            (Shape::Object(members, named), Value::Object(found)) => {
                for (name, value) in found {
                    let (key_mark, member) = self.member(written, name, value);
                    let known = members.iter().find(|(known, _)| known == name);
                    match (known.map(|(_, shape)| shape), named) {
                        (Some(shape), _) => self.check(&member, shape, &format!("`{name}`")),
                        (None, Some((whose, shape))) if self.knows(*whose, name) => {
                            self.check(&member, shape, holder);
                        }
                        (None, _) => self.unknown_member(name, key_mark, shape, holder),
                    }
                }
            }
            (
                Shape::Flag
                | Shape::Number
                | Shape::Text
                | Shape::Name(_)
                | Shape::List(_)
                | Shape::Object(..),
                value,
            ) => {
                let found = written.node.map_or_else(|| kind_of(value), Node::kind);
                let message = format!("expected {}, not {found}", wanted(shape));
                self.problems.error(written.mark, message);
            }
        }
    }

    /// A member, and where its name stands.
    fn member<'a>(&self, of: &Written<'a>, name: &str, value: &'a Value) -> (Mark, Written<'a>) {
        let entries = of.node.and_then(Node::entries).unwrap_or_default();
        if let Some(entry) = entries.iter().find(|entry| entry.key == name) {
            let node = Some(&entry.node);
            return (entry.key_mark, Written { value, node, mark: entry.node.mark });
        }
        let key_mark = self.problems.narrowed(of.mark, &format!("\"{name}\""));
        let mark =
            if key_mark == of.mark { of.mark } else { Mark { start: key_mark.end, ..of.mark } };
        (key_mark, Written { value, node: None, mark })
    }

    fn knows(&self, names: Names, name: &str) -> bool {
        self.vocabulary.names(names).1.contains(&name)
    }

    fn check_name(&mut self, names: Names, name: &str, written: &Written<'_>) {
        let (what, known) = self.vocabulary.names(names);
        if !known.contains(&name) {
            let mark = match written.node {
                Some(_) => written.mark,
                None => self.problems.narrowed(written.mark, &format!("\"{name}\"")),
            };
            let message = format!("unknown {what} `{name}`");
            self.problems.error_with_help(mark, message, suggestion(name, &known));
        }
    }

    fn unknown_member(&mut self, name: &str, mark: Mark, shape: &Shape, holder: &str) {
        let Shape::Object(members, named) = shape else { return };
        let mut known: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
        let mut message = format!("{holder} has no member `{name}`");
        if let Some((names, _)) = named {
            let (what, more) = self.vocabulary.names(*names);
            known.extend(more);
            if members.is_empty() {
                message = format!("unknown {what} `{name}`");
            }
        }
        self.problems.error_with_help(mark, message, suggestion(name, &known));
    }
}

fn suggestion(name: &str, known: &[&str]) -> Option<String> {
    did_you_mean(name, known.iter().copied())
        .or_else(|| (!known.is_empty()).then(|| format!("known: {}", known.join(", "))))
}

/// What ought to stand somewhere, for messages.
fn wanted(shape: &Shape) -> &'static str {
    match shape {
        Shape::Flag => "true or false",
        Shape::Number => "a number",
        Shape::Text | Shape::Name(_) => "a text",
        Shape::List(_) => "a list",
        Shape::Object(..) => "a table",
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}
