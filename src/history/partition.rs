//! A partition of a history: its tables written, and read back column by column.

use super::{Measure, PastRun};
use crate::report::{
    Cell, Distinct, ReportError, RulebookName, Table, TableFile, TableFormat, TableReader,
    TextColumn,
};
use crate::tape::Day;
use hashbrown::HashMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The format of partitions; it stands in the table of runs under [`TAG`].
pub(super) const FORMAT: &str = "tapecheck-history/1";
/// What formats of other versions begin with.
const FAMILY: &str = "tapecheck-history/";
const TAG: &str = "tapecheck";
/// Stands for "no text" among numbers.
pub(super) const NONE: u32 = u32::MAX;

/// A partition, or as much of it as was asked for.
pub(super) struct Partition {
    pub(super) runs: Vec<PastRun>,
    /// The measures that were read.
    pub(super) read: Vec<Measure>,
    /// What was counted, by the number of its measure.
    pub(super) units: [Vec<Unit>; Measure::ALL.len()],
    /// Columns that this version does not know.
    pub(super) unknown: Vec<String>,
}

/// A row group of cells.
pub(super) struct Unit {
    /// The runs, by their names.
    pub(super) run: TextColumn,
    /// The days by their numbers, and the number in each row.
    pub(super) days: Vec<Option<Day>>,
    pub(super) day: Vec<u32>,
    /// Servers, tools and scenarios.
    pub(super) names: Distinct,
    /// Server, tool and scenario, by their numbers.
    pub(super) strata: Vec<[u32; 3]>,
    /// The stratum in each row.
    pub(super) stratum: Vec<u32>,
    pub(super) value: TextColumn,
    pub(super) count: Vec<u32>,
}

/// Why a partition is passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is gone: somebody put it together with others.
    Gone,
    /// It is not as it should be.
    Odd(String),
    /// It is of a format that this version does not know.
    Newer(String),
}

impl From<String> for Unread {
    fn from(reason: String) -> Self {
        Self::Odd(reason)
    }
}

/// Writes the table of runs.
pub(super) fn write_runs(folder: &Path, runs: &[&PastRun]) -> Result<(), ReportError> {
    let mut file = TableFile::create_in(folder, Table::PastRuns)?;
    for run in runs {
        let night = run.night.to_string();
        file.push(&[
            run.id.as_str().into(),
            run.number.into(),
            night.into(),
            run.started_at.as_str().into(),
            run.added_at.as_str().into(),
            run.collection.as_str().into(),
            run.corpus_digest.as_str().into(),
            run.rulebook.name.as_str().into(),
            run.rulebook.digest.as_str().into(),
            run.checks.as_deref().into(),
            run.version.as_str().into(),
            run.exchanges.into(),
            run.rejects.into(),
        ])?;
    }
    file.finish_with(&[(TAG, FORMAT)])
}

/// Writes the table of a measure.
pub(super) fn write_cells<'c>(
    folder: &Path,
    measure: Measure,
    rows: impl Iterator<Item = [Cell<'c>; 8]>,
) -> Result<(), ReportError> {
    let mut file = TableFile::create_in(folder, measure.place().0)?;
    for row in rows {
        file.push(&row)?;
    }
    file.finish()
}

/// Reads the runs of a partition, and their cells of these measures.
pub(super) fn read(folder: &Path, measures: &[Measure]) -> Result<Partition, Unread> {
    believing_nothing(folder, "a table", || read_tables(folder, measures))
}

/// Reads something of a partition.
fn believing_nothing<T>(
    folder: &Path,
    name: &str,
    read: impl FnOnce() -> Result<T, Unread>,
) -> Result<T, Unread> {
    // What reads Parquet believes much of what it reads.
    let read = catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(Unread::Odd(format!("{name} is damaged"))));
    match read {
        Err(_) if !folder.exists() => Err(Unread::Gone),
        read => read,
    }
}

/// The tables of a partition, each read for itself.
pub(super) struct Tables {
    pub(super) runs: Result<Vec<PastRun>, Unread>,
    /// By the number of its measure.
    pub(super) units: [Result<Vec<Unit>, Unread>; Measure::ALL.len()],
}

/// Reads all tables of a partition, whatever is wrong with others of them.
pub(super) fn read_each(folder: &Path) -> Tables {
    let mut unknown = Vec::new();
    let name = |table: Table| table.file_name(TableFormat::Parquet);
    Tables {
        runs: believing_nothing(folder, &name(Table::PastRuns), || read_runs(folder, &mut unknown)),
        units: Measure::ALL.map(|measure| {
            let mut unknown = Vec::new();
            believing_nothing(folder, &name(measure.place().0), || {
                read_units(folder, measure, &mut unknown)
            })
        }),
    }
}

fn read_tables(folder: &Path, measures: &[Measure]) -> Result<Partition, Unread> {
    let mut unknown = Vec::new();
    let runs = read_runs(folder, &mut unknown)?;
    let mut units: [Vec<Unit>; Measure::ALL.len()] = Default::default();
    for measure in measures {
        units[*measure as usize] = read_units(folder, *measure, &mut unknown)?;
    }
    Ok(Partition { runs, read: measures.to_vec(), units, unknown })
}

/// Opens a table and notes which of its columns this version does not know.
fn open(folder: &Path, table: Table, unknown: &mut Vec<String>) -> Result<TableReader, Unread> {
    let name = table.file_name(TableFormat::Parquet);
    let about = fs::symlink_metadata(folder.join(&name));
    let about = about.map_err(|error| format!("cannot read {name}: {error}"))?;
    if !about.is_file() {
        return Err(Unread::Odd(format!("{name} is not a file")));
    }
    let reader = TableReader::open(folder, table).map_err(|error| said(&name, error))?;
    let known = table.columns(&[]);
    let found = reader.columns();
    if let Some(missing) = known.iter().find(|column| !found.contains(&&*column.name)) {
        return Err(Unread::Odd(format!("{name} has no column {}", missing.name)));
    }
    let is_known = |name: &str| known.iter().any(|column| column.name == name);
    unknown.extend(found.iter().filter(|name| !is_known(name)).map(|name| (*name).to_owned()));
    Ok(reader)
}

/// What went wrong with a table, without its path.
fn said(name: &str, error: ReportError) -> String {
    match error {
        ReportError::Read { source, .. } => format!("cannot read {name}: {source}"),
        ReportError::Columns { column, .. } => {
            format!("the column {column} of {name} is of another kind than it should be")
        }
        error => error.to_string(),
    }
}

fn read_runs(folder: &Path, unknown: &mut Vec<String>) -> Result<Vec<PastRun>, Unread> {
    let table = Table::PastRuns;
    let name = table.file_name(TableFormat::Parquet);
    let path = folder.join(&name);
    // The format is asked for before the columns: those of another one may be others.
    if fs::symlink_metadata(&path).is_ok_and(|about| about.is_file()) {
        let reader = TableReader::open_file(&path).map_err(|error| said(&name, error))?;
        match reader.text(TAG) {
            Some(FORMAT) => {}
            Some(format) if format.starts_with(FAMILY) => {
                let format = crate::verdict::harmless(format);
                return Err(Unread::Newer(format!(
                    "a newer version wrote it, in the format {format}"
                )));
            }
            Some(_) | None => return Err(Unread::Odd(format!("{name} is not one of tapecheck"))),
        }
    }
    let mut reader = open(folder, table, unknown)?;
    let mut runs = Vec::new();
    for group in 0..reader.groups() {
        read_run_group(&mut reader, group, &mut runs)
            .map_err(|error| said(&name, error))?
            .ok_or_else(|| format!("{name} says what no run is"))?;
    }
    Ok(runs)
}

fn read_run_group(
    reader: &mut TableReader,
    group: usize,
    runs: &mut Vec<PastRun>,
) -> Result<Option<()>, ReportError> {
    let mut texts = |column: &str| reader.texts(group, column);
    let (run, night, collection) = (texts("run")?, texts("night")?, texts("collection")?);
    let (started_at, added_at) = (texts("started_at")?, texts("added_at")?);
    let (rulebook, digest) = (texts("rulebook")?, texts("rulebook_digest")?);
    let (corpus, checks, version) = (texts("corpus_digest")?, texts("checks")?, texts("version")?);
    let mut ints = |column: &str| reader.ints(group, column);
    let (number, exchanges, rejects) = (ints("number")?, ints("exchanges")?, ints("rejects")?);
    let one = |row: usize| {
        let text = |column: &TextColumn| column.get(row).map(str::to_owned);
        Some(PastRun {
            id: text(&run)?,
            number: u64::try_from(number[row]).ok()?,
            night: Day::parse(night.get(row)?)?,
            started_at: text(&started_at)?,
            added_at: text(&added_at)?,
            collection: text(&collection)?,
            corpus_digest: text(&corpus)?,
            rulebook: RulebookName { name: text(&rulebook)?, digest: text(&digest)? },
            checks: text(&checks),
            version: text(&version)?,
            exchanges: u64::try_from(exchanges[row]).ok()?,
            rejects: u64::try_from(rejects[row]).ok()?,
        })
    };
    for row in 0..run.rows.len() {
        let Some(run) = one(row) else { return Ok(None) };
        runs.push(run);
    }
    Ok(Some(()))
}

fn read_units(
    folder: &Path,
    measure: Measure,
    unknown: &mut Vec<String>,
) -> Result<Vec<Unit>, Unread> {
    use rayon::prelude::*;
    let (table, value) = measure.place();
    let name = table.file_name(TableFormat::Parquet);
    let mut reader = open(folder, table, unknown)?;
    let read = |reader: &mut TableReader, group: usize| -> Result<Unit, Unread> {
        let unit = Unit::read(reader, group, value).map_err(|error| said(&name, error))?;
        unit.ok_or_else(|| Unread::Odd(format!("{name} says what no run counts")))
    };
    match reader.groups() {
        groups @ 0..=1 => (0..groups).map(|group| read(&mut reader, group)).collect(),
        groups => {
            let of_thread = groups.div_ceil(rayon::current_num_threads()).max(1);
            let starts: Vec<usize> = (0..groups).step_by(of_thread).collect();
            let parts: Vec<Vec<Unit>> = starts
                .into_par_iter()
                .map(|start| {
                    let mut reader =
                        TableReader::open(folder, table).map_err(|error| said(&name, error))?;
                    let groups = start..groups.min(start + of_thread);
                    groups.map(|group| read(&mut reader, group)).collect()
                })
                .collect::<Result<_, Unread>>()?;
            Ok(parts.into_iter().flatten().collect())
        }
    }
}

impl Unit {
    /// Reads a row group; `None` where it says what cannot be.
    fn read(
        reader: &mut TableReader,
        group: usize,
        value: &str,
    ) -> Result<Option<Self>, ReportError> {
        let run = reader.texts(group, "run")?;
        let day = reader.texts(group, "day")?;
        let (server, tool) = (reader.texts(group, "server")?, reader.texts(group, "tool")?);
        let scenario = reader.texts(group, "scenario")?;
        let value = reader.texts(group, value)?;
        let counts = reader.ints(group, "count")?;
        let days: Option<Vec<Option<Day>>> = day
            .texts
            .iter()
            .map(|text| if text.is_empty() { Some(None) } else { Day::parse(text).map(Some) })
            .collect();
        let count: Option<Vec<u32>> =
            counts.iter().map(|count| u32::try_from(*count).ok()).collect();
        let filled = [&run, &day, &server, &tool, &value];
        let (Some(days), Some(count)) = (days, count) else { return Ok(None) };
        if filled.iter().any(|column| column.rows.contains(&NONE)) {
            return Ok(None);
        }
        let mut names = Distinct::default();
        let of_name = [&server, &tool, &scenario].map(|column| -> Vec<u32> {
            column.texts.iter().map(|text| names.index_of(text)).collect()
        });
        let number = |column: usize, row: u32| of_name[column].get(row as usize).copied();
        let mut strata = Vec::new();
        let mut numbers = HashMap::<[u32; 3], u32>::new();
        let mut last = ([NONE; 3], NONE);
        let mut stratum = Vec::with_capacity(count.len());
        let rows = server.rows.iter().zip(&tool.rows).zip(&scenario.rows);
        for ((server, tool), scenario) in rows {
            let of_row = [*server, *tool, *scenario];
            if last.1 == NONE || last.0 != of_row {
                let number = *numbers.entry(of_row).or_insert_with(|| {
                    strata.push([0, 1, 2].map(|at| number(at, of_row[at]).unwrap_or(NONE)));
                    u32::try_from(strata.len() - 1).unwrap_or(NONE)
                });
                last = (of_row, number);
            }
            stratum.push(last.1);
        }
        Ok(Some(Self { run, days, day: day.rows, names, strata, stratum, value, count }))
    }
}
