//! What was called before and is not there any more.

use super::super::Case;
use super::super::evidence::Call;
use super::super::report::{Finding, Outcome, RuleVerdict};
use super::super::traffic::Traffic;
use super::units::{Parts, Unit, gather, is_bad, of_known, verdict};
use super::{BY_SERVER, Limit, RuleKind, changes, significance};
use crate::compare::chance::{Share, rises};
use crate::verdict::{self, counted, grouped};
use std::sync::Arc;

pub(super) static ABSENT: RuleKind = RuleKind {
    name: "absent",
    about: "Where the requests match: no call is missing. On other traffic: no server and no tool \
        disappeared that had too many calls for that to be chance.",
    keys: &[(
        "significance",
        "On other traffic: what the p-value must be below to count, after Holm's correction; 0.005 \
         by default.",
    )],
    narrowed_by: BY_SERVER,
    next: "see whether recordings are missing, and whether the tool is still listed; when it was \
        removed on purpose, waive it, or make a new baseline",
    read: |table| {
        Some(Arc::new(Absent { significance: significance(table, "significance", 0.005) }))
    },
};

#[derive(Debug)]
struct Absent {
    significance: f64,
}

/// What is absent, how many calls it had, and how likely that is by chance.
type Missing<'a> = (Unit<'a>, u64, f64);

impl Limit for Absent {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        let evidence = case.evidence;
        let is_repeated = case.traffic == Traffic::Repeated;
        let mut missing = Vec::new();
        if !is_repeated {
            missing = self.missing(&Parts::of(evidence, |call| of_known(call, is_bad)));
        }
        let mut parts = Parts::of(evidence, |call| match call.verdict().outcome {
            verdict::Outcome::NotSent => None,
            outcome => Some(outcome == verdict::Outcome::Unknown),
        });
        for silent in self.silent(&parts) {
            if !missing.iter().any(|(unit, ..)| *unit == silent.0) {
                missing.push(silent);
            }
        }
        let found: Vec<Unit<'_>> = missing.iter().map(|(unit, ..)| *unit).collect();
        let waived = parts.waive(&found, case, |[before, _]| before.of);
        missing.retain(|(unit, ..)| parts.have(*unit));
        let count = grouped(missing.len() as u64);
        let measured = format!("{count} servers and tools without a completed call");
        let units = missing.iter().map(|(unit, ..)| *unit);
        let mut gathered = gather(Call::all(evidence.before), units);
        let findings = missing.into_iter().map(|(unit, before, p)| {
            let calls = counted(before, "completed call");
            let text = format!("{}: {calls} before, none now (p {p:.1e})", unit.words());
            Finding { is_gone: true, ..gathered.remove(&unit).unwrap_or_default().finding(&text) }
        });
        let findings: Vec<_> = findings.collect();
        if !is_repeated {
            let allowed = "no server or tool may disappear".to_owned();
            return verdict(findings, !found.is_empty(), waived, &measured, allowed);
        }
        let mut gone = changes::gone(case);
        if !findings.is_empty() {
            gone.outcome = Outcome::Fail;
            gone.measured = format!("{}; {measured}", gone.measured);
            gone.findings.splice(0..0, findings);
        }
        gone
    }
}

impl Absent {
    /// Servers and tools that are still called, and of which no call has a known outcome any more.
    fn silent<'a>(&self, parts: &Parts<'a>) -> Vec<Missing<'a>> {
        let units = parts.units();
        let shares: Vec<[Share; 2]> = units.iter().map(|(_, shares)| *shares).collect();
        let found = units.into_iter().zip(rises(&shares, self.significance));
        let found = found.filter_map(|((unit, [before, after]), p)| {
            (after.hits == after.of).then_some((unit, before.of - before.hits, p?))
        });
        found.collect()
    }

    /// Servers and tools without a call.
    fn missing<'a>(&self, parts: &Parts<'a>) -> Vec<Missing<'a>> {
        let [before, after] = parts.totals();
        let units = parts.units();
        // A fall is a rise seen from the other side.
        let turned: Vec<[Share; 2]> = units
            .iter()
            .map(|(_, [earlier, later])| {
                [Share { hits: later.of, of: after }, Share { hits: earlier.of, of: before }]
            })
            .collect();
        let found = units.into_iter().zip(rises(&turned, self.significance));
        let found = found.filter_map(|((unit, [earlier, later]), p)| {
            (later.of == 0).then_some((unit, earlier.of, p?))
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by(|one, other| one.2.total_cmp(&other.2));
        found
    }
}
