//! What was judged, with what people say of it: run folders, and corpora that are judged on the spot.

use super::Failure;
use super::config::config;
use super::inputs::{JudgingArgs, inputs, load};
use super::judged::JudgedRun;
use super::redacting::locate_masked;
use super::sides::{Place, is_left_of_a_run, unreadable_run};
use super::terminal::{harmless, say};
use crate::baseline;
use crate::compare::{Side, read_run, read_summary};
use crate::corpus::FileKind;
use crate::labels::{LabelError, LabelLine, Labelled, Recorded, read_whole_labels};
use crate::measure::accuracy::{Item, items};
use crate::run::inputs_of_run;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What was judged, and labels.
#[derive(Debug, clap::Args)]
pub(super) struct LabelledArgs {
    /// A run, or recordings to classify first [default: reports/latest]
    #[arg(value_name = "RUN|RECORDINGS")]
    named: Option<PathBuf>,
    /// Rulebook for recordings: a built-in one or a file [default: calibrated]
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) rulebook: Option<String>,
    #[command(flatten)]
    pub(super) labels: LabelsArgs,
}

/// Labels, and how corpora are judged.
#[derive(Debug, clap::Args)]
pub(super) struct LabelsArgs {
    /// Labels that say what is right [default: those found among the recordings]; repeatable
    #[arg(long = "labels", value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) judging: JudgingArgs,
}

#[derive(Debug)]
pub(super) struct LabelledSide {
    pub(super) side: Side,
    /// What people say.
    pub(super) labelled: Labelled,
    /// The labelled exchanges.
    pub(super) items: Vec<Item>,
    /// The lines of files of labels that were found among the recordings and are used.
    pub(super) beside: Vec<LabelLine>,
    /// Where it lies; `None` for a baseline, which is no folder.
    folder: Option<Folder>,
}

#[derive(Debug)]
pub(super) enum Folder {
    Kept(PathBuf),
    Temporary(JudgedRun),
}

impl LabelledArgs {
    pub(super) fn input(&self) -> &Path {
        self.named.as_deref().unwrap_or(&config().out)
    }

    /// Reads what was judged, or judges it, and finds the labels of its exchanges. Where no file of labels is
    /// named, those among the recordings count, and it is said.
    pub(super) fn open_with_labels_beside(&self) -> Result<LabelledSide, Failure> {
        self.labels.open_with_labels_beside(self.input(), self.rulebook.as_deref())
    }
}

impl LabelsArgs {
    /// Reads what was judged, or judges it, and finds the labels of its exchanges.
    pub(super) fn open(
        &self,
        path: &Path,
        rulebook: Option<&str>,
    ) -> Result<LabelledSide, Failure> {
        let lines = self.lines()?;
        let folder = match (Place::of(path), rulebook) {
            (Place::Corpus, rulebook) if path.exists() && !is_left_of_a_run(path) => {
                let rulebook = load(rulebook.unwrap_or(&config().rulebook))?;
                Folder::Temporary(self.judging.judge(path, &rulebook)?)
            }
            (Place::Run, None) => Folder::Kept(path.to_owned()),
            (Place::Baseline, None) => return self.open_baseline(path),
            // The other cases are mistakes, which are told there.
            (Place::Corpus | Place::Run | Place::Baseline, _) => {
                let side = self.judging.open(path, rulebook)?;
                return Ok(LabelledSide::without_labels(side));
            }
        };
        let run = folder.path();
        let mut side = read_run(&run).map_err(|error| unreadable_run(&error))?;
        side.header.name = path.display().to_string();
        let labelled = Labelled::of_run(&run, &side, &lines).map_err(Failure::unfinished)?;
        let items = items(&side, &labelled);
        Ok(LabelledSide { side, labelled, items, beside: Vec::new(), folder: Some(folder) })
    }

    /// The same. Where no file of labels is named, those among the recordings count, and it is said.
    pub(super) fn open_with_labels_beside(
        &self,
        path: &Path,
        rulebook: Option<&str>,
    ) -> Result<LabelledSide, Failure> {
        let mut opened = self.open(path, rulebook)?;
        if !self.files().is_empty() {
            return Ok(opened);
        }
        let Some(run) = opened.folder() else { return Ok(opened) };
        let found = labels_beside(&run);
        if found.lines.is_empty() {
            return Ok(opened);
        }
        say(&harmless(&format!("labels: from {}, found beside the recordings", found.names())));
        opened.labelled =
            Labelled::of_run(&run, &opened.side, &found.lines).map_err(Failure::unfinished)?;
        opened.items = items(&opened.side, &opened.labelled);
        opened.beside = found.lines;
        Ok(opened)
    }

    fn open_baseline(&self, path: &Path) -> Result<LabelledSide, Failure> {
        if !self.files.is_empty() {
            return Err(Failure::usage(format!(
                "{} is a baseline, which does not keep the places that labels refer to",
                path.display()
            ))
            .next("name the folder of a run, or recordings and --rulebook"));
        }
        let baseline = baseline::read(path).map_err(Failure::unfinished)?;
        Ok(LabelledSide::without_labels(baseline.side))
    }

    /// The files that are named here, else those of the configuration that are there.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        label_files(&self.files)
    }

    /// The lines of all files of labels. Of an exchange of which they say different things, none counts.
    pub(super) fn lines(&self) -> Result<Vec<LabelLine>, Failure> {
        read_all_labels(&self.files())
    }
}

/// Files of labels that were found among the recordings of a run.
#[derive(Debug, Default)]
pub(super) struct LabelsBeside {
    files: Vec<String>,
    pub(super) lines: Vec<LabelLine>,
}

impl LabelsBeside {
    /// What the files are called below the corpus.
    pub(super) fn names(&self) -> String {
        self.files.join(", ")
    }
}

/// Reads the files of labels among the recordings of a run. One that cannot be read is told and left out.
pub(super) fn labels_beside(run: &Path) -> LabelsBeside {
    let mut found = LabelsBeside::default();
    let summary = read_summary(run).ok().flatten();
    let recordings = inputs(&inputs_of_run(run).unwrap_or_default());
    for other in summary.into_iter().flat_map(|summary| summary.other_files) {
        if other.kind != FileKind::Labels.name() {
            continue;
        }
        let Some(path) = locate_masked(&recordings, &other.file) else { continue };
        match labels_in(&path) {
            Ok(lines) => {
                found.lines.extend(lines);
                found.files.push(other.file);
            }
            Err(error) => {
                say(&harmless(&format!("warning: {error}; its labels are ignored")));
            }
        }
    }
    found
}

/// The labels of a run's exchanges: these, else those of files among the recordings.
pub(super) fn labels_of_run(
    run: &Path,
    side: &Side,
    named: &[LabelLine],
) -> Result<Labelled, Failure> {
    let beside = if named.is_empty() { labels_beside(run).lines } else { Vec::new() };
    let lines = if named.is_empty() { &beside } else { named };
    Labelled::of_run(run, side, lines).map_err(Failure::unfinished)
}

/// The files of labels that are named, else those of the configuration that are there.
pub(super) fn label_files(named: &[PathBuf]) -> Vec<PathBuf> {
    if !named.is_empty() {
        return named.to_vec();
    }
    config().labels.iter().filter(|file| file.exists()).cloned().collect()
}

/// The labels of a file. A last line that was cut short is passed over.
pub(super) fn labels_in(file: &Path) -> Result<Vec<LabelLine>, LabelError> {
    let (labels, torn) = read_whole_labels(file)?;
    if let Some(line) = torn {
        warn_of_torn_line(&file.to_string_lossy(), line);
    }
    Ok(labels)
}

fn warn_of_torn_line(file: &str, line: u64) {
    say(&harmless(&format!("warning: {file}:{line} was cut short and is ignored")));
}

pub(super) fn read_all_labels(files: &[PathBuf]) -> Result<Vec<LabelLine>, Failure> {
    let mut lines = Vec::new();
    for file in files {
        lines.extend(labels_in(file).map_err(|error| wrong_labels(&error))?);
    }
    Ok(lines)
}

impl LabelledSide {
    fn without_labels(side: Side) -> Self {
        let labelled = Labelled::cannot_tell("a baseline keeps no labels");
        Self { side, labelled, items: Vec::new(), beside: Vec::new(), folder: None }
    }

    /// Why exchanges have their labels, as lines of labels say, by places in [`Side::entries`].
    pub(super) fn whys(&self, lines: &[LabelLine]) -> Result<BTreeMap<u32, String>, Failure> {
        let Some(folder) = self.folder() else { return Ok(BTreeMap::new()) };
        let recorded = Recorded::of_run(&folder, &self.side, lines).map_err(Failure::unfinished)?;
        let mut whys = BTreeMap::new();
        for (line, meant) in lines.iter().zip(&recorded.meant) {
            if let Some(why) = &line.why {
                whys.extend(meant.entries().iter().map(|at| (*at, why.clone())));
            }
        }
        Ok(whys)
    }

    pub(super) fn tell_notes(&self) {
        tell_notes(&self.labelled);
    }

    /// The folder of the run; `None` for a baseline, which is no folder.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(Folder::path)
    }
}

impl Folder {
    pub(super) fn path(&self) -> PathBuf {
        match self {
            Self::Kept(path) => path.clone(),
            Self::Temporary(judged) => judged.folder(),
        }
    }
}

/// Says on standard error what labels count for nothing.
pub(super) fn tell_notes(labelled: &Labelled) {
    for note in labelled.notes() {
        say(&format!("warning: {}", harmless(&note)));
    }
}

pub(super) fn wrong_labels(error: &LabelError) -> Failure {
    match error {
        LabelError::Unreadable { source, .. } if source.kind() != ErrorKind::NotFound => {
            Failure::unfinished(error)
                .next("see that it is a file and that you may read it, then run again")
        }
        LabelError::Unreadable { .. } => {
            Failure::usage(error).next("name an existing file of labels")
        }
        LabelError::Line { .. } => Failure::usage(error)
            .next("correct the line: {\"file\": RECORDING, \"id\": ID, \"label\": CLASS}"),
        LabelError::IsTable { .. } => Failure::usage(error).next("name a file of lines of JSON"),
        LabelError::Unwritable { .. } | LabelError::Table(_) => Failure::unfinished(error),
    }
}
