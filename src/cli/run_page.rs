//! The page of a run, in its folder or elsewhere, and what it shows beside the run itself.

use super::Failure;
use super::command_line::CommandLine;
use super::config::config;
use super::inputs::redactor;
use super::opened_path::{LabelsBeside, PathKind, labels_beside, read_all_labels};
use super::outputs::{Output, save};
use super::progress::while_waiting;
use super::recorded::texts_again;
use super::terminal::{print, say};
use crate::baseline;
use crate::compare::read_run;
use crate::count::Dimension;
use crate::labels::{LabelLine, Labelled};
use crate::measure::accuracy::items;
use crate::measure::stats::{Settings as StatsSettings, glance};
use crate::page::{
    self, Against, AtHand, Earlier, FILE_NAME, MOST_COMPARED, PageContext, Sampler, TruthShown,
};
use crate::redact::Redactor;
use crate::rulebook::Rulebook;
use crate::store::{ListRow, Table, TableReader};
use crate::trend::history::At;
use crate::trend::{By, NightlyCounts, Settings, Trend};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct RunPage<'a> {
    /// The folder; `None` where no page is wanted.
    out: Option<&'a Path>,
    /// The run that stood there before.
    earlier: Option<Earlier>,
    redactor: Redactor,
    rulebook: &'a Rulebook,
    pub(super) sampler: Option<Sampler>,
}

impl<'a> RunPage<'a> {
    /// Reads what the run is going to take the place of.
    pub(super) fn begin(
        out: Option<&'a PathBuf>,
        redactor: Redactor,
        rulebook: &'a Rulebook,
    ) -> Self {
        let out = out.map(PathBuf::as_path);
        let earlier = out.and_then(Earlier::before);
        Self { out, earlier, redactor, rulebook, sampler: None }
    }

    /// Writes the page into the folder that is going to stand where the run is wanted, with the trends of
    /// a history. A run without its page is a run all the same, so that trouble is only told.
    pub(super) fn finish(self, folder: &Path, lists: &[ListRow], history: Option<&Path>) {
        let Self { out: Some(out), earlier, redactor, rulebook, sampler } = self else { return };
        let labels = labels_beside(folder);
        let against =
            earlier.map(|it| it.compared_with(folder, &labels.lines, MOST_COMPARED)).transpose();
        let written = against.and_then(|against| {
            let truth = truth_of(folder, &labels).ok().flatten();
            let trends = history.and_then(|history| trends_of(history).ok()).unwrap_or_default();
            let explain = explain_command(out);
            let beside = PageContext { against, truth, trends, explain, redactor, texts_again };
            let html = page::html(folder, beside, Some(AtHand { rulebook, sampler, lists }))?;
            page::write_text(&html, &folder.join(FILE_NAME))
        });
        if let Err(error) = written {
            say(&format!("warning: the run is complete except for {FILE_NAME}: {error}"));
        }
    }
}

/// A page that somebody asks for shows the trends of the run itself where it is of so many days.
const MANY_DAYS: usize = 5;

/// Whether the exchanges of a run were recorded on many days; not where it cannot be read, as its page then says.
fn has_many_days(run: &Path) -> bool {
    let Ok(mut table) = TableReader::open(run, Table::Counts) else { return false };
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
    let shown_of = [Dimension::Outcome, Dimension::Answer, Dimension::IssueType];
    let history = super::trend::open(input, &shown_of)?;
    if history.unread > 0 {
        history.notes.iter().for_each(|note| say(&format!("note: {note}")));
    }
    let nights = NightlyCounts::of(&history, At::Recorded);
    let trend = |by: By| {
        let lately = by != By::Outcome;
        let together = u32::try_from(SHOWN.len()).unwrap_or(1);
        nights.trend(&Settings { by, lately, together, ..Settings::default() })
    };
    Ok(SHOWN.map(trend).into())
}

/// How right a run's verdicts are; `None` where nothing in it is labelled.
fn truth_of(run: &Path, labels: &LabelsBeside) -> Result<Option<TruthShown>, Failure> {
    if labels.lines.is_empty() && !has_labels(run) {
        return Ok(None);
    }
    let side = read_run(run)?;
    let labelled = Labelled::of_run(run, &side, &labels.lines)?;
    let items = items(&side, &labelled);
    let stats = glance(&side, &items, StatsSettings::default().seed);
    let mistakes = stats.mistakes.iter().map(|mistake| side.entries[mistake.entry as usize].key);
    let mistakes = mistakes.collect();
    let shown = TruthShown { mistakes, stats, beside: labels.names() };
    Ok((!items.is_empty()).then_some(shown))
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
fn explain_command(run: &Path) -> [String; 2] {
    let run = CommandLine::default().word(page::in_command(&run.to_string_lossy(), 1));
    ["tapecheck explain ".to_owned(), format!(" {run}")]
}

/// What a page shows beside the run itself.
#[derive(Debug, clap::Args)]
pub(super) struct BesideArgs {
    /// Run or baseline to compare with, on the page and in Markdown
    #[arg(long, value_name = "RUN|BASELINE")]
    baseline: Option<PathBuf>,
    /// Labels that say what is right [default: those found among the recordings]; repeatable
    #[arg(long, value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// History whose trends the page shows [default: the days of the run itself]
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
}

impl BesideArgs {
    /// Prints a run in a format, or writes it into a file; a page without a file goes into the run's folder.
    pub(super) fn write(&self, run: &Path, output: &Output<page::Format>) -> Result<(), Failure> {
        let format = output.format;
        let is_page = format == page::Format::Html;
        let file = output.file.clone().or_else(|| is_page.then(|| run.join(FILE_NAME)));
        if let Some(page) = &file
            && output.file.is_none()
            && self.baseline.is_none()
        {
            spare_what_changed(page)?;
        }
        if !is_page && !self.labels.is_empty() {
            say("warning: --labels has no effect on this format");
        }
        let is_told = is_page || self.baseline.is_some();
        let beside = (self.labels.is_empty() && is_told).then(|| labels_beside(run));
        let mut labels = beside.unwrap_or_default();
        labels.lines.extend(read_all_labels(&self.labels)?);
        let against = self.baseline.as_deref().map(|other| {
            let doing = format!("comparing {} with {}", run.display(), other.display());
            while_waiting(&doing, || compared_with(run, other, &labels.lines))
        });
        let against = against.transpose()?;
        let history = self.history.as_deref().or(config().history.as_deref());
        let trends = match history.filter(|history| history.exists() || self.history.is_some()) {
            Some(history) => trends_of(history)?,
            None if has_many_days(run) => trends_of(run)?,
            None => Vec::new(),
        };
        let beside = PageContext {
            against,
            truth: if is_page { truth_of(run, &labels)? } else { None },
            trends,
            explain: explain_command(run),
            redactor: redactor()?,
            texts_again,
        };
        let doing = format!("reading {}", run.display());
        let text = while_waiting(&doing, || page::text(run, beside, format))?;
        let Some(file) = file else { return print(&text).map(drop) };
        if is_page {
            page::write_text(&text, &file)?;
        } else {
            save(&file, &text)?;
        }
        say(&format!("written to {}", file.display()));
        Ok(())
    }
}

fn compared_with(run: &Path, other: &Path, lines: &[LabelLine]) -> Result<Against, Failure> {
    let name = page::path_shown(&other.to_string_lossy());
    match PathKind::of(other) {
        PathKind::Run => {
            Ok(Earlier::read(other, &name, u64::MAX)?.compared_with(run, lines, u64::MAX)?)
        }
        PathKind::Baseline => {
            Ok(Against::baseline(&name, &baseline::read(other)?.side, run, lines)?)
        }
        PathKind::Corpus => {
            let why = if other.exists() { "is neither" } else { "is not there, so neither" };
            let path = other.display();
            Err(Failure::usage(format!("{path} {why} a run nor a baseline"))
                .next("name the folder of a run or the file of a baseline with --baseline"))
        }
    }
}

/// What a run changed is told by its page alone once the run before it is gone.
fn spare_what_changed(page: &Path) -> Result<(), Failure> {
    let standing = std::fs::read_to_string(page);
    if !standing.is_ok_and(|html| page::tells_what_changed(&html)) {
        return Ok(());
    }
    let what = "compares with another run, and the new page would not";
    Err(Failure::usage(format!("{} {what}", page.display()))
        .next("name another file with --format html=FILE, or the other run with --baseline"))
}
