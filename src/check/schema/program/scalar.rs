//! Numbers, strings and fixed values as they stand in the text.

use crate::json::{Kind, RawStr};
use serde_json::Value;

/// Integers with at most this many digits are exact in every number type involved.
const EXACT_DIGITS: usize = 15;
/// Integers with at most this many digits are integers for every dialect.
const INTEGER_DIGITS: usize = 18;

/// A value that `const` or `enum` names.
#[derive(Debug)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Text(Box<str>),
    Integer(i64),
    /// A number, array or object whose equality is not decided here.
    Other(Kind),
}

/// Bounds of a number. An exclusive bound is the flag beside the limit.
#[derive(Debug, Default)]
pub(super) struct NumberRules {
    pub(super) least: Option<f64>,
    pub(super) most: Option<f64>,
    pub(super) above: Option<f64>,
    pub(super) below: Option<f64>,
}

/// Bounds of a string's length in code points.
#[derive(Debug)]
pub(super) struct StringRules {
    pub(super) least: u64,
    pub(super) most: u64,
}

impl Literal {
    pub(super) fn new(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::String(text) => Self::Text(text.as_str().into()),
            Value::Number(number) => match number.as_i64() {
                Some(integer) if exact_integer(&integer.to_string()).is_some() => {
                    Self::Integer(integer)
                }
                _ => Self::Other(Kind::Number),
            },
            Value::Array(_) => Self::Other(Kind::Array),
            Value::Object(_) => Self::Other(Kind::Object),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Bool,
            Self::Text(_) => Kind::String,
            Self::Integer(_) => Kind::Number,
            Self::Other(kind) => *kind,
        }
    }
}

pub(super) fn is_text_literal(literals: &[Literal], string: RawStr<'_>) -> bool {
    literals.iter().any(|literal| matches!(literal, Literal::Text(text) if string.is(text)))
}

/// Whether the number is among the literals; `None`: not decided here.
pub(super) fn is_number_literal(literals: &[Literal], text: &str) -> Option<bool> {
    let Some(number) = exact_integer(text) else {
        let nowhere = literals.iter().all(|literal| literal.kind() != Kind::Number);
        return nowhere.then_some(false);
    };
    if literals.iter().any(|literal| matches!(literal, Literal::Integer(own) if *own == number)) {
        return Some(true);
    }
    let undecided = literals.iter().any(|literal| matches!(literal, Literal::Other(Kind::Number)));
    (!undecided).then_some(false)
}

/// Whether the number is an integer; `None`: not decided here.
pub(super) fn is_integer(text: &str) -> Option<bool> {
    plain_integer(text, INTEGER_DIGITS).then_some(true)
}

fn exact_integer(text: &str) -> Option<i64> {
    plain_integer(text, EXACT_DIGITS).then(|| text.parse().ok()).flatten()
}

/// Whether it is digits only, and not too many; negative zero, a fraction to some readers, is not.
fn plain_integer(text: &str, digits: usize) -> bool {
    let magnitude = text.strip_prefix('-').unwrap_or(text);
    magnitude.len() <= digits && magnitude.bytes().all(|byte| byte.is_ascii_digit()) && text != "-0"
}

impl NumberRules {
    pub(super) fn is_empty(&self) -> bool {
        self.least.is_none() && self.most.is_none() && self.above.is_none() && self.below.is_none()
    }

    /// Whether the number is within the bounds; `None`: not decided here.
    pub(super) fn allows(&self, text: &str) -> Option<bool> {
        let number = if plain_integer(text, EXACT_DIGITS) || text.contains(['.', 'e', 'E']) {
            text.parse::<f64>().ok().filter(|number| number.is_finite())?
        } else {
            return None;
        };
        Some(
            self.least.is_none_or(|least| number >= least)
                && self.most.is_none_or(|most| number <= most)
                && self.above.is_none_or(|above| number > above)
                && self.below.is_none_or(|below| number < below),
        )
    }
}

impl StringRules {
    pub(super) fn allows(&self, string: RawStr<'_>) -> bool {
        let bytes = string.escaped_text().len() as u64;
        // A code point takes one to twelve bytes of recorded text, so most lengths need no counting.
        if bytes <= self.most && bytes / 12 >= self.least {
            return true;
        }
        let points = string.decode().chars().count() as u64;
        (self.least..=self.most).contains(&points)
    }
}

/// A bound that compares as a double exactly as it does as a decimal.
pub(super) fn bound(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) if number.is_f64() => number.as_f64(),
        Value::Number(number) => {
            number.as_f64().filter(|_| plain_integer(&number.to_string(), EXACT_DIGITS))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_digits_count_as_certain_integers() {
        assert_eq!(is_integer("-12"), Some(true));
        for unsure in ["-0", "1.0", "1e2", "12345678901234567890"] {
            assert_eq!(is_integer(unsure), None, "{unsure}");
        }
    }

    #[test]
    fn bounds_compare_fractions_and_refuse_to_guess_at_large_integers() {
        let rules = NumberRules { least: Some(0.1), below: Some(5.0), ..NumberRules::default() };
        assert_eq!(rules.allows("0.1"), Some(true));
        assert_eq!(rules.allows("5"), Some(false));
        assert_eq!(rules.allows("49e-1"), Some(true));
        assert_eq!(rules.allows("9007199254740993"), None);
    }
}
