//! Histories: the flags by which a run is added to one, and what is done with its runs.

use super::command_line::typed;
use super::config::config;
use super::outputs::TextOrJson;
use super::terminal::{counted, harmless, log_width, print, say};
use super::{Exit, Failure};
use crate::compare::read_manifest;
use crate::recording::Day;
use crate::trend::history::{Added, At, History, HistoryError, Naming, PastRun, Removed, Store};
use crate::view::text::text;
use crate::view::{Cell, Column, Section, Table};
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

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
            return Err(Failure::usage(format!(
                "{} is inside the history {}, which holds only counts of runs",
                out.display(),
                dir.display()
            ))
            .next("write the run to another folder with --out"));
        }
        for input in corpus.iter().filter(|input| input.is_dir()) {
            apart(dir, input, "it would be read as a recording")?;
        }
        Ok(Some(Store::open(dir)?))
    }

    /// Adds the run in a folder that is going to stand at `out`; says so.
    pub(super) fn add(&self, store: &Store, folder: &Path, out: &Path) -> Result<String, Failure> {
        add(store, folder, self.night).map_err(|error| {
            let out_shown = out.display();
            Failure::unfinished(format!(
                "the run is in {out_shown}, but was not added to the history: {error}"
            ))
            .next(format!(
                "tapecheck trend {} --add {}",
                typed(store.dir()),
                typed(out)
            ))
        })
    }
}

/// Adds a run, and says what was added. A night to come is taken, since no clock is surely right, but not without a word.
fn add(store: &Store, run: &Path, night: Option<Day>) -> Result<String, HistoryError> {
    let naming = Naming { night, collection: config().collection.clone() };
    let added = store.add(run, &naming)?;
    if let Added::New(run) = &added
        && run.speaks_for_a_night_to_come()
    {
        let (night, id, dir) = (run.night, &run.id, typed(store.dir()));
        say(&format!(
            "warning: {night} is in the future; the run sorts after every earlier night; `tapecheck trend {dir} --forget {id}` removes it"
        ));
    }
    Ok(sentence(&added, store.dir()))
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

/// Whether a path leads into a folder; neither need be there yet.
pub(super) fn lies_in(path: &Path, folder: &Path) -> bool {
    real(path).starts_with(real(folder))
}

/// The path as the system would resolve it, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut missing: Vec<Component<'_>> = Vec::new();
    let mut rest = path.components();
    loop {
        if let Ok(found) = rest.as_path().canonicalize() {
            return missing.iter().rev().fold(found, |path, part| match part {
                Component::ParentDir => path.parent().map(Path::to_owned).unwrap_or(path),
                part => path.join(part),
            });
        }
        match rest.next_back() {
            Some(part) => missing.push(part),
            None => return path,
        }
    }
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
            let inputs =
                read_manifest(run).map_or_else(|_| Vec::new(), |run_words| run_words.wall.inputs);
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
        let removed = store.remove(&self.forget, self.dry_run)?;
        let text = removals(&removed, &format!("{verb} {}", history.display()));
        print(&text)
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

fn sentence(added: &Added, dir: &Path) -> String {
    match added {
        Added::New(run) => format!("added to {}: {}", dir.display(), run_words(run)),
        Added::Before(run) => format!("already in {}: {}", dir.display(), run_words(run)),
        Added::Mended(run) => {
            format!("added again to {}, where it was damaged: {}", dir.display(), run_words(run))
        }
    }
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

fn removals(removed: &Removed, verb: &str) -> String {
    let mut text = String::new();
    for run in &removed.runs {
        let _ = writeln!(text, "{verb}: {}", run_words(run));
    }
    for (file, reason) in &removed.unread {
        let _ =
            writeln!(text, "{verb}: the file {}, which cannot be read ({reason})", harmless(file));
    }
    text
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
