//! What points one way on some servers and the other way on others.

use super::finding::{Finding, Rule};
use super::seen::Seen;
use super::subject::Subject;
use crate::labels::Label;
use crate::rulebook::Observing;
use crate::verdict::{Severity, counted, harmless};
use std::collections::BTreeMap;

/// So many labelled exchanges of a server must be hit for it to count.
const ENOUGH: u64 = 2;
/// So great a share of them must have one label for the server to point there.
const CLEAR: f64 = 0.75;
/// From so many servers on either side on, it is a warning.
const SEVERAL: usize = 2;
/// So many servers are named.
const SHOWN: usize = 3;

/// The two labels that what is found may point to, by kind of reply.
const LABELS: [(Observing, [Label; 2]); 2] = [
    (Observing::Errors, [Label::BusinessLogic, Label::ToolFailure]),
    (Observing::Successes, [Label::Ok, Label::HiddenFailure]),
];

/// Labels of what was hit, by server.
type Tally = BTreeMap<u32, [u64; 2]>;

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(seen) = subject.seen.filter(|seen| !seen.labelled.is_empty()) else { return };
    for (which, labels) in LABELS {
        let mut patterns: BTreeMap<usize, Tally> = BTreeMap::new();
        let mut signals: BTreeMap<usize, Tally> = BTreeMap::new();
        for observed in seen.observed.iter().filter(|it| it.which == which) {
            for (server, label) in seen.labels_of(observed) {
                let Some(at) = labels.iter().position(|other| other == label) else { continue };
                for hit in &observed.hits {
                    patterns.entry(*hit).or_default().entry(*server).or_default()[at] += 1;
                }
                let holding =
                    (0..subject.rulebook.signals.len()).filter(|it| observed.signals.has(*it));
                for signal in holding {
                    signals.entry(signal).or_default().entry(*server).or_default()[at] += 1;
                }
            }
        }
        for (signal, tally) in signals {
            let what = (subject.signal_name(signal), subject.place_of_signal(signal));
            findings.extend(finding(seen, what, (&tally, labels)));
        }
        for (pattern, tally) in patterns {
            let what = (subject.names[pattern].clone(), subject.place_of_pattern(pattern));
            findings.extend(finding(seen, what, (&tally, labels)));
        }
    }
}

fn finding(
    seen: &Seen<'_>,
    (name, place): (String, Option<String>),
    (tally, labels): (&Tally, [Label; 2]),
) -> Option<Finding> {
    let mut pointing: [Vec<(u32, [u64; 2])>; 2] = [Vec::new(), Vec::new()];
    for (server, counts) in tally {
        let all: u64 = counts.iter().sum();
        for (at, pointing) in pointing.iter_mut().enumerate() {
            if all >= ENOUGH && counts[at] as f64 >= CLEAR * all as f64 {
                pointing.push((*server, *counts));
            }
        }
    }
    if pointing.iter().any(Vec::is_empty) {
        return None;
    }
    let several = pointing.iter().all(|servers| servers.len() >= SEVERAL);
    let side = |at: usize| {
        let mut servers = pointing[at].clone();
        servers.sort_by_key(|(server, counts)| (std::cmp::Reverse(counts[at]), *server));
        let mut named: Vec<String> = servers
            .iter()
            .take(SHOWN)
            .map(|(server, counts)| {
                let all: u64 = counts.iter().sum();
                format!("{} {} of {all}", harmless(seen.side.names.get(*server)), counts[at])
            })
            .collect();
        if servers.len() > SHOWN {
            named.push(format!("and {} more", servers.len() - SHOWN));
        }
        let count = counted(servers.len() as u64, "server");
        format!("{} on {count} ({})", labels[at].name(), named.join(", "))
    };
    let lesser = pointing.iter().map(Vec::len).min().unwrap_or(0);
    Some(Finding {
        rule: Rule::Unstable,
        severity: if several { Severity::Warning } else { Severity::Info },
        name,
        place,
        evidence: format!("where it matches, labels are {}, and {}", side(0), side(1)),
        counts: vec![
            ("servers_one_way", pointing[0].len() as u64),
            ("servers_other_way", pointing[1].len() as u64),
        ],
        weight: lesser as u64,
    })
}
