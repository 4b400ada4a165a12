//! What a path is: a run, a baseline or recordings. It is read, or judged on the spot, here alone; and what people say of
//! its calls is found.

use super::Failure;
use super::command_line::CommandLine;
use super::config::config;
use super::inputs::{JudgingArgs, inputs, load, locate_masked, redactor};
use super::progress::Progress;
use super::terminal::{counted, harmless, say};
use crate::baseline;
use crate::compare::{Side, read_run, read_summary};
use crate::corpus::FileKind;
use crate::labels::{LabelError, LabelLine, Labelled, Recorded, read_whole_labels};
use crate::measure::accuracy::{Item, items};
use crate::rulebook::{Rulebook, builtin_names};
use crate::run::{RunError, RunPlan, inputs_of_run, run};
use crate::store::{FolderError, RULEBOOK, Table, TableFormat, WorkFolder, is_run};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where a judgement is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathKind {
    Run,
    Baseline,
    /// Nowhere: the recordings have to be judged.
    Corpus,
}

impl PathKind {
    /// What a path is the place of, by its name and by what is there.
    pub(super) fn of(path: &Path) -> Self {
        let name = path.file_name().and_then(OsStr::to_str);
        let is_baseline =
            name.is_some_and(|name| baseline::SnapshotPath::rulebook_of(name).is_some());
        if is_baseline && !path.is_dir() {
            Self::Baseline
        } else if is_run(path) {
            Self::Run
        } else {
            Self::Corpus
        }
    }
}

/// What was judged.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) side: Side,
    /// `None` for a baseline, which is no folder.
    pub(super) folder: Option<Folder>,
}

/// The folder of a run; that of recordings judged on the spot is gone once nobody holds it.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    _held: Option<WorkFolder>,
}

impl JudgingArgs {
    /// Reads what was judged, or judges it: recordings under the rulebook named, else the default one.
    pub(super) fn open(&self, path: &Path, rulebook: Option<&str>) -> Result<Judged, Failure> {
        let shown = path.display();
        let folder = match (PathKind::of(path), rulebook) {
            (PathKind::Corpus, _) if !path.exists() && path != Path::new("-") => {
                return Err(Failure::usage(format!("{shown} does not exist"))
                    .next("name the folder of a run, the file of a baseline, or recordings"));
            }
            (PathKind::Corpus, _)
                if path.join(Table::Verdicts.file_name(TableFormat::Parquet)).is_file() =>
            {
                let what = "is an incomplete run: its manifest.json is missing or unreadable";
                return Err(Failure::usage(format!("{shown} {what}"))
                    .next("classify the recordings again with tapecheck run"));
            }
            (PathKind::Corpus, rulebook) => {
                self.judge(path, &load(rulebook.unwrap_or(&config().rulebook))?)?
            }
            (PathKind::Run | PathKind::Baseline, Some(rulebook)) => {
                let what = format!("classified already, so --rulebook {rulebook} has no effect");
                return Err(Failure::usage(format!("{shown} is {what}"))
                    .next("name the recordings instead, or leave --rulebook out"));
            }
            (PathKind::Run, None) => Folder { path: path.to_owned(), _held: None },
            (PathKind::Baseline, None) => {
                return Ok(Judged { side: baseline::read(path)?.side, folder: None });
            }
        };
        let mut side = read_run(&folder.path)?;
        side.header.name = shown.to_string();
        Ok(Judged { side, folder: Some(folder) })
    }

    /// How recordings are judged, by flags and settings.
    pub(super) fn plan(&self, recordings: &[PathBuf]) -> Result<RunPlan, Failure> {
        Ok(RunPlan {
            inputs: inputs(recordings),
            checks: self.files(),
            bounds: config().bounds,
            threads: self.threads(),
            lines: None,
            redactor: redactor()?,
            keeps_texts: config().texts,
            part: None,
            journal: None,
        })
    }

    /// Judges a corpus, which must have something to judge.
    fn judge(&self, corpus: &Path, rulebook: &Rulebook) -> Result<Folder, Failure> {
        let held = WorkFolder::begin(&std::env::temp_dir()).map_err(|error| no_room(&error))?;
        let path = held.path().join("run");
        let plan = self.plan(&[corpus.to_owned()])?;
        let finished = run(&plan, rulebook, &path, &Progress::new(true, None));
        let finished = finished.map_err(|error| match error {
            RunError::Folder(error) => no_room(&error),
            error => error.into(),
        })?;
        if finished.totals.exchanges > 0 {
            return Ok(Folder { path, _held: Some(held) });
        }
        let what = format!("no calls were found in {}", corpus.display());
        Err(Failure::unfinished(what).next(
            "name a folder of recordings; `tapecheck run` shows how each file was recognized",
        ))
    }
}

fn no_room(error: &FolderError) -> Failure {
    Failure::unfinished(error).next("make room there, or set TMPDIR to another folder")
}

/// The rulebook of a corpus where none is named: that of the side it is compared with, else the default.
pub(super) fn rulebook_beside(other: &Path) -> Result<String, Failure> {
    let is_builtin = |name: &str| builtin_names().contains(&name);
    let file = other.file_name().and_then(OsStr::to_str).unwrap_or_default();
    match (PathKind::of(other), baseline::SnapshotPath::rulebook_of(file)) {
        (PathKind::Run, _) => Ok(other.join(RULEBOOK).display().to_string()),
        (PathKind::Baseline, Some(name)) if is_builtin(name) => Ok(name.to_owned()),
        (PathKind::Baseline, _) if other.exists() => {
            let name = baseline::read(other)?.side.header.rulebook.name;
            let what = format!("{} was accepted under the rulebook {name}", other.display());
            let wrong = || Failure::usage(what).next("name its file with --rulebook");
            Some(name).filter(|name| is_builtin(name)).ok_or_else(wrong)
        }
        (PathKind::Baseline | PathKind::Corpus, _) => Ok(config().rulebook.clone()),
    }
}

pub(super) fn nothing_to_compare() -> Failure {
    Failure::usage("nothing to compare it with").next(
        "name AFTER, or what to try: --rulebook NAME|FILE, --set PATH=VALUE or --set PATH=FROM..TO",
    )
}

/// Which rulebook judges which path: corpora take the named ones in turn, and one rulebook is enough
/// for two corpora. Where a single corpus is named with rulebooks, it is compared with itself.
pub(super) fn assign<'a>(
    paths: &'a [PathBuf],
    rulebooks: &[String],
) -> Result<[(&'a Path, Option<String>); 2], Failure> {
    let is_corpus = |path: &Path| PathKind::of(path) == PathKind::Corpus;
    let mut named = rulebooks.to_vec();
    let [before, after] = match paths {
        [before, after] => [before, after],
        [only] if !named.is_empty() && is_corpus(only) => {
            if named.len() == 1 {
                named.insert(0, config().rulebook.clone());
            }
            [only, only]
        }
        _ => return Err(nothing_to_compare()),
    };
    let corpora = [before, after].into_iter().filter(|path| is_corpus(path)).count();
    if named.len() > corpora {
        let rulebooks = counted(named.len() as u64, "rulebook");
        let what = format!("{rulebooks} named, and {corpora} of the two sides are recordings");
        return Err(Failure::usage(what)
            .next("--rulebook is for recordings; runs and baselines are classified already"));
    }
    let last = named.last().cloned();
    let mut named = named.into_iter();
    let mut rulebook = |path: &Path, other: &Path| {
        let named = is_corpus(path).then(|| named.next().or(last.clone()));
        named.map(|named| named.map_or_else(|| rulebook_beside(other), Ok)).transpose()
    };
    Ok([(before, rulebook(before, after)?), (after, rulebook(after, before)?)])
}

/// The recordings that were judged; none where they are not known.
pub(super) fn recordings(judged: &Path) -> Vec<PathBuf> {
    match PathKind::of(judged) {
        PathKind::Corpus => vec![judged.to_owned()],
        PathKind::Run => inputs_of_run(judged).unwrap_or_default(),
        PathKind::Baseline => Vec::new(),
    }
}

/// The one folder or recording that was judged, below the folder where the command runs.
pub(super) fn only_recording(judged: &Path) -> Option<PathBuf> {
    let [only] = <[PathBuf; 1]>::try_from(recordings(judged)).ok()?;
    let here = std::env::current_dir().unwrap_or_default();
    Some(only.strip_prefix(&here).map_or(only.clone(), Path::to_owned))
}

/// The folder of the judged recordings, below the working folder; empty where that is not known.
pub(super) fn recordings_of(side: &Path) -> String {
    let only = only_recording(side).unwrap_or_default();
    let folder = if only.is_file() { only.parent().unwrap_or(&only) } else { &only };
    if folder.is_absolute() {
        return String::new();
    }
    folder.strip_prefix(".").unwrap_or(folder).to_string_lossy().replace('\\', "/")
}

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
    /// The lines of labels.
    lines: Vec<LabelLine>,
    /// Where it lies; `None` for a baseline, which is no folder.
    folder: Option<Folder>,
}

impl LabelledArgs {
    pub(super) fn input(&self) -> &Path {
        self.named.as_deref().unwrap_or(&config().out)
    }

    pub(super) fn open(&self) -> Result<LabelledSide, Failure> {
        self.labels.open(self.input(), self.rulebook.as_deref())
    }
}

impl LabelsArgs {
    /// Reads what was judged, or judges it, and finds the labels of its exchanges. Where no file of labels is named,
    /// those among the recordings count, and it is said.
    pub(super) fn open(
        &self,
        path: &Path,
        rulebook: Option<&str>,
    ) -> Result<LabelledSide, Failure> {
        let named = self.lines()?;
        let Judged { side, folder } = self.judging.open(path, rulebook)?;
        if folder.is_none() && !self.files.is_empty() {
            let what = "is a baseline, which does not keep the places that labels refer to";
            return Err(Failure::usage(format!("{} {what}", path.display()))
                .next("name the folder of a run, or recordings and --rulebook"));
        }
        let (mut labelled, mut lines) =
            (Labelled::cannot_tell("a baseline keeps no labels"), Vec::new());
        if let Some(run) = &folder {
            let found = labels_or_beside(named, &run.path);
            if !found.files.is_empty() {
                let files = found.names();
                say(&harmless(&format!("labels: from {files}, found beside the recordings")));
            }
            lines = found.lines;
            labelled = Labelled::of_run(&run.path, &side, &lines)?;
        }
        let items = items(&side, &labelled);
        Ok(LabelledSide { side, labelled, items, lines, folder })
    }

    pub(super) fn spelled(&self) -> CommandLine {
        CommandLine::default().flag("--labels", &self.files).then(&self.judging.spelled())
    }

    /// The files that are named here, else those of the configuration that are there.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        if !self.files.is_empty() {
            return self.files.clone();
        }
        config().labels.iter().filter(|file| file.exists()).cloned().collect()
    }

    /// The lines of all files of labels; `None` where there is no file. Of an exchange of which they say different
    /// things, none counts.
    pub(super) fn lines(&self) -> Result<Option<Vec<LabelLine>>, Failure> {
        let files = self.files();
        (!files.is_empty()).then(|| read_all_labels(&files)).transpose()
    }
}

/// Labels, and the files among the recordings of a run that they were found in.
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

/// These labels, however few, else those in files among the recordings of a run.
pub(super) fn labels_or_beside(lines: Option<Vec<LabelLine>>, run: &Path) -> LabelsBeside {
    let named = |lines| LabelsBeside { files: Vec::new(), lines };
    lines.map_or_else(|| labels_beside(run), named)
}

/// Reads the files of labels among the recordings of a run. One that cannot be read is told and left out.
pub(super) fn labels_beside(run: &Path) -> LabelsBeside {
    let mut found = LabelsBeside::default();
    let summary = read_summary(run).ok().flatten();
    let recordings = inputs(&inputs_of_run(run).unwrap_or_default());
    let others = summary.into_iter().flat_map(|summary| summary.other_files);
    for other in others.filter(|other| other.kind == FileKind::Labels.name()) {
        let Some(path) = locate_masked(&recordings, &other.file) else { continue };
        match labels_in(&path) {
            Ok(lines) => {
                found.lines.extend(lines);
                found.files.push(other.file);
            }
            Err(error) => say(&harmless(&format!("warning: {error}; its labels are ignored"))),
        }
    }
    found
}

/// The labels of a file. A last line that was cut short is passed over.
pub(super) fn labels_in(file: &Path) -> Result<Vec<LabelLine>, LabelError> {
    let (labels, torn) = read_whole_labels(file)?;
    if let Some(line) = torn {
        let place = format!("{}:{line}", file.display());
        say(&harmless(&format!("warning: {place} was cut short and is ignored")));
    }
    Ok(labels)
}

pub(super) fn read_all_labels(files: &[PathBuf]) -> Result<Vec<LabelLine>, Failure> {
    let lines = files.iter().map(|file| labels_in(file)).collect::<Result<Vec<_>, _>>()?;
    Ok(lines.concat())
}

impl LabelledSide {
    /// Why exchanges have their labels, as lines of labels say, by places in [`Side::entries`].
    pub(super) fn whys(&self) -> Result<BTreeMap<u32, String>, Failure> {
        let Some(folder) = &self.folder else { return Ok(BTreeMap::new()) };
        let recorded = Recorded::of_run(&folder.path, &self.side, &self.lines)?;
        let mut whys = BTreeMap::new();
        for (line, meant) in self.lines.iter().zip(&recorded.meant) {
            if let Some(why) = &line.why {
                whys.extend(meant.entries().iter().map(|at| (*at, why.clone())));
            }
        }
        Ok(whys)
    }
}

/// Says on standard error what labels count for nothing.
pub(super) fn tell_notes(labelled: &Labelled) {
    for note in labelled.notes() {
        say(&format!("warning: {}", harmless(&note)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn rulebooks_are_assigned_as_their_cases_say() {
        cases::check("tests/cases/sides.txt", |case| {
            let (paths, named) = case.text.split_once(" | ").unwrap_or((&case.text, ""));
            let paths: Vec<PathBuf> = paths.split(' ').map(PathBuf::from).collect();
            let named: Vec<String> = named.split_whitespace().map(str::to_owned).collect();
            match assign(&paths, &named) {
                Ok(sides) => sides
                    .map(|(path, rulebook)| {
                        let rulebook = rulebook.unwrap_or("classified already".to_owned());
                        format!("{}: {rulebook}", path.display())
                    })
                    .join(", "),
                Err(failure) => failure.to_string(),
            }
        });
    }
}
