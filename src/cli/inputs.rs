//! The arguments that several commands share.

use super::Failure;
use super::command_line::CommandLine;
use super::config::config;
use crate::check::CheckFiles;
use crate::corpus::{Input, locate, locate_by};
use crate::redact::Redactor;
use crate::rulebook::Rulebook;
use crate::rulebook::source::read_within;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What calls are checked against beside the rulebook, and how many threads do it.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Shared options")]
pub(super) struct JudgingArgs {
    /// Contract to check calls against, built-in or a file; repeatable
    #[arg(long, value_name = "NAME")]
    contract: Vec<String>,
    /// Threads [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    jobs: Option<u16>,
}

impl JudgingArgs {
    /// What was named here, else in the configuration.
    pub(super) fn files(&self) -> CheckFiles {
        let mut files = config().checks.clone();
        if !self.contract.is_empty() {
            files.contracts.clone_from(&self.contract);
        }
        files
    }

    pub(super) fn threads(&self) -> usize {
        self.jobs.map_or(config().jobs, usize::from)
    }

    pub(super) fn spelled(&self) -> CommandLine {
        CommandLine::default().flag("--contract", &self.contract).then(&config().spelled())
    }
}

pub(super) fn spelled_checks(files: &CheckFiles) -> CommandLine {
    let mut line = CommandLine::default();
    for (flag, files) in files.by_flag() {
        let key = flag.replace('-', "_");
        line = match (flag.as_str(), &files[..]) {
            ("contract", files) => line.flag("--contract", files),
            ("envelope-request" | "envelope-response", [file]) => {
                line.flag("--config", [format!("{key}={file}")])
            }
            (_, files) => {
                let files: Vec<String> = files.iter().map(|file| format!("{file:?}")).collect();
                line.flag("--config", [format!("{key}=[{}]", files.join(", "))])
            }
        };
    }
    line
}

pub(super) fn inputs(paths: &[PathBuf]) -> Vec<Input> {
    paths.iter().map(|path| Input::from_argument(path)).collect()
}

pub(super) fn load(rulebook: &str) -> Result<Rulebook, Failure> {
    Rulebook::load(rulebook).map_err(|error| {
        Failure::usage(error)
            .next("correct the rulebook, or see `tapecheck list rulebooks` for the built-in ones")
    })
}

pub(super) fn cannot_open_run(path: &std::path::Path) -> Failure {
    let what = if path.exists() {
        "is not a tapecheck run: its manifest.json is missing or unreadable"
    } else {
        "does not exist"
    };
    let reason = format!("{} {what}", path.display());
    Failure::usage(reason).next("name the folder that tapecheck run wrote, such as reports/latest")
}

/// The longest file of rules, in bytes.
const LONGEST: u64 = 1 << 20;

/// Whether texts are read from recordings again and shown with their secrets.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct RawArg {
    /// Read texts from the recordings again and show their secrets, on a terminal only; `--raw=force`
    /// shows them wherever the output goes
    #[arg(long, value_name = "force", num_args = 0..=1, require_equals = true, default_missing_value = "terminal", hide_possible_values = true)]
    raw: Option<Where>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Where {
    Terminal,
    Force,
}

impl RawArg {
    pub(super) fn is_given(self) -> bool {
        self.raw.is_some()
    }

    pub(super) fn redactor(self) -> Result<Redactor, Failure> {
        match self.raw {
            None => redactor(),
            Some(Where::Terminal) if !std::io::stdout().is_terminal() => {
                Err(Failure::usage("--raw shows secrets on a terminal only")
                    .next("--raw=force shows them wherever the output goes"))
            }
            Some(Where::Terminal | Where::Force) => Ok(Redactor::none()),
        }
    }
}

/// A recording by the name that it has in tables, where secrets in names are masked.
pub(super) fn locate_masked(inputs: &[Input], file: &str) -> Option<PathBuf> {
    let is_it = |redactor: &Redactor| {
        locate_by(inputs, config().bounds, |name| redactor.mask(name) == file)
    };
    let masked = || redactor().ok().filter(|_| file.contains('[')).as_ref().and_then(is_it);
    locate(inputs, file).or_else(masked)
}

/// A message without secrets, whatever it quotes.
pub(super) fn masked(message: &str) -> String {
    // Wrong rules are what the message may be about.
    redactor().unwrap_or_default().mask_lines(message)
}

/// The rules that `redact` names: the built-in ones, none, and files of additional ones. They are read once.
pub(super) fn redactor() -> Result<Redactor, Failure> {
    static REDACTOR: OnceLock<Redactor> = OnceLock::new();
    if let Some(redactor) = REDACTOR.get() {
        return Ok(redactor.clone());
    }
    let read = read_redactor()?;
    Ok(REDACTOR.get_or_init(|| read).clone())
}

fn read_redactor() -> Result<Redactor, Failure> {
    let named = &config().redact;
    let wants = |word: &str| named.iter().any(|given| given == word);
    if wants("builtin") && wants("none") {
        return Err(Failure::usage("redact has both \"builtin\" and \"none\"")
            .next("leave one of them out"));
    }
    let base = if wants("none") { Redactor::none() } else { Redactor::builtin() };
    let mut files = Vec::new();
    for name in named.iter().filter(|name| !["builtin", "none"].contains(&name.as_str())) {
        let text = read_within(Path::new(name), LONGEST).map_err(|error| {
            Failure::usage(format!("cannot read {name}: {error}"))
                .next("redact takes a file of rules, \"builtin\" or \"none\"")
        })?;
        files.push((name.clone(), text));
    }
    base.with_files(&files).map_err(|error| Failure::usage(error).next("see docs/redaction.md"))
}
