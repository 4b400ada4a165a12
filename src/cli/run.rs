//! `tapecheck run`: judge a corpus, write the reports, show the summary.

use super::history::HistoryArgs;
use super::inputs::{BoundsArgs, CheckArgs, cannot_open, cores, inputs, load, wrong_checks};
use super::progress::Progress;
use super::report::{RedactArgs, RunPage};
use super::summary::{as_json, as_long_text, as_text};
use super::terminal::{print, say};
use super::{Exit, Failure, cannot_print};
use crate::rulebook::DEFAULT_RULEBOOK;
use crate::run::{Finished, Left, Lines, RunError, RunPlan, run_with};
use crate::store::FolderError;
use crate::verdict::Outcome;
use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_long_help = outcomes())]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Args {
    /// Files and folders to judge; `-` reads standard input
    #[arg(required = true, value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    /// The rulebook: a built-in one or a file
    #[arg(long, default_value = DEFAULT_RULEBOOK)]
    rulebook: String,
    /// Where to write the run; replaced atomically, never by an empty run
    #[arg(long, value_name = "DIR", default_value = "reports/latest")]
    out: PathBuf,
    /// Threads [default: one per core]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    jobs: Option<u16>,
    /// Write each verdict to standard output as it is reached; the summary then goes to standard error
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    stdout: Option<StdoutFormat>,
    /// Exit with 1 when something as bad as this was found
    #[arg(long, value_enum, default_value = "never")]
    fail_on: FailOn,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
    /// Print everything that was counted, not just the outcomes and the worst tools
    #[arg(short, long, conflicts_with = "quiet")]
    verbose: bool,
    /// Leave out the page for people (report.html)
    #[arg(long)]
    no_html: bool,
    /// Keep no texts of calls and replies in the run
    #[arg(long)]
    no_text: bool,
    /// Print the summary as JSON
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    #[command(flatten)]
    redact: RedactArgs,
    #[command(flatten)]
    history: HistoryArgs,
    #[command(flatten)]
    checks: CheckArgs,
    #[command(flatten)]
    bounds: BoundsArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum StdoutFormat {
    /// One JSON object a line
    Jsonl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// Findings never change the exit code
    Never,
    /// Calls and documents with the outcome failed or invalid, errors, and unreadable
    Error,
    /// Warnings, and all of `error`
    Warning,
    /// Any issue, and all of `error`
    Info,
    /// unreadable lines and files only
    Unreadable,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let rulebook = load(&self.rulebook)?;
        let redactor = self.redact.redactor()?;
        let plan = RunPlan {
            inputs: inputs(&self.corpus),
            checks: self.checks.files(),
            bounds: self.bounds.bounds(),
            threads: self.jobs.map_or_else(cores, usize::from),
            lines: self.stdout.map(|StdoutFormat::Jsonl| Lines::to(std::io::stdout())),
            texts: (!self.no_text).then(|| redactor.clone()),
        };
        self.spare_inputs()?;
        let history = self.history.open(&self.out, &self.corpus)?;
        let shares_terminal = self.stdout.is_some() && std::io::stdout().is_terminal();
        let progress = Progress::new(!self.quiet && !self.json && !shares_terminal);
        let page = RunPage::begin((!self.no_html).then_some(&self.out), redactor);
        let mut added = None;
        // The page tells the trends of the history, and both are there before the run takes its place.
        let finish = |finished: &Finished, folder: &Path| {
            let has_exchanges = finished.totals.exchanges > 0;
            let history = history.as_ref().filter(|_| has_exchanges);
            added = history.map(|history| self.history.add(history, folder, &self.out));
            page.finish(finished, folder, history.and_then(|_| self.history.dir()));
        };
        let finished = match run_with(&plan, &rulebook, &self.out, &progress, finish) {
            // Whoever read the verdicts has seen enough.
            Err(RunError::Lines(error)) if error.kind() == ErrorKind::BrokenPipe => {
                return Ok(Exit::Clean);
            }
            ended => ended.map_err(failed)?,
        };
        if self.json {
            print(&as_json(&finished)).map_err(|error| cannot_print(&error))?;
        } else if !self.quiet {
            let shown = if self.verbose { as_long_text } else { as_text };
            let text = shown(&finished, &rulebook.name, &self.out);
            match self.stdout {
                None => print(&text).map_err(|error| cannot_print(&error))?,
                Some(StdoutFormat::Jsonl) => say(text.trim_end()),
            }
        }
        if finished.totals.exchanges == 0 {
            say(&nothing_found(finished.folder, &self.out));
            return Ok(Exit::Unfinished);
        }
        if let Some(said) = added.transpose()?
            && !self.quiet
        {
            say(&said);
        }
        Ok(if self.has_findings(&finished) { Exit::Findings } else { Exit::Clean })
    }

    /// A run replaces what stands in its place: the recordings must not stand there.
    fn spare_inputs(&self) -> Result<(), Failure> {
        let Ok(out) = self.out.canonicalize() else { return Ok(()) };
        let within = |path: &&PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(&out));
        match self.corpus.iter().find(within) {
            None => Ok(()),
            Some(path) => Err(Failure::usage(format!(
                "{} lies in {}, which the run would replace",
                path.display(),
                self.out.display()
            ))
            .next("choose another folder with --out")),
        }
    }

    fn has_findings(&self, finished: &Finished) -> bool {
        let worse_than = |rank: usize| -> u64 {
            finished.summary.issues.iter().take(rank).map(|(_, count)| count).sum()
        };
        let unreadable =
            finished.totals.unreadable() + finished.totals.unreadable_files.values().sum::<u64>();
        let bad = finished.summary.bad();
        let found = match self.fail_on {
            FailOn::Never => 0,
            FailOn::Unreadable => unreadable,
            FailOn::Error => unreadable + bad + worse_than(1),
            FailOn::Warning => unreadable + bad + worse_than(2),
            FailOn::Info => unreadable + bad + worse_than(3),
        };
        found > 0
    }
}

/// What the outcomes mean.
fn outcomes() -> String {
    let mut text = "Outcomes of calls:".to_owned();
    for outcome in Outcome::ALL.into_iter().rev() {
        let _ = write!(text, "\n  {:<8}  {}", outcome.name(), outcome.sentence());
    }
    text
}

fn nothing_found(left: Left, out: &Path) -> String {
    let warning = "warning: no exchange was found; the summary names what the files were taken for";
    match left {
        Left::Run => warning.to_owned(),
        Left::EarlierRun => {
            format!("{warning}\n  the earlier run in {} was not replaced", out.display())
        }
    }
}

pub(super) fn failed(error: RunError) -> Failure {
    match &error {
        RunError::Corpus(error) => cannot_open(error),
        RunError::Checks(error) => wrong_checks(error),
        RunError::Folder(FolderError::NotOurs(_) | FolderError::NoName(_)) => {
            Failure::usage(error).next("choose another folder with --out")
        }
        RunError::Lines(_) => Failure::unfinished(error).next("nothing was replaced; run again"),
        RunError::Drive(_) => Failure::unfinished(error).next("use fewer threads with -j"),
        RunError::Folder(_) | RunError::Report(_) => {
            Failure::unfinished(error).next("nothing was replaced; run again when there is room")
        }
        RunError::Unaccounted { .. } => Failure::unfinished(error),
    }
}
