//! Criteria: named expressions that an exchange meets or fails, of a rulebook, a contract or a file of their own.

pub(super) mod adapter;
mod file;

pub use file::CriteriaFile;
