//! `tapecheck gate`: whether what changed is all right, by a policy.

use super::command_line::CommandLine;
use super::judged::JudgingArgs;
use super::labelled::{labels_of_run, read_all_labels};
use super::sides::{Place, assign, only_recording};
use super::terminal::{harmless, log_width, print, say};
use super::{Exit, Failure, cannot_print};
use crate::compare::show::unreadable_files_words;
use crate::compare::{Side, compare};
use crate::gate::{
    Advised, Evidence, GateReport, Outcome, Policy, PolicyError, Sets, annotations, evaluate, json,
    junit, markdown, sarif, sections,
};
use crate::labels::{LabelLine, Labelled};
use crate::recording::{Day, Moment};
use crate::view::text::text;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What was judged now: the folder of a run, the file of a baseline, or a corpus
    #[arg(value_name = "AFTER", default_value = "reports/latest")]
    after: PathBuf,
    /// What it is held against, in any of the same forms
    #[arg(long, value_name = "BEFORE")]
    baseline: PathBuf,
    /// A TOML file of rules and waivers, which overrides the default policy rule by rule
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// The rulebook a corpus is judged under [default: that of the other side, else calibrated]. Where
    /// both sides are corpora it may be given twice, first for BEFORE
    #[arg(long, value_name = "RULEBOOK")]
    rulebook: Vec<String>,
    /// A file of labels, for rules that ask for them: {"file", "id", "label"} on each line. May be given
    /// several times; those in recordings count too [default: files of labels that lie among the
    /// recordings of AFTER]
    #[arg(long, value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// The day on which waivers are looked at [default: today, in UTC]
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<Day>,
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    judging: JudgingArgs,
}

/// What is written, all from one report.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
struct Outputs {
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Also print annotations for GitHub
    #[arg(long, conflicts_with = "json")]
    annotations: bool,
    /// Write `JUnit` XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write Markdown, such as for the summary of a job
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// The folder of the recordings below the repository's root, put before their names in SARIF and
    /// annotations [default: the corpus that was judged]
    #[arg(long = "tapes", value_name = "DIR")]
    recordings: Option<String>,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        self.outputs.check_apart(&self)?;
        let policy = self.policy.as_deref().map_or_else(Policy::builtin, Policy::load);
        let policy = policy.map_err(|error| match error {
            PolicyError::Unreadable { .. } => Failure::unfinished(error)
                .next("see that it is a file and that you may read it, then run again"),
            PolicyError::Missing(_) | PolicyError::Invalid(_) => {
                Failure::usage(error).next("correct the policy; docs/gate.md explains its keys")
            }
        })?;
        let lines = self.label_lines(&policy)?;
        let paths = [self.baseline.clone(), self.after.clone()];
        let [(before, first), (after, second)] = assign(&paths, &self.rulebook)?;
        let recordings = self.outputs.recordings.clone().unwrap_or_else(|| recordings_of(after));
        let before = self.judging.open(before, first.as_deref())?;
        let mut labels = Labelled::cannot_tell("the later side is a baseline, which has no labels");
        let after = self.judging.open_looking(after, second.as_deref(), &mut |folder, side| {
            let is_judged_alike = before.header.is_judged_like(&side.header);
            if !is_judged_alike || policy.asks_for_labels(is_judged_alike) {
                labels = labels_of_run(folder, side, &lines)?;
            }
            Ok(())
        })?;
        is_whole(&after)?;
        is_not_empty(&before)?;
        is_not_empty(&after)?;
        let mut comparison = compare(&before, &after);
        labels.judge(&mut comparison, [&before, &after]);
        let today = self.today.unwrap_or_else(|| Moment::now().day());
        let (before, after, comparison) = (&before, &after, &comparison);
        let evidence = Evidence { before, after, comparison, labels: &labels, today };
        let mut report = evaluate(&policy, &evidence).map_err(|error| {
            let failure = Failure::unfinished(error);
            match comparison.overlap.both() {
                0 => failure
                    .next("nothing can be compared; name two judgements of the same recordings"),
                _ => failure.next(
                    "to compare what both have, write `intersect = true` at the top of the policy",
                ),
            }
        })?;
        let is_part = policy.sets() == Sets::Intersect
            || policy.sets() == Sets::Any && !comparison.overlap.is_whole();
        report.spell_commands(|command, key| {
            self.spelled(command, (key, second.as_deref()), is_part)
        });
        self.outputs.write(&report, &recordings)?;
        if report.count(Outcome::Fail) > 0 {
            return Ok(Exit::Findings);
        }
        if report.count(Outcome::Undecided) > 0 {
            return Err(Failure::unfinished("a rule of the policy could not be decided")
                .next("see above what it lacks"));
        }
        if !is_anything_known(after) && is_anything_known(before) {
            return Err(Failure::unfinished("no call of the later side has a known outcome").next(
                "see whether replies were recorded: `tapecheck run -v` says why outcomes are unknown",
            ));
        }
        if report.says_nothing() {
            return Err(Failure::unfinished("no rule of the policy could be tried").next(
                "see above why each was skipped, and name sides that tell what the rules ask for",
            ));
        }
        Ok(Exit::Clean)
    }

    fn label_lines(&self, policy: &Policy) -> Result<Vec<LabelLine>, Failure> {
        if !self.labels.is_empty() && !policy.asks_for_labels(false) {
            return Err(Failure::usage("the policy has no rule that asks for labels")
                .next("leave --labels out, or add a [labels] table to the policy"));
        }
        read_all_labels(&self.labels)
    }

    /// A command that a rule advises, with the sides of this gate; `None` where it has no use for them.
    /// The exchange to explain has a key, and a corpus was judged by a rulebook.
    fn spelled(
        &self,
        command: Advised,
        (key, judged_by): (Option<&str>, Option<&str>),
        is_part: bool,
    ) -> Option<String> {
        let Self { baseline, after, .. } = self;
        let line = CommandLine::new(command.name());
        let is_corpus = |side: &Path| Place::of(side) == Place::Corpus;
        let last = self.rulebook.last().filter(|_| is_corpus(after));
        let judging = |is_judged: bool| {
            if is_judged { self.judging.spelled() } else { CommandLine::default() }
        };
        let line = match command {
            Advised::Diff => line
                .words([baseline, after])
                .flag("--rulebook", &self.rulebook)
                .switch("--intersect", is_part)
                .flag("--labels", &self.labels)
                .then(&judging(is_corpus(baseline) || is_corpus(after))),
            Advised::Review if Place::of(baseline) == Place::Baseline => {
                let line = line.word(after).flag("--baseline", [baseline]);
                line.flag("--rulebook", last).then(&judging(is_corpus(after)))
            }
            Advised::Explain if Place::of(after) != Place::Baseline => {
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

/// A night in which recordings could not be read says nothing about the verdicts, neither good nor bad.
fn is_whole(after: &Side) -> Result<(), Failure> {
    let unreadable = after.header.unreadable_files.as_ref().map_or(0, |files| files.read_errors);
    match unreadable_files_words(&after.header) {
        Some(words) if unreadable > 0 => Err(Failure::unfinished(format!(
            "{} is not whole: {}",
            harmless(&after.header.name),
            harmless(&words)
        ))
        .next("see why in unreadable.csv of the run; make the files readable, or take them away, then judge again")),
        Some(_) | None => Ok(()),
    }
}

/// Whether what became of anything is known.
fn is_anything_known(side: &Side) -> bool {
    side.entries.iter().any(|entry| side.verdict(entry.verdict).outcome.tells())
}

/// A night without exchanges says nothing, neither good nor bad.
fn is_not_empty(side: &Side) -> Result<(), Failure> {
    if side.entries.is_empty() {
        let name = harmless(&side.header.name);
        return Err(Failure::unfinished(format!("{name} has no exchange"))
            .next("see why in summary.json and unreadable.csv of the run, then judge again"));
    }
    Ok(())
}

impl Outputs {
    fn write(&self, report: &GateReport, recordings: &str) -> Result<(), Failure> {
        let shown = |report| text(&sections(report), log_width());
        let shown = match (self.json, self.annotations) {
            (true, _) => json(report),
            (false, true) => shown(report) + &annotations(report, recordings),
            (false, false) => shown(report),
        };
        let files = [
            self.junit.as_ref().map(|path| (path, junit(report))),
            self.sarif.as_ref().map(|path| (path, sarif(report, recordings))),
            self.markdown.as_ref().map(|path| (path, markdown(report))),
        ];
        // Each is tried, so that a full disk costs one report and not all.
        let mut failed = None;
        for (path, text) in files.into_iter().flatten() {
            if let Err(error) = std::fs::write(path, text) {
                let message =
                    format!("cannot write {}: {error}", harmless(&path.to_string_lossy()));
                match failed {
                    None => failed = Some(message),
                    Some(_) => say(&format!("error: {message}")),
                }
            }
        }
        // Last, since who reads it may be gone while files can still be written.
        let printed = print(&shown).map_err(|error| cannot_print(&error));
        failed.map_or(printed, |message| {
            Err(Failure::unfinished(message).next("name a file in a folder that can be written"))
        })
    }

    /// Nothing that is written may take the place of what is read, nor of another output.
    fn check_apart(&self, args: &Args) -> Result<(), Failure> {
        let mut taken: Vec<(&str, PathBuf)> = Vec::new();
        let read = [
            ("the policy", args.policy.as_ref()),
            ("the baseline", Some(&args.baseline)),
            ("what was judged", Some(&args.after)),
        ];
        taken.extend(args.labels.iter().map(|path| ("the labels", whole(path))));
        taken.extend(read.into_iter().filter_map(|(what, path)| Some((what, whole(path?)))));
        let written =
            [("--junit", &self.junit), ("--sarif", &self.sarif), ("--markdown", &self.markdown)];
        for (flag, path) in written {
            let Some(path) = path else { continue };
            let target = whole(path);
            // Devices and pipes may be written to by several.
            if target.exists() && !target.is_file() {
                continue;
            }
            let hit = taken.iter().find(|(_, other)| {
                target == *other || Place::of(other) == Place::Run && target.starts_with(other)
            });
            if let Some((what, _)) = hit {
                let path = harmless(&path.to_string_lossy());
                return Err(Failure::usage(format!("{flag} {path} would write over {what}"))
                    .next("name another file"));
            }
            taken.push((flag, target));
        }
        Ok(())
    }
}

/// A path by which a file is known that may not be there yet.
fn whole(path: &Path) -> PathBuf {
    let resolved = path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    });
    resolved.unwrap_or_else(|| path.to_owned())
}

/// The folder of the recordings that were judged, below the folder where the command runs; empty where
/// that is not known.
fn recordings_of(side: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let corpus = match Place::of(side) {
        Place::Corpus => Some(side.strip_prefix(&here).unwrap_or(side).to_owned()),
        Place::Run => only_recording(side),
        Place::Baseline => None,
    };
    let Some(corpus) = corpus else { return String::new() };
    let folder = if corpus.is_file() { corpus.parent() } else { Some(corpus.as_path()) };
    match folder {
        Some(folder) if folder.is_relative() => {
            let folder = folder.strip_prefix(".").unwrap_or(folder);
            folder.to_string_lossy().replace('\\', "/")
        }
        Some(_) | None => String::new(),
    }
}
