//! `tapecheck gate`: whether what changed is all right, by a policy.

use super::command_line::CommandLine;
use super::config::config;
use super::inputs::{cannot_open_run, load};
use super::opened_path::{
    Judged, LabelsArgs, PathKind, assign, labels_or_beside, recordings, recordings_of,
};
use super::outputs::{Output, OutputParser, printed, write_files};
use super::review;
use super::terminal::{harmless, log_width, print_commands};
use super::{Exit, Failure};
use crate::baseline::places;
use crate::compare::show::unreadable_files_words;
use crate::compare::{Side, compare, read_manifest};
use crate::gate::{
    Advised, Evidence, GateReport, Outcome, Policy, PolicyError, Sets, State, annotations,
    evaluate, json, junit, markdown, none_tried, sarif, sections,
};
use crate::labels::Labelled;
use crate::view::text::text;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Run, baseline or recordings to check [default: reports/latest]
    #[arg(value_name = "AFTER")]
    after: Option<PathBuf>,
    /// Run, baseline or recordings to compare with, or a folder of baselines [default: snapshots]
    #[arg(long, value_name = "BEFORE")]
    baseline: Option<PathBuf>,
    /// Rules and waivers, TOML; they override the default policy rule by rule
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// What to print, or to write into a file; repeatable
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<Format>::new())]
    format: Vec<Output<Format>>,
    /// Rulebook for recordings [default: that of the other side]; twice: for BEFORE, then for AFTER
    #[arg(long, value_name = "NAME|FILE")]
    rulebook: Vec<String>,
    #[command(flatten)]
    labels: LabelsArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For terminals and logs
    Text,
    /// Text, and annotations for GitHub Actions
    Github,
    /// Markdown, such as for the summary of a job
    #[value(alias = "markdown")]
    Md,
    /// One JSON object
    Json,
    /// `JUnit` XML
    Junit,
    /// SARIF 2.1.0
    Sarif,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let paths = self.sides()?;
        let policy_file = self.policy.as_deref().or(config().policy.as_deref());
        let policy = policy_file.map_or_else(Policy::builtin, Policy::load);
        let policy = policy.map_err(|error| match error {
            PolicyError::Unreadable { .. } => Failure::unfinished(error)
                .next("see that it is a file and that you may read it, then run again"),
            PolicyError::Missing(_) | PolicyError::Invalid(_) => {
                Failure::usage(error).next("correct the policy; docs/gate.md explains its keys")
            }
        })?;
        if !self.labels.files.is_empty() && !policy.asks_for_labels(false) {
            return Err(Failure::usage("the policy has no rule that uses labels")
                .next("leave --labels out, or add a [labels] table to the policy"));
        }
        let lines = self.labels.lines()?;
        let [(before, first), (after, second)] = assign(&paths, &self.rulebook)?;
        let recordings = recordings_of(after);
        let before = self.labels.judging.open(before, first.as_deref())?.side;
        let Judged { side: after, folder } = self.labels.judging.open(after, second.as_deref())?;
        let is_judged_alike = before.header.is_judged_like(&after.header);
        let asks = !is_judged_alike || policy.asks_for_labels(is_judged_alike);
        let labels = match folder.filter(|_| asks) {
            Some(run) => {
                Labelled::of_run(&run.path, &after, &labels_or_beside(lines, &run.path).lines)?
            }
            None => Labelled::cannot_tell("the later side is a baseline, which has no labels"),
        };
        is_whole(&after)?;
        is_not_empty(&before)?;
        is_not_empty(&after)?;
        let mut comparison = compare(&before, &after);
        labels.judge(&mut comparison, [&before, &after]);
        let (before, after, comparison) = (&before, &after, &comparison);
        let evidence =
            Evidence { before, after, comparison, labels: &labels, today: config().today };
        let mut report = evaluate(&policy, &evidence).map_err(|error| {
            Failure::unfinished(error).next(match comparison.overlap.both() {
                0 => "nothing can be compared; name two runs over the same recordings",
                _ => {
                    "to compare only calls that both have, write `intersect = true` at the top \
                     of the policy"
                }
            })
        })?;
        let is_part = policy.sets() == Sets::Intersect
            || policy.sets() == Sets::Any && !comparison.overlap.is_whole();
        report.spell_commands(|command, key| {
            self.spelled(&paths, command, (key, second.as_deref()), is_part)
        });
        let terminal = || text(&sections(&report), log_width());
        let written = |format| match format {
            Format::Text => terminal(),
            Format::Github => terminal() + &annotations(&report, &recordings),
            Format::Md => markdown(&report),
            Format::Json => json(&report),
            Format::Junit => junit(&report),
            Format::Sarif => sarif(&report, &recordings),
        };
        let first = printed(&self.format, Format::Text)?;
        let saved = write_files(&self.format, written);
        print_commands(&written(first))?;
        saved?;
        match report.state {
            State::Green => Ok(Exit::Clean),
            State::Operator if report.passed => Ok(Exit::Clean),
            State::Red | State::Operator => Ok(Exit::Findings),
            State::NothingToJudge => Err(nothing_to_judge(&report)),
        }
    }

    /// What is compared, the earlier side first.
    fn sides(&self) -> Result<[PathBuf; 2], Failure> {
        let after = self.after.clone().unwrap_or_else(|| config().out.clone());
        let named = self.baseline.as_ref().unwrap_or(&config().baseline);
        if PathKind::of(&after) == PathKind::Corpus && !after.exists() {
            return Err(cannot_open_run(&after));
        }
        let has_baselines =
            named.is_dir() && PathKind::of(named) == PathKind::Corpus && !places(named)?.is_empty();
        if has_baselines {
            return Ok([self.baseline_of(named, &after)?, after]);
        }
        let before = self.baseline.clone().ok_or_else(|| {
            Failure::usage(format!("no baseline in {}", named.display()))
                .next("name one with --baseline, or accept a first one: tapecheck review RECORDINGS --all")
        })?;
        Ok([before, after])
    }

    /// The baseline of what is checked, by the names of its recordings and its rulebook.
    fn baseline_of(&self, folder: &Path, after: &Path) -> Result<PathBuf, Failure> {
        let unclear = |why: String| {
            Failure::usage(why)
                .next("name the baseline: --baseline FOLDER/COLLECTION/RULEBOOK.snap")
        };
        let recordings = recordings(after);
        let [recordings] = recordings.as_slice() else {
            let (after, count) = (after.display(), recordings.len());
            return Err(unclear(format!(
                "{after} has {count} inputs, so it is not clear which baseline is meant"
            )));
        };
        let rulebook = match PathKind::of(after) {
            PathKind::Run => read_manifest(after)?.comparable.rulebook.name,
            PathKind::Baseline | PathKind::Corpus => {
                load(self.rulebook.last().unwrap_or(&config().rulebook))?.name
            }
        };
        let file = review::place_of(folder, recordings, &rulebook, true)?.accepted();
        if file.exists() {
            Ok(file)
        } else {
            Err(unclear(format!("{} does not exist", file.display())))
        }
    }

    /// A command that a rule advises, with the sides of this gate; `None` where it has no use for them.
    /// The exchange to explain has a key, and a corpus was judged by a rulebook.
    fn spelled(
        &self,
        [baseline, after]: &[PathBuf; 2],
        command: Advised,
        (key, judged_by): (Option<&str>, Option<&str>),
        is_part: bool,
    ) -> Option<String> {
        let line = CommandLine::new(match command {
            Advised::Diff => "tapecheck diff",
            Advised::Review => "tapecheck review",
            Advised::Explain => "tapecheck explain",
        });
        let is_corpus = |side: &Path| PathKind::of(side) == PathKind::Corpus;
        let last = self.rulebook.last().filter(|_| is_corpus(after));
        let judging = |is_judged: bool| {
            if is_judged { self.labels.judging.spelled() } else { CommandLine::default() }
        };
        let line = match command {
            Advised::Diff => line
                .words([baseline, after])
                .flag("--rulebook", &self.rulebook)
                .switch("--partial", is_part)
                .flag("--labels", &self.labels.files)
                .then(&judging(is_corpus(baseline) || is_corpus(after))),
            Advised::Review if PathKind::of(baseline) == PathKind::Baseline => {
                let line = line.word(after).flag("--baseline", [baseline]);
                line.flag("--rulebook", last).then(&judging(is_corpus(after)))
            }
            Advised::Explain if PathKind::of(after) != PathKind::Baseline => {
                let line = line.word(key?).word(after).flag("--rulebook", judged_by);
                line.then(&judging(is_corpus(after)))
            }
            // A run or a corpus becomes a baseline by being named as one.
            Advised::Review if after != baseline => {
                CommandLine::default().flag("--baseline", [after])
            }
            Advised::Review | Advised::Explain => return None,
        };
        Some(line.to_string())
    }
}

/// What is missing, and what to do about it.
fn nothing_to_judge(report: &GateReport) -> Failure {
    let (what, next) = if report.count(Outcome::Undecided) > 0 {
        ("a rule of the policy could not be decided", "see above what is missing")
    } else if none_tried(&report.rules) {
        (
            "no rule of the policy could be evaluated",
            "see above why each was skipped, and name sides that have what the rules need",
        )
    } else {
        (
            "no call of the later side has a known outcome",
            "see whether replies were recorded: `tapecheck run -v` says why outcomes are unknown",
        )
    };
    Failure::unfinished(what).next(next)
}

/// A side that says nothing of the verdicts, neither good nor bad.
fn silent(side: &Side, why: &str) -> Failure {
    Failure::unfinished(format!("{} {}", harmless(&side.header.name), harmless(why)))
        .next("see why in summary.json and unreadable.csv of the run, then run again")
}

fn is_whole(after: &Side) -> Result<(), Failure> {
    let unreadable = after.header.unreadable_files.as_ref().map_or(0, |files| files.read_errors);
    let words = unreadable_files_words(&after.header).filter(|_| unreadable > 0);
    words.map_or(Ok(()), |words| Err(silent(after, &format!("is incomplete: {words}"))))
}

fn is_not_empty(side: &Side) -> Result<(), Failure> {
    if side.entries.is_empty() { Err(silent(side, "has no calls")) } else { Ok(()) }
}
