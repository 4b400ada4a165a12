//! `tapecheck merge`: put the parts of a run together.

use super::config::config;
use super::finishing::nothing_found;
use super::finishing::{FinishingArgs, spare};
use super::outputs::{TextOrJson, check_apart, write_outputs};
use super::redacting::redactor;
use super::run_page::RunPage;
use super::terminal::say;
use super::{Exit, Failure};
use crate::compare::{read_any_manifest, read_rulebook};
use crate::run::{Finished, MergeError, RunPart, merge};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folders of all parts, as `tapecheck run --part` wrote them, in any order
    #[arg(value_name = "PARTS", required = true)]
    parts: Vec<PathBuf>,
    /// Where to write the run; replaced atomically, never by an empty run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    pub(super) finishing: FinishingArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        check_apart(&self.finishing.format, &[])?;
        spare(&self.parts, &self.out)?;
        let parts = self.parts.iter().map(|folder| {
            let manifest = read_any_manifest(folder)?;
            Ok(RunPart { folder: folder.clone(), manifest })
        });
        let parts = parts.collect::<Result<Vec<_>, Failure>>()?;
        let first = &parts[0];
        let rulebook = read_rulebook(&first.folder, &first.manifest);
        let rulebook = rulebook?;
        let history = self.finishing.history.open(&self.out, &[])?;
        let page = RunPage::begin(config().page.then_some(&self.out), redactor()?, &rulebook);
        let mut added = None;
        let finish = |finished: &Finished, folder: &Path| {
            added = self.finishing.complete(finished, folder, &self.out, history.as_ref(), page);
        };
        let finished = merge(parts, &rulebook, &self.out, finish).map_err(refused)?;
        if finished.totals.exchanges == 0 {
            say(&nothing_found(&finished, &self.parts, &self.out));
            return Ok(Exit::Unfinished);
        }
        if !self.finishing.quiet {
            write_outputs(&self.finishing.format, TextOrJson::Text, |format| {
                self.finishing.shown(&finished, &rulebook.name, &self.out, format)
            })?;
        }
        self.finishing.say_added(added)?;
        Ok(Exit::Clean)
    }
}

fn refused(error: MergeError) -> Failure {
    match error {
        MergeError::Run(error) => error.into(),
        error @ (MergeError::Missing { .. } | MergeError::Twice { .. }) => {
            Failure::usage(error).next("name the folder of each part once")
        }
        error @ (MergeError::NoPart(_) | MergeError::OtherRun { .. }) => Failure::usage(error)
            .next("name the folders that tapecheck run --part wrote for one set of recordings"),
        error @ (MergeError::RecordingsChanged { .. } | MergeError::Different { .. }) => {
            Failure::usage(error)
                .next("classify all parts again, of the same recordings in the same way")
        }
    }
}
