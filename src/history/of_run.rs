//! What a finished run leaves in a history: its exchanges, counted.

use super::Measure;
use crate::compare::{Answer, Said, SideError, Verdicts};
use crate::report::{Cell, Distinct, ReportError, Table, TableReader, TextColumn};
use crate::tape::Day;
use hashbrown::HashMap;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::Path;

/// Stands for "no text" among numbers.
const NONE: u32 = u32::MAX;

/// Day, server, tool and scenario of exchanges, as numbers of their texts.
type Common = [u32; 4];

/// The exchanges of a run, counted.
pub(super) struct Counted {
    texts: Vec<String>,
    /// For each measure, what is counted of whom, in the order of the texts.
    cells: [Vec<(Common, u32, u64)>; Measure::ALL.len()],
}

/// What rows of one run begin with.
#[derive(Clone, Copy)]
pub(super) struct OfRun<'a> {
    pub(super) id: &'a str,
    pub(super) night: &'a str,
}

impl Counted {
    /// The rows of a measure's table.
    pub(super) fn rows<'a>(
        &'a self,
        measure: Measure,
        run: OfRun<'a>,
    ) -> impl Iterator<Item = [Cell<'a>; 8]> {
        let text = |number: u32| self.texts.get(number as usize).map_or("", String::as_str);
        self.cells[measure as usize].iter().map(move |(common, value, count)| {
            let [day, server, tool, scenario] = *common;
            [
                run.id.into(),
                run.night.into(),
                text(day).into(),
                text(server).into(),
                text(tool).into(),
                (scenario != NONE).then(|| text(scenario)).into(),
                text(*value).into(),
                (*count).into(),
            ]
        })
    }
}

/// Counts the exchanges of a run folder that has so many.
pub(super) fn count(folder: &Path, exchanges: u64) -> Result<Counted, SideError> {
    let mut verdicts = Verdicts::default();
    let mut names = Distinct::default();
    let mut table = TableReader::open(folder, Table::Verdicts)?;
    let mut counts = HashMap::<(Common, u32), u64>::new();
    let damaged =
        |reason: String| SideError::Damaged { path: folder.join("verdicts.parquet"), reason };
    let mut found = 0;
    for group in 0..table.groups() {
        let columns = ["day", "server", "tool", "scenario"];
        let columns: Vec<Vec<u32>> = columns
            .iter()
            .map(|column| Ok(numbered(&table.texts(group, column)?, &mut names)))
            .collect::<Result<_, ReportError>>()?;
        for (row, said) in verdicts.read(folder, &mut table, group)?.into_iter().enumerate() {
            found += 1;
            let common = [0, 1, 2, 3].map(|column: usize| columns[column][row]);
            *counts.entry((common, said)).or_default() += 1;
        }
    }
    if found != exchanges {
        return Err(damaged(format!(
            "it has {found} rows, and the manifest speaks of {exchanges} exchanges"
        )));
    }
    Ok(dealt(counts, verdicts.all(), names))
}

/// The rows of a column, by the numbers that `names` has for their texts.
fn numbered(column: &TextColumn, names: &mut Distinct) -> Vec<u32> {
    let numbers: Vec<u32> = column.texts.iter().map(|text| names.index_of(text)).collect();
    column.rows.iter().map(|row| numbers.get(*row as usize).copied().unwrap_or(NONE)).collect()
}

/// What was counted by shape, counted by each measure.
fn dealt(counts: HashMap<(Common, u32), u64>, said: &[Said], mut names: Distinct) -> Counted {
    let values: Vec<[Vec<u32>; Measure::ALL.len()]> = said
        .iter()
        .map(|said| {
            Measure::ALL.map(|measure| {
                let values = values(said, measure).into_iter();
                values.map(|value| names.index_of(value)).collect()
            })
        })
        .collect();
    let no_day = names.index_of("");
    let mut texts: Vec<String> = names.texts().iter().map(str::to_owned).collect();
    let is_day: Vec<bool> = texts.iter().map(|text| Day::parse(text).is_some()).collect();
    let mut cells: [HashMap<(Common, u32), u64>; Measure::ALL.len()] = Default::default();
    for (([day, server, tool, scenario], said), count) in counts {
        // Days that no calendar has are as good as none.
        let day = if is_day.get(day as usize) == Some(&true) { day } else { no_day };
        let common = [day, server, tool, scenario];
        for (cells, values) in cells.iter_mut().zip(&values[said as usize]) {
            for value in values {
                *cells.entry((common, *value)).or_default() += count;
            }
        }
    }
    let text = |number: u32| texts.get(number as usize);
    let by_text = |one: &(Common, u32, u64), other: &(Common, u32, u64)| {
        let pairs = one.0.iter().zip(&other.0).chain([(&one.1, &other.1)]);
        let mut unequal = pairs.filter(|(one, other)| one != other);
        unequal.next().map_or(Ordering::Equal, |(one, other)| text(*one).cmp(&text(*other)))
    };
    let cells = cells.map(|cells| {
        let mut cells: Vec<_> =
            cells.into_iter().map(|((common, value), count)| (common, value, count)).collect();
        cells.sort_unstable_by(by_text);
        cells
    });
    texts.shrink_to_fit();
    Counted { texts, cells }
}

/// What a measure counts of an exchange of which this was said.
fn values(said: &Said, measure: Measure) -> BTreeSet<&str> {
    match measure {
        Measure::Class => [said.class.name()].into(),
        Measure::Answer => [Answer::of(said.hidden_failure, said.business_logic).name()].into(),
        Measure::IssueType => said.issues.iter().map(String::as_str).collect(),
        Measure::ErrorKind => said.error_kind.iter().map(String::as_str).collect(),
        Measure::Fact => said.facts.iter().map(String::as_str).collect(),
    }
}
