//! What there is to show of many nights: one ordered model for terminal, tables, JSON and pages.

use super::settings::By;
use crate::count::Took;
use crate::recording::Day;
use serde::Serialize;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Trend {
    pub by: By,
    /// The test that changes are found by, in words.
    pub test: String,
    /// Whether there are too few nights to hold one against others.
    pub is_young: bool,
    /// Every night from the first to the last, those without exchanges too.
    pub nights: Vec<NightRow>,
    pub durations: NightlyDurations,
    /// The series: classes best first, others by what they hold in the last night.
    pub series: Vec<Series>,
    pub presences: Vec<Presence>,
    /// What was passed over, and what looks odd: sentences for people.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NightRow {
    #[serde(rename = "night")]
    pub day: Day,
    /// Exchanges; 0 where nothing was judged.
    pub exchanges: u64,
    pub marks: Vec<Mark>,
}

/// What makes a night hard to compare with the one before.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Mark {
    Rulebook {
        before: String,
        after: String,
    },
    /// Other contracts, facts or schemas held.
    Checks,
    Version {
        before: String,
        after: String,
    },
    /// Servers, tools and scenarios have other shares than before.
    Mix {
        /// The share of exchanges that would have to be of another one, 0 to 1.
        moved: f64,
    },
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Series {
    /// What it counts, such as `broken` or a server's name.
    pub name: String,
    /// Which way is good, as far as it tells.
    pub good: Option<Direction>,
    /// A point for each night; `None` where there were no exchanges.
    pub points: Vec<Option<Point>>,
    /// How long its calls took, where the series are by servers, tools or scenarios.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durations: Option<NightlyDurations>,
    /// The share that the nights before lead one to expect of the last night, with that night's
    /// servers and tools; `None` where fewer than half of its exchanges are of the same.
    pub expected: Option<f64>,
    /// The share of the last night's exchanges that are of servers, tools and scenarios that the
    /// nights before have too; `None` where it has no exchanges.
    pub covered: Option<f64>,
    /// How the latest nights differ from those before, where that is improbable; no alarm by itself.
    pub latest: Option<Difference>,
    /// What changed, the first first.
    pub changes: Vec<Change>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Up,
    Down,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NightlyDurations {
    /// `None` where no call of the night has a duration.
    pub nights: Vec<Option<Took>>,
    /// In the nights before the last together.
    pub before: Option<Took>,
}

impl NightlyDurations {
    /// Those of the last night.
    pub fn tonight(&self) -> Option<Took> {
        self.nights.last().copied().flatten()
    }
}

/// The latest nights against those before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// How many nights, up to the last.
    pub nights: usize,
    /// The share before, with servers and tools mixed as in these nights.
    pub before: f64,
    pub after: f64,
    /// Whether it is for the worse, as far as the series tells.
    pub worse: Option<bool>,
    /// How probable a difference like this is by chance, before correction.
    pub p_value: f64,
}

/// A share in one night.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Exchanges that count.
    pub count: u64,
    /// Exchanges there are.
    pub out_of: u64,
    /// Lower end of the share's 95 % Wilson interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The share, were servers and tools mixed as in the nights it is compared with; `None` where
    /// fewer than half of its exchanges are of servers and tools that these have too.
    pub adjusted: Option<f64>,
    /// The share of its exchanges that are of such servers and tools.
    pub covered: f64,
    pub share: f64,
}

/// A level that was left.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Change {
    /// The first night of the other level.
    pub from: Day,
    /// The first night at which the earlier level was back; `None` where it is not.
    pub until: Option<Day>,
    /// Whether it lasted so long that it is the level now, and no change any more.
    pub settled: bool,
    /// The share before, with servers and tools mixed as in the nights of the change.
    pub before: f64,
    /// The share in the nights of the change.
    pub after: f64,
    /// Whether it is for the worse, as far as the series tells.
    pub worse: Option<bool>,
    /// How probable a difference like this is by chance, before correction: the least of its first
    /// 1, 2, 3, 5, 7 and 14 nights against those before it.
    pub p_value: f64,
    /// The share of the exchanges in the nights of the change that could be compared: those of a
    /// server, tool and scenario that the nights before have too.
    pub covered: f64,
    /// The servers that moved it most.
    pub servers: Vec<Moved>,
}

impl Change {
    /// Whether it is still to be looked after: not back, and not the level either.
    pub fn is_open(&self) -> bool {
        self.until.is_none() && !self.settled
    }
}

/// What a server has to do with a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    pub name: String,
    pub before: f64,
    /// Its share in the nights of the change.
    pub after: f64,
    /// Its exchanges in the nights of the change.
    pub exchanges: u64,
}

/// What became of something that is there in some nights only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Presence {
    #[serde(flatten)]
    pub kind: PresenceKind,
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PresenceKind {
    New {
        night: Day,
        /// Exchanges in the last night.
        count: u64,
    },
    /// It was there regularly and is not any more.
    Vanished {
        /// The last night that had it.
        last: Day,
    },
    Returned {
        /// The last night that had it before.
        last: Day,
        night: Day,
        /// Exchanges in the last night.
        count: u64,
    },
}

impl PresenceKind {
    /// The night it came, or that was the last to have it.
    pub fn night(self) -> Day {
        match self {
            Self::New { night, .. }
            | Self::Returned { night, .. }
            | Self::Vanished { last: night } => night,
        }
    }
}
