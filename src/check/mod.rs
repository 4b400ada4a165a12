//! Kinds of validation, one file or folder each.

pub mod schema;
