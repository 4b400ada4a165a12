//! The exchanges of each night by stratum, in columns.

use crate::count::Dimension;
use crate::store::RulebookName;
use crate::trend::history::{Cells, History, Nights};
use std::collections::HashMap;

/// No number of a stratum or row.
const NONE: u32 = u32::MAX;

/// What judged: exchanges are only held against those that the same judged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Regime {
    pub rulebook: (String, String),
    pub checks: Option<String>,
    pub version: String,
}

/// What exchanges that may be held against each other have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alike {
    /// Who answered, as a number of the history's names.
    pub server: u32,
    pub tool: u32,
    pub scenario: Option<u32>,
    /// What judged, as a number into [`Gathered::regimes`].
    pub regime: u32,
}

/// The rows of all nights: exchanges of one stratum in one night.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub regimes: Vec<Regime>,
    pub regime_of_run: Vec<u32>,
    pub strata: Vec<Alike>,
    /// Where the rows of each night begin; one more than there are nights.
    pub starts: Vec<u32>,
    pub stratum: Vec<u32>,
    pub of: Vec<u32>,
    numbers: Numbers,
}

/// Rows in which something counts, for each value of a measure.
#[derive(Debug, Default)]
pub(super) struct Hits {
    /// Where the rows of each value begin; one more than there are values.
    pub starts: Vec<usize>,
    pub row: Vec<u32>,
    pub count: Vec<u32>,
}

/// The cells of a dimension in the order of nights; those that do not count are left out.
struct ByNight {
    starts: Vec<usize>,
    cells: Vec<u32>,
}

impl ByNight {
    fn of(cells: &Cells, nights: &Nights) -> Self {
        let mut last = (NONE, None, None);
        let mut place = |cell: usize| {
            let (run, day) = (cells.run[cell], cells.day[cell]);
            if (run, day) != (last.0, last.1) {
                last = (run, day, nights.place(run, day));
            }
            last.2.map(|night| night as usize).filter(|night| *night < nights.days.len())
        };
        let mut starts = vec![0_usize; nights.days.len() + 1];
        for cell in 0..cells.run.len() {
            if let Some(night) = place(cell) {
                starts[night + 1] += 1;
            }
        }
        for night in 1..starts.len() {
            starts[night] += starts[night - 1];
        }
        let mut ends = starts.clone();
        let mut ordered = vec![0; *starts.last().unwrap_or(&0)];
        for cell in 0..cells.run.len() {
            if let Some(night) = place(cell) {
                ordered[ends[night]] = u32::try_from(cell).unwrap_or(NONE);
                ends[night] += 1;
            }
        }
        Self { starts, cells: ordered }
    }

    fn night(&self, night: usize) -> impl Iterator<Item = usize> {
        self.cells[self.starts[night]..self.starts[night + 1]].iter().map(|cell| *cell as usize)
    }
}

/// The number of a stratum, by what judged and by its number in the history.
#[derive(Debug, Default)]
struct Numbers(Vec<Vec<u32>>);

impl Numbers {
    fn get(&self, regime: u32, stratum: u32) -> Option<u32> {
        let of_regime = self.0.get(regime as usize)?;
        of_regime.get(stratum as usize).copied().filter(|number| *number != NONE)
    }

    fn slot(&mut self, regime: u32, stratum: u32, strata: usize) -> Option<&mut u32> {
        let regime = regime as usize;
        if self.0.len() <= regime {
            self.0.resize(regime + 1, Vec::new());
        }
        let of_regime = &mut self.0[regime];
        if of_regime.is_empty() {
            of_regime.resize(strata, NONE);
        }
        of_regime.get_mut(stratum as usize)
    }
}

impl Gathered {
    /// The exchanges of a history.
    pub(super) fn of(history: &History, nights: &Nights) -> Self {
        let mut gathered = Self::default();
        gathered.name_regimes(history);
        let classes = history.cells(Dimension::Class);
        let by_night = ByNight::of(classes, nights);
        let mut numbers = Numbers::default();
        gathered.starts.push(0);
        let mut of = Vec::<u32>::new();
        let mut found = Vec::new();
        for night in 0..nights.days.len() {
            for cell in by_night.night(night) {
                let Some(number) = gathered.number(history, classes, cell, &mut numbers) else {
                    continue;
                };
                of.resize(gathered.strata.len(), 0);
                let sum = &mut of[number as usize];
                if *sum == 0 {
                    found.push(number);
                }
                *sum = sum.saturating_add(classes.count[cell]);
            }
            found.sort_unstable();
            for number in found.drain(..) {
                let exchanges = std::mem::take(&mut of[number as usize]);
                if exchanges > 0 {
                    gathered.stratum.push(number);
                    gathered.of.push(exchanges);
                }
            }
            gathered.starts.push(u32::try_from(gathered.of.len()).unwrap_or(NONE));
        }
        gathered.numbers = numbers;
        gathered
    }

    /// In which rows exchanges count by a dimension.
    pub(super) fn counted(&self, history: &History, nights: &Nights, dimension: Dimension) -> Hits {
        let cells = history.cells(dimension);
        self.hits(cells, &ByNight::of(cells, nights))
    }

    fn name_regimes(&mut self, history: &History) {
        let mut known = HashMap::new();
        for run in &history.runs {
            let RulebookName { name, digest } = &run.rulebook;
            let regime = Regime {
                rulebook: (name.clone(), digest.clone()),
                checks: run.checks.clone(),
                version: run.version.clone(),
            };
            let next = u32::try_from(self.regimes.len()).unwrap_or(NONE);
            let number = *known.entry(regime.clone()).or_insert(next);
            if number == next {
                self.regimes.push(regime);
            }
            self.regime_of_run.push(number);
        }
    }

    /// The number of a cell's stratum, a new one where it has none yet.
    fn number(
        &mut self,
        history: &History,
        cells: &Cells,
        cell: usize,
        numbers: &mut Numbers,
    ) -> Option<u32> {
        let regime = *self.regime_of_run.get(cells.run[cell] as usize)?;
        let stratum = cells.stratum[cell];
        let slot = numbers.slot(regime, stratum, history.strata.len())?;
        if *slot == NONE {
            let of = history.strata[stratum as usize];
            *slot = u32::try_from(self.strata.len()).ok()?;
            let (server, tool, scenario) = (of.server, of.tool, of.scenario);
            self.strata.push(Alike { server, tool, scenario, regime });
        }
        Some(*slot)
    }

    /// The rows that cells count in, by value.
    fn hits(&self, cells: &Cells, by_night: &ByNight) -> Hits {
        let mut starts = vec![0_usize; cells.values.len() + 1];
        for cell in &by_night.cells {
            if let Some(count) = starts.get_mut(cells.value[*cell as usize] as usize + 1) {
                *count += 1;
            }
        }
        for value in 1..starts.len() {
            starts[value] += starts[value - 1];
        }
        let mut ends = starts.clone();
        let all = *starts.last().unwrap_or(&0);
        let (mut row, mut count) = (vec![NONE; all], vec![0; all]);
        let mut rows = vec![NONE; self.strata.len()];
        for night in 0..self.starts.len().saturating_sub(1) {
            let range = self.starts[night]..self.starts[night + 1];
            for number in range.clone() {
                rows[self.stratum[number as usize] as usize] = number;
            }
            for cell in by_night.night(night) {
                let value = cells.value[cell] as usize;
                let regime = self.regime_of_run.get(cells.run[cell] as usize);
                let number = regime.and_then(|it| self.numbers.get(*it, cells.stratum[cell]));
                let (Some(number), true) = (number, value < cells.values.len()) else { continue };
                let place = ends[value];
                ends[value] += 1;
                row[place] = rows[number as usize];
                count[place] = cells.count[cell];
            }
            for number in range {
                rows[self.stratum[number as usize] as usize] = NONE;
            }
        }
        Hits { starts, row, count }
    }

    /// Writes what counts by one value into a column with a cell for each row.
    pub(super) fn spread(&self, hits: &Hits, value: usize, column: &mut Vec<u32>) {
        column.clear();
        column.resize(self.of.len(), 0);
        self.add(hits, value, column);
    }

    /// Adds what counts by one value to such a column.
    pub(super) fn add(&self, hits: &Hits, value: usize, column: &mut [u32]) {
        let range = hits.starts[value]..hits.starts[value + 1];
        for (row, count) in hits.row[range.clone()].iter().zip(&hits.count[range]) {
            // A dimension that counts what no class counts is not believed.
            if let Some((hits, of)) = column.get_mut(*row as usize).zip(self.of.get(*row as usize))
            {
                *hits = hits.saturating_add(*count).min(*of);
            }
        }
    }
}
