//! A finished run as a page for people, or in the formats of other programs.

use crate::baseline;
use crate::cli::Failure;
use crate::cli::config::config;
use crate::cli::opened::Place;
use crate::cli::opened::{labels_beside, read_all_labels};
use crate::cli::outputs::{Output, save};
use crate::cli::progress::while_waiting;
use crate::cli::recorded::texts_again;
use crate::cli::redacting::redactor;
use crate::cli::run_page::{explain_command, has_many_days, trends_of, truth_of};
use crate::cli::terminal::{print, say};
use crate::labels::LabelLine;
use crate::page::{self, Against, Beside, Closeness, Earlier, FILE_NAME};
use std::path::{Path, PathBuf};

/// What a page shows beside the run itself.
#[derive(Debug, clap::Args)]
pub(super) struct BesideArgs {
    /// Run or baseline to compare with, on the page and in Markdown
    #[arg(long, value_name = "RUN|BASELINE")]
    baseline: Option<PathBuf>,
    /// Labels that say what is right [default: those found among the recordings]; repeatable
    #[arg(long, value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// History whose trends the page shows [default: the days of the run itself]
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
}

impl BesideArgs {
    /// Prints a run in a format, or writes it into a file; a page without a file goes into the run's folder.
    pub(super) fn write(&self, run: &Path, output: &Output<page::Format>) -> Result<(), Failure> {
        let format = output.format;
        let is_page = format == page::Format::Html;
        let file = output.file.clone().or_else(|| is_page.then(|| run.join(FILE_NAME)));
        if let Some(page) = &file
            && output.file.is_none()
            && self.baseline.is_none()
        {
            spare_what_changed(page)?;
        }
        if !is_page && !self.labels.is_empty() {
            say("warning: --labels has no effect on this format");
        }
        let lines = read_all_labels(&self.labels)?;
        let against = self.baseline.as_deref().map(|other| {
            let doing = format!("comparing {} with {}", run.display(), other.display());
            while_waiting(&doing, || compared_with(run, other, &lines))
        });
        let against = against.transpose()?;
        let history = self.history.as_deref().or(config().history.as_deref());
        let trends = match history.filter(|history| history.exists() || self.history.is_some()) {
            Some(history) => trends_of(history)?,
            None if has_many_days(run) => trends_of(run)?,
            None => Vec::new(),
        };
        let beside = Beside {
            against,
            truth: if is_page { truth_of(run, &lines)? } else { None },
            explain: explain_command(run),
            redactor: redactor()?,
            texts_again,
        };
        let doing = format!("reading {}", run.display());
        let text = while_waiting(&doing, || page::text(run, beside, trends, format))?;
        match file {
            Some(file) if is_page => {
                page::write_text(&text, &file)?;
                say(&format!("written to {}", file.display()));
            }
            Some(file) => {
                save(&file, &text)?;
                say(&format!("written to {}", file.display()));
            }
            None => print(&text)?,
        }
        Ok(())
    }
}

fn compared_with(run: &Path, other: &Path, lines: &[LabelLine]) -> Result<Against, Failure> {
    let beside = if lines.is_empty() { labels_beside(run).lines } else { Vec::new() };
    let lines = if lines.is_empty() { &beside } else { lines };
    let name = page::path_shown(&other.to_string_lossy());
    match Place::of(other) {
        Place::Run => {}
        Place::Baseline => return against_baseline(other, &name, run, lines),
        Place::Corpus => {
            let why = if other.exists() { "is neither" } else { "is not there, so neither" };
            let path = other.display();
            return Err(Failure::usage(format!("{path} {why} a run nor a baseline"))
                .next("name the folder of a run or the file of a baseline with --baseline"));
        }
    }
    let earlier = Earlier::try_read(other, &name, Closeness::Always)?;
    Ok(earlier.compared_with(run, lines, Closeness::Always)?)
}

/// What a run changed is told by its page alone once the run before it is gone.
fn spare_what_changed(page: &Path) -> Result<(), Failure> {
    let standing = std::fs::read_to_string(page);
    if !standing.is_ok_and(|html| page::tells_what_changed(&html)) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} compares with another run, and the new page would not",
        page.display()
    ))
    .next("name another file with --out, or the other run with --baseline"))
}

fn against_baseline(
    path: &Path,
    name: &str,
    run: &Path,
    lines: &[LabelLine],
) -> Result<Against, Failure> {
    let baseline = baseline::read(path)?;
    Ok(Against::baseline(name, &baseline.side, run, lines)?)
}
