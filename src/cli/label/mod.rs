//! `tapecheck label`: saying what the truth is.

pub(super) use check::complaints;

mod add;
mod check;
mod label_screen;
mod next;

use super::command_line::CommandLine;
use super::config::config;
use super::inputs::{JudgingArgs, redactor};
use super::opened_path::{Folder, Judged, recordings};
use super::recorded::look_up_entries;
use super::{Exit, Failure};
use crate::compare::{Entry, Side};
use crate::labels::{Label, LabelLine, Said, plain_id};
use crate::measure::next::Page;
use crate::redact::Redactor;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// So many calls of a server with the same reply get a label together.
const MOST_EQUAL: usize = 100;

/// Where labels go: into the file that is named, else the first of the configuration, else labels.jsonl.
fn target(named: Option<&PathBuf>) -> PathBuf {
    let named = named.or(config().labels.first());
    named.cloned().unwrap_or_else(|| PathBuf::from("labels.jsonl"))
}

/// What is done with labels.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Label one call.
    Add(add::Args),
    /// Check labels for errors, conflicts and gaps.
    Check(check::Args),
    /// Label the most informative calls.
    Next(next::Args),
}

impl Verb {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::Add(args) => args.run(),
            Self::Check(args) => args.run(),
            Self::Next(args) => args.run(),
        }
    }
}

/// How a corpus is judged that is named instead of a run.
#[derive(Debug, clap::Args)]
struct How {
    /// Rulebook for recordings: a built-in one or a file [default: calibrated]
    #[arg(long, value_name = "NAME|FILE")]
    rulebook: Option<String>,
    #[command(flatten)]
    judging: JudgingArgs,
}

impl How {
    /// Reads what was judged, or judges it.
    fn open(&self, path: &Path) -> Result<(Side, Folder), Failure> {
        let is_baseline = || {
            Failure::usage(format!("{} is a baseline, which has no texts to label", path.display()))
                .next("name the folder of a run, or recordings")
        };
        let Judged { side, folder } = self.judging.open(path, self.rulebook.as_deref())?;
        Ok((side, folder.ok_or_else(is_baseline)?))
    }

    fn spelled(&self) -> CommandLine {
        CommandLine::default().flag("--rulebook", &self.rulebook).then(&self.judging.spelled())
    }
}

/// Some exchanges, read from their recordings. Their ids come into files, and are masked. Those that are no longer there are missing.
fn pages(
    path: &Path,
    side: &Side,
    entries: &[u32],
    shown_by: &Redactor,
) -> Result<BTreeMap<u32, Page>, Failure> {
    let redactor = redactor()?;
    Ok(look_up_entries(&recordings(path), side, entries, |located| {
        let page = Page::of(located.as_recorded(), shown_by);
        Page { id: page.id.map(|id| redactor.mask(&id).into_owned()), ..page }
    }))
}

/// The lines that give exchanges a label, with the ids that are known. A label is that of all exchanges with its key.
fn label_lines(
    side: &Side,
    entries: impl IntoIterator<Item = u32>,
    pages: &BTreeMap<u32, Page>,
    label: Label,
) -> Vec<LabelLine> {
    let mut keys = HashSet::new();
    let is_error = |entry: &Entry| {
        let verdict = side.verdicts.get(entry.verdict as usize);
        verdict.is_some_and(|verdict| verdict.ground.is_error())
    };
    let lines = entries.into_iter().filter_map(|at| {
        let entry = side.entries.get(at as usize).filter(|entry| keys.insert(entry.key))?;
        let id = pages.get(&at).and_then(|page| page.id.as_deref());
        Some(LabelLine {
            key: Some(entry.key),
            file: Some(side.names.get(entry.file).to_owned()),
            id: id.map(|id| plain_id(id).to_owned()),
            said: Said::of_call(label, is_error(entry)),
            why: None,
            who: None,
            when: None,
        })
    });
    lines.take(MOST_EQUAL).collect()
}
