//! Hits on replies in which nothing failed.

use super::Linted;
use super::finding::{Finding, Rule};
use super::seen::Seen;
use super::subject::Subject;
use crate::labels::Label;
use crate::store::NamedVerdict;
use crate::verdict::{Answer, Severity, counted, grouped};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

#[derive(Default)]
struct Hits {
    exchanges: u64,
    /// Those that are called failures.
    blamed: u64,
    servers: BTreeSet<u32>,
}

/// The replies in which nothing failed.
#[derive(Clone, Copy)]
pub(super) enum Pool {
    Labelled,
    /// Those that claim success, where nobody says more.
    Claiming,
}

impl Pool {
    /// Which there are, and among what.
    pub(super) fn of<'a>(linted: &Linted<'a>) -> Option<(&'a Seen<'a>, Self)> {
        let seen = linted.seen?;
        let mut labels = seen.labelled.values().flatten();
        let is_labelled = labels.any(|(_, label)| *label == Label::Ok);
        Some((seen, if is_labelled { Self::Labelled } else { Self::Claiming }))
    }

    pub(super) fn called(self) -> &'static str {
        match self {
            Self::Labelled => "replies labelled ok",
            Self::Claiming => "replies that claim success",
        }
    }

    /// How many exchanges of a verdict are among them, and on which servers.
    pub(super) fn of_verdict(self, seen: &Seen<'_>, number: u32, verdict: &NamedVerdict) -> Share {
        let all = || {
            let exchanges = seen.exchanges_of[number as usize];
            (exchanges, seen.servers_of[number as usize].clone())
        };
        match self {
            Self::Labelled => {
                let labels = seen.labelled.get(&number).into_iter().flatten();
                let fine = labels.filter(|(_, label)| *label == Label::Ok);
                let servers: Vec<u32> = fine.map(|(server, _)| *server).collect();
                (servers.len() as u64, servers.into_iter().collect())
            }
            Self::Claiming if verdict.is_error == Some(true) => (0, BTreeSet::new()),
            Self::Claiming => all(),
        }
    }
}

/// So many exchanges, and on which servers.
type Share = (u64, BTreeSet<u32>);

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some((seen, pool)) = Pool::of(subject.linted) else { return };
    let mut all = 0;
    let mut hits: BTreeMap<usize, Hits> = BTreeMap::new();
    for observed in &seen.observed {
        let (exchanges, servers) = pool.of_verdict(seen, observed.number, observed.verdict);
        if exchanges == 0 {
            continue;
        }
        all += exchanges;
        let blamed = match observed.verdict.standing().answer {
            Answer::HiddenFailure | Answer::HiddenRefusal | Answer::ToolFailure => exchanges,
            Answer::NotAsked | Answer::Fine | Answer::BusinessLogic => 0,
        };
        for hit in &observed.hits {
            let hits = hits.entry(*hit).or_default();
            hits.exchanges += exchanges;
            hits.blamed += blamed;
            hits.servers.extend(&servers);
        }
    }
    for (pattern, Hits { exchanges, blamed, servers }) in hits {
        let mut evidence = format!(
            "it matches {} of {} {}, on {}",
            grouped(exchanges),
            grouped(all),
            pool.called(),
            counted(servers.len() as u64, "server")
        );
        if blamed > 0 {
            let _ = write!(evidence, "; {} of them called a failure", grouped(blamed));
        }
        findings.push(Finding {
            rule: Rule::HitsBenign,
            severity: if blamed > 0 { Severity::Warning } else { Severity::Info },
            name: subject.names[pattern].clone(),
            place: subject.place_of_pattern(pattern),
            evidence,
            counts: vec![("exchanges", exchanges), ("of", all), ("called_failures", blamed)],
            weight: exchanges,
        });
    }
}
