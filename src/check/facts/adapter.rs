//! What replies and judged outputs state, against facts that are known.

use super::Replier;
use super::check::{OUTPUT, Speaker};
use super::prose::BYTES;
use crate::check::checks::Checks;
use crate::check::judge_result::{is_result, read_result};
use crate::check::payload::{MAX_DEPTH, payload};
use crate::check::table::{Around, Asked, Findings};
use crate::check::text::all_text;
use crate::json::{Raw, RawStr, scan_document};
use crate::recording::{Exchange, ExchangeKind, Reply};
use crate::verdict::{NotApplied, Side};

pub(in crate::check) fn check(
    exchange: &Exchange<'_>,
    around: &Around<'_>,
    findings: &mut Findings,
) -> Asked {
    let checks = around.checks;
    if checks.facts().is_empty() {
        return Asked::No(NotApplied::NothingGiven);
    }
    if exchange.reply.kind().is_error() {
        return Asked::No(NotApplied::ErrorReply);
    }
    let is_asked = payload(exchange).with_value(|document| {
        let judged = judged(exchange, document, checks, findings);
        if exchange.kind == ExchangeKind::JudgeResult {
            return judged;
        }
        let replier = Replier { server: Some(&exchange.server), tool: &exchange.tool.name };
        for facts in checks.facts() {
            findings.add(Side::Reply, facts.check(replier, document));
        }
        true
    });
    let is_asked = is_asked.unwrap_or_else(|| match &exchange.reply {
        Reply::Result(result) => all_text(&result.content, BYTES)
            .is_some_and(|text| check_text(&text, &Speaker::Tool, checks, findings)),
        _ => false,
    });
    if is_asked { Asked::Yes } else { Asked::No(NotApplied::NoObject) }
}

/// Looks at the output that a judge looked at: `output` of what it was given, or of its result.
fn judged(
    exchange: &Exchange<'_>,
    document: Raw<'_>,
    checks: &Checks,
    findings: &mut Findings,
) -> bool {
    if exchange.kind != ExchangeKind::JudgeResult && !is_result(document) {
        return false;
    }
    let given = exchange.input.as_ref().and_then(|input| input.raw().member(OUTPUT));
    let Some(output) = given.or_else(|| document.member(OUTPUT)) else { return false };
    let speaker = Speaker::Judged(read_result(document).ok().map(Box::new));
    let text = output.as_str().map(RawStr::decode);
    let output = text.as_ref().map_or(Ok(output), |text| scan_document(text, MAX_DEPTH));
    let Ok(output) = output else {
        return check_text(&text.unwrap_or_default(), &speaker, checks, findings);
    };
    for facts in checks.facts() {
        findings.add(Side::Reply, facts.check_judged(output, &speaker));
    }
    true
}

/// Compares plain text where there are facts that it could be about.
fn check_text(text: &str, speaker: &Speaker, checks: &Checks, findings: &mut Findings) -> bool {
    let mut is_asked = false;
    for facts in checks.facts().iter().filter(|facts| facts.may_be_in_text()) {
        findings.add(Side::Reply, facts.check_text(text, speaker));
        is_asked = true;
    }
    is_asked
}
