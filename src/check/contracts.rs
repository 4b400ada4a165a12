//! Calls and replies, against the contract of their server.

use super::payload::payload;
use super::table::{Around, Asked, Findings};
use super::text::judged_error_text;
use crate::contract::{Contract, OutputContext};
use crate::json::{Raw, scan_document};
use crate::tape::{Exchange, ExchangeKind};
use crate::verdict::Issue;

/// Holds a call and its reply against the contract they fall under.
pub(super) fn check(
    exchange: &Exchange<'_>,
    around: &Around<'_>,
    findings: &mut Findings,
) -> Asked {
    if exchange.kind != ExchangeKind::ToolCall {
        return Asked::No;
    }
    let tool = exchange.tool.name.as_str();
    let contracts = around.checks.contracts();
    let Some(contract) =
        contracts.iter().find(|contract| contract.applies_to(&exchange.server, tool))
    else {
        return Asked::No;
    };
    look(contract, exchange, findings);
    Asked::Yes
}

/// What a contract has to say of a call of one of its tools; `None` where it is not about the exchange.
#[must_use]
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
        findings.add(input.issues);
        findings.sanitized = input.sanitized;
    }
    let original = exchange.original.as_ref().map(|original| original.raw());
    let input: Option<Raw<'_>> = exchange.input.as_ref().map(|input| input.raw());
    let told = payload(exchange).with_value(|output| {
        findings.add(contract.check_output(tool, OutputContext { input, output, original }));
    });
    // An error that is no response object still must not show what stays inside.
    if told.is_none()
        && let Some(text) = judged_error_text(exchange)
    {
        findings.add(contract.check_error_text(&text));
    }
}
