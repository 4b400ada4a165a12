//! Hits on replies in which nothing failed.

use super::finding::{Finding, Rule};
use super::seen::{Observed, Seen};
use super::subject::Subject;
use crate::compare::Answer;
use crate::label::Label;
use crate::rulebook::Observing;
use crate::verdict::{Severity, counted, grouped};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What a pattern hit.
#[derive(Default)]
struct Hits {
    exchanges: u64,
    /// Those that are called failures.
    blamed: u64,
    servers: BTreeSet<u32>,
}

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    match (subject.linted.benign, subject.seen) {
        (Some(benign), _) => {
            let all = |observed: &Observed<'_>| (observed.exchanges, observed.servers.clone());
            of(subject, benign, ("replies of the benign collection", &all), findings);
        }
        (None, Some(seen)) if has_benign_labels(seen) => {
            let labelled = |observed: &Observed<'_>| {
                let labels = seen.labels_of(observed).iter();
                let fine = labels.filter(|(_, label)| *label == Label::Ok);
                let servers: Vec<u32> = fine.map(|(server, _)| *server).collect();
                (servers.len() as u64, servers.into_iter().collect())
            };
            of(subject, seen, ("replies labelled ok", &labelled), findings);
        }
        (None, Some(seen)) => {
            let claiming = |observed: &Observed<'_>| match observed.which {
                Observing::Successes => (observed.exchanges, observed.servers.clone()),
                Observing::Errors => (0, BTreeSet::new()),
            };
            of(subject, seen, ("replies that claim success", &claiming), findings);
        }
        (None, None) => {}
    }
}

fn has_benign_labels(seen: &Seen<'_>) -> bool {
    seen.labelled.values().flatten().any(|(_, label)| *label == Label::Ok)
}

/// How many exchanges of a verdict are benign, and on which servers.
type Benign<'a> = &'a dyn Fn(&Observed<'_>) -> (u64, BTreeSet<u32>);

fn of(
    subject: &Subject<'_>,
    seen: &Seen<'_>,
    (called, benign): (&str, Benign<'_>),
    findings: &mut Vec<Finding>,
) {
    let mut all = 0;
    let mut hits: BTreeMap<usize, Hits> = BTreeMap::new();
    for observed in &seen.observed {
        let (exchanges, servers) = benign(observed);
        if exchanges == 0 {
            continue;
        }
        all += exchanges;
        let blamed = match observed.said.standing().answer {
            Answer::HiddenFailure | Answer::ToolFailure => exchanges,
            Answer::NotAsked | Answer::BusinessLogic => 0,
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
            "it hits {} of {} {called}, on {}",
            grouped(exchanges),
            grouped(all),
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
