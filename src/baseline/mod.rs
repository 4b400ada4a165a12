//! Accepted verdicts as text that people review.

mod text;

pub use text::{BaselineError, baseline_text};
