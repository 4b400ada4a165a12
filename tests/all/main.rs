//! The integration tests, as one binary: each module is one promise of the program.

mod architecture;
mod bad_input;
mod bundled;
mod commands;
mod coverage;
mod crowds;
mod determinism;
mod docs;
mod explain;
mod folder;
mod formats;
mod harness;
mod recorded;
mod reference;
mod snapshots;
mod splices;
mod support;
mod verdict_lines;
mod worked_examples;
