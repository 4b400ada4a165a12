//! `tapecheck run`: judge a corpus, write the reports, show the summary.

use super::config::config;
use super::exit::FailOn;
use super::finishing::nothing_found;
use super::finishing::{FinishingArgs, spare};
use super::inputs::{JudgingArgs, inputs, load, program_named};
use super::interrupt::Verdicts;
use super::outputs::{TextOrJson, check_apart, printed, write_files, write_outputs};
use super::progress::Progress;
use super::redacting::redactor;
use super::run_page::RunPage;
use super::terminal::{Harmless, print, say};
use super::{Exit, Failure, import::HereArgs};
use crate::corpus::{Bounds, Input, Journal, Part, files_of};
use crate::page::Sampler;
use crate::run::{Finished, Lines, RunPlan, run_with};
use crate::verdict::Outcome;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, clap::Args)]
#[command(after_long_help = outcomes())]
pub(super) struct Args {
    /// Files and folders of recordings, `-` for standard input [default: `recordings` of tapecheck.toml]
    #[arg(value_name = "RECORDINGS")]
    recordings: Vec<PathBuf>,
    #[command(flatten)]
    here: HereArgs,
    /// The program that wrote all recordings, such as `claude-code` (`tapecheck list formats`)
    /// [default: each file shows it]
    #[arg(long, value_name = "FORMAT")]
    read_as: Option<String>,
    /// Rulebook: a built-in one or a file [default: calibrated]
    #[arg(long, value_name = "NAME|FILE")]
    rulebook: Option<String>,
    /// Where to write the run; replaced atomically, never by an empty run [default: reports/latest]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write each verdict to standard output as it is reached; the summary then goes to standard error
    #[arg(long, value_enum, value_name = "FORMAT")]
    stdout: Option<StdoutFormat>,
    /// Classify one of several parts of the recordings, for `tapecheck merge`; on many machines, say
    #[arg(long, value_name = "NUMBER/PARTS", requires = "out", conflicts_with_all = ["history", "night"])]
    part: Option<Part>,
    /// Note the record at hand in a file; one that ended two attempts is unreadable in the next
    #[arg(long, value_name = "FILE", requires = "part")]
    journal: Option<PathBuf>,
    /// Only print the files that the part would read, as lines of JSON
    ///
    /// Later parts read files of programs too; those are listed for their own part only.
    #[arg(long, requires = "part")]
    dry_run: bool,
    /// Exit with 1 when something as bad as this was found
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "never")]
    fail_on: FailOn,
    #[command(flatten)]
    pub(super) finishing: FinishingArgs,
    #[command(flatten)]
    judging: JudgingArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum StdoutFormat {
    /// One JSON object a line
    Jsonl,
}

impl Args {
    pub(super) fn run(mut self) -> Result<Exit, Failure> {
        let config = config();
        let mut bounds = config.bounds;
        if let Some(id) = &self.read_as {
            bounds.read_as = Some(program_named(id)?);
        }
        self.recordings.extend(self.here.places(&mut bounds)?);
        if self.recordings.is_empty() {
            self.recordings.clone_from(&config.recordings);
            bounds.follow_links &= !config.is_found();
        }
        if self.recordings.is_empty() {
            return Err(Failure::usage("no recordings given").next(
                "name files or folders: tapecheck run RECORDINGS; or set `recordings` in tapecheck.toml (`tapecheck init` writes one)",
            ));
        }
        if let Some(part) = self.part.filter(|_| self.dry_run) {
            return list_files(&inputs(&self.recordings), &bounds, part);
        }
        let out = self.out.clone().unwrap_or_else(|| config.out.clone());
        let rulebook = load(self.rulebook.as_ref().unwrap_or(&config.rulebook))?;
        let redactor = redactor()?;
        let journal = self.journal.as_deref().map(journal).transpose()?;
        let plan = RunPlan {
            inputs: inputs(&self.recordings),
            checks: self.judging.files(),
            bounds,
            // Only of one thread it is certain which record was at hand.
            threads: if journal.is_some() { 1 } else { self.judging.threads() },
            lines: self
                .stdout
                .map(|StdoutFormat::Jsonl| Lines::to(Verdicts(Harmless::new(std::io::stdout())))),
            redactor: redactor.clone(),
            keeps_texts: config.texts,
            part: self.part,
            journal,
        };
        spare(&self.recordings, &out)?;
        let printed = printed(&self.finishing.format, TextOrJson::Text)?;
        if self.stdout.is_some() && self.finishing.format.iter().any(|output| output.file.is_none())
        {
            return Err(Failure::usage("verdicts and a summary cannot both go to standard output")
                .next("write the summary into a file: --format FORMAT=FILE"));
        }
        check_apart(&self.finishing.format, &[])?;
        // Neither tells anything of a part.
        let is_whole = self.part.is_none();
        let history = match self.part {
            Some(_) => None,
            None => self.finishing.history.open(&out, &self.recordings)?,
        };
        let shares_terminal = self.stdout.is_some() && std::io::stdout().is_terminal();
        let has_page = config.page && is_whole;
        let progress = Progress::new(
            !self.finishing.quiet && printed == TextOrJson::Text && !shares_terminal,
            has_page.then(Sampler::start),
        );
        let mut page = RunPage::begin(has_page.then_some(&out), redactor, &rulebook);
        let mut added = None;
        let finish = |finished: &Finished, folder: &Path| {
            page.sampler = progress.sampler();
            added = self.finishing.complete(finished, folder, &out, history.as_ref(), page);
        };
        let finished = run_with(&plan, &rulebook, &out, &progress, finish)?;
        let shown = |format| self.finishing.shown(&finished, &rulebook.name, &out, format);
        let has_calls = finished.totals.exchanges > 0;
        let prints = has_calls || self.finishing.verbose || printed == TextOrJson::Json;
        if self.stdout.is_some() || !prints {
            write_files(&self.finishing.format, shown)?;
            if prints && !self.finishing.quiet {
                say(shown(TextOrJson::Text).trim_end());
            }
        } else if !self.finishing.quiet {
            write_outputs(&self.finishing.format, TextOrJson::Text, shown)?;
        }
        if !has_calls && is_whole {
            say(&nothing_found(&finished, &self.recordings, &out));
            return Ok(Exit::Unfinished);
        }
        self.finishing.say_added(added)?;
        Ok(if self.has_findings(&finished) { Exit::Findings } else { Exit::Clean })
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

fn list_files(inputs: &[Input], bounds: &Bounds, part: Part) -> Result<Exit, Failure> {
    let files = files_of(inputs, bounds, part)?;
    let lines = files.iter().map(|file| format!("{}\n", serde_json::json!(file.to_string_lossy())));
    print(&lines.collect::<String>())?;
    Ok(Exit::Clean)
}

fn journal(path: &Path) -> Result<Arc<Journal>, Failure> {
    Journal::open(path).map(Arc::new).map_err(|error| {
        Failure::unfinished(format!("cannot open the journal {}: {error}", path.display()))
            .next("name another file with --journal")
    })
}

/// What the outcomes mean.
fn outcomes() -> String {
    let mut text = "Outcomes of calls:".to_owned();
    for outcome in Outcome::ALL.into_iter().rev() {
        let _ = write!(text, "\n  {:<8}  {}", outcome.name(), outcome.sentence());
    }
    text
}
