//! How many calls ran into a time-out of their client.

use super::super::Case;
use super::super::evidence::{Call, ExchangeGroup};
use super::super::report::{RuleVerdict, waived_words};
use super::units::Unit;
use super::{BY_SERVER, Limit, RuleKind, required};
use crate::verdict::{Fate, counted, grouped};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) static TIME_OUTS: RuleKind = RuleKind {
    name: "timeouts",
    about: "At most this share of the calls of the later side timed out.",
    keys: &[("most", "How many percent of the calls; required.")],
    narrowed_by: BY_SERVER,
    next: "see whether the tools named here hang or only need longer than the client waits; when \
        a server is known to be slow, waive it until it is fixed",
    read: |table| Some(Arc::new(TimeOuts { most: required(table, "most", 0.0..=100.0)? })),
};

#[derive(Debug)]
struct TimeOuts {
    most: f64,
}

impl Limit for TimeOuts {
    fn measure(&self, case: &mut Case<'_>) -> RuleVerdict {
        let allowed = format!("at most {} % of calls", self.most);
        let (mut calls, mut unexplained, mut found, mut waived) = (0_u64, 0, 0, 0);
        let mut tools: BTreeMap<Unit<'_>, ExchangeGroup<'_>> = BTreeMap::new();
        for call in Call::all(case.evidence.after).filter(|call| call.is_of_tool()) {
            calls += 1;
            match call.verdict().fate {
                Fate::TimedOut if case.book.waives(&call.subject(), 1) => waived += 1,
                Fate::TimedOut => {
                    found += 1;
                    tools.entry(Unit::of(call)).or_default().add(call);
                }
                Fate::NotRecorded => unexplained += 1,
                Fate::Settled
                | Fate::OtherIdType
                | Fate::OtherId
                | Fate::Late
                | Fate::NotSent
                | Fate::Cancelled
                | Fate::Waiting => {}
            }
        }
        if calls == 0 {
            return RuleVerdict::skipped("the later side has no calls", allowed);
        }
        let percents = [found, waived].map(|count| count as f64 / calls as f64 * 100.0);
        let measured = format!(
            "{} of {} timed out ({:.2} %){}",
            grouped(found),
            counted(calls, "call"),
            percents[0],
            waived_words(waived),
        );
        let findings = tools.into_iter().map(|(tool, gathered)| {
            let calls = counted(gathered.exchanges, "call");
            gathered.finding(&format!("{}: {calls} timed out", tool.words()))
        });
        let mut verdict =
            RuleVerdict::at_most(self.most, percents, measured, allowed).found(findings);
        if unexplained > 0 {
            let calls = counted(unexplained, "call");
            verdict.notes.push(format!(
                "{calls} of unknown outcome without a recorded reason: they may have timed out"
            ));
        }
        verdict
    }
}
