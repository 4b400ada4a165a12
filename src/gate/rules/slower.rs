//! Whether servers and tools take longer.

use super::super::evidence::{Evidence, Gathered, Seen};
use super::super::report::Measure;
use super::super::waive::Subject;
use super::Asking;
use super::units::{Unit, measure};
use crate::compare::{DurationChange, SlowerLimit, Timed, TimedSides};
use crate::count::milliseconds_words;
use crate::recording::ExchangeKind;
use crate::verdict::{counted, grouped};
use std::collections::BTreeSet;

/// So many of the slowest calls are shown.
const SLOWEST: usize = 3;

/// No server and no tool takes so much longer that neither chance nor the clock explains it.
pub(in crate::gate) fn slower(
    evidence: &Evidence<'_>,
    limit: SlowerLimit,
    (rule, book): Asking<'_, '_>,
) -> Measure {
    let allowed = format!(
        "none may take {} times as long and {} ms more, with {} or more (p below {} overall)",
        limit.factor,
        limit.least_ms,
        counted(limit.least_calls, "call"),
        limit.significance,
    );
    let mut durations = TimedSides::of([evidence.before, evidence.after]);
    let mut changes = durations.changes(limit);
    if changes.is_empty() {
        return Measure::skipped("a side has no durations", allowed);
    }
    let is_slower = |change: &DurationChange| change.slower.is_some();
    let found: BTreeSet<Timed> =
        changes.iter().filter(|change| is_slower(change)).map(|change| change.of.clone()).collect();
    let mut waived = 0;
    durations.retain(|of, calls| {
        let server = Timed { tool: None, ..of.clone() };
        let subject = Subject {
            server: &of.server,
            tool: of.tool.as_deref().unwrap_or_default(),
            ..Subject::default()
        };
        let is_found = found.contains(of) || found.contains(&server);
        let is_waived = is_found && (0..calls).fold(false, |_, _| book.waives(rule, &subject));
        waived += if is_waived { calls } else { 0 };
        !is_waived
    });
    if waived > 0 {
        changes = durations.changes(limit);
    }
    let of = grouped(changes.len() as u64);
    changes.retain(is_slower);
    changes.sort_by(|one, other| one.slower.unwrap_or(1.0).total_cmp(&other.slower.unwrap_or(1.0)));
    let measured = format!("{} of {of} servers and tools slower", grouped(changes.len() as u64));
    let findings = changes.iter().map(|change| {
        let text = words(change);
        let text = format!("{text} (p {:.1e})", change.slower.unwrap_or(1.0));
        slowest(evidence, &change.of).finding(&text, None)
    });
    measure(findings.collect(), !found.is_empty(), waived, measured, allowed)
}

fn words(change: &DurationChange) -> String {
    let unit = match &change.of.tool {
        Some(tool) => Unit::Tool(&change.of.server, tool),
        None => Unit::Server(&change.of.server),
    };
    let [before, after] = change.took;
    format!(
        "{}: half of {} within {}, {} before; 95 % within {}, {} before",
        unit.words(),
        counted(after.timed, "call"),
        milliseconds_words(after.p50_ms),
        milliseconds_words(before.p50_ms),
        milliseconds_words(after.p95_ms),
        milliseconds_words(before.p95_ms),
    )
}

fn slowest<'a>(evidence: &Evidence<'a>, of: &Timed) -> Gathered<'a> {
    let side = evidence.after;
    let is_of = |seen: &Seen<'_>| {
        seen.entry.took.is_some()
            && seen.verdict().is_some_and(|verdict| verdict.kind == ExchangeKind::ToolCall)
            && seen.server() == of.server
            && of.tool.as_deref().is_none_or(|tool| tool == seen.tool())
    };
    let seen = side.entries.iter().map(|entry| Seen { side, entry });
    let mut calls: Vec<Seen<'a>> = seen.filter(is_of).collect();
    calls.sort_by_key(|seen| std::cmp::Reverse(seen.entry.took));
    let mut gathered = Gathered::default();
    for seen in calls.into_iter().take(SLOWEST) {
        gathered.add(seen);
    }
    gathered
}

#[cfg(test)]
mod tests {
    use crate::count::duration_bucket;
    use crate::gate::Outcome;
    use crate::gate::sample::{Scene, fine, pair, scene, times};

    /// Fifty calls of each of two servers; those of the first take longer after.
    fn slower_night() -> Scene {
        let mut pairs = times(50, &pair("github", fine(), fine()));
        pairs.extend(times(50, &pair("files", fine(), fine())));
        let mut scene = scene(&pairs);
        for (side, times) in [(&mut scene.before, 1.0), (&mut scene.after, 2.5)] {
            for (at, entry) in side.entries.iter_mut().enumerate() {
                let times = if at < 50 { times } else { 1.0 };
                entry.took = duration_bucket((40.0 + at as f64) * times);
            }
        }
        scene
    }

    #[test]
    fn a_server_that_answers_more_slowly_is_found_with_its_slowest_calls() {
        let verdict = slower_night().first("[slower]\n");
        assert_eq!(verdict.outcome, Outcome::Fail);
        assert_eq!(verdict.measured, "1 of 2 servers and tools slower");
        insta::assert_snapshot!(verdict.findings[0].text, @"server `github`: half of 50 calls within 160 ms, 67 ms before; 95 % within 220 ms, 87 ms before (p 6.1e-18)");
        let lines: Vec<_> = verdict.findings[0].examples.iter().map(|place| place.line).collect();
        assert_eq!(lines, [Some(48), Some(49), Some(50)]);
    }

    #[test]
    fn slower_servers_are_waived_by_name_and_what_has_no_durations_is_skipped() {
        let waiver =
            "rule = \"slower\"\nserver = \"github\"\nreason = \"known\"\nuntil = 2026-12-31\n";
        let policy = format!("[slower]\n[[waivers]]\n{waiver}");
        let verdict = slower_night().first(&policy);
        assert_eq!(verdict.outcome, Outcome::Waived, "{verdict:?}");
        let policy = "[slower]\nfactor = 3\n";
        assert_eq!(slower_night().first(policy).outcome, Outcome::Pass);
        let verdict = scene(&times(9, &pair("github", fine(), fine()))).first("[slower]\n");
        assert_eq!(verdict.skipped_because.as_deref(), Some("a side has no durations"));
    }
}
