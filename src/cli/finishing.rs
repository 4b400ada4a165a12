//! What `run` and `merge` do alike: spare what they read, complete the folder of a run, say what is in it.

use super::Failure;
use super::command_line::typed;
use super::history::HistoryArgs;
use super::outputs::{Output, OutputParser, TextOrJson};
use super::run_page::RunPage;
use super::summary::{Shown, as_json};
use super::terminal::{counted, grouped, harmless, say};
use crate::corpus::OTHER_PATH;
use crate::program::{NOT_OF_MCP, PROGRAMS};
use crate::run::{Finished, Left, Totals};
use crate::trend::history::Store;
use std::fmt::Write as _;
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

pub(super) fn nothing_found(finished: &Finished, inputs: &[PathBuf], out: &Path) -> String {
    let inputs: Vec<String> = inputs.iter().map(typed).collect();
    let left = match finished.folder {
        Left::Run => format!("written to {}", out.display()),
        Left::EarlierRun => format!("the earlier run in {} was not replaced", out.display()),
    };
    format!(
        "no calls were found in {}: {}\n  {left}\n  next: name files or folders of recordings; docs/recordings.md lists their formats",
        inputs.join(", "),
        looked_at(&finished.totals),
    )
}

fn looked_at(totals: &Totals) -> String {
    let mut parts = Vec::new();
    if totals.recordings > 0 {
        let mut part = counted(totals.recordings, "recording") + " with ";
        part += &counted(totals.lines, "line");
        if totals.unreadable() > 0 {
            let reasons = totals.unreadable_lines.iter();
            let reasons: Vec<String> = reasons
                .filter(|(_, count)| **count > 0)
                .map(|(reason, count)| format!("{} {}", reason.name(), grouped(*count)))
                .collect();
            let _ = write!(part, ", {} of them unreadable", grouped(totals.unreadable()));
            let _ = write!(part, " ({})", reasons.join(", "));
        }
        if let Some(requests) = totals.traffic.get(OTHER_PATH) {
            let requests = counted(*requests, "HTTP request");
            let _ = write!(part, ", {requests} to other paths than `envelope_paths` names");
        }
        if let Some(runs) = totals.traffic.get(NOT_OF_MCP) {
            let formats = PROGRAMS.iter().filter(|it| totals.programs.contains_key(it.name));
            let flags: Vec<_> = formats.map(|it| format!("--read-as {}", it.id)).collect();
            let runs = counted(*runs, "tool run");
            let _ = write!(
                part,
                ", {runs} not known to be MCP's ({} reads every tool run as a call)",
                flags.join(" or ")
            );
        }
        parts.push(part);
    }
    let unreadable: u64 = totals.unreadable_files.values().sum();
    if unreadable > 0 {
        let mut part = counted(unreadable, "file") + " that could not be read";
        if let Some(first) = totals.broken_files.first() {
            let _ = write!(part, " ({}: {})", harmless(&first.file), harmless(&first.detail));
        }
        parts.push(part);
    }
    let others: u64 = totals.other_files.values().flat_map(|reasons| reasons.values()).sum();
    if others > 0 {
        let mut part = counted(others, "other file");
        if let Some(first) = totals.notes.first() {
            let _ = write!(part, " ({}: {})", harmless(&first.file), harmless(&first.detail));
        }
        parts.push(part);
    }
    if parts.is_empty() { "no files".to_owned() } else { parts.join("; ") }
}
