//! `tapecheck diff`: two judgements held against each other.

use super::command_line::CommandLine;
use super::inputs::cannot_write_tables;
use super::judged::JudgingArgs;
use super::labelled::{labels_of_run, read_all_labels, tell_notes};
use super::progress::while_waiting;
use super::sides::assign;
use super::terminal::{harmless, log_width, print};
use super::{Exit, Failure, cannot_print};
use crate::compare::show::{
    MOST_BYTES, as_json, as_markdown, flip_line, overlap_words, sections, write_tables,
};
use crate::compare::{Comparison, Kind, Side, compare};
use crate::labels::Labelled;
use crate::view::text::text;
use crate::view::{Line, Section};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What was judged before, and what was judged after: folders of runs, files of baselines, or
    /// corpora
    #[arg(required = true, num_args = 1..=2, value_names = ["BEFORE", "AFTER"])]
    sides: Vec<PathBuf>,
    /// The rulebook a corpus is judged under: a built-in one or a file [default: that of the other side,
    /// else calibrated]. Given twice, the first is for
    /// BEFORE and the second for AFTER, which is the same corpus where it is not named
    #[arg(long, value_name = "RULEBOOK")]
    rulebook: Vec<String>,
    /// Compare only calls that both sides have
    #[arg(long)]
    intersect: bool,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Groups to show in text; the largest of the worst kind come first
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// List all exchanges of a group instead, a line each
    #[arg(long, value_name = "ID")]
    group: Option<String>,
    /// Also write every flip and every group as tables (flips.parquet, groups.parquet, and as CSV)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// A file of labels: where other rules judge an equal reply, its label says whether that is right now
    /// or wrong. May be given several times; those in recordings count too [default: files of labels
    /// that lie among the recordings of AFTER]
    #[arg(long, value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// Exit with 1 when there are such changes
    #[arg(long, value_enum, default_value = "never")]
    fail_on: FailOn,
    #[command(flatten)]
    judging: JudgingArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For terminals
    Text,
    /// For a comment on a pull request, within 60,000 bytes
    Markdown,
    /// One object
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// Nothing changes the exit code
    Never,
    /// Calls regressed, or equal replies are judged more strictly
    Worse,
    /// Anything differs
    Any,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        if self.group.is_some() && self.format != Format::Text {
            return Err(Failure::usage("the exchanges of a group are listed as text").next(
                "leave --format out, or take the rows of the group from flips.parquet (--out)",
            ));
        }
        let [(before, first), (after, second)] = assign(&self.sides, &self.rulebook)?;
        let lines = read_all_labels(&self.labels)?;
        let before = self.judging.open(before, first.as_deref())?;
        let mut labels = Labelled::default();
        let after = self.judging.open_looking(after, second.as_deref(), &mut |folder, side| {
            if !before.header.is_judged_like(&side.header) {
                labels = labels_of_run(folder, side, &lines)?;
            }
            Ok(())
        })?;
        let doing = format!("holding {} against {}", after.header.name, before.header.name);
        let mut comparison = while_waiting(&doing, || compare(&before, &after));
        if !self.labels.is_empty() {
            tell_notes(&labels);
        }
        labels.judge(&mut comparison, [&before, &after]);
        self.check_overlap(&comparison)?;
        if let Some(folder) = &self.out {
            write_tables(folder, &comparison, [&before, &after]).map_err(cannot_write_tables)?;
        }
        match &self.group {
            Some(id) => list(id, &comparison, [&before, &after])?,
            None => self.show(&comparison)?,
        }
        Ok(if self.has_findings(&comparison) { Exit::Findings } else { Exit::Clean })
    }

    /// Sides over other exchanges are compared only where that is asked for.
    fn check_overlap(&self, comparison: &Comparison) -> Result<(), Failure> {
        let overlap = &comparison.overlap;
        if overlap.is_whole() || (self.intersect && overlap.both() > 0) {
            return Ok(());
        }
        let failure = Failure::unfinished(format!(
            "{} and {} are not over the same exchanges: {}",
            harmless(&comparison.before.name),
            harmless(&comparison.after.name),
            overlap_words(overlap),
        ));
        Err(match overlap.both() {
            0 => {
                failure.next("nothing can be compared; name two judgements of the same recordings")
            }
            _ => failure.next("compare what both have with --intersect"),
        })
    }

    fn show(&self, comparison: &Comparison) -> Result<(), Failure> {
        let text = match self.format {
            Format::Text => {
                let mut all = sections(comparison, self.top, &self.command());
                all.extend(self.what_fails(comparison));
                text(&all, log_width())
            }
            Format::Markdown => as_markdown(comparison, MOST_BYTES, &self.command()),
            Format::Json => format!("{:#}\n", as_json(comparison)),
        };
        print(&text).map_err(|error| cannot_print(&error))
    }

    /// What fails where this comparison does not, though something is worse.
    fn what_fails(&self, comparison: &Comparison) -> Option<Section> {
        if self.fail_on != FailOn::Never || worse(comparison) == 0 {
            return None;
        }
        let [before, after] = match &self.sides[..] {
            [before, after] => [before, after],
            [both] => [both, both],
            _ => return None,
        };
        let gate = CommandLine::new("tapecheck gate").words(std::slice::from_ref(after));
        let gate = gate.flag("--baseline", [before]).flag("--rulebook", &self.rulebook);
        let gate = gate.flag("--labels", &self.labels).then(&self.judging.spelled()).to_string();
        let mut section = Section::default();
        section.text(Line::from("this exits with 0; for a check that fails: ").then_command(gate));
        Some(section)
    }

    /// The command that gives this comparison again, as it would be typed.
    fn command(&self) -> String {
        let line = CommandLine::new("tapecheck diff").words(&self.sides);
        let line = line.flag("--rulebook", &self.rulebook).switch("--intersect", self.intersect);
        line.flag("--labels", &self.labels).then(&self.judging.spelled()).to_string()
    }

    fn has_findings(&self, comparison: &Comparison) -> bool {
        match self.fail_on {
            FailOn::Never => false,
            FailOn::Worse => worse(comparison) > 0,
            FailOn::Any => !comparison.flips.is_empty(),
        }
    }
}

/// Calls that got worse, and equal replies that are judged more strictly.
fn worse(comparison: &Comparison) -> u64 {
    comparison.kind(Kind::Regressed) + comparison.kind(Kind::Stricter)
}

/// How many lines are printed at once.
const LINES: usize = 1 << 12;

/// Lists the exchanges of a group, a line each.
pub(super) fn list(id: &str, comparison: &Comparison, sides: [&Side; 2]) -> Result<(), Failure> {
    let Some(number) = (0..).zip(&comparison.groups).find(|(_, group)| group.id == id) else {
        return Err(Failure::usage(format!("there is no group {}", harmless(id)))
            .next("the same command without --group shows the groups"));
    };
    let lines: Vec<_> = comparison.flips_of(number.0).collect();
    for some in lines.chunks(LINES) {
        let text: String = some.iter().map(|flip| flip_line(sides, flip) + "\n").collect();
        print(&text).map_err(|error| cannot_print(&error))?;
    }
    Ok(())
}
