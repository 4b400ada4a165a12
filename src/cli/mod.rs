//! The command line: the only place that prints or knows how a command is written.

mod command_line;
mod contract;
mod contract_traffic;
mod demo;
mod diff;
#[cfg(test)]
mod docs;
mod error_report;
mod exit;
mod explain;
mod fail_on;
mod failure;
mod gate;
mod history;
mod inputs;
mod judged;
mod label;
mod labelled;
mod lint_tools;
mod progress;
mod records;
mod report;
mod review;
mod rulebook;
mod rulebook_lint;
mod run;
mod run_at_hand;
mod screen;
mod sides;
mod snapshot;
mod snapshot_tasks;
mod snapshot_text;
mod stats;
mod summary;
mod target;
mod terminal;
mod texts;
mod texts_again;
mod trend;
mod tune;
mod what_if;

pub use exit::Exit;
pub use failure::Failure;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Classifies recorded MCP tool calls with rules written in TOML.
#[derive(Debug, Parser)]
#[command(name = "tapecheck", version, arg_required_else_help = true, after_help = Exit::help())]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Classify every recorded call and write reports.
    Run(run::Args),
    /// Compare two runs: what changed, and why.
    Diff(diff::Args),
    /// Re-score a run with other weights or thresholds.
    WhatIf(what_if::Args),
    /// Show pattern matches, and accuracy against labels.
    Stats(stats::Args),
    /// Show a finished run as a page that any browser opens from disk.
    Report(report::Args),
    /// Show the whole reasoning behind one verdict.
    Explain(explain::Args),
    /// Print the error report of a session.
    ErrorReport(error_report::Args),
    /// Lint tool definitions.
    LintTools(lint_tools::Args),
    /// List, show and check contracts of tools, and propose one from traffic.
    #[command(subcommand)]
    Contract(contract::Verb),
    /// Check changes against a policy (for CI).
    Gate(gate::Args),
    /// Store per-run counts over time.
    #[command(subcommand)]
    History(history::Verb),
    /// Manage and check baselines.
    #[command(subcommand)]
    Snapshot(snapshot::Verb),
    /// Decide about what changed, group by group, on a screen or from a list of commands.
    Review(review::ReviewArgs),
    /// Accept groups of changes: update the baseline.
    Accept(review::AcceptArgs),
    /// Reject groups of what changed: the baseline keeps what it has, and an example or label says why.
    Reject(review::RejectArgs),
    /// Show many nights: series, what changed, what is new, gone or back.
    Trend(trend::Args),
    /// Propose a better rulebook from labels, evaluated on held-out servers.
    Tune(tune::Args),
    /// Manage ground-truth labels.
    #[command(subcommand)]
    Label(label::Verb),
    /// Write recordings of many nights, drawn from recorded exchanges, with incidents planted.
    Demo(demo::Args),
    /// List, show, check and lint rulebooks.
    #[command(subcommand)]
    Rulebook(rulebook::Verb),
}

/// Runs the command line.
pub fn main() -> ExitCode {
    let command = match Command::try_parse() {
        Ok(command) => command,
        Err(error) => {
            // Help and version are data; everything else is a usage error.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Clean };
            let _ = error.print();
            return exit.into();
        }
    };
    let done = match command.verb {
        Verb::Run(args) => args.run(),
        Verb::Diff(args) => args.run(),
        Verb::WhatIf(args) => args.run(),
        Verb::Stats(args) => args.run(),
        Verb::Report(args) => args.run(),
        Verb::Explain(args) => args.run(),
        Verb::ErrorReport(args) => args.run(),
        Verb::LintTools(args) => args.run(),
        Verb::Contract(verb) => verb.run(),
        Verb::Gate(args) => args.run(),
        Verb::History(verb) => verb.run(),
        Verb::Snapshot(verb) => verb.run(),
        Verb::Review(args) => args.run(),
        Verb::Accept(args) => args.run(),
        Verb::Reject(args) => args.run(),
        Verb::Trend(args) => args.run(),
        Verb::Tune(args) => args.run(),
        Verb::Label(verb) => verb.run(),
        Verb::Demo(args) => args.run(),
        Verb::Rulebook(verb) => verb.run(),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            terminal::say(&failure.to_string());
            failure.exit().into()
        }
    }
}

/// A failure to write to standard output.
fn cannot_print(error: &std::io::Error) -> Failure {
    Failure::unfinished(format!("cannot write to standard output: {error}"))
}
