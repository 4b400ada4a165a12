//! Changes of a rulebook, and writing them into its TOML: comments and order stay.

use super::layout::{append, push, replace};
use super::lines::{cut, cut_decision, is_called, with_ends_of};
use super::reply::Asked;
use super::rewrite::Variation;
use crate::labels::Label;
use std::fmt;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// A change of a rulebook.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Phrases get a list, a fact and a weight.
    Phrases {
        /// The name of list, fact and factor.
        name: String,
        /// What they speak for.
        label: Label,
        /// The phrases, each as words.
        entries: Vec<String>,
        /// What one of them weighs; for hidden failures nothing does.
        weight: f64,
    },
    /// A factor weighs something else.
    Weight {
        /// The factor.
        factor: String,
        /// What it weighed.
        from: f64,
        /// What it weighs.
        to: f64,
    },
    /// A decision line holds the score against another threshold.
    Threshold {
        /// The line.
        line: String,
        /// The threshold it had.
        from: f64,
        /// The one it has.
        to: f64,
    },
    /// A decision line goes.
    NoLine {
        /// The line.
        line: String,
    },
    /// The score is divided by a fixed number, so that weights can change.
    Denominator {
        /// The number.
        to: f64,
    },
    /// A pattern that is there becomes another.
    Variant {
        /// What it becomes.
        variation: Variation,
        /// To which question it changes answers.
        asked: Asked,
    },
}

/// A change cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// The text is no TOML.
    #[error("{0}")]
    NoToml(String),
    /// What is to be changed is not where it ought to be.
    #[error("`{0}` is not written in a way that can be changed in place")]
    Unchangeable(String),
}

/// Writes changes into the text of a rulebook. What it inherits is changed by what it says itself.
pub fn apply(text: &str, changes: &[Change]) -> Result<String, ChangeError> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| ChangeError::NoToml(error.to_string()))?;
    let extends = document.contains_key("extends");
    for change in changes {
        change.write(&mut document, extends)?;
    }
    Ok(with_ends_of(text, &document.to_string()))
}

impl Change {
    /// To which question it changes answers.
    #[must_use]
    pub fn asked(&self) -> Asked {
        match self {
            Self::Phrases { label, .. } => Asked::about(*label),
            Self::Variant { asked, .. } => *asked,
            Self::Weight { .. }
            | Self::Threshold { .. }
            | Self::NoLine { .. }
            | Self::Denominator { .. } => Asked::Failed,
        }
    }

    fn write(&self, document: &mut DocumentMut, extends: bool) -> Result<(), ChangeError> {
        match self {
            Self::Phrases { name, label, entries, weight } => {
                let mut list = Table::new();
                list.insert("about", text(&about(*label)));
                list.insert("match", text("word"));
                list.insert("entries", Item::Value(Value::Array(lines_of(entries))));
                add_table(document, ("lists", name), list)?;
                let mut fact = Table::new();
                fact.insert("about", text(&about(*label)));
                fact.insert("contains", text(name));
                add_table(document, ("facts", name), fact)?;
                if Label::HiddenFailure == *label {
                    return hidden(document, name);
                }
                let mut factor = InlineTable::new();
                factor.insert("weight", number(*weight));
                let factors = section(document, "factors")?;
                // In the form of the others: of tables and values mixed, values would come first.
                let are_tables = factors.iter().any(|(_, factor)| factor.is_table());
                let value = Value::InlineTable(factor);
                let factor = Item::Value(value);
                let factor =
                    if are_tables { factor.into_table().map(Item::Table) } else { Ok(factor) };
                append(factors, name, factor.unwrap_or_else(|same| same));
            }
            // What weighs nothing goes, also where it is inherited.
            Self::Weight { factor, to, .. } if weighs_nothing(*to) => {
                let gone = cut(document, "factors", factor);
                if extends && !gone {
                    remove_inherited(document, "factors", factor)?;
                }
            }
            Self::Weight { factor, to, .. } => {
                set(section(document, "factors")?, (factor, "weight"), number(*to))?;
            }
            Self::Variant { variation, .. } => variation.write(document, extends)?,
            Self::Denominator { to } => {
                put(section(document, "score")?, "denominator", number(*to));
            }
            Self::Threshold { line, to, .. } => {
                let found = with_line(document, line, |table| {
                    put(table, "threshold", number(*to));
                });
                if !found {
                    let mut table = Table::new();
                    table.insert("name", text(line));
                    table.insert("threshold", Item::Value(number(*to)));
                    add_line(document, table)?;
                }
            }
            Self::NoLine { line } => {
                let gone = cut_decision(document, line);
                if extends && !gone {
                    remove_inherited(document, "decide", line)?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Phrases { name, label, entries, weight } => {
                let count = entries.len();
                let s = if count == 1 { "" } else { "s" };
                match label {
                    Label::HiddenFailure => {
                        write!(f, "{count} phrase{s} of hidden failures: list and fact `{name}`")
                    }
                    Label::Ok | Label::BusinessLogic | Label::ToolFailure => {
                        let of = match label {
                            Label::BusinessLogic => "refusals",
                            Label::Ok | Label::ToolFailure | Label::HiddenFailure => "failures",
                        };
                        write!(
                            f,
                            "{count} phrase{s} of {of}: list, fact and factor `{name}`, weight {weight}"
                        )
                    }
                }
            }
            Self::Weight { factor, from, to } if weighs_nothing(*to) => {
                write!(f, "factor `{factor}` goes: it would weigh 0 instead of {from}")
            }
            Self::Weight { factor, from, to } => {
                write!(f, "factor `{factor}` weighs {to} instead of {from}")
            }
            Self::Threshold { line, from, to } => {
                write!(f, "decision line `{line}` asks for {to} instead of {from}")
            }
            Self::NoLine { line } => write!(f, "decision line `{line}` goes"),
            Self::Variant { variation, .. } => variation.fmt(f),
            Self::Denominator { to } => {
                write!(f, "the score is divided by {to}, as before, whatever the weights are")
            }
        }
    }
}

/// Whether a factor of such a weight never changes a score.
pub(super) fn weighs_nothing(weight: f64) -> bool {
    weight.abs() < f64::EPSILON
}

/// Says of something inherited that it goes.
fn remove_inherited(document: &mut DocumentMut, kind: &str, name: &str) -> Result<(), ChangeError> {
    let unchangeable = || ChangeError::Unchangeable(format!("remove.{kind}"));
    push(array_of(section(document, "remove")?, kind).ok_or_else(unchangeable)?, name);
    Ok(())
}

fn about(label: Label) -> String {
    let what = match label {
        Label::BusinessLogic => "Phrases by which tools of several servers refuse",
        Label::ToolFailure => "Phrases by which tools of several servers fail",
        Label::HiddenFailure => {
            "Phrases of replies of several servers that claim success and failed"
        }
        Label::Ok => "Phrases of good replies of several servers",
    };
    format!("{what}, found in labelled replies by `tapecheck tune`.")
}

pub(super) fn text(text: &str) -> Item {
    Item::Value(Value::from(text))
}

/// A number as a person would write it.
#[expect(clippy::cast_possible_truncation, reason = "whole and small")]
fn number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}

/// One entry to a line: so a list grows and shrinks by whole lines.
fn lines_of(entries: &[String]) -> Array {
    let mut array = Array::new();
    for entry in entries {
        let mut value = Value::from(entry.as_str());
        value.decor_mut().set_prefix("\n  ");
        array.push_formatted(value);
    }
    array.set_trailing("\n");
    array.set_trailing_comma(true);
    array
}

pub(super) fn section<'d>(
    document: &'d mut DocumentMut,
    name: &str,
) -> Result<&'d mut dyn TableLike, ChangeError> {
    let mut fresh = Table::new();
    fresh.set_implicit(true);
    let item = document.entry(name).or_insert(Item::Table(fresh));
    item.as_table_like_mut().ok_or_else(|| ChangeError::Unchangeable(name.to_owned()))
}

/// The array of a key, which is made where it is not there.
pub(super) fn array_of<'t>(table: &'t mut dyn TableLike, key: &str) -> Option<&'t mut Array> {
    if table.get(key).is_none() {
        append(table, key, Item::Value(Value::Array(Array::new())));
    }
    table.get_mut(key).and_then(Item::as_array_mut)
}

/// Adds a table to a section, in the form of the section.
pub(super) fn add_table(
    document: &mut DocumentMut,
    (into, name): (&str, &str),
    table: Table,
) -> Result<(), ChangeError> {
    let is_value = document.get(into).is_some_and(Item::is_value);
    let table = if is_value {
        Item::Value(Value::InlineTable(table.into_inline_table()))
    } else {
        Item::Table(table)
    };
    append(section(document, into)?, name, table);
    Ok(())
}

/// Sets a value where it stands, with the comment and the space around it.
fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        Some(_) | None => append(table, key, Item::Value(value)),
    }
}

/// Sets a value in a table of a section.
fn set(
    section: &mut dyn TableLike,
    (name, key): (&str, &str),
    value: Value,
) -> Result<(), ChangeError> {
    if section.get(name).is_none() {
        append(section, name, Item::Value(Value::InlineTable(InlineTable::new())));
    }
    let table = section.get_mut(name).and_then(Item::as_table_like_mut);
    put(table.ok_or_else(|| ChangeError::Unchangeable(name.to_owned()))?, key, value);
    Ok(())
}

/// Shows the decision line of a name, if the document has it itself.
fn with_line(
    document: &mut DocumentMut,
    name: &str,
    change: impl FnOnce(&mut dyn TableLike),
) -> bool {
    match document.get_mut("decide") {
        Some(Item::ArrayOfTables(tables)) => {
            let found = tables.iter_mut().find(|table| is_called(*table, name));
            found.map(|table| change(table)).is_some()
        }
        Some(Item::Value(Value::Array(array))) => {
            let mut tables = array.iter_mut().filter_map(Value::as_inline_table_mut);
            tables.find(|table| is_called(*table, name)).map(|table| change(table)).is_some()
        }
        Some(_) | None => false,
    }
}

fn add_line(document: &mut DocumentMut, line: Table) -> Result<(), ChangeError> {
    let empty = Item::ArrayOfTables(toml_edit::ArrayOfTables::new());
    match document.entry("decide").or_insert(empty) {
        Item::ArrayOfTables(tables) => tables.push(line),
        Item::Value(Value::Array(array)) => push(array, line.into_inline_table()),
        Item::None | Item::Value(_) | Item::Table(_) => {
            return Err(ChangeError::Unchangeable("decide".to_owned()));
        }
    }
    Ok(())
}

/// A hidden failure is also what the phrases say; what else it is stays.
fn hidden(document: &mut DocumentMut, fact: &str) -> Result<(), ChangeError> {
    let section = section(document, "hidden_failure")?;
    replace(section, &["if"], "if", |mut before| match before.remove("if") {
        None | Some(Value::Boolean(_)) => Value::from(fact),
        Some(before) => {
            let any = Array::from_iter([before, Value::from(fact)]);
            Value::InlineTable(InlineTable::from_iter([("any", any)]))
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rulebook::{Decision, Rulebook};

    const OWN: &str = r#"# Ours.
name = "own"
extends = "inspector" # the shipped one

[factors]
http_status = { weight = 1 } # weak

# Verbs count less.
[[decide]]
name = "validation tool"
threshold = 0.3 # a guess
"#;

    fn changes() -> Vec<Change> {
        vec![
            Change::Weight { factor: "http_status".to_owned(), from: 1.0, to: -2.0 },
            Change::Weight { factor: "test_data".to_owned(), from: 1.0, to: 0.5 },
            Change::Weight { factor: "mcp_code".to_owned(), from: 2.0, to: 0.0 },
            Change::Denominator { to: 9.0 },
            Change::Threshold { line: "validation tool".to_owned(), from: 0.3, to: 0.6 },
            Change::Threshold { line: "otherwise".to_owned(), from: 0.5, to: 0.1 },
            Change::NoLine { line: "mcp code".to_owned() },
            Change::Phrases {
                name: "refusal_phrases".to_owned(),
                label: Label::BusinessLogic,
                entries: vec!["unknown tool".to_owned(), "say \"please\"".to_owned()],
                weight: 2.0,
            },
            Change::Phrases {
                name: "hidden_phrases".to_owned(),
                label: Label::HiddenFailure,
                entries: vec!["failed to".to_owned()],
                weight: 0.0,
            },
        ]
    }

    fn check(rulebook: &Rulebook) {
        let weight = |name: &str| {
            let factor = rulebook.factors.iter().find(|factor| factor.name == name);
            factor.map(|factor| factor.weight)
        };
        assert_eq!(weight("http_status"), Some(-2.0));
        assert_eq!(weight("test_data"), Some(0.5));
        assert_eq!(weight("mcp_code"), None, "what weighs nothing goes");
        assert!(rulebook.facts.iter().any(|fact| fact.name == "mcp_code"), "its fact stays");
        assert_eq!(weight("refusal_phrases"), Some(2.0));
        assert!((rulebook.denominator - 9.0).abs() < f64::EPSILON);
        let lines: Vec<(&str, Decision)> =
            rulebook.decide.iter().map(|line| (line.name.as_str(), line.decision)).collect();
        assert!(lines.iter().all(|(name, _)| *name != "mcp code"));
        assert!(lines.contains(&("validation tool", Decision::Threshold(0.6))));
        assert!(lines.contains(&("otherwise", Decision::Threshold(0.1))));
        assert!(rulebook.hidden_failure.is_some());
    }

    #[test]
    fn changes_are_written_in_place_and_comments_stay() {
        let written = apply(OWN, &changes()).expect("written");
        for kept in ["# Ours.", "# the shipped one", "# weak", "# Verbs count less.", "# a guess"] {
            assert!(written.contains(kept), "{kept}:\n{written}");
        }
        assert!(written.contains("threshold = 0.6 # a guess"), "{written}");
        check(&Rulebook::from_toml(&written, "own.toml").expect(&written));
    }

    #[test]
    fn a_rulebook_that_extends_nothing_is_changed_too() {
        let own = Rulebook::from_toml(OWN, "own.toml").expect("a rulebook");
        let written = apply(&own.resolved, &changes()).expect("written");
        check(&Rulebook::from_toml(&written, "own.toml").expect(&written));
        let calibrated = Rulebook::builtin("calibrated").expect("built in");
        let written = apply(&calibrated.resolved, &changes()[8..]).expect("written");
        let both = Rulebook::from_toml(&written, "own.toml").expect(&written);
        assert!(both.hidden_failure != calibrated.hidden_failure);
    }
}
