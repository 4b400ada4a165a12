//! Calls and replies, against the contract of their server.

use crate::check::contract::{Contract, OutputContext};
use crate::check::payload::payload;
use crate::check::table::{Around, Asked, Findings};
use crate::check::text::judged_error_text;
use crate::json::{Raw, scan_document};
use crate::recording::{Exchange, ExchangeKind, ReplyKind};
use crate::verdict::{Issue, NotApplied, Side};

pub(in crate::check) fn check(
    exchange: &Exchange<'_>,
    around: &Around<'_>,
    findings: &mut Findings,
) -> Asked {
    if exchange.kind != ExchangeKind::ToolCall {
        return Asked::No(NotApplied::OtherKind);
    }
    let tool = exchange.tool.name.as_str();
    let Some((_, contract)) = around.checks.contract_of(&exchange.server, tool) else {
        return Asked::No(NotApplied::NothingGiven);
    };
    look(contract, exchange, findings);
    // The rulebook may have read the same in the text.
    let is_known = around.conclusion.hidden_failure() == Some(true);
    if exchange.reply.kind() == ReplyKind::Result && !is_known {
        let issue = payload(exchange).with_value(|output| contract.check_success(output));
        findings.add(Side::Reply, issue.flatten());
    }
    Asked::Yes
}

/// What a contract has to say of a call of one of its tools; `None` where it is not about the exchange.
pub fn issues_under(contract: &Contract, exchange: &Exchange<'_>) -> Option<Vec<Issue>> {
    let is_meant = exchange.kind == ExchangeKind::ToolCall
        && contract.applies_to(&exchange.server, &exchange.tool.name);
    is_meant.then(|| {
        let mut findings = Findings::default();
        look(contract, exchange, &mut findings);
        findings.issues
    })
}

fn look(contract: &Contract, exchange: &Exchange<'_>, findings: &mut Findings) {
    let tool = exchange.tool.name.as_str();
    let none = scan_document("{}", 1).ok();
    let arguments = exchange.input.as_ref().map(|input| input.raw()).or(none);
    if let Some(arguments) = arguments {
        let input = contract.check_input(tool, arguments);
        findings.add(Side::Caller, input.issues);
        findings.sanitized = input.sanitized;
    }
    let original = exchange.original.as_ref().map(|original| original.raw());
    let input: Option<Raw<'_>> = exchange.input.as_ref().map(|input| input.raw());
    let kind = exchange.reply.kind();
    // Without a flag, what the contract says of responses is what those look like that succeeded.
    // Nothing is certain of a response of which a part was left out.
    let is_response = !exchange.is_cut() && (contract.has_response_flag() || !kind.is_error());
    let issues_of = is_response.then(|| {
        payload(exchange).with_value(|output| {
            let context = OutputContext { input, output, original };
            findings.add(Side::Reply, contract.check_output(tool, context));
        })
    });
    if issues_of.flatten().is_some() {
        return;
    }
    match kind {
        ReplyKind::Result if exchange.is_cut() => {}
        ReplyKind::Result => findings.add(Side::Reply, contract.check_missing_output(tool)),
        // An error that is no response object still must not show what stays inside.
        ReplyKind::ToolError | ReplyKind::ProtocolError => {
            let text = judged_error_text(exchange);
            findings
                .add(Side::Reply, text.and_then(|text| contract.check_error_text(&text, input)));
        }
        ReplyKind::NoReply | ReplyKind::Document => {}
    }
}
