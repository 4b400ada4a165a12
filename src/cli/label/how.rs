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

/// Some exchanges, read from their recordings, with secrets masked. Those that are no longer there are missing.
pub(super) fn pages(
    path: &Path,
    side: &Side,
    entries: &[u32],
) -> Result<HashMap<u32, Page>, Failure> {
    let redactor = redactor()?;
    let recordings = recordings(path);
    let wanted: Vec<Wanted> = entries
        .iter()
        .filter_map(|at| side.entries.get(*at as usize))
        .map(|entry| Wanted { file: side.names.get(entry.file).to_owned(), key: entry.key })
        .collect();
    let bounds = config().bounds;
    let mask = |text: String| redactor.mask(&text).into_owned();
    let found = look_up(&recordings, &bounds, &wanted, |_, located| {
        let Page { id, input, reply, hash, sketch } = Page::of(located.exchange);
        Page { id: id.map(mask), input: mask(input), reply: mask(reply), hash, sketch }
    });
    Ok(found.into_iter().map(|(at, page)| (entries[at], page)).collect())
}
