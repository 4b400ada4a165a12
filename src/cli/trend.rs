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
use crate::trend::{By, NightlyCounts, Settings};
use crate::view::text::text;
use clap::builder::PossibleValue;
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
const SHOWN: [(By, &str); 9] = [
    (By::Outcome, "The share of each outcome"),
    (By::Class, "The share of each class"),
    (By::Answer, "The share of each answer to the question of business logic"),
    (By::IssueType, "The share of calls with an issue of each type"),
    (By::Server, "The share of each server's calls that are failed or invalid"),
    (By::Tool, "The share of each tool's calls that are failed or invalid"),
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
