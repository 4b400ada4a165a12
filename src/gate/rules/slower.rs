//! Whether servers and tools take longer.

use super::super::Case;
use super::super::evidence::{Call, ExchangeGroup};
use super::super::report::RuleVerdict;
use super::super::waive::Subject;
use super::units::{Unit, verdict};
use super::{BY_SERVER, Limit, MOST, RuleKind, significance};
use crate::compare::{DurationChange, SlowerLimit, Timed, TimedSides};
use crate::count::milliseconds_words;
use crate::verdict::{counted, grouped};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) static SLOWER: RuleKind = RuleKind {
    name: "slower",
    about: "No server and no tool became slower, neither in its typical call nor in the slowest \
        calls of a tool. Skipped where a side has no durations.",
    keys: &[
        ("factor", "How many times as long it must take to count; 1.5 by default."),
        ("least_ms", "It must also take this many milliseconds longer; 5 by default."),
        ("least_calls", "With fewer calls on either side nothing is tested; 10 by default."),
        (
            "significance",
            "What the p-value must be below to count, after Holm's correction over all servers and \
             tools tested; 0.003 by default.",
        ),
    ],
    narrowed_by: BY_SERVER,
    next: "look at the slowest calls named here with `tapecheck explain`; where everything is \
        slower, look at the machine and the network first",
    read: |table| {
        let default = SlowerLimit::default();
        let factor = table.number_within("factor", 1.0..=1e6);
        let least_ms = table.number_within("least_ms", 0.0..=MOST);
        let least_calls = table.whole("least_calls", MOST);
        Some(Arc::new(SlowerLimit {
            significance: significance(table, "significance", default.significance),
            factor: factor.unwrap_or(default.factor),
            least_ms: least_ms.unwrap_or(default.least_ms),
            least_calls: least_calls.unwrap_or(default.least_calls).max(1),
        }))
    },
};

/// So many of the slowest calls are shown.
const SLOWEST: usize = 3;

impl Limit for SlowerLimit {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        let evidence = case.evidence;
        let allowed = format!(
            "none may take {} times as long and {} ms more, with {} or more (p below {} overall)",
            self.factor,
            self.least_ms,
            counted(self.least_calls, "call"),
            self.significance,
        );
        let mut durations = TimedSides::of([evidence.before, evidence.after]);
        let mut changes = durations.changes(*self);
        if changes.is_empty() {
            return RuleVerdict::skipped("a side has no durations", allowed);
        }
        let slower = changes.iter().filter(|change| change.slower.is_some());
        let found: BTreeSet<Timed> = slower.map(|change| change.of.clone()).collect();
        let mut waived = 0;
        durations.retain(|of, calls| {
            let tool = of.tool.as_deref().unwrap_or_default();
            let subject = Subject { server: &of.server, tool, ..Subject::default() };
            let is_found =
                found.contains(of) || found.contains(&Timed { tool: None, ..of.clone() });
            let is_waived = is_found && case.book.waives(&subject, calls);
            waived += if is_waived { calls } else { 0 };
            !is_waived
        });
        if waived > 0 {
            changes = durations.changes(*self);
        }
        let of = grouped(changes.len() as u64);
        let p = |change: &DurationChange| change.slower.unwrap_or(1.0);
        changes.retain(|change| change.slower.is_some());
        changes.sort_by(|one, other| p(one).total_cmp(&p(other)));
        let findings = changes.iter().map(|change| {
            let unit = Unit { tool: change.of.tool.as_deref(), ..Unit::server(&change.of.server) };
            let text = format!("{}: {} (p {:.1e})", unit.words(), words(change), p(change));
            let calls = Call::all(evidence.after).filter(|call| {
                call.entry.took.is_some() && call.is_of_tool() && unit.has(Unit::of(*call))
            });
            let mut calls: Vec<Call<'_>> = calls.collect();
            calls.sort_by_key(|call| Reverse(call.entry.took));
            let mut slowest = ExchangeGroup::default();
            calls.into_iter().take(SLOWEST).for_each(|call| slowest.add(call));
            slowest.finding(&text)
        });
        let findings: Vec<_> = findings.collect();
        let count = grouped(findings.len() as u64);
        let measured = format!("{count} of {of} servers and tools slower");
        verdict(findings, !found.is_empty(), waived, &measured, allowed)
    }
}

fn words(change: &DurationChange) -> String {
    let [before, after] = change.took;
    format!(
        "half of {} within {}, {} before; 95 % within {}, {} before",
        counted(after.timed, "call"),
        milliseconds_words(after.p50_ms),
        milliseconds_words(before.p50_ms),
        milliseconds_words(after.p95_ms),
        milliseconds_words(before.p95_ms),
    )
}
