//! Requests and responses in envelopes.

use super::table::{Around, Asked, Findings};
use crate::envelope::Direction;
use crate::tape::{Exchange, ExchangeKind, Reply};
use crate::verdict::{NotApplied, Side};

/// Holds the envelopes of an exchange against their schemas.
pub(super) fn check(
    exchange: &Exchange<'_>,
    around: &Around<'_>,
    findings: &mut Findings,
) -> Asked {
    if exchange.kind != ExchangeKind::Envelope {
        return Asked::No(NotApplied::OtherKind);
    }
    let envelopes = around.checks.envelopes();
    if let Some(request) = &exchange.input {
        findings.add(Side::Caller, envelopes.recorded(Direction::Request, request.raw()).issues);
    }
    if let Reply::Document(response) = &exchange.reply {
        findings.add(Side::Reply, envelopes.recorded(Direction::Response, response.raw()).issues);
    }
    Asked::Yes
}
