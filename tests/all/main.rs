//! The integration tests, as one binary: each module is one promise of the program.

mod bad_input;
mod bundled;
mod determinism;
mod harness;
mod recorded;
mod reference;
mod snapshots;
mod support;
mod verdict_lines;
mod worked_examples;
