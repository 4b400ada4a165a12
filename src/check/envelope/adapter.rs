//! Requests and responses in envelopes.

use crate::check::envelope::{Direction, not_refused};
use crate::check::table::{Around, Asked, Findings};
use crate::recording::{Exchange, ExchangeKind, Reply};
use crate::verdict::{NotApplied, Side};

pub(in crate::check) fn check(
    exchange: &Exchange<'_>,
    around: &Around<'_>,
    findings: &mut Findings,
) -> Asked {
    if exchange.kind != ExchangeKind::Envelope {
        return Asked::No(NotApplied::OtherKind);
    }
    let envelopes = around.checks.envelopes();
    let mut is_valid = true;
    if let Some(request) = &exchange.input {
        let request = envelopes.recorded(Direction::Request, request.raw());
        is_valid = request.valid;
        findings.add(Side::Caller, request.issues);
    }
    if let Reply::Document(response) = &exchange.reply {
        findings.add(Side::Reply, envelopes.recorded(Direction::Response, response.raw()).issues);
        findings.add(Side::Reply, not_refused(response.raw()).filter(|_| !is_valid));
    }
    Asked::Yes
}
