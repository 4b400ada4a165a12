//! The command line: the only place that prints or knows how a command is written.

mod check;
mod command_line;
mod completions;
mod config;
mod demo;
mod diff;
#[cfg(test)]
mod docs;
mod exit;
mod explain;
mod gate;
mod import;
mod init;
mod inputs;
mod interrupt;
mod label;
mod list;
mod opened;
mod outputs;
mod progress;
mod recorded;
mod review;
mod run;
mod run_page;
mod screen;
mod show;
mod stats;
mod summary;
mod target;
mod terminal;
mod trend;
mod tune;

pub use exit::{Exit, Failure};

use terminal::{harmless_lines, say};

use clap::{Parser, Subcommand};
use std::io::ErrorKind;
use std::process::ExitCode;

/// Classifies recorded MCP tool calls with rules written in TOML.
#[derive(Debug, Parser)]
#[command(name = "tapecheck", version, arg_required_else_help = true, after_help = Exit::help())]
struct Command {
    /// Set a key of tapecheck.toml, or name another file; repeatable
    #[arg(long, global = true, value_name = "KEY=VALUE", help_heading = "Shared options")]
    config: Vec<String>,
    #[command(subcommand)]
    verb: Verb,
}

/// What people do every day comes first, then work on rules, then what takes several machines.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Classify every recorded call and write reports.
    Run(run::Args),
    /// Show a run: summary, calls, error reports, other formats.
    Show(show::Args),
    /// Show the whole reasoning behind one verdict.
    Explain(explain::Args),
    /// Compare two runs, or try other rules on one: what changed, and why.
    Diff(diff::Args),
    /// Check changes against a policy (for CI).
    Gate(gate::Args),
    /// Compare with accepted baselines, and accept or reject what changed.
    Review(review::Args),
    /// Show many nights: series, what changed, what is new, gone or back.
    Trend(trend::Args),
    /// Write a commented tapecheck.toml.
    Init(init::Args),
    /// Show pattern matches, and accuracy against labels.
    Stats(stats::Args),
    /// Fit weights and thresholds to labels, evaluated on held-out servers.
    Tune(tune::Args),
    /// Manage ground-truth labels.
    #[command(subcommand)]
    Label(label::Verb),
    /// Check rulebooks, contracts, labels, policies and tool definitions.
    Check(check::Args),
    /// List what is built in, and what names mean.
    List(list::Args),
    /// Turn sessions and logs of programs into recordings.
    Import(import::Args),
    /// Write recordings of many nights, drawn from recorded calls, with planted incidents.
    Demo(demo::Args),
    /// Combine the parts of a run into one run.
    Merge(run::MergeArgs),
    /// Print shell completions, or the manual page.
    Completions(completions::Args),
}

pub fn main() -> ExitCode {
    interrupt::watch();
    let command = match Command::try_parse() {
        Ok(command) => command,
        Err(error) => {
            // Help and version are data; everything else is a usage error.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Clean };
            let text = error.render().to_string();
            if harmless_lines(&text) != text {
                say(text.trim_end());
                return exit.into();
            }
            return match error.print() {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => Exit::Unfinished.into(),
                Ok(()) | Err(_) => exit.into(),
            };
        }
    };
    let loaded = match command.verb {
        // Neither uses settings, and both help where those are wrong.
        Verb::Init(_) | Verb::Completions(_) => Ok(()),
        Verb::Run(run::Args { ref finishing, .. })
        | Verb::Merge(run::MergeArgs { ref finishing, .. }) => {
            config::load_config(&command.config, finishing.quiet)
        }
        _ => config::load_config(&command.config, false),
    };
    let done = loaded.and_then(|()| match command.verb {
        Verb::Run(args) => args.run(),
        Verb::Merge(args) => args.run(),
        Verb::Import(args) => args.run(),
        Verb::Show(args) => args.run(),
        Verb::Explain(args) => args.run(),
        Verb::Diff(args) => args.run(),
        Verb::Gate(args) => args.run(),
        Verb::Review(args) => args.run(),
        Verb::Trend(args) => args.run(),
        Verb::Stats(args) => args.run(),
        Verb::Tune(args) => args.run(),
        Verb::Label(verb) => verb.run(),
        Verb::Check(args) => args.run(),
        Verb::List(args) => args.run(),
        Verb::Demo(args) => args.run(),
        Verb::Init(args) => args.run(),
        Verb::Completions(args) => args.run(),
    });
    interrupt::wait_if_interrupted();
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            say(&failure.to_string());
            failure.exit().into()
        }
    }
}
