//! What replies and judged outputs state, against facts that are known.

use super::prose::BYTES;
use super::speaker::{OUTPUT, Speaker};
use crate::check::checks::Checks;
use crate::check::facts::Replier;
use crate::check::judge_result::{is_result, read_result};
use crate::check::payload::{MAX_DEPTH, payload};
use crate::check::table::{Around, Asked, Findings};
use crate::check::text::all_text;
use crate::json::{Raw, scan_document};
use crate::recording::{Exchange, ExchangeKind, Reply};
use crate::verdict::{NotApplied, Side};

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
    let checks = around.checks;
    let asked = payload(exchange).with_value(|document| {
        let judged = judged(exchange, document, checks, findings);
        if exchange.kind == ExchangeKind::JudgeResult {
            return judged;
        }
        let replier = Replier { server: Some(&exchange.server), tool: &exchange.tool.name };
        for facts in checks.facts() {
            findings.add(Side::Reply, facts.check(replier, document));
        }
        Some(())
    });
    match asked.unwrap_or_else(|| reply_text(exchange, checks, findings)) {
        Some(()) => Asked::Yes,
        None => Asked::No(NotApplied::NoObject),
    }
}

/// A reply without JSON.
fn reply_text(exchange: &Exchange<'_>, checks: &Checks, findings: &mut Findings) -> Option<()> {
    let Reply::Result(result) = &exchange.reply else { return None };
    check_text(&all_text(&result.content, BYTES)?, &Speaker::Tool, checks, findings)
}

/// The output that a judge looked at: `output` of what it was given, or of its result.
fn judged(
    exchange: &Exchange<'_>,
    document: Raw<'_>,
    checks: &Checks,
    findings: &mut Findings,
) -> Option<()> {
    if exchange.kind != ExchangeKind::JudgeResult && !is_result(document) {
        return None;
    }
    let given = exchange.input.as_ref().and_then(|input| input.raw().member(OUTPUT));
    let output = given.or_else(|| document.member(OUTPUT))?;
    let speaker = Speaker::Judged(read_result(document).ok().map(Box::new));
    let Some(text) = output.as_str() else {
        check_output(output, &speaker, checks, findings);
        return Some(());
    };
    let text = text.decode();
    match scan_document(&text, MAX_DEPTH) {
        Ok(output) => {
            check_output(output, &speaker, checks, findings);
            Some(())
        }
        Err(_) => check_text(&text, &speaker, checks, findings),
    }
}

fn check_output(output: Raw<'_>, speaker: &Speaker, checks: &Checks, findings: &mut Findings) {
    for facts in checks.facts() {
        findings.add(Side::Reply, facts.check_judged(output, speaker));
    }
}

/// Plain text is compared where there are facts that it could be about.
fn check_text(
    text: &str,
    speaker: &Speaker,
    checks: &Checks,
    findings: &mut Findings,
) -> Option<()> {
    let mut asked = None;
    for facts in checks.facts().iter().filter(|facts| facts.may_be_in_text()) {
        findings.add(Side::Reply, facts.check_text(text, speaker));
        asked = Some(());
    }
    asked
}
