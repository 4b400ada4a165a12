//! `tapecheck stats`: what patterns, signals and factors hit and tell, and how right verdicts are.

use super::command_line::CommandLine;
use super::inputs::cannot_write_tables;
use super::labelled::{LabelledArgs, LabelledSide};
use super::sides::Place;
use super::terminal::{line_width, print};
use super::texts::{read_texts, recordings_at_hand};
use super::{Exit, Failure, cannot_print};
use crate::measure::stats::show::{
    Commands, List, Sections, View, as_json, sections, write_tables,
};
use crate::measure::stats::{Loss, Losses, Refit, Settings, Stats, Thing, drift, stats};
use crate::rulebook::DEFAULT_RULEBOOK;
use crate::store::RULEBOOK;
use crate::view::text::text;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// So many exchanges are read again to be shown with their texts.
const MOST_TEXTS: usize = 1_000;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Args {
    #[command(flatten)]
    judged: LabelledArgs,
    /// Show each server, as it is and left out
    #[arg(long)]
    by_server: bool,
    /// Show all of these: how often each hits, how precisely, and what it tells
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    show: Vec<Shown>,
    /// Show which patterns, signals and factors hold of the same replies
    #[arg(long)]
    overlap: bool,
    /// Show how far scores lie from their thresholds, and the exchanges nearest to them
    #[arg(long)]
    scoremap: bool,
    /// Show how right verdicts are by kind of reply, error code, kind of error and decision line
    #[arg(long)]
    sources: bool,
    /// Show whether confidences mean what they say
    #[arg(long)]
    calibration: bool,
    /// Show the labelled replies that are answered wrongly, with their texts and why
    #[arg(long)]
    mistakes: bool,
    /// Show the same of what is left of the rulebook without the server that is asked about
    #[arg(long, conflicts_with = "mistakes")]
    mistakes_left_out: bool,
    /// Rows that a list has
    #[arg(long, value_name = "N", default_value_t = 25)]
    top: usize,
    /// Say what became more or less frequent since this was judged: the folder of a run, the file of a
    /// baseline, or a corpus, which is judged under the same rulebook
    #[arg(long, value_name = "OTHER")]
    against: Option<PathBuf>,
    /// What a wrong answer costs, such as `tool_failure:business_logic=5`; each costs 1 unless it is said
    /// otherwise. May be given several times
    #[arg(long, value_name = "TRUTH:ANSWER=COST")]
    loss: Vec<Loss>,
    /// Leave weights and thresholds as they are where a server is left out
    #[arg(long)]
    no_refit: bool,
    /// What the draws of intervals begin with: the same number gives the same draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object with everything
    #[arg(long)]
    json: bool,
    /// Also write everything as tables (`stats_patterns.parquet` and others, and as CSV)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Shown {
    /// List entries and regexes
    Patterns,
    /// Named observations
    Signals,
    /// Weighted signals
    Factors,
}

impl Shown {
    fn thing(self) -> Thing {
        match self {
            Self::Patterns => Thing::Pattern,
            Self::Signals => Thing::Signal,
            Self::Factors => Thing::Factor,
        }
    }
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let judged = self.judged.open_with_labels_beside()?;
        let against = match &self.against {
            Some(other) => Some(self.open_other(other)?),
            None => None,
        };
        let settings = Settings {
            seed: self.seed,
            losses: Losses::with(&self.loss),
            refit: if self.no_refit { Refit::No } else { Refit::Yes },
        };
        let stats = stats(&judged.side, &judged.items, &settings);
        let drift = against.map(|other| drift(&other, &judged.side));
        let recordings = recordings_at_hand(&self.judged.input);
        let texts = self.texts(&stats, &judged, &recordings)?;
        let whys = if self.tells_mistakes() {
            judged.whys(&[self.judged.labels.lines()?, judged.beside.clone()].concat())?
        } else {
            BTreeMap::new()
        };
        let commands = self.commands(&recordings);
        let notes = judged.labelled.notes();
        let view = View {
            side: &judged.side,
            stats: &stats,
            drift: drift.as_ref(),
            notes: &notes,
            texts: &texts,
            whys: &whys,
            commands: &commands,
        };
        if let Some(folder) = &self.out {
            write_tables(folder, &view).map_err(cannot_write_tables)?;
        }
        let text = if self.json {
            format!("{:#}\n", as_json(&view))
        } else {
            text(&sections(&view, &self.sections()), line_width())
        };
        print(&text).map_err(|error| cannot_print(&error))?;
        Ok(Exit::Clean)
    }

    /// The other corpus is judged under the same rulebook; whatever is judged already has its own.
    fn open_other(&self, other: &Path) -> Result<crate::compare::Side, Failure> {
        let rulebook = match Place::of(other) {
            Place::Run | Place::Baseline => None,
            Place::Corpus => Some(self.rulebook()),
        };
        let judging = &self.judged.labels.judging;
        let mut side = judging.open(other, rulebook.as_deref())?;
        side.header.name = other.display().to_string();
        Ok(side)
    }

    /// The rulebook that judged, as it would be named.
    fn rulebook(&self) -> String {
        let input = &self.judged.input;
        self.judged.rulebook.clone().unwrap_or_else(|| match Place::of(input) {
            Place::Corpus => DEFAULT_RULEBOOK.to_owned(),
            Place::Run | Place::Baseline => input.join(RULEBOOK).display().to_string(),
        })
    }

    fn sections(&self) -> Sections {
        let before = [(self.by_server, List::Servers), (self.sources, List::Sources)];
        let after = [
            (self.overlap, List::Overlap),
            (self.scoremap, List::Scores),
            (self.calibration, List::Calibration),
            (self.mistakes, List::Mistakes),
            (self.mistakes_left_out, List::MistakesLeftOut),
        ];
        let chosen = |flags: &[(bool, List)]| -> Vec<List> {
            flags.iter().filter(|(is_chosen, _)| *is_chosen).map(|(_, list)| *list).collect()
        };
        let things = self.show.iter().map(|shown| List::Things(shown.thing())).collect();
        let lists = [chosen(&before), things, chosen(&after)].concat();
        Sections { lists, top: self.top }
    }

    fn tells_mistakes(&self) -> bool {
        self.json || self.out.is_some() || self.mistakes || self.mistakes_left_out
    }

    /// The texts of the exchanges that are shown one by one.
    fn texts(
        &self,
        stats: &Stats,
        judged: &LabelledSide,
        recordings: &[PathBuf],
    ) -> Result<BTreeMap<u32, String>, Failure> {
        let mut wanted: Vec<u32> = Vec::new();
        if let (true, Some(truth)) = (self.tells_mistakes(), &stats.truth) {
            let left_out = truth.held_out.iter().flat_map(|held_out| &held_out.mistakes);
            wanted.extend(truth.mistakes.iter().chain(left_out).map(|mistake| mistake.entry));
        }
        if self.json || self.out.is_some() || self.scoremap {
            wanted.extend(stats.score_map.nearest.iter().map(|near| near.entry));
        }
        wanted.truncate(MOST_TEXTS);
        wanted.sort_unstable();
        wanted.dedup();
        let Some(rulebook) = judged.side.rulebook.as_deref() else { return Ok(BTreeMap::new()) };
        let judging = &self.judged.labels.judging;
        read_texts(recordings, &judged.side, rulebook, &wanted, judging)
    }

    /// Commands that say more, as they would be typed.
    fn commands(&self, recordings: &[PathBuf]) -> Commands {
        let LabelledArgs { input, rulebook, labels } = &self.judged;
        let judging = labels.judging.spelled();
        let stats = CommandLine::new("tapecheck stats").word(input).flag("--rulebook", rulebook);
        let stats = stats.flag("--labels", &labels.files).then(&judging);
        let explain = (!recordings.is_empty()).then(|| {
            let after =
                CommandLine::default().words(recordings).flag("--rulebook", [self.rulebook()]);
            ["tapecheck explain ".to_owned(), format!(" {}", after.then(&judging))]
        });
        Commands { stats: stats.to_string(), explain }
    }
}
