//! Parts of a run, put together into the run that one machine would have made.

use super::totals::{Counted, Stored};
use super::{Finished, RunError, write_tables};
use crate::corpus::Part;
use crate::rulebook::Rulebook;
use crate::store::{
    Comparable, JoinedTables, Legend, Lists, Manifest, PartOf, ReadCounts, ReportError, RunFolder,
    VerdictTables, Wall, read_counted,
};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct RunPart {
    pub folder: PathBuf,
    pub manifest: Manifest,
}

#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// These are no parts of one run.
    #[error("{0}")]
    Apart(String),
    /// A part is not there, or twice.
    #[error("{0}")]
    Count(String),
    /// The parts were not made in the same way.
    #[error("{0}")]
    Different(String),
    #[error(transparent)]
    Run(#[from] RunError),
}

/// So many missing parts are named.
const MOST_NAMED: usize = 10;

/// Combines the parts of a run, in any order, into one run at `out`.
/// Before the folder takes its place, `finish` may add files to it.
pub fn merge(
    parts: Vec<RunPart>,
    rulebook: &Rulebook,
    out: &Path,
    finish: impl FnOnce(&Finished, &Path),
) -> Result<Finished, MergeError> {
    let parts = in_order(parts)?;
    match parts.first() {
        Some((first, _)) => Ok(join(&first.manifest, &parts, rulebook, out, finish)?),
        None => Err(MergeError::Count("no parts were given".to_owned())),
    }
}

fn join(
    first: &Manifest,
    parts: &[(RunPart, PartOf)],
    rulebook: &Rulebook,
    out: &Path,
    finish: impl FnOnce(&Finished, &Path),
) -> Result<Finished, RunError> {
    let folder = RunFolder::create(out)?;
    let tables = VerdictTables::new(Legend::of(rulebook)).map_err(ReportError::from)?;
    let mut joined = JoinedTables::create(&folder, &tables)?;
    let mut counted = Counted::default();
    for (part, of) in parts {
        let stored: Stored = read_counted(&part.folder, of)?;
        counted.add(stored);
        joined.append(&part.folder)?;
    }
    joined.finish()?;
    counted.lists = Lists::of_run(folder.building())?;
    write_tables(folder, rulebook, counted.finish(), |counts| whole(first, parts, counts), finish)
}

/// The parts from first to last, each once.
fn in_order(parts: Vec<RunPart>) -> Result<Vec<(RunPart, PartOf)>, MergeError> {
    let of = |part: RunPart| match part.manifest.comparable.part.clone() {
        Some(of) => Ok((part, of)),
        None => Err(MergeError::Apart(format!(
            "{} is not a part of a run: its manifest.json names none",
            part.folder.display()
        ))),
    };
    let mut parts = parts.into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
    parts.sort_by_key(|(_, part)| part.number);
    for pair in parts.windows(2) {
        let [(one, first), (other, second)] = pair else { continue };
        let [a, b] = [one.folder.display(), other.folder.display()];
        let [number, next] = [first, second].map(|it| Part { number: it.number, of: it.of });
        if first.of != second.of {
            let words =
                format!("{a} is part {number} and {b} is part {next}: they are of different runs");
            return Err(MergeError::Apart(words));
        }
        if first.number == second.number {
            return Err(MergeError::Count(format!("part {number} is given twice: {a} and {b}")));
        }
        if let Some(what) = difference(&one.manifest.comparable, &other.manifest.comparable) {
            let words = format!("{a} and {b} were made with different {what}");
            return Err(MergeError::Different(words));
        }
        if first.files != second.files {
            return Err(MergeError::Different(format!(
                "the recordings changed between {a} and {b}: names or sizes of files differ"
            )));
        }
    }
    let of = parts.first().map_or(0, |(_, part)| part.of);
    let is_there = |number: &u32| parts.iter().any(|(_, part)| part.number == *number);
    let missing = (1..=of).filter(|number| !is_there(number)).map(|number| number.to_string());
    let mut missing: Vec<String> = missing.take(MOST_NAMED + 1).collect();
    if missing.is_empty() {
        return Ok(parts);
    }
    if missing.len() > MOST_NAMED {
        missing.truncate(MOST_NAMED);
        missing.push("…".to_owned());
    }
    Err(MergeError::Count(format!("missing of {of} parts: {}", missing.join(", "))))
}

/// What two parts were made with that has to be the same.
fn difference(one: &Comparable, other: &Comparable) -> Option<&'static str> {
    let same = [
        ("rulebooks", one.rulebook == other.rulebook),
        ("checks", one.checks == other.checks && one.check_files == other.check_files),
        ("rules of redaction", one.redaction == other.redaction),
        ("versions of tapecheck", one.version == other.version),
        ("bounds", one.bounds == other.bounds),
    ];
    same.into_iter().find(|(_, is_same)| !is_same).map(|(what, _)| what)
}

/// What all parts together were made of.
fn whole(first: &Manifest, parts: &[(RunPart, PartOf)], counts: ReadCounts) -> Manifest {
    let mut whole = first.clone();
    whole.comparable.part = None;
    whole.comparable.counts = counts;
    let walls = || parts.iter().map(|(part, _)| &part.manifest.wall);
    whole.wall = Wall {
        started_at: walls().map(|wall| wall.started_at.clone()).min().unwrap_or_default(),
        seconds: walls().map(|wall| wall.seconds).sum(),
        threads: walls().map(|wall| wall.threads).max().unwrap_or_default(),
        no_text: walls().any(|wall| wall.no_text),
        ..whole.wall
    };
    whole
}
