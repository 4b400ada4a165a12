//! The integration tests, as one binary: each module is one promise of the program.

mod architecture;
mod attack_lists;
mod bad_input;
mod bundled;
mod commands;
mod contract_seeds;
mod coverage;
mod crowds;
mod determinism;
mod docs;
mod documents;
mod envelopes;
mod explain;
mod folder;
mod formats;
mod harness;
mod judge_results;
mod lint_tools;
mod recorded;
mod reference;
mod session_reports;
mod snapshots;
mod splices;
mod support;
mod verdict_lines;
mod worked_examples;
