//! A bound on the work of one check.
//!
//! The full validator has no bound of its own, and a few hundred bytes of schema whose references
//! lead to two more references each can keep it busy for hours. Every reference is therefore guarded
//! by a private keyword that spends one step; when the steps are used up the guard no longer lets
//! anything through, and the check ends quickly with an answer that is thrown away.

use crate::rulebook::as_javascript;
use fancy_regex::{Regex, RegexBuilder};
use jsonschema::{Keyword, ValidationError};
use serde_json::Value;
use std::cell::Cell;

/// The private keyword that spends a step.
pub(super) const STEP_KEYWORD: &str = "x-tapecheck-step";

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
    static GAVE_UP: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Does some work with so many steps to spend, and says why it was given up, if it was.
pub(super) fn limited<T>(steps: u64, work: impl FnOnce() -> T) -> (T, Option<&'static str>) {
    STEPS.set(steps);
    GAVE_UP.set(None);
    let result = work();
    (result, GAVE_UP.take())
}

fn give_up(reason: &'static str) {
    GAVE_UP.set(Some(reason));
}

pub(super) struct Step;

impl<'i> Keyword<'i> for Step {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            Ok(())
        } else {
            Err(ValidationError::custom("the check was given up"))
        }
    }

    fn is_valid(&self, _instance: &'i Value) -> bool {
        if let Some(left) = STEPS.get().checked_sub(1) {
            STEPS.set(left);
            return true;
        }
        give_up("the schema leads to too much work on this value");
        false
    }
}

/// The private keyword that holds a pattern with look-around or back-references: its matcher can tell that it gave up.
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
                give_up("a pattern needs too much backtracking");
                false
            })
        })
    }
}
