//! `tapecheck gate`: whether what changed is all right, by a policy.

use super::sides::{Place, SideArgs, assign};
use super::terminal::{harmless, print, say};
use super::{Exit, Failure, cannot_print};
use crate::compare::compare;
use crate::gate::{
    Date, Evidence, GateReport, LabelLine, Labelled, Policy, annotations, evaluate, json, junit,
    markdown, read_labels, sarif, text,
};
use crate::run::inputs_of_run;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What was judged now: the folder of a run, the file of a baseline, or a corpus with --rulebook
    #[arg(value_name = "AFTER")]
    after: PathBuf,
    /// What it is held against, in any of the same forms
    #[arg(long, value_name = "BEFORE")]
    baseline: PathBuf,
    /// The policy: a TOML file of rules and waivers
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// The rulebook a corpus is judged under. Where both sides are corpora it may be given twice, first
    /// for BEFORE
    #[arg(long, value_name = "RULEBOOK")]
    rulebook: Vec<String>,
    /// A file of labels, for rules that ask for them: {"file", "id", "label"} on each line
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The day on which waivers are looked at [default: today, in UTC]
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<Date>,
    #[command(flatten)]
    outputs: Outputs,
    #[command(flatten)]
    judging: SideArgs,
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
    /// The folder of the tapes below the repository's root, put before their names in SARIF and
    /// annotations [default: the corpus that was judged]
    #[arg(long, value_name = "DIR")]
    tapes: Option<String>,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let policy = Policy::load(&self.policy).map_err(|error| {
            Failure::usage(error).next("correct the policy; docs/gate.md explains its keys")
        })?;
        let lines = self.label_lines(&policy)?;
        let paths = [self.baseline.clone(), self.after.clone()];
        let [(before, first), (after, second)] = assign(&paths, &self.rulebook)?;
        let tapes = self.outputs.tapes.clone().unwrap_or_else(|| tapes_of(after));
        let before = self.judging.open(before, first)?;
        let mut labels = Labelled::cannot_tell("the later side is a baseline, which has no labels");
        let after = self.judging.open_looking(after, second, &mut |folder, side| {
            if policy.asks_for_labels() {
                labels = Labelled::of_run(folder, side, &lines).map_err(Failure::unfinished)?;
            }
            Ok(())
        })?;
        let comparison = compare(&before, &after);
        let today = self.today.unwrap_or_else(Date::today);
        let (before, after, comparison) = (&before, &after, &comparison);
        let evidence = Evidence { before, after, comparison, labels: &labels, today };
        let report = evaluate(&policy, &evidence).map_err(|error| {
            let failure = Failure::unfinished(error);
            match comparison.overlap.both() {
                0 => failure.next("nothing can be compared; name two judgements of the same tapes"),
                _ => failure.next(
                    "to compare what both have, write `intersect = true` at the top of the policy",
                ),
            }
        })?;
        self.outputs.write(&report, &tapes)?;
        if report.says_nothing() {
            return Err(Failure::unfinished("no rule of the policy could be tried").next(
                "see above why each was skipped, and name sides that tell what the rules ask for",
            ));
        }
        Ok(if report.passed { Exit::Clean } else { Exit::Findings })
    }

    fn label_lines(&self, policy: &Policy) -> Result<Vec<LabelLine>, Failure> {
        let Some(path) = &self.labels else { return Ok(Vec::new()) };
        if !policy.asks_for_labels() {
            return Err(Failure::usage("the policy has no rule that asks for labels")
                .next("leave --labels out, or add a [labels] table to the policy"));
        }
        read_labels(path).map_err(Failure::usage)
    }
}

impl Outputs {
    fn write(&self, report: &GateReport, tapes: &str) -> Result<(), Failure> {
        let shown = match (self.json, self.annotations) {
            (true, _) => json(report),
            (false, true) => text(report) + &annotations(report, tapes),
            (false, false) => text(report),
        };
        print(&shown).map_err(|error| cannot_print(&error))?;
        let files = [
            self.junit.as_ref().map(|path| (path, junit(report))),
            self.sarif.as_ref().map(|path| (path, sarif(report, tapes))),
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
        failed.map_or(Ok(()), |message| {
            Err(Failure::unfinished(message).next("name a file in a folder that can be written"))
        })
    }
}

/// The folder of the tapes that were judged, below the folder where the command runs; empty where that
/// is not known.
fn tapes_of(side: &Path) -> String {
    let corpus = match Place::of(side) {
        Place::Corpus => side.to_owned(),
        Place::Run => match inputs_of_run(side).as_deref() {
            Some([only]) => only.clone(),
            Some(_) | None => return String::new(),
        },
        Place::Baseline => return String::new(),
    };
    let here = std::env::current_dir().unwrap_or_default();
    let corpus = corpus.strip_prefix(&here).unwrap_or(&corpus);
    let folder = if corpus.is_file() { corpus.parent() } else { Some(corpus) };
    match folder {
        Some(folder) if folder.is_relative() => {
            let folder = folder.strip_prefix(".").unwrap_or(folder);
            folder.to_string_lossy().replace('\\', "/")
        }
        Some(_) | None => String::new(),
    }
}
