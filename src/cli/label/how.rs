//! The exchanges that labels are about: a run, or a corpus that is judged first.

use crate::cli::Failure;
use crate::cli::command_line::CommandLine;
use crate::cli::config::config;
use crate::cli::inputs::JudgingArgs;
use crate::cli::records::{Wanted, look_up};
use crate::cli::redacting::redactor;
use crate::cli::sides::{Look, Place, recordings};
use crate::compare::Side;
use crate::measure::next::Page;
use crate::redact::Redactor;
use std::collections::HashMap;
use std::path::Path;

/// How a corpus is judged that is named instead of a run.
#[derive(Debug, clap::Args)]
pub(super) struct How {
    /// Rulebook for recordings: a built-in one or a file [default: calibrated]
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) rulebook: Option<String>,
    #[command(flatten)]
    judging: JudgingArgs,
}

impl How {
    /// Reads what was judged, or judges it.
    pub(super) fn open(&self, path: &Path, look: Look<'_>) -> Result<Side, Failure> {
        if Place::of(path) == Place::Baseline {
            return Err(Failure::usage(format!(
                "{} is a baseline, which has no texts to label",
                path.display()
            ))
            .next("name the folder of a run, or recordings"));
        }
        self.judging.open_looking(path, self.rulebook.as_deref(), look)
    }

    pub(super) fn spelled(&self) -> CommandLine {
        CommandLine::default().flag("--rulebook", &self.rulebook).then(&self.judging.spelled())
    }
}

/// Some exchanges, read from their recordings. Their ids come into files, and are masked. Those that are no longer there are missing.
pub(super) fn pages(
    path: &Path,
    side: &Side,
    entries: &[u32],
    shown_by: &Redactor,
) -> Result<HashMap<u32, Page>, Failure> {
    let redactor = redactor()?;
    let recordings = recordings(path);
    let wanted: Vec<Wanted> = entries
        .iter()
        .filter_map(|at| side.entries.get(*at as usize))
        .map(|entry| Wanted { file: side.names.get(entry.file).to_owned(), key: entry.key })
        .collect();
    let bounds = config().bounds;
    let found = look_up(&recordings, &bounds, &wanted, |_, located| {
        let page = Page::of(located.as_recorded(), shown_by);
        Page { id: page.id.map(|id| redactor.mask(&id).into_owned()), ..page }
    });
    Ok(found.into_iter().map(|(at, page)| (entries[at], page)).collect())
}
