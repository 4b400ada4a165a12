//! A bound on the work of one check.
//!
//! The full validator has no bound of its own, and a few hundred bytes of schema whose references
//! lead to two more references each can keep it busy for hours. Every reference is therefore guarded
//! by a private keyword that spends one step; when the steps are used up the guard no longer lets
//! anything through, and the check ends quickly with an answer that is thrown away.

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

pub(super) fn give_up(reason: &'static str) {
    GAVE_UP.set(Some(reason));
}

/// The guard of a reference.
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
