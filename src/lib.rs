//! Judges recorded MCP tool traffic in bulk.

pub mod baseline;
pub mod check;
pub mod cli;
pub mod corpus;
pub mod format;
pub mod json;
pub mod report;
pub mod rulebook;
pub mod run;
pub mod tally;
pub mod tape;
pub mod verdict;
