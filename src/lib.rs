//! Judges recorded MCP tool traffic in bulk.

pub mod check;
pub mod json;
pub mod rulebook;
pub mod tape;
pub mod verdict;
