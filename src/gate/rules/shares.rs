//! Whether servers and tools fail a larger share of their calls.

use super::super::evidence::Evidence;
use super::super::policy::{ShareLimit, ShareTraffic};
use super::super::report::Measure;
use super::super::traffic::Traffic;
use super::units::{Parts, Unit, gather, is_bad, measure};
use super::{Asking, points};
use crate::compare::unpaired::{Share, rise, rises};
use crate::verdict::{counted, grouped};
use std::collections::BTreeSet;

/// A share that has risen.
struct Risen<'a> {
    unit: Unit<'a>,
    shares: [Share; 2],
    p: f64,
}

impl ShareLimit {
    fn risen<'a>(&self, units: &[(Unit<'a>, [Share; 2])]) -> Vec<Risen<'a>> {
        let shares: Vec<[Share; 2]> = units.iter().map(|(_, shares)| *shares).collect();
        let corrected = rises(&shares, self.significance);
        let found = units.iter().zip(corrected).filter_map(|((unit, shares), corrected)| {
            let [before, after] = *shares;
            let by_points = || {
                let p = rise(before, after);
                (percent(after) - percent(before) >= self.rise_points
                    && after.of >= self.least_calls
                    && p < self.rise_significance)
                    .then_some(p)
            };
            let p = corrected.or_else(by_points)?;
            Some(Risen { unit: *unit, shares: *shares, p })
        });
        let mut found: Vec<Risen<'a>> = found.collect();
        found.sort_by(|one, other| one.p.total_cmp(&other.p));
        found
    }
}

/// Of no server and no tool a larger share is invalid or failed than chance explains.
pub(in crate::gate) fn shares(
    evidence: &Evidence<'_>,
    traffic: Traffic,
    limit: ShareLimit,
    mut asking: Asking<'_, '_>,
) -> Measure {
    let allowed = format!(
        "none that fails more often (p below {} of all, or {} on {} or more and p below {})",
        limit.significance,
        points(limit.rise_points),
        counted(limit.least_calls, "call"),
        limit.rise_significance,
    );
    if traffic == Traffic::Repeated && limit.traffic == ShareTraffic::Other {
        return Measure::skipped(traffic.words(), allowed);
    }
    let mut parts = Parts::of(evidence);
    let mut units = comparable(&parts);
    let mut risen = limit.risen(&units);
    let had_risen = !risen.is_empty();
    let found: BTreeSet<Unit<'_>> = risen.iter().map(|risen| risen.unit).collect();
    let waived = parts.waive(&found, &mut asking, |[_, after]| after.hits);
    if waived > 0 {
        units = comparable(&parts);
        risen = limit.risen(&units);
    }
    let [count, of] = [risen.len(), units.len()].map(|count| grouped(count as u64));
    let measured = format!("{count} of {of} servers and tools worse");
    let mut gathered = gather(evidence.after, risen.iter().map(|risen| risen.unit), is_bad);
    let findings = risen.into_iter().map(|Risen { unit, shares: [before, after], p }| {
        let text = format!(
            "{}: {} of {} invalid or failed, {} of {} before (p {p:.1e})",
            unit.words(),
            grouped(after.hits),
            grouped(after.of),
            grouped(before.hits),
            grouped(before.of),
        );
        gathered.remove(&unit).unwrap_or_default().finding(&text, None)
    });
    measure(findings.collect(), had_risen, waived, measured, allowed)
}

fn percent(share: Share) -> f64 {
    share.hits as f64 / share.of.max(1) as f64 * 100.0
}

/// What there was before and after.
fn comparable<'a>(parts: &Parts<'a>) -> Vec<(Unit<'a>, [Share; 2])> {
    let mut units = parts.units();
    units.retain(|(_, shares)| shares.iter().all(|share| share.of > 0));
    units
}
