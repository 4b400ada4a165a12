//! Many partitions put together into one: fewer files to open, the same rows.

use super::add::short_digest;
use super::gather::Gathered;
use super::open::{Remarks, for_each};
use super::partition::{NONE, Partition, Unit, Unread, read, write_runs};
use super::place::{Building, COMPACTED, Moved, lock_all, only_tables, prepare};
use super::{HistoryError, Measure, PastRun, Store};
use crate::report::{Cell, ReportError, TableFile};
use hashbrown::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// What became of a history that was put together.
#[derive(Clone, Debug, Default)]
pub struct Compacted {
    /// How many partitions were put together.
    pub partitions: usize,
    /// How many runs they held.
    pub runs: usize,
    /// The name of what they became; `None` where there was nothing to do.
    pub into: Option<String>,
    /// What was left as it is, and why: sentences for people.
    pub notes: Vec<String>,
}

impl Store {
    /// Puts all partitions that can be read as a whole into one. Whatever cannot is left alone.
    pub fn compact(&self) -> Result<Compacted, HistoryError> {
        let _lock = lock_all(self.dir())?;
        let listing = prepare(self.dir())?;
        let (whole, notes) = whole(&listing.partitions);
        let runs: usize = whole.iter().map(|whole| whole.runs.len()).sum();
        if whole.len() < 2 {
            return Ok(Compacted { notes, ..Compacted::default() });
        }
        let name = self.put_together(&Building::begin(self.dir())?, &whole)?;
        Ok(Compacted { partitions: whole.len(), runs, into: Some(name), notes })
    }

    /// Makes one partition of the runs of some, which it takes the place of; says what it is called.
    pub(super) fn put_together(
        &self,
        building: &Building,
        whole: &[Whole],
    ) -> Result<String, HistoryError> {
        let name = name_of(whole);
        let built = building.partition(&name)?;
        write(&built, whole)?;
        check(&built, whole)?;
        if building.finish(&name)? == Moved::Taken && check(&self.dir().join(&name), whole).is_err()
        {
            let reason = format!("{name} stands there and is damaged; move it away");
            return Err(HistoryError::NotWhole(reason));
        }
        let is_it = |whole: &Whole| whole.path.file_name() == Some(name.as_ref());
        for whole in whole.iter().filter(|whole| !is_it(whole)) {
            building.remove(&whole.path)?;
        }
        Ok(name)
    }
}

/// A partition that can be read to its end, and those of its runs that are to be kept: none that an
/// earlier one holds.
pub(super) struct Whole {
    pub(super) path: PathBuf,
    pub(super) runs: Vec<PastRun>,
}

fn whole(partitions: &[PathBuf]) -> (Vec<Whole>, Vec<String>) {
    let mut whole = Vec::new();
    let mut seen = HashSet::new();
    let mut remarks = Remarks::default();
    for_each(partitions, &Measure::ALL, |path, partition| {
        let read = partition.and_then(|partition| {
            only_tables(path)?;
            runs_of_whole(partition)
        });
        match read {
            Ok(mut runs) => {
                runs.retain(|run| seen.insert(run.id.clone()));
                whole.push(Whole { path: path.to_owned(), runs });
            }
            Err(Unread::Gone) => {}
            Err(Unread::Odd(reason) | Unread::Newer(reason)) => {
                remarks.note(path, format!("left as it is: {reason}"));
            }
        }
    });
    (whole, remarks.sentences().collect())
}

/// The runs of a partition that was read to its end, and that can be written again.
pub(super) fn runs_of_whole(partition: Partition) -> Result<Vec<PastRun>, Unread> {
    // One that says more than this version understands must keep what it says.
    if !partition.unknown.is_empty() {
        return Err(Unread::Newer("a newer version wrote it".to_owned()));
    }
    Gathered::default().take(&partition)?;
    Ok(partition.runs)
}

/// Named by the nights of the first and the last run, and by a hash of all of them.
fn name_of(whole: &[Whole]) -> String {
    let runs = || whole.iter().flat_map(|whole| &whole.runs);
    let mut ids: Vec<&str> = runs().map(|run| run.id.as_str()).collect();
    ids.sort_unstable();
    let mut hash = Xxh3::new();
    for id in ids {
        hash.update(id.as_bytes());
        hash.update(&[0]);
    }
    let nights = || runs().map(|run| run.night);
    let digest = short_digest(&hash);
    match (nights().min(), nights().max()) {
        (Some(first), Some(last)) => format!("{COMPACTED}{first}-{last}-{digest}"),
        _ => format!("{COMPACTED}{digest}"),
    }
}

fn write(folder: &Path, whole: &[Whole]) -> Result<(), HistoryError> {
    let mut runs: Vec<&PastRun> = whole.iter().flat_map(|whole| &whole.runs).collect();
    runs.sort_by(|one, other| (one.night, &one.id).cmp(&(other.night, &other.id)));
    write_runs(folder, &runs)?;
    let paths: Vec<PathBuf> = whole.iter().map(|whole| whole.path.clone()).collect();
    for measure in Measure::ALL {
        let mut file = TableFile::create_in(folder, measure.place().0)?;
        let mut at = 0;
        let mut failed: Result<(), HistoryError> = Ok(());
        for_each(&paths, &[measure], |path, partition| {
            let runs = &whole[at].runs;
            at += 1;
            if failed.is_ok() {
                failed = match partition {
                    Ok(partition) => append(&mut file, (measure, &partition), runs),
                    Err(Unread::Gone) => {
                        Err(HistoryError::NotWhole(format!("{} is gone", path.display())))
                    }
                    Err(Unread::Odd(reason) | Unread::Newer(reason)) => {
                        Err(HistoryError::NotWhole(reason))
                    }
                };
            }
        });
        failed?;
        file.finish()?;
    }
    Ok(())
}

/// Appends the rows of these runs.
fn append(
    file: &mut TableFile,
    (measure, partition): (Measure, &Partition),
    runs: &[PastRun],
) -> Result<(), HistoryError> {
    let nights: HashMap<&str, String> =
        runs.iter().map(|run| (run.id.as_str(), run.night.to_string())).collect();
    for unit in &partition.units[measure as usize] {
        append_unit(file, unit, &nights)?;
    }
    Ok(())
}

fn append_unit(
    file: &mut TableFile,
    unit: &Unit,
    nights: &HashMap<&str, String>,
) -> Result<(), ReportError> {
    let days: Vec<String> =
        unit.days.iter().map(|day| day.map_or_else(String::new, |day| day.to_string())).collect();
    let of_run: Vec<Option<(&str, &str)>> = unit
        .run
        .texts
        .iter()
        .map(|id| nights.get_key_value(id).map(|(id, night)| (*id, night.as_str())))
        .collect();
    let names = unit.names.texts();
    let name = |number: u32| if number == NONE { "" } else { names.get(number as usize) };
    for row in 0..unit.count.len() {
        let Some((run, night)) = of_run[unit.run.rows[row] as usize] else { continue };
        let [server, tool, scenario] = unit.strata[unit.stratum[row] as usize];
        file.push(&[
            run.into(),
            night.into(),
            days[unit.day[row] as usize].as_str().into(),
            name(server).into(),
            name(tool).into(),
            (scenario != NONE).then(|| name(scenario)).into(),
            unit.value.get(row).unwrap_or_default().into(),
            Cell::Int(u64::from(unit.count[row])),
        ])?;
    }
    Ok(())
}

/// Reads back what was written before anything is removed for it.
fn check(built: &Path, whole: &[Whole]) -> Result<(), HistoryError> {
    let not_whole = |unread: Unread| match unread {
        Unread::Gone => HistoryError::NotWhole("it is gone".to_owned()),
        Unread::Odd(reason) | Unread::Newer(reason) => HistoryError::NotWhole(reason),
    };
    let partition = read(built, &Measure::ALL).map_err(not_whole)?;
    let expected: usize = whole.iter().map(|whole| whole.runs.len()).sum();
    if partition.runs.len() != expected {
        let found = partition.runs.len();
        return Err(HistoryError::NotWhole(format!("{found} of {expected} runs")));
    }
    Gathered::default().take(&partition).map_err(not_whole)
}
