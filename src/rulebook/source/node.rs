//! TOML values with their places.

use crate::rulebook::problem::{Mark, Problems};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A TOML value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) mark: Mark,
    pub(crate) value: Value,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Number(f64),
    Flag(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
    Date,
    /// Only JSON has it.
    Null,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_mark: Mark,
    pub(crate) node: Node,
}

impl Node {
    /// Parses a file; a syntax error is reported and gives `None`.
    pub(crate) fn parse(text: &str, file: usize, problems: &Problems) -> Option<Self> {
        match DeTable::parse(text) {
            Ok(table) => {
                let mark = Mark { file, start: 0, end: 0 };
                Some(Self { mark, value: table_value(table.into_inner(), file) })
            }
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let mark = Mark { file, start: span.start, end: span.end };
                problems.error(mark, format!("this is not TOML: {}", error.message()));
                None
            }
        }
    }

    /// What kind of value it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "a text",
            Value::Number(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Date => "a date",
            Value::Null => "null",
        }
    }

    pub(crate) fn entries(&self) -> Option<&[Entry]> {
        if let Value::Table(entries) = &self.value { Some(entries) } else { None }
    }

    pub(crate) fn entries_mut(&mut self) -> Option<&mut Vec<Entry>> {
        if let Value::Table(entries) = &mut self.value { Some(entries) } else { None }
    }

    pub(crate) fn elements(&self) -> Option<&[Self]> {
        if let Value::List(elements) = &self.value { Some(elements) } else { None }
    }

    pub(crate) fn elements_mut(&mut self) -> Option<&mut Vec<Self>> {
        if let Value::List(elements) = &mut self.value { Some(elements) } else { None }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.entries()?.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The name of a line; empty where it has none.
    pub(in crate::rulebook) fn name(&self) -> &str {
        self.get("name").and_then(Self::text).unwrap_or_default()
    }

    /// A merged tree as TOML that stands for itself.
    pub(in crate::rulebook) fn resolved_toml(&self) -> String {
        let mut json = self.to_json();
        if let Some(members) = json.as_object_mut() {
            // Both were carried out when the tree was merged.
            members.shift_remove("extends");
            members.shift_remove("remove");
        }
        toml::to_string(&json).expect("what was read from TOML can be written as TOML")
    }

    /// JSON as a tree, all of which has one place.
    pub(crate) fn from_json(value: &serde_json::Value, mark: Mark) -> Self {
        use serde_json::Value as Json;
        let value = match value {
            Json::Null => Value::Null,
            Json::Bool(flag) => Value::Flag(*flag),
            Json::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(elements) => {
                Value::List(elements.iter().map(|it| Self::from_json(it, mark)).collect())
            }
            Json::Object(members) => {
                let entry = |(key, inner): (&String, &Json)| {
                    let (key, node) = (key.clone(), Self::from_json(inner, mark));
                    Entry { key, key_mark: mark, node }
                };
                Value::Table(members.iter().map(entry).collect())
            }
        };
        Self { mark, value }
    }

    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Text(text) => text.as_str().into(),
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
                #[expect(clippy::cast_possible_truncation, reason = "whole and far below 2^63")]
                let whole = *number as i64;
                whole.into()
            }
            Value::Number(number) => (*number).into(),
            Value::Flag(flag) => (*flag).into(),
            Value::List(elements) => elements.iter().map(Self::to_json).collect(),
            Value::Table(entries) => entries
                .iter()
                .map(|entry| (entry.key.clone(), entry.node.to_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Value::Date | Value::Null => serde_json::Value::Null,
        }
    }
}

fn node(value: Spanned<DeValue<'_>>, file: usize) -> Node {
    let span = value.span();
    let mark = Mark { file, start: span.start, end: span.end };
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(integer) => Value::Number(whole_number(integer.as_str(), integer.radix())),
        DeValue::Float(float) => Value::Number(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Flag(flag),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(elements) => {
            Value::List(elements.into_iter().map(|element| node(element, file)).collect())
        }
        DeValue::Table(table) => table_value(table, file),
    };
    Node { mark, value }
}

fn whole_number(digits: &str, radix: u32) -> f64 {
    i64::from_str_radix(digits, radix)
        .map_or_else(|_| digits.parse().unwrap_or(f64::NAN), |whole| whole as f64)
}

fn table_value(table: DeTable<'_>, file: usize) -> Value {
    let entries = table.into_iter().map(|(key, value)| {
        let span = key.span();
        Entry {
            key: key.into_inner().into_owned(),
            key_mark: Mark { file, start: span.start, end: span.end },
            node: node(value, file),
        }
    });
    Value::Table(entries.collect())
}
