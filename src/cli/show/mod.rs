//! `tapecheck show`: a finished run, its calls, its error reports, or all of it in another format.

mod calls;
mod error_report;
mod formats;

use super::config::config;
use super::inputs::cannot_open_run;
use super::outputs::{Output, OutputParser, check_apart, printed};
use super::summary::Shown;
use super::terminal::print;
use super::{Exit, Failure};
use crate::page;
use crate::store::is_run;
use calls::Filter;
use formats::BesideArgs;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder of a run [default: reports/latest]
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,
    #[command(flatten)]
    filter: Filter,
    /// Print the report of a session, by its name or the report's file name (`run` for all), or of a call
    #[arg(long, value_name = "SESSION|CALL", conflicts_with_all = ["filter", "format"])]
    report: Option<String>,
    /// What to print, or to write into a file; `html` alone writes RUN/report.html
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new())]
    format: Vec<Output<Format>>,
    /// Print everything that was counted
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    beside: BesideArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// What `run` printed, or the calls that were asked for
    Text,
    /// One page that any browser opens from disk
    Html,
    /// Markdown for a pull request or the summary of a job
    #[value(alias = "markdown")]
    Md,
    /// One JSON object with everything
    Json,
    /// One long table
    Csv,
}

impl Format {
    fn of_page(self) -> Option<page::Format> {
        match self {
            Self::Text => None,
            Self::Html => Some(page::Format::Html),
            Self::Md => Some(page::Format::Markdown),
            Self::Json => Some(page::Format::Json),
            Self::Csv => Some(page::Format::Csv),
        }
    }
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let run = self.run.clone().unwrap_or_else(|| config().out.clone());
        if !is_run(&run) {
            return Err(cannot_open_run(&run));
        }
        if self.filter.is_raw() && (self.report.is_some() || !self.filter.is_some()) {
            return Err(Failure::usage("--raw shows the texts of listed calls only").next(
                "add --filter failed or another filter, or name a call to tapecheck explain",
            ));
        }
        if let Some(name) = &self.report {
            return error_report::show(&run, name);
        }
        if self.filter.is_some() {
            return match printed(&self.format, Format::Text)? {
                Format::Text => self.filter.show(&run),
                Format::Html | Format::Md | Format::Json | Format::Csv => Err(Failure::usage("lists of calls are text only").next(
                    "leave --format out, or take the rows from verdicts.parquet of the run (docs/query.md)",
                ))};
        }
        check_apart(&self.format, &[("the run", &run)])?;
        if self.format.is_empty() {
            self.text(&run)?;
        }
        for output in &self.format {
            match output.format.of_page() {
                Some(format) => {
                    let output = Output { format, file: output.file.clone() };
                    self.beside.write(&run, &output)?;
                }
                None => self.text(&run)?,
            }
        }
        Ok(Exit::Clean)
    }

    fn text(&self, run: &Path) -> Result<(), Failure> {
        let stored = Shown::read(run)?;
        let text = if self.verbose { stored.long_text() } else { stored.text() };
        print(&text)
    }
}
