//! `tapecheck report`: a finished run as a page for people.

use super::inputs::cannot_open_run;
use super::labelled::wrong_labels;
use super::sides::unreadable_run;
use super::terminal::{say, typed};
use super::{Exit, Failure};
use crate::accuracy::items;
use crate::compare::read_run;
use crate::history::{At, Measure};
use crate::label::{LabelLine, Labelled, read_labels};
use crate::page::{Against, Beside, Closeness, Earlier, FILE_NAME, PageError, TruthShown};
use crate::report::{MANIFEST, Manifest, RULEBOOK, Table, TableReader, is_run};
use crate::rulebook::builtin_names;
use crate::run::{Finished, Left};
use crate::stats::{Settings, glance};
use crate::trend::{By, LookFor, NightlyCounts, Settings as TrendSettings, Trend};
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
    /// Where to write it [default: report.html in the run's folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Another run to hold it against
    #[arg(long, value_name = "RUN")]
    against: Option<PathBuf>,
    /// A file of labels: `{"file", "id", "label"}`, a line each. May be given several times; those in
    /// recordings count too
    #[arg(long = "labels", value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// A history, of which the trends are shown [default: those of the run, where it is of many days]
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One page that any browser opens from disk
    Html,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if !is_run(&self.run) {
            return Err(cannot_open_run(&self.run));
        }
        let against = self.against.as_deref().map(|other| self.held_against(other)).transpose()?;
        let mut lines = Vec::new();
        for file in &self.labels {
            lines.extend(read_labels(file).map_err(|error| wrong_labels(&error))?);
        }
        let beside = Beside {
            against,
            trends: match &self.history {
                Some(history) => trends_of(history)?,
                None if has_many_days(&self.run) => trends_of(&self.run)?,
                None => Vec::new(),
            },
            truth: truth_of(&self.run, &lines)?,
            explain: explain_command(&self.run),
        };
        let out = self.out.clone().unwrap_or_else(|| self.run.join(FILE_NAME));
        match self.format {
            Format::Html => crate::page::write(&self.run, beside, &out).map_err(unwritten)?,
        }
        say(&format!("written to {}", out.display()));
        Ok(Exit::Clean)
    }

    fn held_against(&self, other: &Path) -> Result<Against, Failure> {
        if !is_run(other) {
            return Err(cannot_open_run(other));
        }
        let name = other.display().to_string();
        let earlier = Earlier::try_read(other, &name, Closeness::Always).map_err(unwritten)?;
        earlier.held_against(&self.run, Closeness::Always).map_err(unwritten)
    }
}

/// The page that a run leaves in its folder.
#[derive(Debug)]
pub(super) struct RunPage<'a> {
    /// The folder; `None` where no page is wanted.
    out: Option<&'a Path>,
    /// The run that stood there before.
    earlier: Option<Earlier>,
}

impl<'a> RunPage<'a> {
    /// Reads what the run is going to take the place of.
    pub(super) fn begin(out: Option<&'a PathBuf>) -> Self {
        let out = out.map(PathBuf::as_path);
        let earlier = out.and_then(|out| Earlier::read(out, Closeness::WhereCheap));
        Self { out, earlier }
    }

    /// Writes the page, with the trends of a history or of the run itself. A run without its page is a run all the same, so that trouble is only told.
    pub(super) fn finish(self, finished: &Finished, history: Option<&Path>) {
        let (Some(out), Left::Run) = (self.out, finished.folder) else { return };
        let against = self.earlier.map(|it| it.held_against(out, Closeness::WhereCheap));
        let written = against.transpose().and_then(|against| {
            let truth = truth_of(out, &[]).ok().flatten();
            let is_small = finished.totals.exchanges <= MOST_FOR_TRENDS;
            let of = history.or_else(|| (is_small && has_many_days(out)).then_some(out));
            let trends = of.and_then(|of| trends_of(of).ok()).unwrap_or_default();
            let beside = Beside { against, trends, truth, explain: explain_command(out) };
            crate::page::write(out, beside, &out.join(FILE_NAME))
        });
        if let Err(error) = written {
            say(&format!("warning: the run is whole, but for {FILE_NAME}: {error}"));
        }
    }
}

fn unwritten(error: PageError) -> Failure {
    let next = match &error {
        PageError::Unwritable { .. } => "name another file with --out",
        PageError::Unreadable { .. } | PageError::Table(_) | PageError::Said(_) => {
            "judge the corpus again with tapecheck run"
        }
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
    const SHOWN: [By; 4] = [By::Class, By::Answer, By::Server, By::IssueType];
    let history =
        super::trend::open(input, &[Measure::Class, Measure::Answer, Measure::IssueType])?;
    let nights = NightlyCounts::of(&history, At::Recorded);
    let trend = |by: By| {
        let look_for = if by == By::Class { LookFor::Everything } else { LookFor::Lately };
        let together = u32::try_from(SHOWN.len()).unwrap_or(1);
        nights.trend(&TrendSettings { by, look_for, together, ..TrendSettings::default() })
    };
    Ok(SHOWN.map(trend).into())
}

/// How right a run's verdicts are; `None` where nothing in it is labelled.
pub(super) fn truth_of(run: &Path, lines: &[LabelLine]) -> Result<Option<TruthShown>, Failure> {
    if lines.is_empty() && !has_labels(run) {
        return Ok(None);
    }
    let side = read_run(run).map_err(|error| unreadable_run(&error))?;
    let labelled = Labelled::of_run(run, &side, lines).map_err(Failure::unfinished)?;
    let items = items(&side, &labelled);
    if items.is_empty() {
        return Ok(None);
    }
    let stats = glance(&side, &items, Settings::default().seed);
    let mistakes = stats
        .mistakes
        .iter()
        .map(|mistake| side.entries[mistake.entry as usize].key_name().to_string());
    Ok(Some(TruthShown { mistakes: mistakes.collect(), stats }))
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
    let manifest = std::fs::read_to_string(run.join(MANIFEST)).ok();
    let manifest = manifest.and_then(|text| serde_json::from_str::<Manifest>(&text).ok());
    let Some(manifest) = manifest else { return ["tapecheck explain ".to_owned(), String::new()] };
    let mut after = String::new();
    for input in manifest.wall.inputs.iter().filter(|input| *input != "-") {
        after.push(' ');
        after.push_str(&typed(input));
    }
    let name = manifest.comparable.rulebook.name;
    let rulebook = if builtin_names().contains(&name.as_str()) {
        name
    } else {
        run.join(RULEBOOK).to_string_lossy().into_owned()
    };
    after.push_str(" --rulebook ");
    after.push_str(&typed(&rulebook));
    ["tapecheck explain ".to_owned(), after]
}
