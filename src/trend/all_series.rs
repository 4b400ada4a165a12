//! The series there are, and the counts of each.

use super::counts::Counts;
use super::gather::{Alike, Hits, NightRows};
use super::model::Direction;
use super::settings::By;
use crate::count::Dimension;
use crate::trend::history::{Cells, History};
use crate::verdict::{Answer, Classification, Outcome};
use std::collections::BTreeMap;

pub(super) struct AllSeries<'a> {
    gathered: &'a NightRows,
    hits: &'a Hits,
    /// What each is: its name, and where its counts come from.
    pub names: Vec<Named>,
    /// The place of each stratum among those of its series.
    places: Vec<u32>,
    /// What is failed or invalid, a cell for each row.
    bad: Vec<u32>,
    /// The exchanges whose outcome says something of the server, a cell for each row; where outcomes are not
    /// looked at, all.
    telling: Vec<u32>,
}

/// A series that is to be looked at.
pub(super) struct Named {
    pub name: String,
    pub good: Option<Direction>,
    source: Source,
}

enum Source {
    /// What has a value of a dimension, of all strata and exchanges, or of those whose outcome says something of the server.
    Value { value: usize, of_all: bool },
    /// What is failed or invalid, of these rows and strata, in order.
    Rows { rows: Vec<usize>, strata: Vec<u32> },
}

impl<'a> AllSeries<'a> {
    pub(super) fn of(history: &History, by: By, gathered: &'a NightRows, hits: &'a Hits) -> Self {
        let (names, places, bad) = (Vec::new(), Vec::new(), Vec::new());
        let telling = gathered.of.clone();
        let mut all = Self { gathered, hits, names, places, bad, telling };
        let cells = history.cells(by.dimension());
        if by.dimension() == Dimension::Outcome {
            all.leave_out_unknown(cells);
        }
        if by.is_of_strata() {
            all.name_groups(history, by);
            all.count_bad(cells);
        } else {
            all.name_values(by, cells);
        }
        all
    }

    /// A series for each value that occurs.
    fn name_values(&mut self, by: By, cells: &Cells) {
        let named = |(value, name): (usize, &String)| {
            let good = direction(by, name);
            let of_all = by == By::Outcome && Outcome::of_name(name).is_some_and(|it| !it.tells());
            Named { good, name: name.clone(), source: Source::Value { value, of_all } }
        };
        let occurring = cells.values.iter().enumerate().filter(|(value, _)| self.hits.has(*value));
        self.names = occurring.map(named).collect();
        self.places = (0..).take(self.gathered.strata.len()).collect();
    }

    /// A series for each server, tool or scenario.
    fn name_groups(&mut self, history: &History, by: By) {
        let name = |alike: &Alike| {
            let server = history.names.get(alike.server);
            match by {
                By::Tool => format!("{server}/{}", history.names.get(alike.tool)),
                By::Scenario => alike.scenario.map_or("(none)", |it| history.names.get(it)).into(),
                _ => server.to_owned(),
            }
        };
        let names: Vec<String> = self.gathered.strata.iter().map(name).collect();
        let mut groups = BTreeMap::<&str, (Vec<usize>, Vec<u32>)>::new();
        for (stratum, name) in (0..).zip(&names) {
            let (_, strata) = groups.entry(name).or_default();
            self.places.push(u32::try_from(strata.len()).unwrap_or(u32::MAX));
            strata.push(stratum);
        }
        for (row, stratum) in self.gathered.stratum.iter().enumerate() {
            if let Some((rows, _)) = groups.get_mut(&*names[*stratum as usize]) {
                rows.push(row);
            }
        }
        let series = groups.into_iter().map(|(name, (rows, strata))| Named {
            name: name.to_owned(),
            good: Some(Direction::Down),
            source: Source::Rows { rows, strata },
        });
        self.names = series.collect();
    }

    /// Exchanges that were not sent, or of which nobody knows, enter no share but their own.
    fn leave_out_unknown(&mut self, outcomes: &Cells) {
        for (value, name) in outcomes.values.iter().enumerate() {
            if Outcome::of_name(name).is_some_and(|outcome| !outcome.tells()) {
                let unknown = self.gathered.spread(self.hits, value);
                for (count, unknown) in self.telling.iter_mut().zip(unknown) {
                    *count = count.saturating_sub(unknown);
                }
            }
        }
    }

    fn count_bad(&mut self, outcomes: &Cells) {
        self.bad = vec![0; self.gathered.of.len()];
        for (value, name) in outcomes.values.iter().enumerate() {
            if Outcome::of_name(name).is_some_and(Outcome::is_bad) {
                let of_value = self.gathered.spread(self.hits, value);
                for (count, more) in self.bad.iter_mut().zip(of_value) {
                    *count += more;
                }
            }
        }
    }

    /// The number of the series that each stratum is in; `None` where strata are in all of them.
    pub(super) fn of_strata(&self) -> Option<Vec<usize>> {
        let mut series = vec![0; self.gathered.strata.len()];
        for (number, named) in self.names.iter().enumerate() {
            match &named.source {
                Source::Value { .. } => return None,
                Source::Rows { strata, .. } => {
                    for stratum in strata {
                        series[*stratum as usize] = number;
                    }
                }
            }
        }
        Some(series)
    }

    pub(super) fn counts(&self, series: usize) -> Counts {
        match &self.names[series].source {
            Source::Value { value, of_all } => {
                let strata = (0..).take(self.gathered.strata.len()).collect();
                let hits = self.gathered.spread(self.hits, *value);
                let of = if *of_all { &self.gathered.of } else { &self.telling };
                Counts::of(self.gathered, 0..hits.len(), strata, &self.places, [of, &hits])
            }
            Source::Rows { rows, strata } => self.of_rows(rows, strata, [&self.telling, &self.bad]),
        }
    }

    /// In which nights the series is there, and how often: a server is there when it answers, whatever
    /// it says, and when it does not.
    pub(super) fn held(&self, series: usize) -> Vec<(usize, u64)> {
        let all = &self.gathered.of;
        let counts = match &self.names[series].source {
            Source::Value { .. } => self.counts(series),
            Source::Rows { rows, strata } => self.of_rows(rows, strata, [all, all]),
        };
        let nights = counts.nights.iter().enumerate();
        nights.map(|(place, night)| (*night as usize, counts.total(place)[1])).collect()
    }

    fn of_rows(&self, rows: &[usize], strata: &[u32], columns: [&[u32]; 2]) -> Counts {
        let (rows, strata) = (rows.iter().copied(), strata.to_vec());
        Counts::of(self.gathered, rows, strata, &self.places, columns)
    }
}

/// Which way is good, by what is counted.
fn direction(by: By, name: &str) -> Option<Direction> {
    let failures = [Answer::ToolFailure, Answer::HiddenFailure, Answer::HiddenRefusal];
    let is_good = match by {
        By::Outcome => match Outcome::of_name(name)? {
            Outcome::Worked => true,
            Outcome::Failed | Outcome::Invalid => false,
            Outcome::Refused | Outcome::Unknown | Outcome::NotSent => return None,
        },
        By::Class => name == Classification::FullyWorking.name(),
        By::Answer if !failures.iter().any(|answer| answer.name() == name) => return None,
        By::IssueType if name.starts_with("info ") => return None,
        By::Signal => return None,
        By::Answer
        | By::IssueType
        | By::ErrorKind
        | By::Who
        | By::List
        | By::Server
        | By::Tool
        | By::Scenario => false,
    };
    Some(if is_good { Direction::Up } else { Direction::Down })
}
