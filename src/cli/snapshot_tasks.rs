//! The work of `tapecheck snapshot`: each collection under each rulebook.

use super::inputs::{inputs, load};
use super::progress::Progress;
use super::run::failed as failed_run;
use super::snapshot::Which;
use super::snapshot_text::Outcome;
use super::terminal::{print, say};
use super::{Exit, Failure, cannot_print};
use crate::baseline::{Baseline, BaselineError, Form, JudgeError, Place, Wrong, judge, read};
use crate::report::FolderError;
use crate::rulebook::Rulebook;
use crate::run::{Emit, RunPlan};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One collection under one rulebook.
pub(super) struct Task {
    pub(super) collection: PathBuf,
    pub(super) rulebook: Arc<Rulebook>,
    pub(super) place: Place,
    plan: RunPlan,
}

impl Task {
    /// What is said of the collection now.
    pub(super) fn judge(&self) -> Result<Baseline, Failure> {
        let progress = Progress::new(true);
        let now = judge(&self.plan, &self.rulebook, &progress).map_err(not_judged)?;
        if now.side.entries.is_empty() {
            return Err(Failure::unfinished(format!(
                "no exchange was found in {}",
                self.collection.display()
            ))
            .next("name a folder of tapes; `tapecheck run` tells what files are taken for"));
        }
        Ok(now)
    }

    /// What was accepted, with its file.
    pub(super) fn accepted(&self) -> Result<Option<(PathBuf, Baseline, Form)>, Failure> {
        let Some(form) = self.place.form().map_err(|error| failed(&error))? else {
            return Ok(None);
        };
        let path = self.place.accepted(form);
        let accepted = read(&path).map_err(|error| failed(&error))?;
        Ok(Some((path, accepted, form)))
    }
}

/// Does something for each collection under each rulebook. What fails for one does not keep the
/// others from being done.
pub(super) fn for_each(
    which: &Which,
    act: impl Fn(&Task) -> Result<Outcome, Failure>,
) -> Result<Exit, Failure> {
    let mut worst = Exit::Clean;
    for task in tasks(which)? {
        let exit = match act(&task) {
            Ok(outcome) => {
                print(&outcome.text()).map_err(|error| cannot_print(&error))?;
                outcome.exit()
            }
            Err(failure) => {
                say(&failure.to_string());
                failure.exit()
            }
        };
        if exit.code() > worst.code() {
            worst = exit;
        }
    }
    Ok(worst)
}

fn tasks(which: &Which) -> Result<Vec<Task>, Failure> {
    let mut rulebooks: BTreeMap<String, (String, Arc<Rulebook>)> = BTreeMap::new();
    for named in &which.rulebook {
        let rulebook = Arc::new(load(named)?);
        let name = rulebook.name.clone();
        if let Some((other, _)) = rulebooks.insert(name.clone(), (named.clone(), rulebook)) {
            return Err(Failure::usage(format!("{other} and {named} are both called `{name}`"))
                .next("a collection has one baseline for each name; rename one of the rulebooks"));
        }
    }
    let mut collections: BTreeMap<String, &PathBuf> = BTreeMap::new();
    for path in &which.corpus {
        let name = name_of(path)?;
        if let Some(other) = collections.insert(name.clone(), path) {
            return Err(Failure::usage(format!(
                "{} and {} are both called `{name}`",
                other.display(),
                path.display()
            ))
            .next("a collection goes by its last name; rename one, or check them one by one with --snapshots DIR"));
        }
    }
    let mut tasks = Vec::new();
    for (name, path) in collections {
        for (rulebook_name, (_, rulebook)) in &rulebooks {
            let place = Place::new(&which.place.snapshots, &name, rulebook_name)
                .map_err(|wrong| Failure::usage(wrong).next("rename it"))?;
            let plan = RunPlan {
                inputs: inputs(std::slice::from_ref(path)),
                checks: which.checks.files(),
                bounds: which.bounds.bounds(),
                threads: which.jobs.map_or_else(cores, usize::from),
                emit: Emit::Tables,
            };
            let rulebook = Arc::clone(rulebook);
            tasks.push(Task { collection: path.clone(), rulebook, place, plan });
        }
    }
    Ok(tasks)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The last name of a path, also of one like `.`.
pub(super) fn name_of(path: &Path) -> Result<String, Failure> {
    let whole = match path.file_name() {
        Some(_) => path.to_owned(),
        None => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
    };
    let name = whole.file_name().and_then(|name| name.to_str());
    match name {
        Some(name) if path.as_os_str() != "-" => Ok(name.to_owned()),
        _ => Err(Failure::usage(format!(
            "{} has no name that a baseline could go by",
            path.display()
        ))
        .next("name a folder or a tape")),
    }
}

fn not_judged(error: JudgeError) -> Failure {
    match error {
        JudgeError::Run(error) => failed_run(error),
        JudgeError::Folder(error) => {
            Failure::unfinished(error).next("make room there, or set TMPDIR to another folder")
        }
        JudgeError::Side(error) => Failure::unfinished(error),
    }
}

/// What to say of a baseline that cannot be used.
pub(super) fn failed(error: &BaselineError) -> Failure {
    let failure = Failure::unfinished(error);
    match error {
        BaselineError::Wrong { wrong: Wrong::Conflict { .. }, .. }
        | BaselineError::Wrong { wrong: Wrong::Line { .. } | Wrong::Counts { .. } | Wrong::Edited { .. }, .. } => failure.next(
            "nothing was written over it; its earlier text may be had from version control",
        ),
        BaselineError::Wrong { wrong: Wrong::NoHeader | Wrong::Future { .. } | Wrong::Damaged(_), .. } => {
            failure.next("nothing was written over it")
        }
        BaselineError::Unreadable { .. } => failure.next("check the path and its permissions"),
        BaselineError::Twice(..) => failure.next("nothing was compared"),
        BaselineError::Locked(_) => {
            failure.next("let the other one end, then do this again; nothing was written")
        }
        BaselineError::Folder(FolderError::Forbidden { .. }) => {
            failure.next("nothing accepted was changed; allow writing there, or choose another folder with --snapshots")
        }
        BaselineError::Folder(_) => failure.next("nothing accepted was changed"),
    }
}
