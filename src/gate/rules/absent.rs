//! What was called before and is not there any more.

use super::super::evidence::Evidence;
use super::super::report::Measure;
use super::super::traffic::Traffic;
use super::units::{Parts, Unit, gather, is_bad, measure};
use super::{Asking, counts};
use crate::compare::Kind;
use crate::compare::unpaired::{Share, rises};
use crate::verdict::grouped;
use std::collections::BTreeSet;

/// Nothing is gone where the requests are the same; else no server and no tool that had so many calls that
/// chance does not explain it.
pub(in crate::gate) fn absent(
    evidence: &Evidence<'_>,
    traffic: Traffic,
    significance: f64,
    mut asking: Asking<'_, '_>,
) -> Measure {
    if traffic == Traffic::Repeated {
        return counts::others(evidence, (0, Kind::Gone), asking);
    }
    let allowed =
        format!("none whose absence chance does not explain (p below {significance} of all)");
    let mut parts = Parts::of(evidence, is_bad);
    let mut missing = missing(&parts, significance);
    let was_missing = !missing.is_empty();
    let found: BTreeSet<Unit<'_>> = missing.iter().map(|(unit, ..)| *unit).collect();
    let waived = parts.waive(&found, &mut asking, |[before, _]| before.of);
    missing.retain(|(unit, ..)| parts.have(*unit));
    let count = grouped(missing.len() as u64);
    let measured = format!("{count} servers and tools without calls that had some");
    let mut gathered = gather(evidence.before, missing.iter().map(|(unit, ..)| *unit), |_| true);
    let findings = missing.into_iter().map(|(unit, before, p)| {
        let text = format!(
            "{}: {} before that came to an end, none now (p {p:.1e})",
            unit.words(),
            grouped(before),
        );
        gathered.remove(&unit).unwrap_or_default().finding(&text, None)
    });
    measure(findings.collect(), was_missing, waived, measured, allowed)
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
