//! A corpus judged on the spot, where others ask for a judgement.

use super::Failure;
use super::config::config;
use super::inputs::{JudgingArgs, inputs};
use super::progress::Progress;
use super::redacting::redactor;
use super::run::failed;
use crate::rulebook::Rulebook;
use crate::run::{RunError, RunPlan, run};
use crate::store::{FolderError, WorkFolder};
use std::path::{Path, PathBuf};

/// The folder of a run, which is gone once nobody holds it.
#[derive(Debug)]
pub(super) struct JudgedRun(WorkFolder);

impl JudgedRun {
    pub(super) fn folder(&self) -> PathBuf {
        self.0.path().join("run")
    }
}

impl JudgingArgs {
    /// Judges a corpus, which must have something to judge.
    pub(super) fn judge(&self, corpus: &Path, rulebook: &Rulebook) -> Result<JudgedRun, Failure> {
        let folder = WorkFolder::begin(&std::env::temp_dir()).map_err(|error| no_room(&error))?;
        let judged = JudgedRun(folder);
        let plan = RunPlan {
            inputs: inputs(&[corpus.to_owned()]),
            checks: self.files(),
            bounds: config().bounds,
            threads: self.threads(),
            lines: None,
            redactor: redactor()?,
            keeps_texts: config().texts,
            part: None,
            journal: None,
        };
        let finished = run(&plan, rulebook, &judged.folder(), &Progress::new(true, None));
        let finished = finished.map_err(|error| match error {
            RunError::Corpus(error) => {
                Failure::usage(error).next("name an existing folder of recordings, or a recording")
            }
            RunError::Folder(error) => no_room(&error),
            error => failed(error),
        })?;
        if finished.totals.exchanges == 0 {
            return Err(Failure::unfinished(format!(
                "no calls were found in {}",
                corpus.display()
            ))
            .next(
                "name a folder of recordings; `tapecheck run` shows how each file was recognized",
            ));
        }
        Ok(judged)
    }
}

fn no_room(error: &FolderError) -> Failure {
    let next = match error {
        FolderError::Full { .. } => "make room there, or set TMPDIR to another folder",
        _ => "set TMPDIR to a folder that may be written",
    };
    Failure::unfinished(error).next(next)
}
