//! What replies state, against facts that are known.

use crate::check::facts::Replier;
use crate::check::payload::payload;
use crate::check::table::{Around, Asked, Findings};
use crate::recording::Exchange;
use crate::verdict::{NotApplied, Side};

/// Holds what a reply states against the facts.
pub(in crate::check) fn check(
    exchange: &Exchange<'_>,
    around: &Around<'_>,
    findings: &mut Findings,
) -> Asked {
    if around.checks.facts().is_empty() {
        return Asked::No(NotApplied::NothingGiven);
    }
    if exchange.reply.kind().is_error() {
        return Asked::No(NotApplied::ErrorReply);
    }
    let replier = Replier { server: Some(&exchange.server), tool: &exchange.tool.name };
    let asked = payload(exchange).with_value(|value| {
        for facts in around.checks.facts() {
            findings.add(Side::Reply, facts.check(replier, value));
        }
    });
    asked.map_or(Asked::No(NotApplied::NoObject), |()| Asked::Yes)
}
