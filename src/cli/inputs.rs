//! The arguments that several commands share.

use super::Failure;
use super::command_line::CommandLine;
use crate::check::{CheckFiles, ChecksError, ContractPlace};
use crate::corpus::{Bounds, CorpusError, Input};
use crate::rulebook::Rulebook;
use crate::run::SettingsError;
use crate::store::ReportError;
use clap::builder::RangedU64ValueParser;
use std::ops::RangeBounds;
use std::path::PathBuf;

/// The deepest nesting that the stacks of all threads have room for.
const MAX_DEPTH: u64 = 10_000;

/// The bounds within which a corpus is read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Bounds")]
pub(super) struct BoundsArgs {
    /// Longest line, or element of a JSON document, in bytes; longer ones are not read
    #[arg(long, value_name = "BYTES", default_value_t = Bounds::default().max_line, value_parser = within::<usize>(1..))]
    max_line: usize,
    /// Deepest nesting of JSON, up to 10000; deeper lines are not read
    #[arg(long, value_name = "LEVELS", default_value_t = Bounds::default().max_depth, value_parser = within::<usize>(1..=MAX_DEPTH))]
    max_depth: usize,
    /// Maximum expansion of a compressed recording; data beyond it is skipped
    #[arg(long, value_name = "TIMES", default_value_t = Bounds::default().max_ratio, value_parser = within::<u64>(1..))]
    max_ratio: u64,
    /// Calls of one session that may wait for their answers; beyond, the oldest counts as unanswered
    #[arg(long, value_name = "CALLS", default_value_t = Bounds::default().max_waiting, value_parser = within::<usize>(1..))]
    max_waiting: usize,
    /// Pass over symbolic links instead of following them
    #[arg(long)]
    no_follow_links: bool,
}

impl BoundsArgs {
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            max_line: self.max_line,
            max_depth: self.max_depth,
            max_ratio: self.max_ratio,
            max_waiting: self.max_waiting,
            follow_links: !self.no_follow_links,
        }
    }

    /// The bounds that are not the usual ones.
    pub(super) fn spelled(&self) -> CommandLine {
        let usual = Bounds::default();
        let unusual = |given: u64, usual: u64| (given != usual).then(|| given.to_string());
        CommandLine::default()
            .flag("--max-line", unusual(self.max_line as u64, usual.max_line as u64))
            .flag("--max-depth", unusual(self.max_depth as u64, usual.max_depth as u64))
            .flag("--max-ratio", unusual(self.max_ratio, usual.max_ratio))
            .flag("--max-waiting", unusual(self.max_waiting as u64, usual.max_waiting as u64))
            .switch("--no-follow-links", self.no_follow_links)
    }
}

/// What exchanges are held against, beside the rulebook and what the corpus itself names.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Checks")]
pub(super) struct CheckArgs {
    /// A contract that calls and replies are held against: a built-in one or a file. May be given
    /// several times; the first that is about a call is the one that counts
    #[arg(long, value_name = "CONTRACT")]
    contract: Vec<String>,
    /// A file of facts that replies are held against, TOML or CSV. May be given several times
    #[arg(long, value_name = "FILE")]
    facts: Vec<PathBuf>,
    /// A JSON Schema of requests in envelopes, or a patch of the built-in one
    #[arg(long, value_name = "FILE")]
    envelope_request: Option<PathBuf>,
    /// A JSON Schema of responses in envelopes, or a patch of the built-in one
    #[arg(long, value_name = "FILE")]
    envelope_response: Option<PathBuf>,
}

impl CheckArgs {
    pub(super) fn files(&self) -> CheckFiles {
        CheckFiles {
            contracts: self.contract.iter().cloned().map(ContractPlace::Named).collect(),
            facts: self.facts.clone(),
            envelope_request: self.envelope_request.clone(),
            envelope_response: self.envelope_response.clone(),
        }
    }

    pub(super) fn spelled(&self) -> CommandLine {
        spelled_checks(&self.files())
    }
}

/// Files of checks as a command line names them.
pub(super) fn spelled_checks(files: &CheckFiles) -> CommandLine {
    let named = files.by_flag();
    named
        .iter()
        .fold(CommandLine::default(), |line, (flag, files)| line.flag(&format!("--{flag}"), files))
}

/// Reads a number that is neither 0 nor beyond what can be kept.
fn within<T>(range: impl RangeBounds<u64>) -> RangedU64ValueParser<T>
where
    T: TryFrom<u64> + Clone + Send + Sync,
{
    RangedU64ValueParser::new().range(range)
}

pub(super) fn inputs(paths: &[PathBuf]) -> Vec<Input> {
    paths.iter().map(|path| Input::from_argument(path)).collect()
}

/// Threads, where nobody says how many.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

pub(super) fn load(rulebook: &str) -> Result<Rulebook, Failure> {
    Rulebook::load(rulebook).map_err(|error| {
        Failure::usage(error)
            .next("correct the rulebook, or see `tapecheck rulebook list` for the built-in ones")
    })
}

pub(super) fn cannot_open(error: &CorpusError) -> Failure {
    Failure::usage(error).next("name an existing file or folder, or `-` for standard input")
}

pub(super) fn wrong_settings(error: SettingsError) -> Failure {
    match error {
        SettingsError::Corpus(error) => cannot_open(&error),
        SettingsError::Checks(error) => wrong_checks(&error),
    }
}

pub(super) fn wrong_checks(error: &ChecksError) -> Failure {
    Failure::usage(error).next("fix the errors above; nothing was judged")
}

pub(super) fn cannot_open_run(path: &std::path::Path) -> Failure {
    let reason = if path.exists() {
        format!("{} is not a tapecheck run: it has no manifest.json", path.display())
    } else {
        format!("there is no {}", path.display())
    };
    Failure::usage(reason).next("name the folder that tapecheck run wrote, such as reports/latest")
}

/// Tables could not be written into the folder of `--out`.
pub(super) fn cannot_write_tables(error: ReportError) -> Failure {
    match error {
        ReportError::Folder(_) => {
            Failure::unfinished(error).next("choose another folder with --out")
        }
        other => Failure::unfinished(other),
    }
}
