//! `tapecheck trend`: many nights, from a history or from a run over recordings of many days.

use super::command_line::typed;
use super::config::config;
use super::exit::FailOnChange;
use super::outputs::{Output, OutputParser, TextOrJson, lies_in, printed, write_outputs_by};
use super::terminal::{counted, harmless, line_width, log_width, print, say};
use super::{Exit, Failure};
use crate::compare::read_manifest;
use crate::count::Dimension;
use crate::recording::Day;
use crate::store::is_run;
use crate::trend::history::{Added, At, History, HistoryError, Naming, PastRun, Removed, Store};
use crate::trend::show::{View, sections, write_json, write_tables};
use crate::trend::{By, NightlyCounts, Settings};
use crate::view::text::text;
use crate::view::{Cell, Column, Section, Table};
use clap::builder::PossibleValue;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A history, or a run over recordings of many days [default: `history` of tapecheck.toml, else
    /// reports/latest]
    #[arg(value_name = "HISTORY|RUN")]
    input: Option<PathBuf>,
    /// What each series counts
    #[arg(long, value_enum, value_name = "WHAT", default_value = "outcome")]
    by: By,
    /// First night to show; earlier ones are only the baseline
    #[arg(long, value_name = "YYYY-MM-DD")]
    since: Option<Day>,
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<TextOrJson>::new())]
    format: Vec<Output<TextOrJson>>,
    /// Also write everything as tables (CSV and Parquet)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Exit with 1 when there are such changes that are not back to normal
    #[arg(long, value_enum, value_name = "CHANGES", default_value = "never")]
    fail_on: FailOnChange,
    #[command(flatten)]
    kept: KeptArgs,
}

/// What the series of each `--by` show.
const SHOWN: [(By, &str); 11] = [
    (By::Outcome, "The share of each outcome"),
    (By::Class, "The share of each class"),
    (By::Answer, "The share of each answer to the question of business logic"),
    (By::IssueType, "The share of calls with an issue of each type"),
    (By::Server, "The share of each server's calls that are failed or invalid"),
    (By::Tool, "The share of each tool's calls that are failed or invalid"),
    (By::Who, "The share that each of caller, operator, server and upstream must act on"),
    (By::List, "The share of calls on each list of what to act on"),
    (By::ErrorKind, "The share of each kind of error"),
    (By::Scenario, "The share of each scenario's calls that are failed or invalid"),
    (By::Signal, "The share of calls for which each signal holds"),
];

impl clap::ValueEnum for By {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (_, shown) = SHOWN.iter().find(|(by, _)| by == self)?;
        Some(PossibleValue::new(self.name()).help(*shown))
    }
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let config = config();
        let input = self.input.as_ref().or(config.history.as_ref()).unwrap_or(&config.out);
        if self.kept.is_some() && self.input.is_none() && config.history.is_none() {
            return Err(Failure::usage("no history given").next(
                "name it: tapecheck trend HISTORY --list; or set `history` in tapecheck.toml",
            ));
        }
        if self.kept.is_some() {
            return self.kept.run(input, printed(&self.format, TextOrJson::Text)?);
        }
        if let Some(out) = &self.out
            && lies_in(out, input)
        {
            let (out, input) = (out.display(), input.display());
            return Err(Failure::usage(format!("{out} is inside {input}, which is read"))
                .next("choose another folder with --out"));
        }
        let dimensions =
            [Dimension::Outcome, Dimension::IssueType, Dimension::Duration, self.by.dimension()];
        let history = open(input, &dimensions)?;
        let settings = Settings {
            by: self.by,
            since: self.since,
            window: usize::from(config.window),
            ..Settings::default()
        };
        let nights = NightlyCounts::of(&history, config.day);
        let trend = nights.trend(&settings);
        let other = |by: By| {
            let settings = Settings { by, lately: true, ..settings };
            (by != self.by).then(|| nights.trend(&settings))
        };
        let (issue_types, servers) = (other(By::IssueType), other(By::Server));
        let view = View {
            trend: &trend,
            issue_types: issue_types.as_ref().unwrap_or(&trend),
            servers: servers.as_ref().unwrap_or(&trend),
        };
        if let Some(folder) = &self.out {
            write_tables(folder, &trend)?;
        }
        write_outputs_by(&self.format, TextOrJson::Text, |format, out| match format {
            TextOrJson::Json => write_json(&view, out),
            TextOrJson::Text => out.write_all(text(&sections(&view), line_width()).as_bytes()),
        })?;
        if trend.nights.is_empty() {
            return Ok(Exit::Unfinished);
        }
        let series = trend.series.iter().chain(&view.servers.series);
        let mut open = series.flat_map(|series| &series.changes).filter(|change| change.is_open());
        if open.any(|change| self.fail_on.is_met(true, change.worse == Some(true))) {
            return Ok(Exit::Findings);
        }
        if history.unread > 0 && self.fail_on != FailOnChange::Never {
            let (files, input) = (counted(history.unread, "file"), input.display());
            let what = format!("{files} of {input} cannot be read, so changes may be missing");
            return Err(Failure::unfinished(what).next(
                "see the notes above; add these runs again with `tapecheck run --history`, or remove them with `tapecheck trend HISTORY --forget NAME`",
            ));
        }
        Ok(Exit::Clean)
    }
}

/// Opens a history, or makes one of a single run.
pub(super) fn open(input: &Path, dimensions: &[Dimension]) -> Result<History, Failure> {
    if !is_run(input) {
        return Ok(History::open(input, dimensions)?);
    }
    Ok(History::of_run(input, dimensions)?)
}

/// What a run leaves in a history.
#[derive(Debug, clap::Args)]
pub(super) struct HistoryArgs {
    /// Add the run's counts to this history, a folder of per-run counts
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// The night of the run in the history [default: today, UTC]
    #[arg(long, value_name = "YYYY-MM-DD")]
    night: Option<Day>,
}

/// What is done with the runs of a history, instead of showing trends.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The runs of a history")]
pub(super) struct KeptArgs {
    /// List its runs
    #[arg(long)]
    list: bool,
    /// Add a finished run; repeatable
    #[arg(long, value_name = "RUN", conflicts_with = "list")]
    add: Vec<PathBuf>,
    /// Remove runs: a night (YYYY-MM-DD), or a run or file as --list names it; repeatable
    #[arg(long, value_name = "NIGHT|RUN", value_parser = unwanted, conflicts_with_all = ["list", "add"])]
    forget: Vec<String>,
    /// The night of the added run [default: the day it was made, UTC]
    #[arg(long, value_name = "YYYY-MM-DD", requires = "add")]
    night: Option<Day>,
    /// Only show what --forget would remove
    #[arg(long, requires = "forget")]
    dry_run: bool,
}

impl HistoryArgs {
    pub(super) fn dir(&self) -> Option<&Path> {
        self.history.as_deref().or(config().history.as_deref())
    }

    /// The history of a run to be made; refused where it would be replaced or read as recordings.
    pub(super) fn open(&self, out: &Path, corpus: &[PathBuf]) -> Result<Option<Store>, Failure> {
        let Some(dir) = self.dir() else { return Ok(None) };
        apart(dir, out, "the run would replace it")?;
        if lies_in(out, dir) {
            let (out, dir) = (out.display(), dir.display());
            let what =
                format!("{out} is inside the history {dir}, which holds only counts of runs");
            return Err(Failure::usage(what).next("write the run to another folder with --out"));
        }
        for input in corpus.iter().filter(|input| input.is_dir()) {
            apart(dir, input, "it would be read as a recording")?;
        }
        Ok(Some(Store::open(dir)?))
    }

    /// Adds the run in a folder that is going to stand at `out`; says so.
    pub(super) fn add(&self, store: &Store, folder: &Path, out: &Path) -> Result<String, Failure> {
        add(store, folder, self.night).map_err(|error| {
            let what = format!("the run is in {}, but was not added to the history", out.display());
            let (dir, out) = (typed(store.dir()), typed(out));
            Failure::unfinished(format!("{what}: {error}"))
                .next(format!("tapecheck trend {dir} --add {out}"))
        })
    }
}

/// Adds a run, and says what was added. A night to come is taken, since no clock is surely right, but not without a word.
fn add(store: &Store, run: &Path, night: Option<Day>) -> Result<String, HistoryError> {
    let naming = Naming { night, collection: config().collection.clone() };
    let added = store.add(run, &naming)?;
    let (words, run) = match &added {
        Added::New(run) => ("added to", run),
        Added::Before(run) => ("already in", run),
        Added::Mended(run) => ("added again, since it was damaged, to", run),
    };
    if matches!(added, Added::New(_)) && run.speaks_for_a_night_to_come() {
        let (night, id, dir) = (run.night, &run.id, typed(store.dir()));
        say(&format!(
            "warning: {night} is in the future; the run sorts after every earlier night; `tapecheck trend {dir} --forget {id}` removes it"
        ));
    }
    Ok(format!("{words} {}: {}", store.dir().display(), run_words(run)))
}

/// Refuses a history that lies in another folder.
fn apart(dir: &Path, other: &Path, why: &str) -> Result<(), Failure> {
    if !lies_in(dir, other) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the history {} is inside {}: {why}",
        dir.display(),
        other.display()
    ))
    .next("choose another folder with --history"))
}

impl KeptArgs {
    pub(super) fn is_some(&self) -> bool {
        self.list || !self.add.is_empty() || !self.forget.is_empty()
    }

    pub(super) fn run(&self, history: &Path, format: TextOrJson) -> Result<Exit, Failure> {
        if !self.add.is_empty() {
            self.add(history)
        } else if self.forget.is_empty() {
            list(history, format)
        } else {
            self.forget(history)
        }
    }

    fn add(&self, history: &Path) -> Result<Exit, Failure> {
        if self.night.is_some() && self.add.len() > 1 {
            return Err(Failure::usage("--night takes exactly one run")
                .next("add the runs one after the other, each with its night"));
        }
        for run in &self.add {
            apart(history, run, "which is a run")?;
            let inputs = read_manifest(run).map(|run| run.wall.inputs).unwrap_or_default();
            for input in inputs.iter().map(Path::new).filter(|input| input.is_dir()) {
                apart(history, input, "it would be read as a recording")?;
            }
        }
        let store = Store::open(history)?;
        let mut text = String::new();
        let mut wrong = None;
        for run in &self.add {
            match add(&store, run, self.night).map_err(Failure::from) {
                Ok(sentence) => text = text + &sentence + "\n",
                Err(failure) => {
                    say(&failure.to_string());
                    wrong = Some(failure.exit());
                }
            }
        }
        print(&text)?;
        Ok(wrong.unwrap_or(Exit::Clean))
    }

    fn forget(&self, history: &Path) -> Result<Exit, Failure> {
        let store = Store::existing(history)?;
        let verb = if self.dry_run { "would be removed from" } else { "removed from" };
        let Removed { runs, unread } = store.remove(&self.forget, self.dry_run)?;
        let runs = runs.iter().map(run_words);
        let files = unread.iter().map(|(file, reason)| {
            format!("the file {}, which cannot be read ({reason})", harmless(file))
        });
        let lines = runs.chain(files).map(|what| format!("{verb} {}: {what}\n", history.display()));
        print(&lines.collect::<String>())
    }
}

fn run_words(run: &PastRun) -> String {
    format!(
        "run {} of {} ({}, {})",
        harmless(&run.id),
        run.night,
        harmless(&run.collection),
        counted(run.exchanges, "call")
    )
}

fn list(dir: &Path, format: TextOrJson) -> Result<Exit, Failure> {
    let mut history = History::open(dir, &[])?;
    let of_nights = history.nights(At::Recorded).notes;
    history.notes.extend(of_nights);
    let text = match format {
        TextOrJson::Json => as_json(&history),
        TextOrJson::Text => as_text(&history, dir),
    };
    print(&text)?;
    if format == TextOrJson::Text {
        history.notes.iter().for_each(|note| say(&format!("note: {note}")));
    }
    Ok(Exit::Clean)
}

fn as_text(history: &History, dir: &Path) -> String {
    if history.runs.is_empty() {
        let which = if history.notes.is_empty() { "yet" } else { "that can be read" };
        return format!("{} has no runs {which}\n", dir.display());
    }
    let (left, right) = (Column::left, Column::right);
    let mut table = Table::new([
        left("night"),
        left("run"),
        right("calls"),
        right("unreadable"),
        left("rulebook"),
        left("collection"),
    ]);
    for run in &history.runs {
        table.push([
            Cell::text(run.night.to_string()),
            Cell::name(&run.id),
            Cell::count(run.exchanges),
            Cell::count(run.unreadable),
            Cell::name(&run.rulebook.name),
            Cell::name(&run.collection),
        ]);
    }
    let mut section = Section::default();
    section.table(table);
    section.note(counted(history.runs.len() as u64, "run"));
    text(&[section], log_width())
}

fn as_json(history: &History) -> String {
    format!("{:#}\n", json!({ "runs": history.runs, "notes": history.notes }))
}

/// What looks like a day has to be one: a mistyped night must not be taken for a name.
fn unwanted(text: &str) -> Result<String, String> {
    let is_dated = text.chars().all(|c| c.is_ascii_digit() || c == '-') && text.contains('-');
    match text.parse::<Day>() {
        Ok(night) => Ok(night.to_string()),
        Err(reason) if is_dated => Err(reason.to_owned()),
        Err(_) if text.trim().is_empty() => Err("name a night or a run".to_owned()),
        Err(_) => Ok(text.to_owned()),
    }
}
