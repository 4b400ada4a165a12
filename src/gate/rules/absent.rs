//! What was called before and is not there any more.

use super::super::evidence::{Evidence, Seen};
use super::super::report::{self, Measure};
use super::super::traffic::Traffic;
use super::units::{Parts, Unit, gather, is_bad, measure, of_known};
use super::{Asking, counts};
use crate::compare::unpaired::{Share, rises};
use crate::verdict::{Outcome, counted, grouped};
use std::collections::BTreeSet;

/// Nothing is gone where the requests are the same; else no server and no tool that had so many calls that
/// chance does not explain it. In either case none of whose calls nothing is known any more.
pub(in crate::gate) fn absent(
    evidence: &Evidence<'_>,
    traffic: Traffic,
    significance: f64,
    (rule, book): Asking<'_, '_>,
) -> Measure {
    let mut missing = match traffic {
        Traffic::Repeated => Vec::new(),
        Traffic::Other(_) => {
            missing(&Parts::of(evidence, |seen| of_known(seen, is_bad)), significance)
        }
    };
    let mut parts = Parts::of(evidence, is_unknown);
    for silent in silent(&parts, significance) {
        if !missing.iter().any(|(unit, ..)| *unit == silent.0) {
            missing.push(silent);
        }
    }
    let was_missing = !missing.is_empty();
    let found: BTreeSet<Unit<'_>> = missing.iter().map(|(unit, ..)| *unit).collect();
    let waived = parts.waive(&found, &mut (rule, &mut *book), |[before, _]| before.of);
    missing.retain(|(unit, ..)| parts.have(*unit));
    let count = grouped(missing.len() as u64);
    let measured = format!("{count} servers and tools without a completed call");
    let mut gathered = gather(evidence.before, missing.iter().map(|(unit, ..)| *unit), |_| true);
    let findings = missing.into_iter().map(|(unit, before, p)| {
        let calls = counted(before, "completed call");
        let text = format!("{}: {calls} before, none now (p {p:.1e})", unit.words());
        let finding = gathered.remove(&unit).unwrap_or_default().finding(&text, None);
        report::Finding { is_gone: true, ..finding }
    });
    let findings: Vec<_> = findings.collect();
    if traffic == Traffic::Repeated {
        let mut gone = counts::gone(evidence, (rule, book));
        if !findings.is_empty() {
            gone.outcome = report::Outcome::Fail;
            gone.measured = format!("{}; {measured}", gone.measured);
            gone.findings.splice(0..0, findings);
        }
        return gone;
    }
    let allowed = "no server or tool may disappear".to_owned();
    measure(findings, was_missing, waived, measured, allowed)
}

fn is_unknown(seen: Seen<'_>) -> Option<bool> {
    match seen.verdict()?.outcome {
        Outcome::NotSent => None,
        outcome => Some(outcome == Outcome::Unknown),
    }
}

/// Servers and tools that are still called, and of which no call has a known outcome any more.
fn silent<'a>(parts: &Parts<'a>, significance: f64) -> Vec<(Unit<'a>, u64, f64)> {
    let units = parts.units();
    let shares: Vec<[Share; 2]> = units.iter().map(|(_, shares)| *shares).collect();
    let found = units.into_iter().zip(rises(&shares, significance));
    let found = found.filter_map(|((unit, [before, after]), p)| {
        (after.hits == after.of).then_some((unit, before.of - before.hits, p?))
    });
    found.collect()
}

/// Servers and tools without a call, how many they had, and how likely that is by chance.
fn missing<'a>(parts: &Parts<'a>, significance: f64) -> Vec<(Unit<'a>, u64, f64)> {
    let [before, after] = parts.totals();
    let units = parts.units();
    // A fall is a rise seen from the other side.
    let turned: Vec<[Share; 2]> = units
        .iter()
        .map(|(_, [earlier, later])| {
            [Share { hits: later.of, of: after }, Share { hits: earlier.of, of: before }]
        })
        .collect();
    let chances = rises(&turned, significance);
    let found = units.into_iter().zip(chances).filter_map(|((unit, [earlier, later]), p)| {
        (later.of == 0).then_some((unit, earlier.of, p?))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by(|one, other| one.2.total_cmp(&other.2));
    found
}
