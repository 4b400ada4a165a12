//! `tapecheck run` judges a corpus, `tapecheck merge` combines the parts of a run: both write a run and say what is in it.

use super::command_line::typed;
use super::config::config;
use super::exit::FailOn;
use super::import::HereArgs;
use super::inputs::{JudgingArgs, inputs, load, redactor};
use super::outputs::{Output, OutputParser, TextOrJson, printed, write_files, write_outputs};
use super::progress::Progress;
use super::run_page::RunPage;
use super::summary::Shown;
use super::terminal::{Harmless, Verdicts, print, say};
use super::trend::HistoryArgs;
use super::{Exit, Failure};
use crate::compare::{read_any_manifest, read_rulebook};
use crate::corpus::{Bounds, Input, Journal, Part, files_of};
use crate::page::Sampler;
use crate::program::{by_id, known_ids};
use crate::run::{Finished, Left, Lines, MergeError, RunPart, RunPlan, merge, run_with};
use crate::trend::history::Store;
use crate::verdict::{Outcome, Severity};
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
    /// Note the record being read in a file; a record that crashed two attempts is skipped in the third
    #[arg(long, value_name = "FILE", requires = "part")]
    journal: Option<PathBuf>,
    /// Only print the files that the part would read, as lines of JSON
    ///
    /// Later parts read files of programs too; those are listed for their own part only.
    #[arg(long, requires = "part")]
    dry_run: bool,
    /// Exit with 1 on findings at or above this level
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
            let unknown = || Failure::usage(format!("no program's format is called {id}"));
            let program = by_id(id).ok_or_else(|| unknown().next(format!(
                "name one of {}; leave --read-as out for other recordings, which show what they are",
                known_ids()
            )))?;
            bounds.read_as = Some(program.id);
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
        let out = self.out.as_ref().unwrap_or(&config.out);
        let rulebook = load(self.rulebook.as_ref().unwrap_or(&config.rulebook))?;
        let mut plan = RunPlan {
            bounds,
            lines: self
                .stdout
                .map(|StdoutFormat::Jsonl| Lines::to(Verdicts(Harmless::new(std::io::stdout())))),
            part: self.part,
            journal: self.journal.as_deref().map(journal).transpose()?,
            ..self.judging.plan(&self.recordings)?
        };
        if plan.journal.is_some() {
            // Only of one thread it is certain which record was at hand.
            plan.threads = 1;
        }
        spare(&self.recordings, out)?;
        let finishing = &self.finishing;
        let printed = printed(&finishing.format, TextOrJson::Text)?;
        if self.stdout.is_some() && finishing.format.iter().any(|output| output.file.is_none()) {
            return Err(Failure::usage("verdicts and a summary cannot both go to standard output")
                .next("write the summary into a file: --format FORMAT=FILE"));
        }
        // Neither tells anything of a part.
        let is_whole = self.part.is_none();
        let history = if is_whole { finishing.history.open(out, &self.recordings)? } else { None };
        let shares_terminal = self.stdout.is_some() && std::io::stdout().is_terminal();
        let has_page = config.page && is_whole;
        let progress = Progress::new(
            !finishing.quiet && printed == TextOrJson::Text && !shares_terminal,
            has_page.then(Sampler::start),
        );
        let mut page = RunPage::begin(has_page.then_some(out), plan.redactor.clone(), &rulebook);
        let mut added = None;
        let finish = |finished: &Finished, folder: &Path| {
            page.sampler = progress.sampler();
            added = finishing.complete(finished, folder, out, history.as_ref(), page);
        };
        let finished = run_with(&plan, &rulebook, out, &progress, finish)?;
        let is_data = self.stdout.is_none();
        finishing.tell(&finished, &rulebook.name, out, is_data)?;
        if finished.totals.exchanges == 0 && is_whole {
            return Err(nothing_found(&finished, &self.recordings, out));
        }
        finishing.say_added(added)?;
        Ok(if self.has_findings(&finished) { Exit::Findings } else { Exit::Clean })
    }

    fn has_findings(&self, finished: &Finished) -> bool {
        let Finished { summary, totals, .. } = finished;
        let unreadable = totals.unreadable() + totals.unreadable_files.values().sum::<u64>();
        let mut issues = Severity::ALL.into_iter().zip(&summary.issues);
        self.fail_on.counts_unreadable() && unreadable > 0
            || self.fail_on.is_met_by(Severity::Error) && summary.bad() > 0
            || issues.any(|(severity, (_, count))| *count > 0 && self.fail_on.is_met_by(severity))
    }
}

fn list_files(inputs: &[Input], bounds: &Bounds, part: Part) -> Result<Exit, Failure> {
    let files = files_of(inputs, bounds, part)?;
    let lines =
        files.iter().map(|file| format!("{}\n", serde_json::Value::from(file.to_string_lossy())));
    print(&lines.collect::<String>())
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

#[derive(Debug, clap::Args)]
pub(super) struct MergeArgs {
    /// The folders of all parts, as `tapecheck run --part` wrote them, in any order
    #[arg(value_name = "PARTS", required = true)]
    parts: Vec<PathBuf>,
    /// Where to write the run; replaced atomically, never by an empty run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    pub(super) finishing: FinishingArgs,
}

impl MergeArgs {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        spare(&self.parts, &self.out)?;
        let parts = self.parts.iter().map(|folder| {
            let manifest = read_any_manifest(folder)?;
            Ok(RunPart { folder: folder.clone(), manifest })
        });
        let parts = parts.collect::<Result<Vec<_>, Failure>>()?;
        let first = &parts[0];
        let rulebook = read_rulebook(&first.folder, &first.manifest)?;
        let history = self.finishing.history.open(&self.out, &[])?;
        let page = RunPage::begin(config().page.then_some(&self.out), redactor()?, &rulebook);
        let mut added = None;
        let finish = |finished: &Finished, folder: &Path| {
            added = self.finishing.complete(finished, folder, &self.out, history.as_ref(), page);
        };
        let finished = merge(parts, &rulebook, &self.out, finish).map_err(refused)?;
        self.finishing.tell(&finished, &rulebook.name, &self.out, true)?;
        if finished.totals.exchanges == 0 {
            return Err(nothing_found(&finished, &self.parts, &self.out));
        }
        self.finishing.say_added(added)?;
        Ok(Exit::Clean)
    }
}

fn refused(error: MergeError) -> Failure {
    match error {
        MergeError::Run(error) => error.into(),
        error @ MergeError::Count(_) => {
            Failure::usage(error).next("name the folder of each part once")
        }
        error @ MergeError::Apart(_) => Failure::usage(error)
            .next("name the folders that tapecheck run --part wrote for one set of recordings"),
        error @ MergeError::Different(_) => Failure::usage(error)
            .next("classify all parts again, of the same recordings in the same way"),
    }
}

/// What is said of a finished run, and where it is kept besides.
#[derive(Debug, clap::Args)]
pub(super) struct FinishingArgs {
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<TextOrJson>::new(), conflicts_with = "quiet")]
    pub(super) format: Vec<Output<TextOrJson>>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Print everything that was counted, not just the outcomes and the worst tools
    #[arg(short, long, conflicts_with = "quiet")]
    pub(super) verbose: bool,
    #[command(flatten)]
    pub(super) history: HistoryArgs,
}

impl FinishingArgs {
    /// Adds the run in a folder that is going to stand at `out` to the history, and writes its page, which shows the
    /// trends of the history. Says what was added.
    fn complete(
        &self,
        finished: &Finished,
        folder: &Path,
        out: &Path,
        history: Option<&Store>,
        page: RunPage<'_>,
    ) -> Option<Result<String, Failure>> {
        let history = history.filter(|_| finished.totals.exchanges > 0);
        let added = history.map(|history| self.history.add(history, folder, out));
        page.finish(folder, &finished.lists, history.and_then(|_| self.history.dir()));
        added
    }

    /// Prints what is in the run, and writes it into files; on standard error where it is no data or has no calls.
    fn tell(
        &self,
        finished: &Finished,
        rulebook: &str,
        out: &Path,
        is_data: bool,
    ) -> Result<(), Failure> {
        let shown = |format| match format {
            TextOrJson::Json => {
                serde_json::to_string_pretty(&finished.summary).expect("plain data") + "\n"
            }
            TextOrJson::Text => {
                let (summary, left) = (&finished.summary, finished.folder);
                let shown = Shown { summary, rulebook, seconds: finished.seconds, left, out };
                shown.text(self.verbose)
            }
        };
        let is_text = printed(&self.format, TextOrJson::Text)? == TextOrJson::Text;
        if self.quiet {
            return Ok(());
        }
        if is_data && (finished.totals.exchanges > 0 || !is_text) {
            return write_outputs(&self.format, TextOrJson::Text, shown);
        }
        write_files(&self.format, shown)?;
        say(shown(TextOrJson::Text).trim_end());
        Ok(())
    }

    fn say_added(&self, added: Option<Result<String, Failure>>) -> Result<(), Failure> {
        if let Some(sentence) = added.transpose()?
            && !self.quiet
        {
            say(&sentence);
        }
        Ok(())
    }
}

/// A run replaces what stands in its place: what it is made of must not stand there.
fn spare(made_of: &[PathBuf], named: &Path) -> Result<(), Failure> {
    let Ok(out) = named.canonicalize() else { return Ok(()) };
    let within = |path: &&PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(&out));
    match made_of.iter().find(within) {
        None => Ok(()),
        Some(path) => Err(Failure::usage(format!(
            "{} is inside {}, which the run would replace",
            path.display(),
            named.display()
        ))
        .next("choose another folder with --out")),
    }
}

fn nothing_found(finished: &Finished, inputs: &[PathBuf], out: &Path) -> Failure {
    let inputs: Vec<String> = inputs.iter().map(typed).collect();
    let left = match finished.folder {
        Left::Run => String::new(),
        Left::EarlierRun => format!("; the earlier run in {} was not replaced", out.display()),
    };
    Failure::unfinished(format!("no calls were found in {}{left}", inputs.join(", ")))
        .next("name files or folders of recordings; docs/recordings.md lists their formats")
}
