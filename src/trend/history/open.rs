//! A history read back: what can be read is, and the rest is named.

use super::store::{Unread, finished_run, list, read_run};
use super::{Cells, History, HistoryError, Naming, PastRun, Stratum};
use crate::compare::Names;
use crate::count::{Count, Dimension, GroupRef};
use crate::recording::Day;
use crate::store::StoredCube;
use crate::verdict::{counted, harmless};
use indexmap::IndexSet;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// So many files are read before their counts are gathered.
const AT_ONCE: usize = 128;
/// So many files are named in a sentence.
const MOST_NAMES: usize = 3;
/// No number of a text.
const NONE: u32 = u32::MAX;

impl History {
    /// Reads the runs of a history, and what they counted by class and by these dimensions. Files that
    /// cannot be read are passed over as a whole, and named in the notes.
    pub fn open(dir: &Path, dimensions: &[Dimension]) -> Result<Self, HistoryError> {
        let listing = list(dir)?;
        let wanted = with_classes(dimensions);
        let mut gathered = HistoryRead::default();
        let mut remarks = BTreeMap::<String, Vec<String>>::new();
        let (mut twice, mut unread) = (0, 0);
        for files in listing.files.chunks(AT_ONCE) {
            let read: Vec<_> = files.par_iter().map(|file| read_whole(&file.path)).collect();
            for (file, read) in files.iter().zip(read) {
                match read {
                    Ok((run, _)) if gathered.has(&run) => twice += 1,
                    Ok((run, cube)) => gathered.take(run, &cube, &wanted),
                    Err(Unread { reason, .. }) => {
                        let names = remarks.entry(format!("ignored: {reason}")).or_default();
                        names.push(file.name.clone());
                        unread += 1;
                    }
                }
            }
        }
        let mut history = History { unread, ..gathered.finish() };
        if !listing.foreign.is_empty() {
            remarks.insert("ignored: not part of a history".to_owned(), listing.foreign);
        }
        let remarks = remarks.into_iter();
        history.notes.extend(remarks.map(|(what, names)| format!("{}: {what}", some_of(&names))));
        if twice > 0 {
            let runs = counted(twice, "file");
            history.notes.push(format!("{runs} ignored: a copy of a run in another file"));
        }
        history.notes.extend(ahead(&history.runs));
        Ok(history)
    }
}

impl History {
    /// The history of a single run, from its folder, of the same dimensions.
    pub fn of_run(folder: &Path, dimensions: &[Dimension]) -> Result<Self, HistoryError> {
        let naming = Naming { collection: Some("run".to_owned()), ..Naming::default() };
        let (run, cube) = finished_run(folder, &naming)?;
        let mut gathered = HistoryRead::default();
        gathered.take(run, &cube, &with_classes(dimensions));
        Ok(gathered.finish())
    }
}

/// Exchanges are counted by their classes, whatever else is asked.
fn with_classes(dimensions: &[Dimension]) -> Vec<Dimension> {
    let wanted = Dimension::ALL.into_iter();
    wanted.filter(|it| *it == Dimension::Class || dimensions.contains(it)).collect()
}

/// The first of some names, and how many more there are.
fn some_of(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| harmless(name)).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Says which runs speak for nights to come: they stand behind all that follow.
fn ahead(runs: &[PastRun]) -> Option<String> {
    let is_ahead = |run: &&PastRun| run.speaks_for_a_night_to_come();
    let first = runs.iter().find(is_ahead)?;
    let (id, night) = (harmless(&first.id), first.night);
    Some(format!(
        "the run {id} is for {night}, which is in the future ({} like this), so it sorts after \
         every earlier night; remove it with `tapecheck trend HISTORY --forget`, and add it \
         again with the right --night",
        counted(runs.iter().filter(is_ahead).count() as u64, "run")
    ))
}

/// Reads a file to its end, and checks that its counts add up.
pub(super) fn read_whole(path: &Path) -> Result<(PastRun, StoredCube), Unread> {
    let (run, file) = read_run(path)?;
    let cube = StoredCube::read(file).map_err(|error| Unread::odd(error.to_string()))?;
    adds_up(&cube, run.exchanges)?;
    Ok((run, cube))
}

pub(super) fn adds_up(cube: &StoredCube, exchanges: u64) -> Result<(), Unread> {
    let mut sums = [0_i128; Dimension::ALL.len()];
    let mut most = 0;
    let is_whole = cube.each(&Dimension::ALL, |GroupRef { day, .. }, counts| {
        let is_day = day.is_empty() || day.parse::<Day>().is_ok();
        for Count { dimension, n, .. } in counts {
            sums[*dimension as usize] += i128::from(*n);
            if dimension.counts_exchanges() {
                most = most.max(*n);
            }
            if *n < 0 || !is_day {
                most = i64::MAX;
            }
        }
    });
    if !is_whole || u64::try_from(most).is_ok_and(|most| most > exchanges) {
        return Err(Unread::odd("it has unknown counts"));
    }
    let of_all = Dimension::ALL.into_iter().filter(|it| it.is_of_every_exchange());
    for (dimension, sum) in of_all.map(|dimension| (dimension, sums[dimension as usize])) {
        if sum != i128::from(exchanges) {
            return Err(Unread::odd(format!(
                "it has {} calls, but its counts of {} add up to {sum}",
                exchanges,
                dimension.name(),
            )));
        }
    }
    Ok(())
}

#[derive(Default)]
struct HistoryRead {
    runs: Vec<PastRun>,
    ids: HashSet<String>,
    names: Names,
    strata: IndexSet<Stratum>,
    values: [Names; Dimension::ALL.len()],
    cells: [Cells; Dimension::ALL.len()],
}

impl HistoryRead {
    fn has(&self, run: &PastRun) -> bool {
        self.ids.contains(&run.id)
    }

    fn take(&mut self, run: PastRun, cube: &StoredCube, wanted: &[Dimension]) {
        let number = u32::try_from(self.runs.len()).unwrap_or(NONE);
        self.ids.insert(run.id.clone());
        self.runs.push(run);
        let _ = cube.each(wanted, |group, counts| {
            let (stratum, day) = (self.stratum(group), group.day.parse().ok());
            for &Count { dimension, value, n } in counts {
                let cells = &mut self.cells[dimension as usize];
                cells.run.push(number);
                cells.day.push(day);
                cells.stratum.push(stratum);
                cells.value.push(self.values[dimension as usize].number(value));
                cells.count.push(u32::try_from(n).unwrap_or(u32::MAX));
            }
        });
    }

    fn stratum(&mut self, GroupRef { server, tool, scenario, .. }: GroupRef<'_>) -> u32 {
        let stratum = Stratum {
            server: self.names.number(server),
            tool: self.names.number(tool),
            scenario: scenario.map(|scenario| self.names.number(scenario)),
        };
        u32::try_from(self.strata.insert_full(stratum).0).unwrap_or(NONE)
    }

    /// The history, its runs in their order.
    fn finish(mut self) -> History {
        let mut order: Vec<usize> = (0..self.runs.len()).collect();
        order.sort_by(|one, other| self.runs[*one].order().cmp(&self.runs[*other].order()));
        let mut place = vec![0; order.len()];
        for (at, number) in (0..).zip(&order) {
            place[*number] = at;
        }
        for (cells, values) in self.cells.iter_mut().zip(self.values) {
            cells.run.iter_mut().for_each(|run| *run = place[*run as usize]);
            cells.values = values.iter().map(str::to_owned).collect();
        }
        History {
            runs: order.iter().map(|number| self.runs[*number].clone()).collect(),
            names: self.names,
            strata: self.strata.into_iter().collect(),
            cells: self.cells,
            ..History::default()
        }
    }
}
