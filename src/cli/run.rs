//! `tapecheck run` judges a corpus, `tapecheck merge` puts the parts of a run together: both write a run and say what is in it.

use super::command_line::typed;
use super::config::config;
use super::exit::FailOn;
use super::history::HistoryArgs;
use super::import::HereArgs;
use super::inputs::{JudgingArgs, inputs, load, redactor};
use super::interrupt::Verdicts;
use super::outputs::{
    Output, OutputParser, TextOrJson, check_apart, printed, write_files, write_outputs,
};
use super::progress::Progress;
use super::run_page::RunPage;
use super::summary::{Shown, as_json};
use super::terminal::{Harmless, counted, grouped, harmless, print, say};
use super::{Exit, Failure};
use crate::compare::{read_any_manifest, read_rulebook};
use crate::corpus::{Bounds, Input, Journal, OTHER_PATH, Part, files_of};
use crate::page::Sampler;
use crate::program::{NOT_OF_MCP, PROGRAMS, by_id, known_ids};
use crate::run::{Finished, Left, Lines, MergeError, RunPart, RunPlan, Totals, merge, run_with};
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
            let program = by_id(id).ok_or_else(|| {
                Failure::usage(format!("no program's format is called {id}")).next(format!(
                    "name one of {}; leave --read-as out for other recordings, which show what they are",
                    known_ids()
                ))
            })?;
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
    let lines = files.iter().map(|file| format!("{}\n", serde_json::json!(file.to_string_lossy())));
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
        check_apart(&self.finishing.format, &[])?;
        spare(&self.parts, &self.out)?;
        let parts = self.parts.iter().map(|folder| {
            let manifest = read_any_manifest(folder)?;
            Ok(RunPart { folder: folder.clone(), manifest })
        });
        let parts = parts.collect::<Result<Vec<_>, Failure>>()?;
        let first = &parts[0];
        let rulebook = read_rulebook(&first.folder, &first.manifest);
        let rulebook = rulebook?;
        let history = self.finishing.history.open(&self.out, &[])?;
        let page = RunPage::begin(config().page.then_some(&self.out), redactor()?, &rulebook);
        let mut added = None;
        let finish = |finished: &Finished, folder: &Path| {
            added = self.finishing.complete(finished, folder, &self.out, history.as_ref(), page);
        };
        let finished = merge(parts, &rulebook, &self.out, finish).map_err(refused)?;
        if finished.totals.exchanges == 0 {
            say(&nothing_found(&finished, &self.parts, &self.out));
            return Ok(Exit::Unfinished);
        }
        if !self.finishing.quiet {
            write_outputs(&self.finishing.format, TextOrJson::Text, |format| {
                self.finishing.shown(&finished, &rulebook.name, &self.out, format)
            })?;
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
    pub(super) fn complete(
        &self,
        finished: &Finished,
        folder: &Path,
        out: &Path,
        history: Option<&Store>,
        page: RunPage<'_>,
    ) -> Option<Result<String, Failure>> {
        let history = history.filter(|_| finished.totals.exchanges > 0);
        let added = history.map(|history| self.history.add(history, folder, out));
        page.finish(folder, history.and_then(|_| self.history.dir()));
        added
    }

    pub(super) fn shown(
        &self,
        finished: &Finished,
        rulebook: &str,
        out: &Path,
        format: TextOrJson,
    ) -> String {
        match format {
            TextOrJson::Json => as_json(finished),
            TextOrJson::Text if self.verbose => Shown::of(finished, rulebook, out).long_text(),
            TextOrJson::Text => Shown::of(finished, rulebook, out).text(),
        }
    }

    pub(super) fn say_added(&self, added: Option<Result<String, Failure>>) -> Result<(), Failure> {
        if let Some(sentence) = added.transpose()?
            && !self.quiet
        {
            say(&sentence);
        }
        Ok(())
    }
}

/// A run replaces what stands in its place: what it is made of must not stand there.
pub(super) fn spare(made_of: &[PathBuf], named: &Path) -> Result<(), Failure> {
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

pub(super) fn nothing_found(finished: &Finished, inputs: &[PathBuf], out: &Path) -> String {
    let inputs: Vec<String> = inputs.iter().map(typed).collect();
    let left = match finished.folder {
        Left::Run => format!("written to {}", out.display()),
        Left::EarlierRun => format!("the earlier run in {} was not replaced", out.display()),
    };
    format!(
        "no calls were found in {}: {}\n  {left}\n  next: name files or folders of recordings; docs/recordings.md lists their formats",
        inputs.join(", "),
        looked_at(&finished.totals),
    )
}

fn looked_at(totals: &Totals) -> String {
    let mut parts = Vec::new();
    if totals.recordings > 0 {
        let mut part = counted(totals.recordings, "recording") + " with ";
        part += &counted(totals.lines, "line");
        if totals.unreadable() > 0 {
            let reasons = totals.unreadable_lines.iter();
            let reasons: Vec<String> = reasons
                .filter(|(_, count)| **count > 0)
                .map(|(reason, count)| format!("{} {}", reason.name(), grouped(*count)))
                .collect();
            let _ = write!(part, ", {} of them unreadable", grouped(totals.unreadable()));
            let _ = write!(part, " ({})", reasons.join(", "));
        }
        if let Some(requests) = totals.traffic.get(OTHER_PATH) {
            let requests = counted(*requests, "HTTP request");
            let _ = write!(part, ", {requests} to other paths than `envelope_paths` names");
        }
        if let Some(runs) = totals.traffic.get(NOT_OF_MCP) {
            let formats = PROGRAMS.iter().filter(|it| totals.programs.contains_key(it.name));
            let flags: Vec<_> = formats.map(|it| format!("--read-as {}", it.id)).collect();
            let runs = counted(*runs, "tool run");
            let _ = write!(
                part,
                ", {runs} not known to be MCP's ({} reads every tool run as a call)",
                flags.join(" or ")
            );
        }
        parts.push(part);
    }
    let unreadable: u64 = totals.unreadable_files.values().sum();
    if unreadable > 0 {
        let mut part = counted(unreadable, "file") + " that could not be read";
        if let Some(first) = totals.broken_files.first() {
            let _ = write!(part, " ({}: {})", harmless(&first.file), harmless(&first.detail));
        }
        parts.push(part);
    }
    let others: u64 = totals.other_files.values().flat_map(|reasons| reasons.values()).sum();
    if others > 0 {
        let mut part = counted(others, "other file");
        if let Some(first) = totals.notes.first() {
            let _ = write!(part, " ({}: {})", harmless(&first.file), harmless(&first.detail));
        }
        parts.push(part);
    }
    if parts.is_empty() { "no files".to_owned() } else { parts.join("; ") }
}
