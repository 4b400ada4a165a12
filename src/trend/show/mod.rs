//! Trends for people and for machines.

mod json;
mod sentences;
mod spark;
mod tables;
mod text;

pub use json::as_json;
pub use sentences::{change_sentence, mark_sentence, presence_sentence};
pub use tables::write_tables;
pub use text::as_text;

use super::Trend;

/// What is shown with each other.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// What was asked for.
    pub trend: &'a Trend,
    /// Types of issue, and servers, which are told of with every trend.
    pub issue_types: &'a Trend,
    /// The servers.
    pub servers: &'a Trend,
    /// The tools.
    pub tools: &'a Trend,
}
