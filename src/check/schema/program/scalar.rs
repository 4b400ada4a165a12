//! Numbers, strings and fixed values as they stand in the text.

use crate::json::{Kind, RawStr};
use serde_json::Value;

/// Integers with at most this many digits are exact in every number type involved.
const EXACT_DIGITS: usize = 15;
/// Integers with at most this many digits are integers for every dialect.
pub(super) const INTEGER_DIGITS: usize = 18;

/// A value that `const` or `enum` names.
#[derive(Debug, PartialEq)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Text(Box<str>),
    Integer(i64),
    /// A number, array or object whose equality is not decided here.
    Other(Kind),
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct NumberRules {
    pub(super) least: Option<f64>,
    pub(super) most: Option<f64>,
    pub(super) above: Option<f64>,
    pub(super) below: Option<f64>,
}

/// Bounds of a string's length in code points.
#[derive(Debug, PartialEq)]
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
            Value::Number(number) => {
                let integer = number.as_i64().and_then(|it| exact_integer(&it.to_string()));
                integer.map_or(Self::Other(Kind::Number), Self::Integer)
            }
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

pub(super) fn exact_integer(text: &str) -> Option<i64> {
    plain_integer(text, EXACT_DIGITS).then(|| text.parse().ok()).flatten()
}

/// Whether it is digits only, and not too many; negative zero, a fraction to some readers, is not.
pub(super) fn plain_integer(text: &str, digits: usize) -> bool {
    let magnitude = text.strip_prefix('-').unwrap_or(text);
    magnitude.len() <= digits && magnitude.bytes().all(|byte| byte.is_ascii_digit()) && text != "-0"
}

impl NumberRules {
    /// Whether a number is certainly within the bounds.
    pub(super) fn allow(&self, text: &str) -> bool {
        let is_exact = plain_integer(text, EXACT_DIGITS) || text.contains(['.', 'e', 'E']);
        text.parse::<f64>().is_ok_and(|number| {
            is_exact
                && number.is_finite()
                && self.least.is_none_or(|least| number >= least)
                && self.most.is_none_or(|most| number <= most)
                && self.above.is_none_or(|above| number > above)
                && self.below.is_none_or(|below| number < below)
        })
    }
}

impl StringRules {
    pub(super) fn allow(&self, string: RawStr<'_>) -> bool {
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
    let number = value.as_number()?;
    number.as_f64().filter(|_| number.is_f64() || plain_integer(&number.to_string(), EXACT_DIGITS))
}
