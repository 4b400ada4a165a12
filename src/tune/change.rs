//! The numbers that two versions of a rulebook do not share, as a rulebook that extends the first.

use crate::rulebook::{Decision, Rulebook};
use crate::verdict::harmless;
use serde::Serialize;
use std::fmt::{self, Write as _};
use toml::Value;

/// Another number in a rulebook.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The weight of a factor, or the threshold of a decision line.
    pub number: Number,
    /// Whose it is.
    pub name: String,
    pub from: f64,
    pub to: f64,
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Number {
        Weight = "weight",
        Threshold = "threshold",
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, name, from, to } = self;
        let whose = if *number == Number::Weight { "factor" } else { "decision line" };
        write!(f, "{whose} `{name}` has {} {to} instead of {from}", number.name())
    }
}

pub fn changes(before: &Rulebook, after: &Rulebook) -> Vec<Change> {
    let change = |number, name: &String, from, to| Change { number, name: name.clone(), from, to };
    let weights = before.factors.iter().zip(&after.factors);
    let weights =
        weights.map(|(old, new)| change(Number::Weight, &old.name, old.weight, new.weight));
    let lines = before.decide.iter().zip(&after.decide);
    let thresholds = lines.filter_map(|(old, new)| match (old.decision, new.decision) {
        (Decision::Threshold(from), Decision::Threshold(to)) => {
            Some(change(Number::Threshold, &old.name, from, to))
        }
        (Decision::Threshold(_) | Decision::Return(_), _) => None,
    });
    weights.chain(thresholds).filter(|it| it.from.to_bits() != it.to.to_bits()).collect()
}

/// TOML of a rulebook that extends another by changed numbers and says nothing else.
pub fn overlay(name: &str, extends: &str, start: &Rulebook, changes: &[Change]) -> String {
    let mut text = String::new();
    let about = format!("{}, with weights and thresholds fitted to labels.", start.name);
    for (key, value) in [("name", name), ("about", &about), ("extends", extends)] {
        let _ = writeln!(text, "{key} = {}", Value::from(value));
    }
    if changes.is_empty() {
        return text;
    }
    // A denominator that is not set is the sum of the weights, and would move with them.
    let _ = writeln!(text, "\n[score]\ndenominator = {}", number(start.denominator));
    for change in changes {
        let said = harmless(&change.to_string());
        let (name, to) = (Value::from(&*change.name), number(change.to));
        let _ = match change.number {
            Number::Weight => writeln!(text, "\n# {said}\n[factors.{name}]\nweight = {to}"),
            Number::Threshold => {
                writeln!(text, "\n# {said}\n[[decide]]\nname = {name}\nthreshold = {to}")
            }
        };
    }
    text
}

/// A number as a person would write it.
#[expect(clippy::cast_possible_truncation, reason = "whole and small")]
fn number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        Value::Integer(number as i64)
    } else {
        Value::Float(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_holds_the_changed_numbers_and_all_else_stays() {
        let start = Rulebook::builtin("inspector").expect("built in");
        let mut fitted = start.clone();
        fitted.factors[0].weight = -2.0;
        if let Some(line) = fitted.decide.last_mut() {
            line.decision = Decision::Threshold(0.35);
        }
        let changed = changes(&start, &fitted);
        assert_eq!(changed.len(), 2, "{changed:?}");
        let text = overlay("own", "inspector", &start, &changed);
        let read = Rulebook::from_toml(&text, "own.toml").unwrap_or_else(|e| panic!("{e}{text}"));
        assert_eq!(changes(&fitted, &read), []);
        assert_eq!(read.denominator.to_bits(), start.denominator.to_bits(), "{text}");
        assert_eq!(changes(&start, &start), []);
    }
}
