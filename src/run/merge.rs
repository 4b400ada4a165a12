//! Parts of a run, put together into the run that one machine would have made.

use super::counted::{Counted, Stored};
use super::engine::Judged;
use super::{Finished, RunError, conclude};
use crate::corpus::Part;
use crate::rulebook::Rulebook;
use crate::store::{
    Comparable, FolderError, JoinedTables, Legend, Manifest, PartOf, ReadCounts, ReportError,
    RunFolder, VerdictTables, Wall, read_counted,
};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct RunPart {
    pub folder: PathBuf,
    pub manifest: Manifest,
}

#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("{} is not a part of a run: its manifest.json names none", .0.display())]
    NoPart(PathBuf),
    #[error("{} is part {} and {} is part {}: they are of different runs", one.display(), of_one, other.display(), of_other)]
    OtherRun { one: PathBuf, of_one: Part, other: PathBuf, of_other: Part },
    #[error("part {part} is given twice: {} and {}", one.display(), other.display())]
    Twice { part: Part, one: PathBuf, other: PathBuf },
    #[error("missing of {of} parts: {}", listed(.missing))]
    Missing { missing: Vec<u32>, of: u32 },
    #[error("the recordings changed between {} and {}: names or sizes of files differ", one.display(), other.display())]
    RecordingsChanged { one: PathBuf, other: PathBuf },
    #[error("{} and {} were made with different {what}", one.display(), other.display())]
    Different { what: &'static str, one: PathBuf, other: PathBuf },
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<FolderError> for MergeError {
    fn from(error: FolderError) -> Self {
        Self::Run(error.into())
    }
}

impl From<ReportError> for MergeError {
    fn from(error: ReportError) -> Self {
        Self::Run(error.into())
    }
}

/// So many missing parts are named.
const MOST_NAMED: usize = 10;

fn listed(numbers: &[u32]) -> String {
    let mut named: Vec<String> = numbers.iter().take(MOST_NAMED).map(u32::to_string).collect();
    if numbers.len() > MOST_NAMED {
        named.push("…".to_owned());
    }
    named.join(", ")
}

/// Puts all parts of a run together, in any order, and leaves at `out` the run that one machine would have made.
/// Before the folder takes its place, `finish` may add files to it.
pub fn merge(
    parts: Vec<RunPart>,
    rulebook: &Rulebook,
    out: &Path,
    finish: impl FnOnce(&Finished, &Path),
) -> Result<Finished, MergeError> {
    let parts = in_order(parts)?;
    let Some((RunPart { manifest: first, .. }, _)) = parts.first() else {
        return Err(MergeError::Missing { missing: Vec::new(), of: 0 });
    };
    let folder = RunFolder::create(out)?;
    let tables = VerdictTables::new(Legend::of(rulebook)).map_err(ReportError::from)?;
    let mut joined = JoinedTables::create(&folder, &tables)?;
    let mut judged = Judged::default();
    for (part, of) in &parts {
        let stored: Stored = read_counted(&part.folder, of)?;
        judged.add(stored);
        joined.append(&part.folder)?;
    }
    joined.finish()?;
    let manifest = |counts| whole(first, &parts, counts);
    Ok(conclude(folder, rulebook, Counted::from(judged), manifest, finish)?)
}

/// The parts from first to last, each once.
fn in_order(parts: Vec<RunPart>) -> Result<Vec<(RunPart, PartOf)>, MergeError> {
    let of = |part: RunPart| match part.manifest.comparable.part.clone() {
        Some(of) => Ok((part, of)),
        None => Err(MergeError::NoPart(part.folder)),
    };
    let mut parts = parts.into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
    parts.sort_by_key(|(_, part)| part.number);
    let number = |part: &PartOf| Part { number: part.number, of: part.of };
    for pair in parts.windows(2) {
        let [(one, first), (other, second)] = pair else { continue };
        let (one_at, other_at) = (one.folder.clone(), other.folder.clone());
        if first.of != second.of {
            let (of_one, of_other) = (number(first), number(second));
            return Err(MergeError::OtherRun { one: one_at, of_one, other: other_at, of_other });
        }
        if first.number == second.number {
            let part = number(first);
            return Err(MergeError::Twice { part, one: one_at, other: other_at });
        }
        if let Some(what) = difference(&one.manifest.comparable, &other.manifest.comparable) {
            return Err(MergeError::Different { what, one: one_at, other: other_at });
        }
        if first.files != second.files {
            return Err(MergeError::RecordingsChanged { one: one_at, other: other_at });
        }
    }
    let of = parts.first().map_or(0, |(_, part)| part.of);
    let is_there = |number: u32| parts.iter().any(|(_, part)| part.number == number);
    let missing: Vec<u32> = (1..=of).filter(|number| !is_there(*number)).collect();
    if missing.is_empty() { Ok(parts) } else { Err(MergeError::Missing { missing, of }) }
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
