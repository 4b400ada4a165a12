//! Judges recorded MCP tool traffic in bulk.

pub mod corpus;
pub mod format;
pub mod json;
pub mod rulebook;
pub mod tape;
pub mod verdict;
