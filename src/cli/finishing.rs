//! What `run` and `merge` do alike: spare what they read, complete the folder of a run, say what is in it.

use super::Failure;
use super::history::HistoryArgs;
use super::outputs::{Output, OutputParser, TextOrJson};
use super::run_page::RunPage;
use super::summary::{Shown, as_json};
use super::terminal::say;
use crate::run::Finished;
use crate::trend::history::Store;
use std::path::{Path, PathBuf};

/// What is said of a finished run, and where it is kept besides.
#[derive(Debug, clap::Args)]
pub(super) struct FinishingArgs {
    /// What to print, or to write into a file
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = OutputParser::<TextOrJson>::new(), conflicts_with = "quiet")]
    pub(super) format: Vec<Output<TextOrJson>>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Print everything that was counted, not just the outcomes and the worst tools
    #[arg(short, long, conflicts_with = "quiet")]
    pub(super) verbose: bool,
    #[command(flatten)]
    pub(super) history: HistoryArgs,
}

impl FinishingArgs {
    /// Adds the run in a folder that is going to stand at `out` to the history, and writes its page, which shows the
    /// trends of the history. Says what was added.
    pub(super) fn complete(
        &self,
        finished: &Finished,
        folder: &Path,
        out: &Path,
        history: Option<&Store>,
        page: RunPage<'_>,
    ) -> Option<Result<String, Failure>> {
        let history = history.filter(|_| finished.totals.exchanges > 0);
        let added = history.map(|history| self.history.add(history, folder, out));
        page.finish(finished, folder, history.and_then(|_| self.history.dir()));
        added
    }

    pub(super) fn shown(
        &self,
        finished: &Finished,
        rulebook: &str,
        out: &Path,
        format: TextOrJson,
    ) -> String {
        match format {
            TextOrJson::Json => as_json(finished),
            TextOrJson::Text if self.verbose => Shown::of(finished, rulebook, out).long_text(),
            TextOrJson::Text => Shown::of(finished, rulebook, out).text(),
        }
    }

    pub(super) fn say_added(&self, added: Option<Result<String, Failure>>) -> Result<(), Failure> {
        if let Some(sentence) = added.transpose()?
            && !self.quiet
        {
            say(&sentence);
        }
        Ok(())
    }
}

/// A run replaces what stands in its place: what it is made of must not stand there.
pub(super) fn spare(made_of: &[PathBuf], named: &Path) -> Result<(), Failure> {
    let Ok(out) = named.canonicalize() else { return Ok(()) };
    let within = |path: &&PathBuf| path.canonicalize().is_ok_and(|path| path.starts_with(&out));
    match made_of.iter().find(within) {
        None => Ok(()),
        Some(path) => Err(Failure::usage(format!(
            "{} is inside {}, which the run would replace",
            path.display(),
            named.display()
        ))
        .next("choose another folder with --out")),
    }
}
