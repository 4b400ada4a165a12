//! Tests of the built program and of the documents around it.

mod bad_input;
mod determinism;
mod harness;
