//! `tapecheck trend`: many nights, from a history or from a run over recordings of many days.

use super::config::config;
use super::exit::FailOnChange;
use super::history::{KeptArgs, lies_in};
use super::outputs::{Output, OutputParser, TextOrJson, printed, write_outputs_by};
use super::terminal::{counted, line_width};
use super::{Exit, Failure};
use crate::count::Dimension;
use crate::recording::Day;
use crate::store::is_run;
use crate::trend::history::History;
use crate::trend::show::{View, sections, write_json, write_tables};
use crate::trend::{By, LookFor, NightlyCounts, Settings};
use crate::view::text::text;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A history, or a run over recordings of many days [default: `history` of tapecheck.toml, else
    /// reports/latest]
    #[arg(value_name = "HISTORY|RUN")]
    input: Option<PathBuf>,
    /// What each series counts
    #[arg(long, value_enum, value_name = "WHAT", default_value = "outcome")]
    by: Shown,
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

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum Shown {
    /// The share of each outcome
    Outcome,
    /// The share of each class
    Class,
    /// The share of each answer to the question of business logic
    Answer,
    /// The share of calls with an issue of each type
    IssueType,
    /// The share of each server's calls that are failed or invalid
    Server,
    /// The share of each tool's calls that are failed or invalid
    Tool,
    /// The share of each kind of error
    ErrorKind,
    /// The share of each scenario's calls that are failed or invalid
    Scenario,
    /// The share of calls for which each signal holds
    Signal,
}

impl Shown {
    fn by(self) -> By {
        match self {
            Self::Outcome => By::Outcome,
            Self::Class => By::Class,
            Self::Answer => By::Answer,
            Self::IssueType => By::IssueType,
            Self::Server => By::Server,
            Self::Tool => By::Tool,
            Self::ErrorKind => By::ErrorKind,
            Self::Scenario => By::Scenario,
            Self::Signal => By::Signal,
        }
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
        let by = self.by.by();
        if let Some(out) = &self.out
            && lies_in(out, input)
        {
            let (out, input) = (out.display(), input.display());
            return Err(Failure::usage(format!("{out} is inside {input}, which is read"))
                .next("choose another folder with --out"));
        }
        let dimensions =
            [Dimension::Outcome, Dimension::IssueType, Dimension::Duration, by.dimension()];
        let history = open(input, &dimensions)?;
        let settings = Settings {
            by,
            since: self.since,
            window: usize::from(config.trend.window),
            ..Settings::default()
        };
        let nights = NightlyCounts::of(&history, config.trend.at);
        let trend = nights.trend(&settings);
        let other = |by: By| {
            let settings = Settings { by, look_for: LookFor::Lately, ..settings };
            (by != self.by.by()).then(|| nights.trend(&settings))
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
        let mut changes = series.flat_map(|series| &series.changes);
        let is_met = changes.any(|change| {
            change.is_open()
                && match self.fail_on {
                    FailOnChange::Never => false,
                    FailOnChange::Worse => change.worse == Some(true),
                    FailOnChange::Any => true,
                }
        });
        if is_met {
            return Ok(Exit::Findings);
        }
        if history.unread > 0 && self.fail_on != FailOnChange::Never {
            let files = counted(history.unread, "file");
            return Err(Failure::unfinished(format!("{files} of {} cannot be read, so changes may be missing", input.display()))
                .next("see the notes above; add these runs again with `tapecheck run --history`, or remove them with `tapecheck trend HISTORY --forget NAME`"));
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
