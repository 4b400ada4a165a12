//! The series there are, each as columns of counts.

use super::counts::Counts;
use super::gather::{Alike, Gathered, Hits};
use super::model::Direction;
use super::settings::By;
use crate::compare::Answer;
use crate::trend::history::{Cells, History};
use crate::verdict::Classification;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The series of a trend.
pub(super) struct AllSeries<'a> {
    gathered: &'a Gathered,
    hits: &'a Hits,
    /// Where the rows of nights with exchanges begin, and which nights these are.
    starts: Vec<u32>,
    nights: Vec<u32>,
    /// What each is: its name, and where its counts come from.
    pub names: Vec<Named>,
}

/// A series that is to be looked at.
pub(super) struct Named {
    pub name: String,
    pub good: Direction,
    source: Source,
}

enum Source {
    /// What has a value of a dimension.
    Value(usize),
    /// What is not fully working, of these rows; and the strata they are of, in order.
    Rows { rows: Vec<u32>, strata: Vec<u32>, working: Option<usize> },
}

/// The columns of one series.
pub(super) struct Columns<'a> {
    pub nights: Cow<'a, [u32]>,
    starts: Cow<'a, [u32]>,
    stratum: Cow<'a, [u32]>,
    of: Cow<'a, [u32]>,
    hits: Vec<u32>,
    /// The numbers that its strata have among all, where they are not the same.
    strata: Cow<'a, [u32]>,
    all: &'a [Alike],
}

impl Columns<'_> {
    pub(super) fn counts(&self) -> Counts<'_> {
        Counts {
            starts: &self.starts,
            stratum: &self.stratum,
            of: &self.of,
            hits: &self.hits,
            strata: if self.strata.is_empty() { self.all.len() } else { self.strata.len() },
        }
    }

    /// Leaves nights before this one out.
    pub(super) fn since(mut self, night: usize) -> Self {
        let kept = self.nights.partition_point(|other| (*other as usize) < night);
        if kept > 0 {
            self.nights = Cow::Owned(self.nights[kept..].to_vec());
            self.starts = Cow::Owned(self.starts[kept..].to_vec());
        }
        self
    }

    /// What exchanges of one of its strata have in common.
    pub(super) fn alike(&self, stratum: usize) -> Alike {
        let number = self.strata.get(stratum).map_or(stratum, |number| *number as usize);
        self.all[number]
    }
}

impl<'a> AllSeries<'a> {
    pub(super) fn of(
        history: &History,
        by: By,
        (gathered, hits): (&'a Gathered, &'a Hits),
    ) -> Self {
        let mut all =
            Self { gathered, hits, starts: vec![0], nights: Vec::new(), names: Vec::new() };
        for (night, ends) in (0..).zip(gathered.starts.windows(2)) {
            if ends[0] < ends[1] {
                all.nights.push(night);
                all.starts.push(ends[1]);
            }
        }
        let cells = history.cells(by.dimension());
        all.names =
            if by.is_of_strata() { all.groups(history, by, cells) } else { all.values(by, cells) };
        all
    }

    /// A series for each value that occurs.
    fn values(&self, by: By, cells: &Cells) -> Vec<Named> {
        let occurs = |value: &usize| self.hits.starts[*value] < self.hits.starts[*value + 1];
        let named = |value: usize| {
            let name = cells.values[value].clone();
            Named { good: direction(by, &name), name, source: Source::Value(value) }
        };
        (0..cells.values.len()).filter(occurs).map(named).collect()
    }

    /// A series for each server, tool or scenario.
    fn groups(&self, history: &History, by: By, classes: &Cells) -> Vec<Named> {
        let name = |alike: &Alike| {
            let server = history.names.get(alike.server);
            match by {
                By::Tool => format!("{server}/{}", history.names.get(alike.tool)),
                By::Scenario => alike.scenario.map_or("(none)", |it| history.names.get(it)).into(),
                By::Server | By::Class | By::Answer | By::IssueType | By::ErrorKind | By::Fact => {
                    server.to_owned()
                }
            }
        };
        let mut numbers = BTreeMap::<String, u32>::new();
        let names: Vec<String> = self.gathered.strata.iter().map(name).collect();
        for name in &names {
            numbers.entry(name.clone()).or_default();
        }
        for (number, known) in (0..).zip(numbers.values_mut()) {
            *known = number;
        }
        let group: Vec<u32> = names.iter().map(|name| numbers[name]).collect();
        let mut rows = vec![Vec::new(); numbers.len()];
        for (row, stratum) in (0..).zip(&self.gathered.stratum) {
            rows[group[*stratum as usize] as usize].push(row);
        }
        let mut strata = vec![Vec::new(); numbers.len()];
        for (stratum, group) in (0..).zip(&group) {
            strata[*group as usize].push(stratum);
        }
        let works = Classification::FullyWorking.name();
        let working = classes.values.iter().position(|value| value == works);
        let sources = rows.into_iter().zip(strata);
        numbers
            .into_keys()
            .zip(sources)
            .map(|(name, (rows, strata))| Named {
                name,
                good: Direction::Down,
                source: Source::Rows { rows, strata, working },
            })
            .collect()
    }

    /// What is not fully working, a cell for each row.
    pub(super) fn not_working(&self) -> Vec<u32> {
        let working = self.names.iter().find_map(|named| match &named.source {
            Source::Rows { working, .. } => *working,
            Source::Value(_) => None,
        });
        let mut column = Vec::new();
        match working {
            Some(value) => self.gathered.spread(self.hits, value, &mut column),
            None => column.resize(self.gathered.of.len(), 0),
        }
        for (works, of) in column.iter_mut().zip(&self.gathered.of) {
            *works = of - *works;
        }
        column
    }

    /// The columns of a series; `not_working` as above, where that is what is counted.
    pub(super) fn columns(&self, series: usize, not_working: &[u32]) -> Columns<'_> {
        let Gathered { strata: all, stratum, of, starts, .. } = self.gathered;
        match &self.names[series].source {
            Source::Value(value) => {
                let mut hits = Vec::new();
                self.gathered.spread(self.hits, *value, &mut hits);
                Columns {
                    nights: Cow::Borrowed(&self.nights),
                    starts: Cow::Borrowed(&self.starts),
                    stratum: Cow::Borrowed(stratum),
                    of: Cow::Borrowed(of),
                    hits,
                    strata: Cow::Borrowed(&[]),
                    all,
                }
            }
            Source::Rows { rows, strata, .. } => {
                let (mut nights, mut own_starts) = (Vec::new(), vec![0]);
                let mut night = 0;
                for (place, row) in (0..).zip(rows) {
                    let earlier = night;
                    while starts[night + 1] <= *row {
                        night += 1;
                    }
                    if place == 0 || night > earlier {
                        nights.push(u32::try_from(night).unwrap_or(u32::MAX));
                        if place > 0 {
                            own_starts.push(place);
                        }
                    }
                }
                if !rows.is_empty() {
                    own_starts.push(u32::try_from(rows.len()).unwrap_or(u32::MAX));
                }
                let own = |row: &u32| {
                    let found = strata.binary_search(&stratum[*row as usize]);
                    found.ok().and_then(|it| u32::try_from(it).ok()).unwrap_or_default()
                };
                let take = |column: &[u32]| rows.iter().map(|row| column[*row as usize]).collect();
                Columns {
                    nights: Cow::Owned(nights),
                    starts: Cow::Owned(own_starts),
                    stratum: Cow::Owned(rows.iter().map(own).collect()),
                    of: Cow::Owned(take(of)),
                    hits: take(not_working),
                    strata: Cow::Borrowed(strata),
                    all,
                }
            }
        }
    }
}

/// Which way is good, by what is counted.
fn direction(by: By, name: &str) -> Direction {
    match by {
        By::Class if name == Classification::FullyWorking.name() => Direction::Up,
        By::Answer => {
            let failures = [Answer::ToolFailure, Answer::HiddenFailure];
            let is_failure = failures.iter().any(|answer| answer.name() == name);
            if is_failure { Direction::Down } else { Direction::Neither }
        }
        By::IssueType if name.starts_with("info ") => Direction::Neither,
        By::Fact => Direction::Neither,
        By::Class | By::IssueType | By::ErrorKind | By::Server | By::Tool | By::Scenario => {
            Direction::Down
        }
    }
}
