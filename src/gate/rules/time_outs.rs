//! How many calls ran into a time-out of their client.

use super::super::evidence::{Evidence, Gathered, Seen};
use super::super::report::{Measure, Outcome};
use super::Asking;
use super::units::Unit;
use crate::recording::ExchangeKind;
use crate::verdict::{Fate, counted, grouped};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// At most so many percent of the calls of the later side timed out.
pub(in crate::gate) fn time_outs(
    evidence: &Evidence<'_>,
    most: f64,
    (rule, book): Asking<'_, '_>,
) -> Measure {
    let allowed = format!("at most {most} % of calls");
    let (mut calls, mut unexplained, mut waived) = (0, 0, 0);
    let mut tools: BTreeMap<Unit<'_>, Gathered<'_>> = BTreeMap::new();
    for entry in &evidence.after.entries {
        let seen = Seen { side: evidence.after, entry };
        let Some(verdict) = seen.verdict().filter(|verdict| verdict.kind == ExchangeKind::ToolCall)
        else {
            continue;
        };
        calls += 1;
        match verdict.fate {
            Fate::TimedOut if book.waives(rule, &seen.subject()) => waived += 1,
            Fate::TimedOut => {
                tools.entry(Unit::Tool(seen.server(), seen.tool())).or_default().add(seen);
            }
            Fate::NotRecorded => unexplained += 1,
            Fate::Settled | Fate::NotSent | Fate::Cancelled | Fate::Waiting => {}
        }
    }
    if calls == 0 {
        return Measure::skipped("the later side has no calls", allowed);
    }
    let found: u64 = tools.values().map(|gathered| gathered.exchanges).sum();
    let percent = |count: u64| count as f64 / calls as f64 * 100.0;
    let mut measured = format!(
        "{} of {} timed out ({:.2} %)",
        grouped(found),
        counted(calls, "call"),
        percent(found)
    );
    if waived > 0 {
        let _ = write!(measured, ", {} waived", grouped(waived));
    }
    let passes = percent(found) <= most;
    let mut measure = Measure::new(passes, measured, allowed).numbers(percent(found), most);
    if passes && percent(found + waived) > most {
        measure.outcome = Outcome::Waived;
    }
    if unexplained > 0 {
        let calls = counted(unexplained, "call");
        measure.notes.push(format!(
            "{calls} of unknown outcome without a recorded reason: they may have timed out"
        ));
    }
    let findings = tools.into_iter().map(|(tool, gathered)| {
        let text = format!("{}: {} timed out", tool.words(), counted(gathered.exchanges, "call"));
        gathered.finding(&text, None)
    });
    measure.found(findings.collect())
}
