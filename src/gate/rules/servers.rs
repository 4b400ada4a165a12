//! Whether a server works for fewer exchanges than before.

use super::super::evidence::{Evidence, Gathered, Seen};
use super::super::policy::ServerLimit;
use super::super::report::{Measure, Outcome};
use super::{Asking, points};
use crate::compare::Kind;
use crate::compare::paired::{exact_mcnemar, holm};
use crate::count::OTHER;
use crate::verdict::{Answer, Classification, counted};
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl ServerLimit {
    /// Servers with fewer exchanges cannot be found worse.
    fn fewest(&self) -> u64 {
        self.least_exchanges.min(self.drop_exchanges).max(1)
    }

    /// Which of the servers are worse, where so many of their exchanges were lost. The test pays for
    /// being asked of many servers; one that plainly broke must not hide among them.
    fn worse(
        &self,
        servers: &BTreeMap<&str, Tested<'_>>,
        lost_of: fn(&Tested<'_>) -> u64,
    ) -> Vec<bool> {
        let is_tested = |tested: &&Tested<'_>| tested.exchanges >= self.least_exchanges;
        let tests = servers.values().filter(is_tested);
        let tests = tests.map(|tested| exact_mcnemar(lost_of(tested), tested.gained));
        let mut corrected = holm(&tests.collect::<Vec<_>>()).into_iter();
        let judged = servers.values().map(|tested| {
            let lost = lost_of(tested);
            let fall = tested.fall(lost);
            let p = if is_tested(&tested) { corrected.next() } else { None };
            let is_no_chance = p.is_some_and(|p| p < self.significance);
            let dropped = fall >= self.drop_points
                && lost.saturating_sub(tested.gained) >= self.drop_exchanges.max(1);
            fall > self.tolerance && (is_no_chance || dropped)
        });
        judged.collect()
    }
}

/// The exchanges of a server that both sides have.
#[derive(Debug, Default)]
struct Tested<'a> {
    exchanges: u64,
    lost: Gathered<'a>,
    gained: u64,
    waived: u64,
}

impl Tested<'_> {
    /// By how many percentage points the share of those that work fell, where so many were lost.
    fn fall(&self, lost: u64) -> f64 {
        (lost as f64 - self.gained as f64) / self.exchanges as f64 * 100.0
    }
}

/// Whether the tool worked: fully, and nobody found a failure.
fn works(seen: Seen<'_>) -> bool {
    seen.said().is_some_and(|said| {
        let standing = said.standing();
        standing.class == Classification::FullyWorking
            && !matches!(standing.answer, Answer::ToolFailure | Answer::HiddenFailure)
    })
}

/// No server works for a smaller share of the exchanges that both sides have. Servers with too few exchanges count as
/// one, so that no failure hides among many of them.
pub(in crate::gate) fn servers(
    evidence: &Evidence<'_>,
    limit: ServerLimit,
    (rule, book): Asking<'_, '_>,
) -> Measure {
    let ServerLimit { tolerance, significance, drop_points, drop_exchanges, .. } = limit;
    let allowed = format!(
        "none whose working share falls by more than {} (p below {significance}, or {} on {} or \
         more)",
        points(tolerance),
        points(drop_points),
        counted(drop_exchanges, "exchange"),
    );
    let (small, mut servers): (BTreeMap<_, _>, BTreeMap<_, _>) = exchanges_of_both(evidence)
        .into_iter()
        .partition(|(_, tested)| tested.exchanges < limit.fewest());
    let exchanges: u64 = small.values().map(|tested| tested.exchanges).sum();
    let are_tested_together = exchanges >= limit.fewest();
    if are_tested_together {
        servers.entry(OTHER).or_default().exchanges += exchanges;
    }
    for change in evidence.changes() {
        let (Some(before), Some(after)) = (change.before, change.after) else { continue };
        let server = if small.contains_key(after.server()) { OTHER } else { after.server() };
        let Some(tested) = servers.get_mut(server) else { continue };
        match (works(before), works(after)) {
            (true, false) if book.waives(rule, &change.subject()) => tested.waived += 1,
            (true, false) => tested.lost.add(after),
            (false, true) => tested.gained += 1,
            (true, true) | (false, false) => {}
        }
    }
    if servers.is_empty() {
        let exchanges = counted(limit.fewest(), "exchange");
        let because = format!("no server has {exchanges} that both sides have");
        return Measure::skipped(because, allowed);
    }
    let worse = limit.worse(&servers, |tested| tested.lost.exchanges);
    let worse_unwaived = limit.worse(&servers, |tested| tested.lost.exchanges + tested.waived);
    let tested = servers.len() as u64;
    let count = worse.iter().filter(|is_worse| **is_worse).count() as u64;
    let mut measured = format!("{} of {} worse", count, counted(tested, "server"));
    let waived: u64 = servers.values().map(|tested| tested.waived).sum();
    if waived > 0 {
        let _ = write!(measured, ", {} waived", counted(waived, "exchange"));
    }
    if !small.is_empty() {
        let how =
            if are_tested_together { "tested together as (other)" } else { "too small to test" };
        let _ = write!(measured, ", {} {how}", counted(small.len() as u64, "server"));
    }
    let mut found: Vec<_> = servers.into_iter().zip(worse).filter(|(_, worse)| *worse).collect();
    found.sort_by_key(|((_, tested), _)| std::cmp::Reverse(tested.lost.exchanges));
    let findings = found.into_iter().map(|((server, tested), _)| {
        let fall = tested.fall(tested.lost.exchanges);
        let text = format!(
            "server `{server}` works for {fall:.1} points less of {} ({} no longer work, {} do again)",
            counted(tested.exchanges, "exchange"),
            tested.lost.exchanges,
            tested.gained,
        );
        tested.lost.finding(&text, None)
    });
    let mut measure = Measure::new(count == 0, measured, allowed)
        .numbers(count as f64, 0.0)
        .found(findings.collect());
    if count == 0 && worse_unwaived.contains(&true) {
        measure.outcome = Outcome::Waived;
    }
    measure
}

/// The servers of the later side, with how many of their exchanges both sides have.
fn exchanges_of_both<'a>(evidence: &Evidence<'a>) -> BTreeMap<&'a str, Tested<'a>> {
    let after = evidence.after;
    let mut by_number: BTreeMap<u32, u64> = BTreeMap::new();
    for entry in &after.entries {
        *by_number.entry(entry.server).or_default() += 1;
    }
    let added = evidence.changes().filter(|change| change.kind == Kind::Added);
    for seen in added.filter_map(|change| change.after) {
        if let Some(count) = by_number.get_mut(&seen.entry.server) {
            *count = count.saturating_sub(1);
        }
    }
    let mut servers: BTreeMap<&str, Tested<'_>> = BTreeMap::new();
    for (number, exchanges) in by_number.into_iter().filter(|(_, count)| *count > 0) {
        servers.entry(after.names.get(number)).or_default().exchanges += exchanges;
    }
    servers
}
