//! The numbers that two versions of a rulebook do not share, as a rulebook that extends the first.

use crate::rulebook::{Decision, Rulebook};
use crate::verdict::harmless;
use serde::Serialize;
use std::fmt::{self, Write as _};
use toml::Value;

/// Another number in a rulebook.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Weight { factor: String, from: f64, to: f64 },
    Threshold { line: String, from: f64, to: f64 },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Weight { factor, from, to } => {
                write!(f, "factor `{factor}` has weight {to} instead of {from}")
            }
            Self::Threshold { line, from, to } => {
                write!(f, "decision line `{line}` has threshold {to} instead of {from}")
            }
        }
    }
}

pub fn changes(before: &Rulebook, after: &Rulebook) -> Vec<Change> {
    let weights = before.factors.iter().zip(&after.factors).map(|(old, new)| Change::Weight {
        factor: old.name.clone(),
        from: old.weight,
        to: new.weight,
    });
    let thresholds = before.decide.iter().zip(&after.decide).filter_map(|(old, new)| {
        match (old.decision, new.decision) {
            (Decision::Threshold(from), Decision::Threshold(to)) => {
                Some(Change::Threshold { line: old.name.clone(), from, to })
            }
            (Decision::Threshold(_) | Decision::Return(_), _) => None,
        }
    });
    let differs = |change: &Change| match change {
        Change::Weight { from, to, .. } | Change::Threshold { from, to, .. } => {
            from.to_bits() != to.to_bits()
        }
    };
    weights.chain(thresholds).filter(differs).collect()
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
        let _ = match change {
            Change::Weight { factor, to, .. } => {
                let [factor, to] = [Value::from(&**factor), number(*to)];
                writeln!(text, "\n# {said}\n[factors.{factor}]\nweight = {to}")
            }
            Change::Threshold { line, to, .. } => {
                let [line, to] = [Value::from(&**line), number(*to)];
                writeln!(text, "\n# {said}\n[[decide]]\nname = {line}\nthreshold = {to}")
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
