//! Runs that should not count are taken out of a history.

use super::compact::{Whole, runs_of_whole};
use super::open::for_each;
use super::partition::{Partition, Unread, read};
use super::place::{Building, OF_RUN, list, lock_all, only_tables};
use super::{HistoryError, Measure, PastRun, Store};
use crate::tape::Day;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What is to be taken out of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwanted {
    /// All runs of a night.
    Night(Day),
    /// The run of this name, or all of the folder of this name.
    Named(String),
}

/// Whether something is done or only told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removing {
    /// It is done.
    Now,
    /// It is told what would be done.
    Dry,
}

/// What is taken out of a history.
#[derive(Clone, Debug, Default)]
pub struct Removed {
    /// The runs, by night.
    pub runs: Vec<PastRun>,
    /// Runs that stand in other folders too, and go on counting.
    pub copies: Vec<PastRun>,
    /// Names of folders of which it cannot be read what they hold, and why.
    pub unread: Vec<(String, String)>,
}

/// What happens to a partition.
enum Step {
    /// It is removed.
    All(PathBuf),
    /// One with these runs takes its place.
    AllBut(Whole),
}

/// What is to be done, and what has been looked for in vain so far.
struct Plan<'u> {
    unwanted: &'u [Unwanted],
    found: Vec<bool>,
    steps: Vec<Step>,
    removed: Removed,
    /// The names of runs that stay.
    standing: HashSet<String>,
    kept: Vec<(PathBuf, String)>,
}

impl Store {
    /// Takes runs out of a history, each folder in one step: all that is unwanted, or nothing where
    /// some of it is not there or cannot be taken out.
    pub fn remove(
        &self,
        unwanted: &[Unwanted],
        removing: Removing,
    ) -> Result<Removed, HistoryError> {
        let lock = match removing {
            Removing::Now => Some(lock_all(self.dir())?),
            Removing::Dry => None,
        };
        let mut plan = Plan {
            unwanted,
            found: vec![false; unwanted.len()],
            steps: Vec::new(),
            removed: Removed::default(),
            standing: HashSet::new(),
            kept: Vec::new(),
        };
        for_each(&list(self.dir())?.partitions, &[], |path, partition| plan.take(path, partition));
        let removed = plan.removed(self.dir())?;
        if lock.is_some() {
            let building = Building::begin(self.dir())?;
            for step in plan.steps {
                match step {
                    Step::All(path) => building.remove(&path)?,
                    Step::AllBut(whole) => {
                        self.put_together(&building, &[whole])?;
                    }
                }
            }
        }
        Ok(removed)
    }
}

impl Plan<'_> {
    fn take(&mut self, path: &Path, partition: Result<Partition, Unread>) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_named = self.finds(|unwanted| *unwanted == Unwanted::Named(name.clone()));
        let step = match partition {
            Ok(partition) => {
                let (gone, kept): (Vec<PastRun>, Vec<PastRun>) =
                    partition.runs.into_iter().partition(|run| {
                        let is_unwanted = self.finds(|unwanted| match unwanted {
                            Unwanted::Night(night) => *night == run.night,
                            Unwanted::Named(name) => *name == run.id,
                        });
                        is_unwanted || is_named
                    });
                self.standing.extend(kept.iter().map(|run| run.id.clone()));
                if gone.is_empty() && !is_named {
                    return;
                }
                self.removed.runs.extend(gone);
                if kept.is_empty() {
                    Ok(Step::All(path.to_owned()))
                } else {
                    all_but(path, kept).map(Step::AllBut)
                }
            }
            Err(Unread::Gone) => return,
            Err(Unread::Odd(reason) | Unread::Newer(reason)) => {
                let of_name = of_name(&name);
                let is_unwanted = self.finds(|unwanted| match (unwanted, of_name) {
                    (Unwanted::Night(night), Some((of_name, _))) => *night == of_name,
                    (Unwanted::Named(name), Some((_, id))) => *name == id,
                    (Unwanted::Night(_) | Unwanted::Named(_), None) => false,
                });
                if !is_unwanted && !is_named {
                    return;
                }
                self.removed.unread.push((name, reason));
                Ok(Step::All(path.to_owned()))
            }
        };
        match only_tables(path).and(step) {
            Ok(step) => self.steps.push(step),
            Err(Unread::Gone) => {}
            Err(Unread::Odd(reason) | Unread::Newer(reason)) => {
                self.kept.push((path.to_owned(), reason));
            }
        }
    }

    /// Whether something is unwanted; what it is unwanted by is found then.
    fn finds(&mut self, is_it: impl Fn(&Unwanted) -> bool) -> bool {
        let mut is_unwanted = false;
        for (unwanted, found) in self.unwanted.iter().zip(&mut self.found) {
            if is_it(unwanted) {
                (*found, is_unwanted) = (true, true);
            }
        }
        is_unwanted
    }

    /// What is removed, where all of it can be.
    fn removed(&mut self, dir: &Path) -> Result<Removed, HistoryError> {
        let missing = self.unwanted.iter().zip(&self.found).find(|(_, found)| !**found);
        if let Some((unwanted, _)) = missing {
            let what = match unwanted {
                Unwanted::Night(night) => format!("of the night {night}"),
                Unwanted::Named(name) => format!("called {}", crate::verdict::harmless(name)),
            };
            return Err(HistoryError::NoSuchRun { dir: dir.to_owned(), what });
        }
        if let Some((partition, reason)) = self.kept.pop() {
            return Err(HistoryError::Kept { partition, reason });
        }
        let mut removed = std::mem::take(&mut self.removed);
        removed.runs.sort_by(|one, other| {
            (one.night, one.number, &one.id).cmp(&(other.night, other.number, &other.id))
        });
        // One may stand in several folders.
        let mut seen = HashSet::new();
        removed.runs.retain(|run| seen.insert(run.id.clone()));
        let standing = |run: &PastRun| self.standing.contains(&run.id);
        (removed.copies, removed.runs) = removed.runs.into_iter().partition(standing);
        Ok(removed)
    }
}

/// A partition without some of its runs; it has to be read to its end for that.
fn all_but(path: &Path, kept: Vec<PastRun>) -> Result<Whole, Unread> {
    runs_of_whole(read(path, &Measure::ALL)?)?;
    Ok(Whole { path: path.to_owned(), runs: kept })
}

/// Night and run, as the name of a run's folder says them.
fn of_name(name: &str) -> Option<(Day, &str)> {
    let (night, id) = name.strip_prefix(OF_RUN)?.split_at_checked("2026-11-22".len())?;
    Some((Day::parse(night)?, id.strip_prefix('-')?))
}
