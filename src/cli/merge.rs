//! `tapecheck merge`: put the parts of a run together.

use super::config::config;
use super::history::HistoryArgs;
use super::nothing_found::nothing_found;
use super::outputs::{Output, OutputParser, TextOrJson, check_apart, write_outputs};
use super::redacting::redactor;
use super::run::failed;
use super::run_page::RunPage;
use super::sides::unreadable_run;
use super::summary::{Shown, as_json};
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
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<TextOrJson>::new(), conflicts_with = "quiet")]
    format: Vec<Output<TextOrJson>>,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
    /// Print everything that was counted, not just the outcomes and the worst tools
    #[arg(short, long, conflicts_with = "quiet")]
    verbose: bool,
    #[command(flatten)]
    history: HistoryArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        check_apart(&self.format, &[])?;
        self.spare_parts()?;
        let parts = self.parts.iter().map(|folder| {
            let manifest = read_any_manifest(folder).map_err(|error| unreadable_run(&error))?;
            Ok(RunPart { folder: folder.clone(), manifest })
        });
        let parts = parts.collect::<Result<Vec<_>, Failure>>()?;
        let first = &parts[0];
        let rulebook = read_rulebook(&first.folder, &first.manifest);
        let rulebook = rulebook.map_err(|error| unreadable_run(&error))?;
        let history = self.history.open(&self.out, &[])?;
        let page = RunPage::begin(config().page.then_some(&self.out), redactor()?);
        let mut added = None;
        let finish = |finished: &Finished, folder: &Path| {
            let history = history.as_ref().filter(|_| finished.totals.exchanges > 0);
            added = history.map(|history| self.history.add(history, folder, &self.out));
            page.finish(finished, folder, history.and_then(|_| self.history.dir()));
        };
        let finished = merge(parts, &rulebook, &self.out, finish).map_err(refused)?;
        if finished.totals.exchanges == 0 {
            say(&nothing_found(&finished, &self.parts, &self.out));
            return Ok(Exit::Unfinished);
        }
        if !self.quiet {
            write_outputs(&self.format, TextOrJson::Text, |format| match format {
                TextOrJson::Json => as_json(&finished),
                TextOrJson::Text if self.verbose => {
                    Shown::of(&finished, &rulebook.name, &self.out).long_text()
                }
                TextOrJson::Text => Shown::of(&finished, &rulebook.name, &self.out).text(),
            })?;
        }
        if let Some(sentence) = added.transpose()?
            && !self.quiet
        {
            say(&sentence);
        }
        Ok(Exit::Clean)
    }

    /// The run replaces what stands in its place: the parts must not stand there.
    fn spare_parts(&self) -> Result<(), Failure> {
        let Ok(out) = self.out.canonicalize() else { return Ok(()) };
        let within = |part: &&PathBuf| part.canonicalize().is_ok_and(|part| part.starts_with(&out));
        match self.parts.iter().find(within) {
            None => Ok(()),
            Some(part) => Err(Failure::usage(format!(
                "{} is inside {}, which the run would replace",
                part.display(),
                self.out.display()
            ))
            .next("choose another folder with --out")),
        }
    }
}

fn refused(error: MergeError) -> Failure {
    match error {
        MergeError::Run(error) => failed(error),
        error @ (MergeError::Missing { .. } | MergeError::Twice { .. }) => {
            Failure::usage(error).next("name the folder of each part once")
        }
        error @ (MergeError::NoPart(_) | MergeError::OtherRun { .. }) => Failure::usage(error)
            .next("name the folders that tapecheck run --part wrote for one set of recordings"),
        error @ (MergeError::RecordingsChanged { .. } | MergeError::Different { .. }) => {
            Failure::usage(error)
                .next("classify all parts again, of the same recordings in the same way")
        }
        error @ MergeError::TooManyTypes => {
            Failure::usage(error).next("classify all recordings in one run")
        }
    }
}
