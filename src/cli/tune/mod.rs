//! `tapecheck tune`: a better rulebook proposed from labels.

mod json;
mod text;
mod variants;
mod write;

use super::command_line::{CommandLine, typed};
use super::config::{Tune, config};
use super::inputs::{cannot_open, inputs};
use super::labelled::{LabelledArgs, LabelledSide};
use super::outputs::{Output, OutputParser, TextOrJson, printed, write_outputs};
use super::redacting::redactor;
use super::terminal::{counted, harmless, print, say};
use super::texts::recordings_at_hand;
use super::{Exit, Failure, cannot_print};
use crate::compare::{Comparison, Side, compare, read_run, show::write_tables};
use crate::corpus::CorpusReader;
use crate::measure::accuracy::Item;
use crate::measure::fit::{self, Bounds};
use crate::rulebook::{Question, Rulebook, RulebookError};
use crate::run::Settings;
use crate::tune::{
    Asked, Breaking, FEWEST_SERVERS, Finding, Gain, GatherError, Noted, Overlay, Plan, Replies,
    Split, SplitError, Study, Support, Yardstick, breaking, enough, gather, split, study,
};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use write::Target;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Write the changes into a new rulebook that extends the tuned one; not if they are unproven or break
    /// examples
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Write even changes that are unproven or break examples
    #[arg(long)]
    force: bool,
    /// Rows of each list
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Seed that assigns servers to parts and breaks ties
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<TextOrJson>::new())]
    format: Vec<Output<TextOrJson>>,
    /// Write every call that would change as tables (CSV and Parquet)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    input: LabelledArgs,
}

/// Parts that servers are dealt into, unless a number is given.
const FOLDS: usize = 5;

/// So many servers are named to choose from.
const NAMED: usize = 10;

/// All that is shown.
struct Report<'a> {
    start: &'a Rulebook,
    replies: &'a Replies,
    study: &'a Study,
    fit: &'a fit::Settings,
    gain: &'a Gain,
    hidden: Option<Gain>,
    /// Whether something was gained that is no chance.
    is_real: bool,
    over_classifier: [Option<Gain>; 2],
    /// The examples, own and inherited, that would come out otherwise.
    breaking: Vec<Breaking>,
    /// So many of a kind are shown to people.
    top: usize,
    flips: Option<&'a Flips>,
    /// What compares the same once the proposal is written.
    command: String,
}

/// What would change in all that was judged.
struct Flips {
    comparison: Comparison,
    sides: [Side; 2],
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let bounds = bounds()?;
        let target = self.write.as_deref().map(Target::at).transpose()?;
        let opened = self.input.open_with_labels_beside()?;
        opened.tell_notes();
        let start = start_of(&opened.side)?;
        let named = self.input.rulebook.as_deref();
        let known = known(named, start);
        if self.write.is_some() && known.is_none() {
            return Err(Failure::usage(format!(
                "the run does not record the path of its rulebook {}, which the new one would \
                 extend",
                harmless(&start.name)
            ))
            .next("name the recordings, with --rulebook FILE"));
        }
        let bases = known.map(|known| known.bases().map_err(Failure::usage)).transpose()?;
        let recorded = self.recorded(&opened)?;
        let replies = self.texts(&opened, &recorded, start)?;
        let plan = self.plan(&replies, bounds)?;
        let mut found = study(&replies, start, &plan).map_err(|error| unusable(&error))?;
        let Some(gain) = found.gain(Asked::Failed, &plan.fit) else {
            return Err(Failure::unfinished(
                "nothing can be measured: the evaluated servers have errors of only one class",
            )
            .next("name other servers, or split them with `tune.folds`"));
        };
        let hidden = found.gain(Asked::Hidden, &plan.fit);
        let questions = [(Asked::Failed, Some(&gain)), (Asked::Hidden, hidden.as_ref())];
        let real: Vec<Asked> = questions
            .into_iter()
            .filter(|(_, gain)| gain.is_some_and(Gain::is_real))
            .map(|(asked, _)| asked)
            .collect();
        // What was not shown to be better is not proposed.
        if !self.force {
            found.learned.only(start, &real).map_err(|error| unusable(&error))?;
        }
        let is_real = !real.is_empty();
        let flips = if found.learned.changes.is_empty() {
            None
        } else {
            self.flips(opened.side.clone(), &recorded, &found)?
        };
        let named = named.unwrap_or(&start.name);
        let report = Report {
            is_real,
            start,
            replies: &replies,
            study: &found,
            fit: &plan.fit,
            gain: &gain,
            hidden,
            breaking: breaking(start, &bases.unwrap_or_default(), &found.learned.rulebook),
            top: self.top,
            over_classifier: [Asked::Failed, Asked::Hidden]
                .map(|asked| found.over_classifier(asked, &plan.fit)),
            flips: flips.as_ref(),
            command: self.command(&recorded, named),
        };
        if let (Some(folder), Some(Flips { comparison, sides: [before, after] })) =
            (&self.out, &flips)
        {
            write_tables(folder, comparison, [before, after]).map_err(|error| {
                Failure::unfinished(error).next("name a folder that you may write, then run again")
            })?;
        }
        write_outputs(&self.format, TextOrJson::Text, |format| match format {
            TextOrJson::Json => report.json(),
            TextOrJson::Text => report.text(),
        })?;
        match target {
            Some(target) => self.keep(&target, named, &report),
            None => Ok(Exit::Clean),
        }
    }

    /// Writes what was found, if that is asked for and worth it.
    fn keep(&self, target: &Target, named: &str, report: &Report<'_>) -> Result<Exit, Failure> {
        let learned = &report.study.learned;
        let file = typed(&target.file);
        if learned.changes.is_empty() {
            let why = match (report.is_real, report.gain.finding) {
                (true, _) => "no change was found".to_owned(),
                (false, _) if self.force => "no change is proposed".to_owned(),
                (false, Finding::TooFewServers) => format!(
                    "it was measured on {}, and a gain needs at least {FEWEST_SERVERS} \
                     servers\n  next: measure on more (`tune.folds` evaluates on all), or add \
                     --force",
                    counted(report.gain.servers, "server")
                ),
                (false, _) => "no gain was shown".to_owned(),
            };
            say(&format!("nothing was written to {file}: {why}"));
            return Ok(Exit::Findings);
        }
        if !report.breaking.is_empty() && !self.force {
            let broken: Vec<String> = report
                .breaking
                .iter()
                .map(|it| format!("  {} ({}): {}", it.example, it.rulebook, it.difference))
                .collect();
            say(&format!(
                "nothing was written to {file}: it would break {}\n{}\n  next: change what they \
                 expect, or add --force",
                counted(broken.len() as u64, "example"),
                broken.join("\n"),
            ));
            return Ok(Exit::Findings);
        }
        let noted = Noted {
            name: &report.start.name,
            objective: &report.fit.objective.to_string(),
            replies: report.replies,
            gains: [Some(report.gain), report.hidden.as_ref()],
            changes: &learned.changes,
            phrases: &learned.phrases,
            breaking: &report.breaking,
        };
        let name = target.file.file_stem().unwrap_or_default().to_string_lossy();
        let overlay = Overlay::new(report.start, &learned.changes);
        let text = noted.rulebook(&name, &target.reference(named)?, &overlay);
        target.write(&text, &learned.rulebook)?;
        if printed(&self.format, TextOrJson::Text)? == TextOrJson::Json {
            say(&format!("{file} was written"));
        } else {
            let text = format!("\n{file} was written. A note for its commit:\n\n{}", noted.text());
            print(&text).map_err(|error| cannot_print(&error))?;
        }
        Ok(Exit::Clean)
    }

    /// Where the recordings lie.
    fn recorded(&self, opened: &LabelledSide) -> Result<Vec<PathBuf>, Failure> {
        let input = self.input.input();
        let recordings =
            Some(recordings_at_hand(input)).filter(|recordings| !recordings.is_empty());
        recordings.filter(|_| opened.folder().is_some()).ok_or_else(|| {
            Failure::usage(format!(
                "the recordings of {} have moved, and tuning reads their texts",
                input.display()
            ))
            .next("name the recordings, with --rulebook")
        })
    }

    fn texts(
        &self,
        opened: &LabelledSide,
        recorded: &[PathBuf],
        start: &Rulebook,
    ) -> Result<Replies, Failure> {
        let bounds = config().bounds;
        let items: Vec<Item> = opened.items.clone();
        let inputs = inputs(recorded);
        let reader = CorpusReader::new(&inputs, bounds).map_err(|error| cannot_open(&error))?;
        let files = self.input.labels.judging.files();
        let reader = match Settings::load(&inputs, &files, &bounds) {
            Ok(settings) => settings.reading(reader),
            Err(error) => return Err(super::inputs::wrong_settings(error)),
        };
        gather(reader, &bounds, &opened.side, &items, start, &redactor()?).map_err(|error| {
            match error {
                GatherError::Gone { .. } => {
                    Failure::unfinished(error).next("classify them again with tapecheck run")
                }
                GatherError::Drive(error) => Failure::unfinished(error),
            }
        })
    }

    fn plan(&self, replies: &Replies, bounds: Bounds) -> Result<Plan, Failure> {
        let Tune { folds, half, train_servers, test_servers, .. } = &config().tune;
        let how = match (half, &train_servers[..], &test_servers[..]) {
            (true, _, _) => Split::Half,
            (false, [], []) => Split::Folds(folds.unwrap_or(FOLDS)),
            (false, train, []) => Split::Train(train.to_vec()),
            (false, [], test) => Split::Test(test.to_vec()),
            (false, train, test) => Split::Both(train.to_vec(), test.to_vec()),
        };
        let servers = replies.servers.len();
        if let Some(folds) = folds.filter(|folds| *folds > servers) {
            return Err(Failure::usage(format!(
                "`tune.folds` is {folds}, more than the {} with labels",
                counted(servers as u64, "server")
            ))
            .next(format!("set `tune.folds` to {servers} to hold out each server once")));
        }
        let folds = split(replies, &how, self.seed).map_err(|error| {
            let failure = Failure::usage(&error);
            match error {
                SplitError::Unknown(_) => {
                    let known = &replies.servers;
                    let mut names =
                        known.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
                    if let more @ 1.. = known.len().saturating_sub(NAMED) {
                        let _ = write!(names, " or one of {more} more");
                    }
                    failure.next(harmless(&format!("name servers with labels, such as {names}")))
                }
                SplitError::OnBothSides(_) => failure.next("name it on one of them"),
            }
        })?;
        let held_out = match how {
            Split::Folds(_) => None,
            Split::Half | Split::Train(_) | Split::Test(_) | Split::Both(..) => folds.first(),
        };
        enough(replies, held_out).map_err(|error| {
            Failure::unfinished(error)
                .next("label more calls: `tapecheck label next` picks the most informative ones")
        })?;
        let fit = fit::Settings {
            objective: config().tune.objective,
            seed: self.seed,
            bounds,
            ..fit::Settings::default()
        };
        let yardstick =
            if config().tune.compare_classifier { Yardstick::Classifier } else { Yardstick::None };
        Ok(Plan { folds, fit, support: Support { servers: config().tune.support }, yardstick })
    }

    fn command(&self, recorded: &[PathBuf], before: &str) -> String {
        let after = self.write.as_deref().unwrap_or(Path::new("FILE"));
        let line = CommandLine::new("tapecheck diff").words(recorded);
        line.flag("--rulebook", [Path::new(before), after]).to_string()
    }

    /// Judges all recordings again, by the proposal.
    fn flips(
        &self,
        before: Side,
        recorded: &[PathBuf],
        found: &Study,
    ) -> Result<Option<Flips>, Failure> {
        let [recorded] = recorded else { return Ok(None) };
        let judged = self.input.labels.judging.judge(recorded, &found.learned.rulebook)?;
        let mut after =
            read_run(&judged.folder()).map_err(|error| super::sides::unreadable_run(&error))?;
        after.header.name = match &self.write {
            Some(file) => file.display().to_string(),
            None => "as proposed".to_owned(),
        };
        let comparison = compare(&before, &after);
        Ok(Some(Flips { comparison, sides: [before, after] }))
    }
}

/// Within which weights stay, if any but 0 can.
fn bounds() -> Result<Bounds, Failure> {
    let Tune { largest_weight: largest, weight_step: step, .. } = config().tune;
    if step <= largest {
        return Ok(Bounds { largest, step });
    }
    Err(Failure::usage(format!(
        "no weight but 0 is a multiple of {step} and at most {largest}: `tune.weight_step` is greater than \
         `tune.largest_weight`"
    ))
    .next(format!("set `tune.weight_step` to at most {largest}, or a greater `tune.largest_weight`")))
}

/// The rulebook that judged, if it can be tuned.
fn start_of(side: &Side) -> Result<&Rulebook, Failure> {
    let Some(start) = side.rulebook.as_deref() else {
        return Err(Failure::usage(format!("{} does not keep its rulebook", side.header.name))
            .next("name the folder of a run, or recordings and --rulebook"));
    };
    match start.errors.question {
        Question::Errors | Question::Failures => Ok(start),
        Question::All => Err(Failure::usage(format!(
            "{} evaluates every reply alike (errors.question = \"all\"), and tuning needs errors \
             and successes apart",
            start.name
        ))
        .next("set errors.question = \"errors\"")),
    }
}

/// The rulebook that judged, as it is found by its name: one that can be extended.
fn known(named: Option<&str>, start: &Rulebook) -> Option<Rulebook> {
    let known = match named {
        Some(named) => Rulebook::load(named),
        None => Rulebook::builtin(&start.name),
    };
    known.ok().filter(|known| known.digest == start.digest)
}

fn unusable(error: &RulebookError) -> Failure {
    Failure::unfinished(format!("the tuned rulebook cannot be used: {error}"))
}
