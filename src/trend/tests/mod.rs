//! Histories made by hand and by dice.

mod dice;
mod stories;

use super::{By, NightlyCounts, Settings, Trend};
use crate::count::Dimension;
use crate::recording::Day;
use crate::store::RulebookName;
use crate::trend::history::{At, Cells, History, PastRun, Stratum};
use crate::verdict::{Classification, Outcome};

/// The first night of every history here: 2026-09-01.
const FIRST: Day = Day(20_697);

/// Exchanges of a server in one night, by class, best first.
type Classes = [u32; 5];

/// A history with a run every night.
struct Nightly {
    history: History,
    next: i32,
}

impl Nightly {
    fn new() -> Self {
        let mut history = History::default();
        for dimension in Dimension::ALL {
            history.cells[dimension as usize] = Cells::default();
        }
        let classes = Classification::ALL.map(|class| class.name().to_owned());
        history.cells[Dimension::Class as usize].values = classes.to_vec();
        let outcomes = [Outcome::Worked, Outcome::Failed, Outcome::Unknown]
            .map(|outcome| outcome.name().to_owned());
        history.cells[Dimension::Outcome as usize].values = outcomes.to_vec();
        Self { history, next: 0 }
    }

    /// Adds the next night: what each server has, with one tool; under this rulebook.
    fn night(&mut self, rulebook: &str, servers: &[(&str, Classes)]) -> &mut Self {
        let night = Day(FIRST.0 + self.next);
        self.next += 1;
        let run = u32::try_from(self.history.runs.len()).expect("few runs");
        self.history.runs.push(past_run(night, rulebook));
        for (server, classes) in servers {
            let stratum = self.stratum(server);
            for (value, count) in (0..).zip(classes).filter(|(_, count)| **count > 0) {
                self.push(Dimension::Class, [run, stratum, value, *count]);
            }
            // What does not fully work has failed, here.
            let failed = classes[1..].iter().sum();
            for (value, count) in [(0, classes[0]), (1, failed)] {
                if count > 0 {
                    self.push(Dimension::Outcome, [run, stratum, value, count]);
                }
            }
        }
        self
    }

    /// Adds exchanges of a server of the latest night that have an issue of this type.
    fn issue(&mut self, server: &str, name: &str, count: u32) -> &mut Self {
        let run = u32::try_from(self.history.runs.len() - 1).expect("few runs");
        let stratum = self.stratum(server);
        let values = &mut self.history.cells[Dimension::IssueType as usize].values;
        let value = values.iter().position(|value| value == name).unwrap_or_else(|| {
            values.push(name.to_owned());
            values.len() - 1
        });
        let value = u32::try_from(value).expect("few values");
        self.push(Dimension::IssueType, [run, stratum, value, count]);
        self
    }

    /// Adds exchanges of a server of the latest night of which nobody knows what became.
    fn unknown(&mut self, server: &str, count: u32) -> &mut Self {
        let run = u32::try_from(self.history.runs.len() - 1).expect("few runs");
        let stratum = self.stratum(server);
        self.push(Dimension::Class, [run, stratum, 4, count]);
        self.push(Dimension::Outcome, [run, stratum, 2, count]);
        self
    }

    /// Leaves a night out.
    fn gap(&mut self) -> &mut Self {
        self.next += 1;
        self
    }

    fn stratum(&mut self, server: &str) -> u32 {
        let server = self.history.names.number(server);
        let stratum = Stratum { server, tool: server, scenario: None };
        let strata = &mut self.history.strata;
        let number = strata.iter().position(|it| *it == stratum).unwrap_or_else(|| {
            strata.push(stratum);
            strata.len() - 1
        });
        u32::try_from(number).expect("few strata")
    }

    fn push(&mut self, dimension: Dimension, [run, stratum, value, count]: [u32; 4]) {
        let cells = &mut self.history.cells[dimension as usize];
        cells.run.push(run);
        cells.day.push(None);
        cells.stratum.push(stratum);
        cells.value.push(value);
        cells.count.push(count);
    }

    fn with(&self, settings: &Settings) -> Trend {
        NightlyCounts::of(&self.history, At::Recorded).trend(settings)
    }

    fn trend(&self, by: By) -> Trend {
        self.with(&Settings { by, ..Settings::default() })
    }
}

fn past_run(night: Day, rulebook: &str) -> PastRun {
    PastRun {
        id: night.to_string(),
        night,
        started_at: format!("{night}T03:00:00Z"),
        seconds: 1.0,
        collection: "recordings".to_owned(),
        corpus_digest: night.to_string(),
        rulebook: RulebookName { name: rulebook.to_owned(), digest: rulebook.to_owned() },
        checks: None,
        version: "0.1.0".to_owned(),
        exchanges: 0,
        unreadable: 0,
    }
}
