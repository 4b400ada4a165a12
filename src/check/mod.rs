//! What is said of an exchange: one file per kind of question.

mod content;
mod evidence;
mod judge;
mod line;
mod output;
#[cfg(test)]
mod question_tests;
pub mod schema;
mod text;

pub use evidence::evidence;
pub use judge::Judge;
pub use line::{HitLine, IssueLine, LineMetadata, VerdictLine, input_text};
pub use text::judged_text;
