//! Partitions made one history: each run once, each text once.

use super::partition::{NONE, Partition, Unit, Unread};
use super::{Cells, History, Measure, PastRun, Stratum};
use crate::compare::Names;
use crate::report::{Distinct, TableFormat};
use hashbrown::HashMap;

/// A history that is being gathered.
#[derive(Default)]
pub(super) struct Gathered {
    runs: Vec<PastRun>,
    numbers: HashMap<String, u32>,
    names: Distinct,
    strata: Vec<Stratum>,
    stratum_numbers: HashMap<Stratum, u32>,
    values: [Distinct; Measure::ALL.len()],
    cells: [Cells; Measure::ALL.len()],
    /// How many runs stood in more than one partition.
    pub(super) twice: u64,
}

/// Which of a partition's runs are taken, by their names: their numbers, or `None` where another
/// partition had them before.
type Taken<'p> = HashMap<&'p str, Option<u32>>;

impl Gathered {
    /// Takes a partition, or nothing of it.
    pub(super) fn take(&mut self, partition: &Partition) -> Result<(), Unread> {
        let before = self.runs.len();
        let lengths = self.cells.each_ref().map(|cells| cells.run.len());
        let mut taken = Taken::new();
        let mut twice = 0;
        for run in &partition.runs {
            if self.numbers.contains_key(&run.id) || taken.contains_key(run.id.as_str()) {
                twice += 1;
                taken.entry(&run.id).or_insert(None);
            } else {
                let number = u32::try_from(self.runs.len()).unwrap_or(NONE);
                taken.insert(&run.id, Some(number));
                self.runs.push(run.clone());
            }
        }
        let added = self
            .add_all(&partition.units, &taken)
            .and_then(|()| self.check(before, lengths, &partition.read));
        match added {
            Ok(()) => {
                self.twice += twice;
                for (number, run) in self.runs.iter().enumerate().skip(before) {
                    self.numbers.insert(run.id.clone(), u32::try_from(number).unwrap_or(NONE));
                }
                Ok(())
            }
            Err(unread) => {
                self.runs.truncate(before);
                for (cells, length) in self.cells.iter_mut().zip(lengths) {
                    cells.run.truncate(length);
                    cells.day.truncate(length);
                    cells.stratum.truncate(length);
                    cells.value.truncate(length);
                    cells.count.truncate(length);
                }
                Err(unread)
            }
        }
    }

    fn add_all(
        &mut self,
        units: &[Vec<Unit>; Measure::ALL.len()],
        taken: &Taken<'_>,
    ) -> Result<(), Unread> {
        for measure in Measure::ALL {
            for unit in &units[measure as usize] {
                self.add(measure, unit, taken)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, measure: Measure, unit: &Unit, taken: &Taken<'_>) -> Result<(), Unread> {
        let runs: Option<Vec<Option<u32>>> =
            unit.run.texts.iter().map(|id| taken.get(id).copied()).collect();
        let runs = runs.ok_or_else(|| {
            let table = measure.place().0.file_name(TableFormat::Parquet);
            format!("{table} has a run that runs.parquet does not know")
        })?;
        let names: Vec<u32> =
            unit.names.texts().iter().map(|name| self.names.index_of(name)).collect();
        let name = |number: u32| names.get(number as usize).copied();
        let strata: Vec<u32> = unit
            .strata
            .iter()
            .map(|[server, tool, scenario]| {
                let stratum = Stratum {
                    server: name(*server).unwrap_or_default(),
                    tool: name(*tool).unwrap_or_default(),
                    scenario: name(*scenario),
                };
                *self.stratum_numbers.entry(stratum).or_insert_with(|| {
                    self.strata.push(stratum);
                    u32::try_from(self.strata.len() - 1).unwrap_or(NONE)
                })
            })
            .collect();
        let distinct = &mut self.values[measure as usize];
        let values: Vec<u32> =
            unit.value.texts.iter().map(|value| distinct.index_of(value)).collect();
        let cells = &mut self.cells[measure as usize];
        let number = |numbers: &[u32], at: u32| numbers.get(at as usize).copied().unwrap_or(NONE);
        for (row, run) in unit.run.rows.iter().enumerate() {
            let Some(run) = runs.get(*run as usize).copied().flatten() else { continue };
            cells.run.push(run);
            cells.day.push(unit.days.get(unit.day[row] as usize).copied().flatten());
            cells.stratum.push(number(&strata, unit.stratum[row]));
            cells.value.push(number(&values, unit.value.rows[row]));
            cells.count.push(unit.count[row]);
        }
        Ok(())
    }

    /// Holds what was counted against how many exchanges the runs since `before` say they had.
    fn check(
        &self,
        before: usize,
        lengths: [usize; Measure::ALL.len()],
        read: &[Measure],
    ) -> Result<(), Unread> {
        let runs = &self.runs[before..];
        read.iter().try_for_each(|measure| {
            let (cells, from) = (&self.cells[*measure as usize], lengths[*measure as usize]);
            let rows = || {
                let rows = cells.run[from..].iter().zip(&cells.value[from..]);
                rows.zip(&cells.count[from..]).map(|((run, value), count)| {
                    (*run as usize - before, *value, u64::from(*count))
                })
            };
            let wrong = if measure.is_of_every_exchange() {
                let mut counted = vec![0_u64; runs.len()];
                rows().for_each(|(run, _, count)| counted[run] += count);
                let mut pairs = runs.iter().zip(counted);
                pairs.find(|(run, counted)| run.exchanges != *counted)
            } else {
                // Of one value no more can have it than there are.
                let mut counted: HashMap<(usize, u32), u64> = HashMap::new();
                rows().for_each(|(run, value, count)| {
                    *counted.entry((run, value)).or_default() += count;
                });
                let most = counted.into_iter().map(|((run, _), counted)| (run, counted));
                let too_many = most.filter(|(run, counted)| *counted > runs[*run].exchanges);
                too_many.min().map(|(run, counted)| (&runs[run], counted))
            };
            match wrong {
                None => Ok(()),
                Some((run, counted)) => Err(Unread::Odd(format!(
                    "runs.parquet speaks of {} exchanges of the run {}, and {} has {counted}",
                    run.exchanges,
                    crate::verdict::harmless(&run.id),
                    measure.place().0.file_name(TableFormat::Parquet),
                ))),
            }
        })
    }

    /// The history, its runs in their order.
    pub(super) fn finish(mut self) -> History {
        let mut order: Vec<u32> = (0..u32::try_from(self.runs.len()).unwrap_or(NONE)).collect();
        let key = |number: &u32| {
            let run = &self.runs[*number as usize];
            (run.night, run.number, &run.id)
        };
        order.sort_by(|one, other| key(one).cmp(&key(other)));
        if !order.is_sorted() {
            let mut place = vec![0; order.len()];
            for (at, number) in order.iter().enumerate() {
                place[*number as usize] = u32::try_from(at).unwrap_or(NONE);
            }
            for cells in &mut self.cells {
                cells.run.iter_mut().for_each(|run| *run = place[*run as usize]);
            }
            let mut runs: Vec<Option<PastRun>> = self.runs.into_iter().map(Some).collect();
            self.runs = order.iter().filter_map(|number| runs[*number as usize].take()).collect();
        }
        let owned = |texts: &Distinct| texts.texts().iter().map(str::to_owned).collect();
        for (cells, values) in self.cells.iter_mut().zip(&self.values) {
            cells.values = owned(values);
        }
        History {
            runs: self.runs,
            names: Names(owned(&self.names)),
            strata: self.strata,
            cells: self.cells,
            notes: Vec::new(),
        }
    }
}
