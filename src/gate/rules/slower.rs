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
