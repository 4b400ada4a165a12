//! Tests of the built program and of the documents around it.

mod bad_input;
mod commands;
mod determinism;
mod explain;
mod folder;
mod formats;
mod harness;
mod splices;
