//! `tapecheck report`: a finished run as a page for people, or in the formats of other programs.

use super::command_line::CommandLine;
use super::inputs::cannot_open_run;
use super::labelled::{LabelsBeside, labels_beside, read_all_labels};
use super::progress::while_waiting;
use super::sides::{Place, unreadable_run};
use super::terminal::{print, say};
use super::texts_again::texts_again;
use super::{Exit, Failure, cannot_print};
use crate::baseline;
use crate::compare::read_run;
use crate::count::Dimension;
use crate::labels::{LabelLine, Labelled};
use crate::measure::accuracy::items;
use crate::measure::stats::{Settings as StatsSettings, glance};
use crate::page::{
    self, Against, Beside, Closeness, Earlier, FILE_NAME, PageError, Part, TruthShown,
};
use crate::redact::Redactor;
use crate::run::Finished;
use crate::store::{Table, TableReader, is_run};
use crate::trend::history::At;
use crate::trend::{By, LookFor, NightlyCounts, Settings, Trend};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder of a finished run
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value = "html")]
    format: Format,
    /// Where to write it [default: a page as report.html in the run's folder, the rest to standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What to hold it against: another run, or the file of a baseline
    #[arg(long, value_name = "RUN|BASELINE")]
    against: Option<PathBuf>,
    /// A file of labels: `{"file", "id", "label"}`, a line each. May be given several times; those in
    /// recordings count too [default: files of labels that lie among the recordings]
    #[arg(long = "labels", value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// A history, of which the trends are shown [default: those of the run, where it is of many days]
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// The folder of the repository in which the recordings lie, put before their paths in SARIF
    #[arg(long = "tapes", value_name = "DIR", default_value = "", hide_default_value = true)]
    recordings: String,
    #[command(flatten)]
    redact: RedactArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One page that any browser opens from disk
    Html,
    /// Markdown for a pull request or the summary of a job
    Md,
    /// One JSON object with everything
    Json,
    /// `JUnit` XML: a suite for each server, a case for each tool
    Junit,
    /// SARIF 2.1.0: a result for each issue and each failed or invalid call
    Sarif,
    /// One long table
    Csv,
}

impl From<Format> for page::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Html => Self::Html,
            Format::Md => Self::Markdown,
            Format::Json => Self::Json,
            Format::Junit => Self::Junit,
            Format::Sarif => Self::Sarif,
            Format::Csv => Self::Csv,
        }
    }
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if !is_run(&self.run) {
            return Err(cannot_open_run(&self.run));
        }
        let redactor = self.redact.redactor()?;
        let format = page::Format::from(self.format);
        let is_page = self.format == Format::Html;
        let out = self.out.clone().or_else(|| is_page.then(|| self.run.join(FILE_NAME)));
        if let Some(page) = &out
            && self.out.is_none()
            && self.against.is_none()
        {
            spare_what_changed(page)?;
        }
        for (part, flag, is_given) in [
            (Part::Changes, "--against", self.against.is_some()),
            (Part::Trends, "--history", self.history.is_some()),
            (Part::Truth, "--labels", !self.labels.is_empty()),
            (Part::Recordings, "--tapes", !self.recordings.is_empty()),
        ] {
            if is_given && !format.shows(part) {
                say(&format!("warning: {flag} has no bearing on this format"));
            }
        }
        let lines = read_all_labels(&self.labels)?;
        let against = self.against.as_deref().filter(|_| format.shows(Part::Changes));
        let against = against.map(|other| {
            let doing = format!("holding {} against {}", self.run.display(), other.display());
            while_waiting(&doing, || self.held_against(other, &lines))
        });
        let against = against.transpose()?;
        let beside = Beside {
            against,
            trends: match &self.history {
                _ if !format.shows(Part::Trends) => Vec::new(),
                Some(history) => trends_of(history)?,
                None if has_many_days(&self.run) => trends_of(&self.run)?,
                None => Vec::new(),
            },
            truth: if format.shows(Part::Truth) { truth_of(&self.run, &lines)? } else { None },
            explain: explain_command(&self.run),
            redactor,
            texts_again,
            recordings: self.recordings.clone(),
        };
        let doing = format!("reading {}", self.run.display());
        let text =
            while_waiting(&doing, || page::text(&self.run, beside, format)).map_err(unwritten)?;
        match out {
            Some(out) => {
                page::write_text(&text, &out).map_err(unwritten)?;
                say(&format!("written to {}", out.display()));
            }
            None => print(&text).map_err(|error| cannot_print(&error))?,
        }
        Ok(Exit::Clean)
    }

    fn held_against(&self, other: &Path, lines: &[LabelLine]) -> Result<Against, Failure> {
        let beside = if lines.is_empty() { labels_beside(&self.run).lines } else { Vec::new() };
        let lines = if lines.is_empty() { &beside } else { lines };
        let name = page::path_shown(&other.to_string_lossy());
        match Place::of(other) {
            Place::Run => {}
            Place::Baseline => return against_baseline(other, &name, &self.run, lines),
            Place::Corpus => {
                let why = if other.exists() { "is neither" } else { "is not there, so neither" };
                return Err(Failure::usage(format!("{name} {why} a run nor a baseline"))
                    .next("name the folder of a run or the file of a baseline with --against"));
            }
        }
        let earlier = Earlier::try_read(other, &name, Closeness::Always).map_err(unwritten)?;
        earlier.held_against(&self.run, lines, Closeness::Always).map_err(unwritten)
    }
}

/// What a run changed is told by its page alone once the run before it is gone.
fn spare_what_changed(page: &Path) -> Result<(), Failure> {
    let standing = std::fs::read_to_string(page);
    if !standing.is_ok_and(|html| page::tells_what_changed(&html)) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} tells what changed since another run, and the page in its place would not",
        page.display()
    ))
    .next("name another file with --out, or the run to hold it against with --against"))
}

/// Holds a run against a baseline.
fn against_baseline(
    path: &Path,
    name: &str,
    run: &Path,
    lines: &[LabelLine],
) -> Result<Against, Failure> {
    let baseline = baseline::read(path).map_err(Failure::unfinished)?;
    Against::baseline(name, &baseline.side, run, lines).map_err(unwritten)
}

/// What is masked in recorded text.
#[derive(Debug, Default, clap::Args)]
pub(super) struct RedactArgs {
    /// What is masked in recorded text: the built-in rules, none, or a file of rules, which are added
    /// to the built-in ones unless `none` is given too. May be given several times
    #[arg(long = "redact", value_name = "builtin|none|FILE")]
    redact: Vec<String>,
}

impl RedactArgs {
    pub(super) fn redactor(&self) -> Result<Redactor, Failure> {
        let wants = |word: &str| self.redact.iter().any(|given| given == word);
        if wants("builtin") && wants("none") {
            return Err(Failure::usage("--redact builtin and --redact none exclude each other"));
        }
        let base = if wants("none") { Redactor::none() } else { Redactor::builtin() };
        let mut files = Vec::new();
        for name in self.redact.iter().filter(|name| !["builtin", "none"].contains(&name.as_str()))
        {
            let text = std::fs::read_to_string(name).map_err(|error| {
                Failure::usage(format!("cannot read {name}: {error}"))
                    .next("name a file of rules, builtin or none with --redact")
            })?;
            files.push((name.clone(), text));
        }
        base.with_files(&files).map_err(|error| Failure::usage(error).next("see docs/redaction.md"))
    }
}

/// The page that a run leaves in its folder.
#[derive(Debug)]
pub(super) struct RunPage<'a> {
    /// The folder; `None` where no page is wanted.
    out: Option<&'a Path>,
    /// The run that stood there before.
    earlier: Option<Earlier>,
    redactor: Redactor,
}

impl<'a> RunPage<'a> {
    /// Reads what the run is going to take the place of.
    pub(super) fn begin(out: Option<&'a PathBuf>, redactor: Redactor) -> Self {
        let out = out.map(PathBuf::as_path);
        let earlier = out.and_then(|out| Earlier::read(out, Closeness::WhereCheap));
        Self { out, earlier, redactor }
    }

    /// Writes the page into the folder that is going to stand where the run is wanted, with the trends of
    /// a history or of the run itself. A run without its page is a run all the same, so that trouble is
    /// only told.
    pub(super) fn finish(self, finished: &Finished, folder: &Path, history: Option<&Path>) {
        let Some(out) = self.out else { return };
        let against = self
            .earlier
            .map(|it| it.held_against(folder, &labels_beside(folder).lines, Closeness::WhereCheap));
        let written = against.transpose().and_then(|against| {
            let truth = truth_of(folder, &[]).ok().flatten();
            let is_small = finished.totals.exchanges <= MOST_FOR_TRENDS;
            let of = history.or_else(|| (is_small && has_many_days(folder)).then_some(folder));
            let trends = of.and_then(|of| trends_of(of).ok()).unwrap_or_default();
            let explain = explain_command(out);
            let redactor = self.redactor;
            let recordings = String::new();
            let beside =
                Beside { against, trends, truth, explain, redactor, texts_again, recordings };
            crate::page::write(folder, beside, &folder.join(FILE_NAME))
        });
        if let Err(error) = written {
            say(&format!("warning: the run is whole, but for {FILE_NAME}: {error}"));
        }
    }
}

fn unwritten(error: PageError) -> Failure {
    let next = match &error {
        PageError::Unwritable { .. } => "name another file with --out",
        PageError::Unreadable { .. }
        | PageError::Table(_)
        | PageError::NamedVerdict(_)
        | PageError::Labels(_) => "judge the corpus again with tapecheck run",
    };
    Failure::unfinished(error).next(next)
}

/// Trends of the run itself are shown where it is of so many days.
const MANY_DAYS: usize = 5;
/// A run with more exchanges does not look for trends in itself unless somebody asks.
const MOST_FOR_TRENDS: u64 = 200_000;

/// Whether the exchanges of a run were recorded on many days.
fn has_many_days(run: &Path) -> bool {
    let Ok(mut table) = TableReader::open(run, Table::Rates) else { return false };
    let mut days = BTreeSet::new();
    for group in 0..table.groups() {
        let Ok(column) = table.texts(group, "day") else { return false };
        days.extend(column.texts.iter().filter(|day| !day.is_empty()).map(str::to_owned));
    }
    days.len() >= MANY_DAYS
}

/// What many nights say: of a history, or of the days of a run.
fn trends_of(input: &Path) -> Result<Vec<Trend>, Failure> {
    const SHOWN: [By; 4] = [By::Outcome, By::Answer, By::Server, By::IssueType];
    let history =
        super::trend::open(input, &[Dimension::Outcome, Dimension::Answer, Dimension::IssueType])?;
    let nights = NightlyCounts::of(&history, At::Recorded);
    let trend = |by: By| {
        let look_for = if by == By::Outcome { LookFor::Everything } else { LookFor::Lately };
        let together = u32::try_from(SHOWN.len()).unwrap_or(1);
        nights.trend(&Settings { by, look_for, together, ..Settings::default() })
    };
    Ok(SHOWN.map(trend).into())
}

/// How right a run's verdicts are; `None` where nothing in it is labelled.
pub(super) fn truth_of(run: &Path, lines: &[LabelLine]) -> Result<Option<TruthShown>, Failure> {
    let beside = if lines.is_empty() { labels_beside(run) } else { LabelsBeside::default() };
    let lines = if lines.is_empty() { &beside.lines } else { lines };
    if lines.is_empty() && !has_labels(run) {
        return Ok(None);
    }
    let side = read_run(run).map_err(|error| unreadable_run(&error))?;
    let labelled = Labelled::of_run(run, &side, lines).map_err(Failure::unfinished)?;
    let items = items(&side, &labelled);
    if items.is_empty() {
        return Ok(None);
    }
    let stats = glance(&side, &items, StatsSettings::default().seed);
    let mistakes =
        stats.mistakes.iter().map(|mistake| side.entries[mistake.entry as usize].key.to_string());
    Ok(Some(TruthShown { mistakes: mistakes.collect(), stats, beside: beside.names() }))
}

/// Whether a recording of the run says what is true of an exchange.
fn has_labels(run: &Path) -> bool {
    let Ok(mut table) = TableReader::open(run, Table::Verdicts) else { return false };
    (0..table.groups()).any(|group| {
        table
            .texts(group, "label")
            .is_ok_and(|labels| labels.rows.iter().any(|row| *row != u32::MAX))
    })
}

/// What stands before and after a key in the command that explains an exchange of a run.
pub(super) fn explain_command(run: &Path) -> [String; 2] {
    let run = CommandLine::default().word(page::in_command(&run.to_string_lossy(), 1));
    ["tapecheck explain ".to_owned(), format!(" {run}")]
}
