//! All tables of a history looked at, also those that nobody asks for at the moment.

use super::open::Remarks;
use super::partition::{Unit, Unread, read_each};
use super::place::list;
use super::{History, HistoryError, Measure, PastRun};
use crate::report::TableFormat;
use hashbrown::HashMap;
use rayon::prelude::*;
use std::path::Path;

/// What is torn in a history.
#[derive(Clone, Debug, Default)]
pub struct Torn {
    /// Partitions of which a table cannot be read, by name.
    pub partitions: Vec<String>,
    /// What is said of the tables that [`History::open`] need not read: sentences for people.
    pub notes: Vec<String>,
}

impl History {
    /// Looks for tables that cannot be read.
    pub fn torn(dir: &Path) -> Result<Torn, HistoryError> {
        let listing = list(dir)?;
        let faults: Vec<Faults> =
            listing.partitions.par_iter().map(|path| Faults::of(path)).collect();
        let mut torn = Torn::default();
        let mut remarks = Remarks::default();
        for (path, faults) in listing.partitions.iter().zip(faults) {
            if faults.is_torn {
                let name = path.file_name().unwrap_or_default();
                torn.partitions.push(name.to_string_lossy().into_owned());
            }
            faults.notes.into_iter().for_each(|note| remarks.note(path, note));
        }
        torn.notes = remarks.sentences().collect();
        Ok(torn)
    }
}

/// What is wrong with a partition.
#[derive(Default)]
struct Faults {
    is_torn: bool,
    notes: Vec<String>,
}

impl Faults {
    fn of(path: &Path) -> Self {
        let tables = read_each(path);
        let mut faults = Self::default();
        let mut readable = Vec::new();
        for (measure, read) in Measure::ALL.into_iter().zip(tables.units) {
            match read {
                Ok(units) => readable.push((measure, units)),
                Err(Unread::Gone | Unread::Newer(_)) => {}
                Err(Unread::Odd(reason)) => faults.note(measure, &reason),
            }
        }
        match tables.runs {
            // The tables of a newer version may be others.
            Err(Unread::Gone | Unread::Newer(_)) => Self::default(),
            Err(Unread::Odd(_)) => Self { is_torn: true, ..faults },
            Ok(runs) => {
                faults.hold_together(&runs, &readable);
                faults
            }
        }
    }

    /// Classes are what runs are read by, so that others speak of them.
    fn note(&mut self, measure: Measure, reason: &str) {
        self.is_torn = true;
        if measure != Measure::Class {
            let what = measure.place().0.name();
            self.notes.push(format!("{reason}; what needs {what} passes the folder over"));
        }
    }

    /// Notes which of the tables that can be read do not speak of these runs.
    fn hold_together(&mut self, runs: &[PastRun], readable: &[(Measure, Vec<Unit>)]) {
        for (measure, units) in readable {
            let measure = *measure;
            let mut counted: HashMap<&str, u64> =
                runs.iter().map(|run| (run.id.as_str(), 0)).collect();
            let is_known = units.iter().all(|unit| count_by_run(unit, &mut counted));
            let name = measure.place().0.file_name(TableFormat::Parquet);
            let adds_up =
                || runs.iter().all(|run| counted.get(run.id.as_str()) == Some(&run.exchanges));
            if !is_known {
                self.note(measure, &format!("{name} has a run that runs.parquet does not know"));
            } else if measure.is_of_every_exchange() && !adds_up() {
                self.note(measure, &format!("{name} does not add up to the exchanges of its runs"));
            }
        }
    }
}

/// Counts the exchanges of a row group by run; whether all runs are known.
fn count_by_run(unit: &Unit, counted: &mut HashMap<&str, u64>) -> bool {
    let mut of_run = vec![0_u64; unit.run.texts.len()];
    for (run, count) in unit.run.rows.iter().zip(&unit.count) {
        if let Some(of_run) = of_run.get_mut(*run as usize) {
            *of_run += u64::from(*count);
        }
    }
    unit.run
        .texts
        .iter()
        .zip(of_run)
        .all(|(id, of_run)| counted.get_mut(id).map(|counted| *counted += of_run).is_some())
}
