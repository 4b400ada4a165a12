//! All tables of a history looked at, also those that nobody asks for at the moment.

use super::gather::Gathered;
use super::open::Remarks;
use super::partition::{Partition, Unit, Unread, read_each};
use super::place::list;
use super::{History, HistoryError, Measure, PastRun};
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
                faults.hold_together(runs, readable);
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
    fn hold_together(&mut self, runs: Vec<PastRun>, readable: Vec<(Measure, Vec<Unit>)>) {
        let mut partition =
            Partition { runs, read: Vec::new(), units: Default::default(), unknown: Vec::new() };
        for (measure, units) in readable {
            partition.read = vec![measure];
            partition.units = Default::default();
            partition.units[measure as usize] = units;
            if let Err(Unread::Odd(reason)) = Gathered::default().take(&partition) {
                self.note(measure, &reason);
            }
        }
    }
}
