//! Histories made by hand and by dice.

mod dice;
mod said;

use super::{By, NightlyCounts, Settings, Trend};
use crate::count::Dimension;
use crate::recording::Day;
use crate::store::RulebookName;
use crate::trend::history::{At, History, PastRun, Stratum};
use crate::verdict::Classification;

/// The first night of every history here: 2026-09-01.
const FIRST: Day = Day(20_697);

/// Exchanges of a server in one night, by class, best first.
type Classes = [u32; 5];

/// A history with a run every night.
#[derive(Default)]
struct Nightly {
    history: History,
    next: usize,
}

impl Nightly {
    /// Reads `20 nights under strict: mail 950 930, maps 50/5/300, mail has error timeout 9`: of what a
    /// server has, counts take turns. They are calls that fully work of 1,000, calls that do, fail and of
    /// which nobody knows, or calls that have an issue.
    fn read(text: &str) -> Self {
        let mut nightly = Self::default();
        for line in text.lines() {
            if let Some(note) = line.strip_prefix("note ") {
                nightly.history.notes.push(note.to_owned());
                continue;
            }
            let (nights, servers) = line.split_once(": ").unwrap_or((line, ""));
            let words: Vec<&str> = nights.split(' ').collect();
            for _ in 0..words[0].parse().expect("a number of nights") {
                if servers.is_empty() {
                    nightly.next += 1;
                    continue;
                }
                nightly.night(words.get(3).unwrap_or(&"guide"), &[]);
                servers.split(", ").for_each(|server| nightly.server(server));
            }
        }
        nightly
    }

    fn server(&mut self, text: &str) {
        let is_count = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        let (counts, name): (Vec<&str>, Vec<&str>) = text.split(' ').partition(is_count);
        let (name, count) = (name.join(" "), counts[(self.next - 1) % counts.len()]);
        let numbers: Vec<u32> = count.split('/').map(|it| it.parse().expect("a count")).collect();
        match (name.split_once(" has "), &numbers[..]) {
            (Some((server, issue)), [count]) => {
                self.count(server, Dimension::IssueType, issue, *count);
            }
            (None, [works]) => self.classes(&name, [*works, 0, 0, 1000 - works, 0]),
            (None, [works, fails, unknown @ ..]) => {
                self.classes(&name, [*works, 0, 0, *fails, 0]);
                for count in unknown {
                    self.count(&name, Dimension::Class, "broken", *count);
                    self.count(&name, Dimension::Outcome, "unknown", *count);
                }
            }
            _ => panic!("{text}"),
        }
    }

    /// Adds the next night: what each server has, with one tool; under this rulebook.
    fn night(&mut self, rulebook: &str, servers: &[(&str, Classes)]) {
        let night = Day(FIRST.0 + i32::try_from(self.next).expect("few nights"));
        self.next += 1;
        self.history.runs.push(past_run(night, rulebook));
        for (server, classes) in servers {
            self.classes(server, *classes);
        }
    }

    fn classes(&mut self, server: &str, classes: Classes) {
        for (class, count) in Classification::ALL.into_iter().zip(classes) {
            self.count(server, Dimension::Class, class.name(), count);
        }
        self.count(server, Dimension::Outcome, "worked", classes[0]);
        self.count(server, Dimension::Outcome, "failed", classes[1..].iter().sum());
    }

    fn count(&mut self, server: &str, dimension: Dimension, value: &str, count: u32) {
        let server = self.history.names.number(server);
        let stratum = Stratum { server, tool: server, scenario: None };
        let stratum = number(&mut self.history.strata, stratum);
        let cells = &mut self.history.cells[dimension as usize];
        if count > 0 {
            cells.run.push(u32::try_from(self.history.runs.len()).expect("few runs") - 1);
            cells.day.push(None);
            cells.stratum.push(stratum);
            cells.value.push(number(&mut cells.values, value.to_owned()));
            cells.count.push(count);
        }
    }

    fn with(&self, settings: &Settings) -> Trend {
        NightlyCounts::of(&self.history, At::Recorded).trend(settings)
    }

    fn trend(&self, by: By) -> Trend {
        self.with(&Settings { by, ..Settings::default() })
    }
}

/// Where something stands in a list; it is put at its end where it does not.
fn number<T: PartialEq>(all: &mut Vec<T>, one: T) -> u32 {
    let number = all.iter().position(|it| *it == one).unwrap_or_else(|| {
        all.push(one);
        all.len() - 1
    });
    u32::try_from(number).expect("few")
}

pub(super) fn past_run(night: Day, rulebook: &str) -> PastRun {
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
