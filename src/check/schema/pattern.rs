//! Patterns with look-around or back-references: whoever matches them can tell that it gave up.

use super::budget;
use crate::rulebook::as_javascript;
use fancy_regex::{Regex, RegexBuilder};
use jsonschema::{Keyword, ValidationError};
use serde_json::Value;

/// The private keyword that holds such a pattern.
pub(super) const PATTERN_KEYWORD: &str = "x-tapecheck-pattern";

/// How often a pattern may step back on one string.
pub(super) const BACKTRACKS: usize = 100_000;
/// How large a compiled pattern may be, in bytes.
pub(super) const PATTERN_SIZE: usize = 1 << 20;

/// A pattern that is read as JavaScript reads it.
pub(super) struct Pattern(Regex);

impl Pattern {
    /// `None`: it needs no stepping back, or the engine does not take it.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let pattern = as_javascript(pattern);
        if regex::RegexBuilder::new(&pattern).size_limit(PATTERN_SIZE).build().is_ok() {
            return None;
        }
        let mut builder = RegexBuilder::new(&pattern);
        let builder = builder.backtrack_limit(BACKTRACKS).delegate_size_limit(PATTERN_SIZE);
        builder.build().ok().map(Self)
    }
}

impl<'i> Keyword<'i> for Pattern {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            Ok(())
        } else {
            Err(ValidationError::custom("the string does not match the pattern"))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        instance.as_str().is_none_or(|text| {
            self.0.is_match(text).unwrap_or_else(|_| {
                budget::give_up("a pattern needs too much backtracking");
                false
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_around_and_back_references_work_within_bounds() {
        let matches = |pattern, text: &str| {
            Pattern::new(pattern).expect("a pattern").is_valid(&Value::from(text))
        };
        assert!(matches("(?<=a)b", "ab") && matches(r"(a)\1", "aa") && !matches(r"(a)\1", "ab"));
        assert!(matches(r"^(?!\d)\w+$", "ab1") && !matches(r"^(?!\d)\w+$", "\u{665}a"));
        assert!(Pattern::new("(").is_none());
        let ((), gave_up) = budget::limited(10, || {
            assert!(!matches(r"^(a|a)*\1$", &format!("{}b", "a".repeat(60))));
        });
        assert!(gave_up.is_some());
    }
}
