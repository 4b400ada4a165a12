//! The arguments that several commands share.

use super::Failure;
use super::command_line::CommandLine;
use super::config::config;
use crate::check::CheckFiles;
use crate::corpus::Input;
use crate::program::{by_id, known_ids};
use crate::rulebook::Rulebook;
use std::path::PathBuf;

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

/// The format of a program by its name.
pub(super) fn program_named(id: &str) -> Result<&'static str, Failure> {
    by_id(id).map(|program| program.id).ok_or_else(|| {
        Failure::usage(format!("no program's format is called {id}")).next(format!(
            "name one of {}; leave --read-as out for other recordings, which show what they are",
            known_ids()
        ))
    })
}

pub(super) fn inputs(paths: &[PathBuf]) -> Vec<Input> {
    paths.iter().map(|path| Input::from_argument(path)).collect()
}

/// Threads if none are configured.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

pub(super) fn load(rulebook: &str) -> Result<Rulebook, Failure> {
    Rulebook::load(rulebook).map_err(|error| {
        Failure::usage(error)
            .next("correct the rulebook, or see `tapecheck list rulebooks` for the built-in ones")
    })
}

pub(super) fn cannot_open_run(path: &std::path::Path) -> Failure {
    let reason = if path.exists() {
        format!(
            "{} is not a tapecheck run: its manifest.json is missing or unreadable",
            path.display()
        )
    } else {
        format!("{} does not exist", path.display())
    };
    Failure::usage(reason).next("name the folder that tapecheck run wrote, such as reports/latest")
}
