//! `tapecheck stats`: what patterns, signals and factors hit and tell, and how right verdicts are.

use super::command_line::CommandLine;
use super::config::config;
use super::inputs::redactor;
use super::opened_path::{LabelledArgs, LabelledSide, recordings, rulebook_beside};
use super::outputs::{Output, OutputParser, TextOrJson, write_outputs};
use super::recorded::look_up_entries;
use super::terminal::line_width;
use super::{Exit, Failure};
use crate::measure::stats::show::{List, sections};
use crate::measure::stats::{Settings, Stats, Thing, stats};
use crate::redact::MaskedText;
use crate::view::text::text;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// So many exchanges are read again to be shown with their texts.
const MOST_TEXTS: usize = 1_000;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to show in full, instead of the overview
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    show: Vec<Shown>,
    /// Rows of a list
    #[arg(long, value_name = "N", default_value_t = 25)]
    top: usize,
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<TextOrJson>::new())]
    format: Vec<Output<TextOrJson>>,
    /// Also write everything as tables (CSV and Parquet)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    judged: LabelledArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Shown {
    /// Each server, and each server held out
    Servers,
    /// List entries and regexes
    Patterns,
    /// Named observations
    Signals,
    /// Weighted signals
    Factors,
    /// Whether confidences mean what they say
    Calibration,
    /// Labelled replies that are answered wrongly, with their texts
    Mistakes,
    /// The same, each server held out
    HeldOutMistakes,
}

impl Shown {
    fn list(self) -> List {
        match self {
            Self::Servers => List::Servers,
            Self::Patterns => List::Things(Thing::Pattern),
            Self::Signals => List::Things(Thing::Signal),
            Self::Factors => List::Things(Thing::Factor),
            Self::Calibration => List::Calibration,
            Self::Mistakes => List::Mistakes,
            Self::HeldOutMistakes => List::MistakesLeftOut,
        }
    }
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let judged = self.judged.open()?;
        let settings = Settings { seed: config().seed, refit: config().refit };
        let mut stats = stats(&judged.side, &judged.items, &settings);
        let mut recordings = recordings(self.judged.input());
        if !recordings.iter().all(|recording| recording.exists()) {
            recordings.clear();
        }
        let mistakes = [Shown::Mistakes, Shown::HeldOutMistakes];
        let tells_mistakes = self.out.is_some()
            || self.format.iter().any(|output| output.format == TextOrJson::Json)
            || self.show.iter().any(|shown| mistakes.contains(shown));
        let (mut texts, mut whys) = (BTreeMap::new(), BTreeMap::new());
        if tells_mistakes {
            texts = texts_of_mistakes(&stats, &judged, &recordings)?;
            whys = judged.whys()?;
        }
        let (command, explain) = self.commands(&recordings)?;
        stats.tell(&texts, &whys, explain.as_ref());
        stats.notes = judged.labelled.notes();
        if let Some(folder) = &self.out {
            stats.write_tables(folder)?;
        }
        let lists: Vec<List> = self.show.iter().map(|shown| shown.list()).collect();
        write_outputs(&self.format, TextOrJson::Text, |format| match format {
            TextOrJson::Json => format!("{:#}\n", serde_json::json!(stats)),
            TextOrJson::Text => text(&sections(&stats, &lists, self.top, &command), line_width()),
        })?;
        Ok(Exit::Clean)
    }

    /// The command that measures this again, and what stands before and after a key to explain it, where the
    /// recordings are at hand.
    fn commands(&self, recordings: &[PathBuf]) -> Result<(String, Option<[String; 2]>), Failure> {
        let LabelledArgs { rulebook, labels, .. } = &self.judged;
        let (input, judging) = (self.judged.input(), labels.judging.spelled());
        let stats = CommandLine::new("tapecheck stats").word(input).flag("--rulebook", rulebook);
        let stats = stats.then(&labels.spelled()).to_string();
        if recordings.is_empty() {
            return Ok((stats, None));
        }
        // The rulebook that judged, as it would be named.
        let rulebook = rulebook.clone().map_or_else(|| rulebook_beside(input), Ok)?;
        let after = CommandLine::default().words(recordings).flag("--rulebook", [rulebook]);
        let explain = ["tapecheck explain ".to_owned(), format!(" {}", after.then(&judging))];
        Ok((stats, Some(explain)))
    }
}

/// The texts of the exchanges that are shown one by one.
fn texts_of_mistakes(
    stats: &Stats,
    judged: &LabelledSide,
    recordings: &[PathBuf],
) -> Result<BTreeMap<u32, MaskedText>, Failure> {
    let (Some(rulebook), Some(truth)) = (&judged.side.rulebook, &stats.truth) else {
        return Ok(BTreeMap::new());
    };
    let left_out = stats.leave_one_server_out.iter().map(|it| &it.measured);
    let measured = [&truth.measured].into_iter().chain(left_out);
    let mistakes = measured.flat_map(|it| &it.mistakes).take(MOST_TEXTS);
    let wanted: BTreeSet<u32> = mistakes.map(|mistake| mistake.entry).collect();
    let wanted: Vec<u32> = wanted.into_iter().collect();
    let redactor = redactor()?;
    Ok(look_up_entries(recordings, &judged.side, &wanted, |located| {
        located.tell(&redactor).lines(rulebook)
    }))
}
