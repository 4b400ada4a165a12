//! Whether servers and tools fail a larger share of their calls.

use super::super::evidence::{Evidence, Seen};
use super::super::policy::{ShareLimit, ShareTraffic};
use super::super::report::{self, Measure};
use super::super::traffic::Traffic;
use super::Asking;
use super::units::{Parts, Unit, gather, is_bad, measure, of_known};
use crate::compare::unpaired::{Share, rise, rises};
use crate::verdict::{Outcome, grouped};
use std::collections::BTreeSet;

/// What is counted of the calls of a server or tool.
#[derive(Clone, Copy)]
struct Counted {
    counts: fn(Seen<'_>) -> bool,
    words: &'static str,
    /// Whether only a rise by many points is one.
    is_large: bool,
}

/// A server that suddenly refuses everything is no news that chance explains either; but refusals also
/// depend on what callers ask.
const COUNTED: [Counted; 3] = [
    Counted { counts: is_bad, words: "invalid or failed", is_large: false },
    Counted {
        counts: |seen| {
            is_bad(seen) || seen.verdict().is_some_and(|it| it.hidden_failure == Some(true))
        },
        words: "invalid, failed or refused without isError",
        is_large: false,
    },
    Counted { counts: is_turned_down, words: "refused, invalid or failed", is_large: true },
];

/// Where an error is what the caller wanted to see, a refusal is right.
fn is_turned_down(seen: Seen<'_>) -> bool {
    let refused = seen.verdict().is_some_and(|verdict| verdict.outcome == Outcome::Refused);
    is_bad(seen) || (refused && !seen.entry.is_error_case)
}

struct Risen<'a> {
    unit: Unit<'a>,
    shares: [Share; 2],
    p: f64,
}

impl ShareLimit {
    fn risen<'a>(&self, units: &[(Unit<'a>, [Share; 2])], is_large: bool) -> Vec<Risen<'a>> {
        let shares: Vec<[Share; 2]> = units.iter().map(|(_, shares)| *shares).collect();
        let corrected = rises(&shares, self.significance);
        let found = units.iter().zip(corrected).filter_map(|((unit, shares), corrected)| {
            let [before, after] = *shares;
            let by_points = percent(after) - percent(before) >= self.rise_points
                && after.of >= self.least_calls;
            let p = match corrected {
                Some(_) if is_large && !by_points => None,
                None if by_points && !is_large => {
                    Some(rise(before, after)).filter(|p| *p < self.rise_significance)
                }
                corrected => corrected,
            }?;
            Some(Risen { unit: *unit, shares: *shares, p })
        });
        let mut found: Vec<Risen<'a>> = found.collect();
        found.sort_by(|one, other| one.p.total_cmp(&other.p));
        found
    }
}

/// Of no server and no tool a larger share is invalid or failed, or refused, than chance explains.
pub(in crate::gate) fn shares(
    evidence: &Evidence<'_>,
    traffic: Traffic,
    limit: ShareLimit,
    mut asking: Asking<'_, '_>,
) -> Measure {
    let allowed =
        "no server or tool may fail significantly more often, or refuse much more often".to_owned();
    if traffic == Traffic::Repeated && limit.traffic == ShareTraffic::Other {
        return Measure::skipped(traffic.words(), allowed);
    }
    if traffic != Traffic::Repeated && !is_judged_alike(evidence) {
        let reason = "the earlier side was classified with another rulebook or other checks: \
            classify its recordings like the later ones, then compare again";
        return Measure {
            outcome: report::Outcome::Undecided,
            ..Measure::skipped(reason, allowed)
        };
    }
    let (mut had_risen, mut waived, mut of) = (false, 0, 0);
    let mut known: BTreeSet<Unit<'_>> = BTreeSet::new();
    let mut findings = Vec::new();
    for Counted { counts, words, is_large } in COUNTED {
        let mut parts = Parts::of(evidence, |seen| of_known(seen, counts));
        let mut units = comparable(&parts);
        let mut risen = limit.risen(&units, is_large);
        risen.retain(|risen| !known.contains(&risen.unit));
        had_risen |= !risen.is_empty();
        let found: BTreeSet<Unit<'_>> = risen.iter().map(|risen| risen.unit).collect();
        let now_waived = parts.waive(&found, &mut asking, |[_, after]| after.hits);
        if now_waived > 0 {
            units = comparable(&parts);
            risen = limit.risen(&units, is_large);
            risen.retain(|risen| !known.contains(&risen.unit));
            waived += now_waived;
        }
        known.extend(found);
        of = of.max(units.len());
        let mut gathered = gather(evidence.after, risen.iter().map(|risen| risen.unit), counts);
        findings.extend(risen.into_iter().map(|Risen { unit, shares: [before, after], p }| {
            let text = format!(
                "{}: {} of {} {words}, {} of {} before (p {p:.1e})",
                unit.words(),
                grouped(after.hits),
                grouped(after.of),
                grouped(before.hits),
                grouped(before.of),
            );
            gathered.remove(&unit).unwrap_or_default().finding_with_reply(&text)
        }));
    }
    let [count, of] = [findings.len(), of].map(|count| grouped(count as u64));
    let measured = format!("{count} of {of} servers and tools worse");
    measure(findings, had_risen, waived, measured, allowed)
}

/// Shares of verdicts say nothing of servers where the rules differ.
fn is_judged_alike(evidence: &Evidence<'_>) -> bool {
    let [before, after] = [evidence.before, evidence.after].map(|side| &side.header);
    before.rulebook.digest == after.rulebook.digest && before.checks == after.checks
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
