//! The exchanges of each night by stratum, in columns, and how long calls took.

use super::model::NightlyDurations;
use crate::count::{Dimension, Durations, duration_bucket};
use crate::store::RulebookName;
use crate::trend::history::{Cells, History, Nights};
use hashbrown::HashMap;
use rayon::slice::ParallelSliceMut as _;
use std::collections::BTreeMap;
use std::ops::Range;

/// What exchanges that may be held against each other have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alike {
    /// Who answered, as a number of the history's names.
    pub server: u32,
    pub tool: u32,
    pub scenario: Option<u32>,
    /// What judged: the first run of the same rulebook, checks and version, as a number into [`History::runs`].
    pub regime: u32,
}

/// The rows of all nights: exchanges of one stratum in one night.
#[derive(Debug, Default)]
pub(super) struct NightRows {
    pub regime_of_run: Vec<u32>,
    pub strata: Vec<Alike>,
    /// Where the rows of each night begin; one more than there are nights.
    pub starts: Vec<u32>,
    pub stratum: Vec<u32>,
    pub of: Vec<u32>,
    /// The number of each stratum, by what judged and by its number in the history.
    numbers: HashMap<(u32, u32), u32>,
}

/// What counts by a value of a dimension in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    value: u32,
    row: u32,
    count: u32,
}

/// What counts by each value of a dimension, in order.
#[derive(Debug, Default)]
pub(super) struct Hits(Vec<Hit>);

impl Hits {
    fn of(&self, value: usize) -> &[Hit] {
        let from = self.0.partition_point(|hit| (hit.value as usize) < value);
        let to = self.0.partition_point(|hit| hit.value as usize <= value);
        &self.0[from..to]
    }

    pub(super) fn has(&self, value: usize) -> bool {
        !self.of(value).is_empty()
    }
}

/// The cells of a dimension that count, each with its night.
fn placed<'a>(
    cells: &'a Cells,
    nights: &'a Nights,
) -> impl Iterator<Item = (usize, usize)> + use<'a> {
    (0..cells.run.len()).filter_map(|cell| {
        let night = nights.place(cells.run[cell], cells.day[cell])? as usize;
        (night < nights.days.len()).then_some((night, cell))
    })
}

impl NightRows {
    pub(super) fn of(history: &History, nights: &Nights) -> Self {
        let mut gathered = Self::default();
        let mut first = HashMap::new();
        let judged = (0..).zip(&history.runs).map(|(number, run)| {
            let RulebookName { name, digest } = &run.rulebook;
            *first.entry((name, digest, &run.checks, &run.version)).or_insert(number)
        });
        gathered.regime_of_run = judged.collect();
        let classes = history.cells(Dimension::Class);
        let mut cells: Vec<(usize, usize)> = placed(classes, nights).collect();
        cells.par_sort_unstable();
        let mut of_night = Vec::new();
        for (night, cell) in cells {
            if let Some(number) = gathered.number(history, classes, cell) {
                of_night.push((night, number, classes.count[cell]));
            }
        }
        of_night.par_sort_unstable();
        gathered.starts.push(0);
        let mut rest = &of_night[..];
        for night in 0..nights.days.len() {
            let own = rest.partition_point(|(other, _, _)| *other == night);
            for row in rest[..own].chunk_by(|one, other| one.1 == other.1) {
                let sum = row.iter().fold(0_u32, |sum, (_, _, count)| sum.saturating_add(*count));
                if sum > 0 {
                    gathered.stratum.push(row[0].1);
                    gathered.of.push(sum);
                }
            }
            gathered.starts.push(u32::try_from(gathered.of.len()).unwrap_or(u32::MAX));
            rest = &rest[own..];
        }
        gathered
    }

    /// The rows of a night.
    pub(super) fn night(&self, night: usize) -> Range<usize> {
        self.starts[night] as usize..self.starts[night + 1] as usize
    }

    /// In which rows exchanges count by a dimension.
    pub(super) fn counted(&self, history: &History, nights: &Nights, dimension: Dimension) -> Hits {
        let cells = history.cells(dimension);
        let hits = placed(cells, nights).filter_map(|(night, cell)| {
            let regime = self.regime_of_run.get(cells.run[cell] as usize)?;
            let number = self.numbers.get(&(*regime, cells.stratum[cell]))?;
            let rows = self.night(night);
            // A dimension that counts what no class counts is not believed.
            let row = rows.start + self.stratum[rows].binary_search(number).ok()?;
            let row = u32::try_from(row).ok()?;
            Some(Hit { value: cells.value[cell], row, count: cells.count[cell] })
        });
        let mut hits = Hits(hits.collect());
        hits.0.par_sort_unstable();
        hits
    }

    /// The number of a cell's stratum, a new one where it has none yet.
    fn number(&mut self, history: &History, cells: &Cells, cell: usize) -> Option<u32> {
        let regime = *self.regime_of_run.get(cells.run[cell] as usize)?;
        let stratum = cells.stratum[cell];
        let next = u32::try_from(self.strata.len()).ok()?;
        let number = *self.numbers.entry((regime, stratum)).or_insert(next);
        if number == next {
            let of = history.strata[stratum as usize];
            let (server, tool, scenario) = (of.server, of.tool, of.scenario);
            self.strata.push(Alike { server, tool, scenario, regime });
        }
        Some(number)
    }

    /// What counts by one value, a cell for each row.
    pub(super) fn spread(&self, hits: &Hits, value: usize) -> Vec<u32> {
        let mut column = vec![0_u32; self.of.len()];
        for Hit { row, count, .. } in hits.of(value) {
            let row = *row as usize;
            column[row] = column[row].saturating_add(*count).min(self.of[row]);
        }
        column
    }
}

/// How many calls of each night took how long.
#[derive(Debug, Default)]
pub(super) struct Timed {
    /// By series and night.
    nights: BTreeMap<(usize, usize), Durations>,
}

impl Timed {
    /// `values` are the durations that `hits` are of; `series` says what a stratum belongs to.
    pub(super) fn of(
        gathered: &NightRows,
        hits: &Hits,
        values: &[String],
        series: impl Fn(u32) -> usize,
    ) -> Self {
        let mut timed = Self::default();
        for (value, text) in values.iter().enumerate() {
            let Some(step) = text.parse().ok().and_then(duration_bucket) else { continue };
            for Hit { row, count, .. } in hits.of(value) {
                let night = gathered.starts.partition_point(|start| start <= row) - 1;
                let series = series(gathered.stratum[*row as usize]);
                let durations = timed.nights.entry((series, night)).or_default();
                durations.add(step, u64::from(*count));
            }
        }
        timed
    }

    /// Those of a series from a night on, and of up to `window` nights before the last.
    pub(super) fn durations(
        &self,
        series: usize,
        shown: Range<usize>,
        window: usize,
    ) -> NightlyDurations {
        let of_night = |night: usize| self.nights.get(&(series, night));
        let mut before = Durations::default();
        let last = shown.end.saturating_sub(1);
        for durations in (last.saturating_sub(window)..last).filter_map(of_night) {
            before.merge(durations);
        }
        NightlyDurations {
            nights: shown.map(|night| of_night(night)?.took()).collect(),
            before: before.took(),
        }
    }
}
