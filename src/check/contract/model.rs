//! A compiled contract.

use super::lists::{TextList, exposed};
use super::wording::Wordings;
use crate::expression::{Expression, Pattern};
use crate::rulebook::Criterion;
use crate::verdict::{IssueType, Severity};
use serde::Deserialize;
use serde_json::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// What the tools of one server take and give.
#[derive(Debug)]
pub struct Contract {
    pub name: String,
    pub about: String,
    /// The servers it is about; where there are none, it is about its tools wherever they are.
    pub servers: Vec<String>,
    pub(super) tools: Vec<ToolContract>,
    pub(super) envelope: Option<Envelope>,
    pub(super) security: Security,
    pub(super) wordings: Wordings,
    /// What exchanges with these tools are to meet beside the rules.
    pub criteria: Vec<Criterion>,
    /// A hash of its text, in hex.
    pub digest: String,
}

#[derive(Debug)]
pub(super) struct ToolContract {
    pub(super) name: String,
    pub(super) input: Spec,
    pub(super) output: Option<Spec>,
    pub(super) rules: Vec<Rule>,
    /// The argument that names the object which a call changes.
    pub(super) original: Option<String>,
}

/// How every response says whether it succeeded, and what a failure looks like.
#[derive(Debug)]
pub(super) struct Envelope {
    /// The field that is true or false.
    pub(super) flag: String,
    pub(super) failure: Spec,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Spec {
    /// One of these; anything where there is none.
    pub(super) types: Vec<JsonType>,
    /// The type in words, where the words of the types do not do.
    pub(super) expected: Option<String>,
    pub(super) range: Bounds,
    pub(super) length: Bounds,
    pub(super) elements: Bounds,
    pub(super) allowed: Option<Vec<Value>>,
    pub(super) pattern: Option<Pattern>,
    pub(super) format: Option<Format>,
    pub(super) items: Option<Box<Spec>>,
    pub(super) properties: Vec<Property>,
    pub(super) others: Others,
    /// Whether its texts must not show how the server works inside.
    pub(super) hides_internals: bool,
    pub(super) messages: Vec<(Kind, String)>,
}

impl Spec {
    pub(super) fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) is_required: bool,
    pub(super) spec: Spec,
}

/// Least and most, each included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bounds {
    pub(super) least: Option<f64>,
    pub(super) most: Option<f64>,
}

impl Bounds {
    /// On which side of the bounds a number lies.
    pub(super) fn side(self, number: f64) -> Ordering {
        if self.least.is_some_and(|least| number < least) {
            Ordering::Less
        } else if self.most.is_some_and(|most| number > most) {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }
}

/// What happens to members that the contract does not name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Others {
    #[default]
    Keep,
    Drop,
    Refuse,
}

/// Whether a text may show how the server works inside.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Internals {
    Allowed,
    Forbidden,
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum JsonType {
        Null = "null",
        Boolean = "boolean",
        Integer = "integer",
        Number = "number",
        String = "string",
        Array = "array",
        Object = "object",
    }
}

impl JsonType {
    /// Whether a value is of this type. As in JSON Schema, `1.0` is an integer.
    pub(super) fn fits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null)
            | (Self::Boolean, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::String, Value::String(_))
            | (Self::Array, Value::Array(_))
            | (Self::Object, Value::Object(_)) => true,
            (Self::Integer, Value::Number(number)) => {
                number.as_f64().is_none_or(|number| number.fract() == 0.0)
            }
            _ => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Format {
    DateTime,
}

/// The kinds of mistakes that a value can have, as contracts name them in `messages`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Missing,
    InvalidType,
    OutOfRange,
    TooShort,
    TooLong,
    TooFew,
    TooMany,
    NotListed,
    WrongPattern,
    WrongFormat,
    Unexpected,
}

impl Kind {
    pub(super) fn in_parameter(self) -> IssueType {
        match self {
            Self::Missing => IssueType::MissingParameter,
            Self::OutOfRange => IssueType::RangeConstraint,
            Self::TooShort | Self::TooLong | Self::TooFew | Self::TooMany => {
                IssueType::LengthConstraint
            }
            _ => IssueType::InvalidType,
        }
    }

    pub(super) fn in_response(self) -> IssueType {
        match self {
            Self::Missing => IssueType::InvalidResponse,
            _ => IssueType::ResponseType,
        }
    }
}

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) expression: Expression,
    /// Whether it is about the response, and not about the arguments.
    pub(super) of_output: bool,
    pub(super) message: String,
    /// Makes the message of the values, where it can.
    pub(super) made_message: Option<Expression>,
    pub(super) kind: IssueType,
    pub(super) severity: Severity,
    /// JSON pointer to the field that the rule is about.
    pub(super) pointer: Option<String>,
}

/// What no text of a call may hold.
#[derive(Debug)]
pub(super) struct Security {
    /// What attacks look like: a built-in list, and the contract's own.
    pub(super) attacks: Vec<Arc<TextList>>,
    /// What exposed internals look like, beside the built-in list.
    pub(super) internals: Option<Arc<TextList>>,
    pub(super) longest_text: Option<u64>,
    pub(super) null_bytes: String,
    pub(super) invalid_unicode: String,
    pub(super) too_long: String,
}

impl Security {
    pub(super) fn exposed(&self, text: &str, sent: &[&str]) -> Option<String> {
        exposed(text, sent).or_else(|| self.internals.as_ref()?.hit_beyond(text, sent))
    }
}

impl Contract {
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    pub fn rules(&self) -> usize {
        self.tools.iter().map(|tool| tool.rules.len()).sum()
    }

    /// Whether it is about a tool of a server: by the server, where it names any, else by the tool.
    pub fn applies_to(&self, server: &str, tool: &str) -> bool {
        if self.servers.is_empty() {
            self.tool(tool).is_some()
        } else {
            self.servers.iter().any(|known| known == server)
        }
    }

    pub(super) fn tool(&self, name: &str) -> Option<&ToolContract> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
