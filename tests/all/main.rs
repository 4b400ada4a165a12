//! The integration tests, as one binary: each module is one promise of the program.

mod architecture;
mod bundled;
mod docs;
mod recorded;
mod reference;
mod snapshots;
mod support;
mod verdict_lines;
mod worked_examples;
