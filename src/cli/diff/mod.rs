//! `tapecheck diff`: two runs compared, or one run with what other rules would make of it.

mod compared;
mod rescored;

use super::command_line::CommandLine;
use super::config::config;
use super::exit::FailOnChange;
use super::opened::LabelsArgs;
use super::opened::Place;
use super::outputs::{Output, OutputParser, check_files_apart, printed, save};
use super::terminal::{harmless, print};
use super::{Exit, Failure};
use crate::compare::show::flip_line;
use crate::compare::{Comparison, Kind, Side};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Runs, baselines or recordings; one alone is compared with what --rulebook or --set makes
    /// of it [default: reports/latest]
    #[arg(num_args = 0..=2, value_names = ["BEFORE", "AFTER"])]
    sides: Vec<PathBuf>,
    /// Rulebook for recordings, or to try on a run; twice: first for BEFORE, then for AFTER
    #[arg(long, value_name = "NAME|FILE")]
    rulebook: Vec<String>,
    /// Value to try, such as factors.NAME.weight=3, decide.LINE.threshold=0.4 or threshold=0.4, or a range of values
    /// of one number, FROM..TO or FROM..TO:STEP; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// A path with a range of values.
    #[arg(skip)]
    sweep: Option<(String, String)>,
    /// Write the rulebook with the values of --set into this file
    #[arg(long, value_name = "FILE", requires = "set")]
    write: Option<PathBuf>,
    /// Compare what can be compared, instead of exiting with 3: calls that both sides have and that can be re-scored
    /// without their recordings
    #[arg(long)]
    partial: bool,
    /// Groups to show; the largest of the worst kind come first
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// List all calls of this group, a line each
    #[arg(long, value_name = "ID", conflicts_with = "format")]
    filter: Option<String>,
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new())]
    format: Vec<Output<Format>>,
    /// Also write all changes as tables (CSV and Parquet)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Exit with 1 when there are such changes
    #[arg(long, value_enum, value_name = "CHANGES", default_value = "never")]
    fail_on: FailOnChange,
    #[command(flatten)]
    labels: LabelsArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For terminals
    Text,
    /// For a comment on a pull request, within 60,000 bytes
    #[value(alias = "markdown")]
    Md,
    /// One object
    Json,
}

impl Args {
    pub(super) fn run(mut self) -> Result<Exit, Failure> {
        if self.sides.is_empty() {
            self.sides.push(config().out.clone());
        }
        self.take_range()?;
        let read: Vec<(&str, &Path)> =
            self.sides.iter().map(|side| ("what is compared", side.as_path())).collect();
        let formats = self.format.iter().filter_map(|output| output.file.as_deref());
        check_files_apart(formats.chain(self.write.as_deref()), &read)?;
        let tries = !self.set.is_empty() || self.sweep.is_some();
        match self.sides.as_slice() {
            [_, _] if tries => {
                Err(Failure::usage("--set tries values on one side").next("leave AFTER out"))
            }
            [only] if tries || Place::of(only) != Place::Corpus => self.rescore(),
            _ => self.compare(),
        }
    }

    /// The range among the values to try.
    fn take_range(&mut self) -> Result<(), Failure> {
        let range = |text: &String| {
            let (path, range) = text.split_once('=')?;
            let is_range = range.contains("..") && !range.contains(['"', '\'', '[']);
            is_range.then(|| (path.trim().to_owned(), range.replace("..=", "..")))
        };
        let mut ranges: Vec<(String, String)> = self.set.iter().filter_map(range).collect();
        if ranges.len() > 1 {
            return Err(Failure::usage("--set tries one range at a time")
                .next("leave the other ranges out, or set a value instead"));
        }
        self.set.retain(|text| range(text).is_none());
        self.sweep = ranges.pop();
        if self.write.is_some() && self.set.is_empty() {
            return Err(Failure::usage(
                "--write takes the values of --set, and only a range was given",
            )
            .next("add --set PATH=VALUE"));
        }
        if self.fail_on != FailOnChange::Never && self.sweep.is_some() && self.set.is_empty() {
            let message = "--fail-on checks one value, not a range";
            return Err(Failure::usage(message).next("name one value: --set PATH=VALUE"));
        }
        Ok(())
    }

    /// Prints the format that goes to standard output and writes the others into their files.
    fn show(&self, text: impl Fn(Format) -> String) -> Result<(), Failure> {
        let first = printed(&self.format, Format::Text)?;
        for output in &self.format {
            if let Some(file) = &output.file {
                save(file, &text(output.format))?;
            }
        }
        print(&text(first))
    }

    /// The command as it would be typed again.
    fn command(&self) -> String {
        CommandLine::new("tapecheck diff")
            .words(&self.sides)
            .flag("--rulebook", &self.rulebook)
            .flag("--set", &self.set)
            .switch("--partial", self.partial)
            .flag("--labels", &self.labels.files)
            .then(&self.labels.judging.spelled())
            .to_string()
    }

    fn exit(&self, comparison: &Comparison) -> Exit {
        let is_found = match self.fail_on {
            FailOnChange::Never => false,
            FailOnChange::Worse => worse(comparison) > 0,
            FailOnChange::Any => !comparison.flips.is_empty(),
        };
        if is_found { Exit::Findings } else { Exit::Clean }
    }
}

/// Calls that got worse, and equal replies that are judged more strictly.
fn worse(comparison: &Comparison) -> u64 {
    comparison.kind(Kind::Regressed) + comparison.kind(Kind::Stricter)
}

/// How many lines are printed at once.
const LINES: usize = 1 << 12;

/// Lists the calls of a group, a line each.
fn list(id: &str, comparison: &Comparison, sides: [&Side; 2]) -> Result<(), Failure> {
    let Some(number) = (0..).zip(&comparison.groups).find(|(_, group)| group.id == id) else {
        return Err(Failure::usage(format!("no group is called {}", harmless(id)))
            .next("leave --filter out to see the groups"));
    };
    let lines: Vec<_> = comparison.flips_of(number.0).collect();
    for some in lines.chunks(LINES) {
        let text: String = some.iter().map(|flip| flip_line(sides, flip) + "\n").collect();
        print(&text)?;
    }
    Ok(())
}
