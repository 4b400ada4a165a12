//! The command line: the only place that prints or knows how a command is written.

mod check;
mod command_line;
mod config;
mod demo;
mod diff;
#[cfg(test)]
mod docs;
mod exit;
mod explain;
mod gate;
mod import;
mod inputs;
mod label;
mod list;
mod opened_path;
mod outputs;
mod progress;
mod record;
mod recorded;
mod review;
mod run;
mod run_page;
mod screen;
mod show;
mod stats;
mod summary;
mod terminal;
mod trend;
mod tune;
mod which_call;
mod wrap;

pub use exit::{Exit, Failure};

use terminal::{cannot_print, harmless_lines, print, say, wait_if_interrupted, watch_signals};

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;

/// With the commit that it is built from, as far as that is known.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("TAPECHECK_BUILT_FROM"));

/// Classifies recorded MCP tool calls with rules written in TOML.
#[derive(Debug, Parser)]
#[command(name = "tapecheck", version = VERSION, arg_required_else_help = true, after_help = Exit::help())]
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
    Init(config::InitArgs),
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
    /// Record what passes between a client and a server.
    Record(record::Args),
    /// Turn sessions and logs of programs into recordings.
    Import(import::Args),
    /// Write recordings of many nights, drawn from recorded calls, with planted incidents.
    Demo(demo::Args),
    /// Combine the parts of a run into one run.
    Merge(run::MergeArgs),
    /// Print shell completions, or the manual page.
    Completions(Completions),
}

pub fn main() -> ExitCode {
    run_command(std::env::args_os()).into()
}

/// Runs the command line, of which the first word is the program's name, as the program does; what comes of it is
/// the exit code. Settings are read once, and a signal ends the process: a process runs one command.
pub fn run_command(words: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = words.into_iter().collect();
    #[cfg(unix)]
    if let Some(code) = crate::record::as_helper(&words, say) {
        return code;
    }
    run(&words).code()
}

fn run(words: &[OsString]) -> Exit {
    let command = match Command::try_parse_from(words) {
        Ok(command) => command,
        Err(error) => {
            // Help and version are data; everything else is a usage error.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Clean };
            let text = error.render().to_string();
            if harmless_lines(&text) != text {
                say(text.trim_end());
                return exit;
            }
            return match error.print() {
                Err(error) if error.kind() != ErrorKind::BrokenPipe => Exit::Unfinished,
                Ok(()) | Err(_) => exit,
            };
        }
    };
    // A recorder hands signals on.
    let is_recorder = matches!(command.verb, Verb::Record(_));
    if !is_recorder {
        watch_signals();
    }
    let loaded = match command.verb {
        // Neither uses settings, and both help where those are wrong.
        Verb::Init(_) | Verb::Completions(_) => Ok(()),
        Verb::Run(run::Args { ref finishing, .. })
        | Verb::Merge(run::MergeArgs { ref finishing, .. }) => {
            config::load_config(&command.config, finishing.quiet)
        }
        // Standard error is the server's.
        _ => config::load_config(&command.config, is_recorder),
    };
    let apart = loaded.and_then(|()| {
        // The words behind a recorder are a server's.
        if is_recorder { Ok(()) } else { outputs::check_apart(words.iter().skip(2).cloned()) }
    });
    let done = apart.and_then(|()| match command.verb {
        Verb::Run(args) => args.run(),
        Verb::Merge(args) => args.run(),
        Verb::Import(args) => args.run(),
        Verb::Record(args) => args.run(),
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
    wait_if_interrupted();
    match done {
        Ok(exit) => exit,
        Err(failure) => {
            say(&failure.to_string());
            failure.exit()
        }
    }
}

#[derive(Debug, clap::Args)]
struct Completions {
    /// A shell, or `man` for the manual page as roff
    #[arg(value_name = "SHELL", value_parser = ["bash", "elvish", "fish", "powershell", "zsh", "man"])]
    shell: String,
}

impl Completions {
    fn run(self) -> Result<Exit, Failure> {
        let mut text = Vec::new();
        match self.shell.parse::<Shell>() {
            Ok(shell) => {
                clap_complete::generate(shell, &mut Command::command(), "tapecheck", &mut text);
            }
            Err(_) => manual(&mut text).map_err(|error| cannot_print(&error))?,
        }
        print(&String::from_utf8_lossy(&text))
    }
}

/// The commands one after the other, each with its options.
fn manual(text: &mut Vec<u8>) -> std::io::Result<()> {
    let mut command = Command::command();
    command.build();
    clap_mangen::Man::new(command.clone()).render(text)?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let man = clap_mangen::Man::new(verb.clone());
        man.render_name_section(text)?;
        man.render_synopsis_section(text)?;
        man.render_options_section(text)?;
    }
    Ok(())
}
