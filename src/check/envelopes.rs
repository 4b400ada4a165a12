//! Requests and responses in envelopes.

use super::table::{Around, Asked, Check, Findings};
use crate::envelope::Direction;
use crate::tape::{Exchange, ExchangeKind, Reply};

/// The check of envelopes.
pub(super) struct Envelope;

impl Check for Envelope {
    fn name(&self) -> &'static str {
        "envelope"
    }

    fn about(&self) -> &'static str {
        "Requests `{query, context?}` and responses `{status, data?, …}` against their schemas."
    }

    fn check(
        &self,
        exchange: &Exchange<'_>,
        around: &Around<'_>,
        findings: &mut Findings,
    ) -> Asked {
        if exchange.kind != ExchangeKind::Envelope {
            return Asked::No;
        }
        let envelopes = around.checks.envelopes();
        if let Some(request) = &exchange.input {
            findings.add(envelopes.recorded(Direction::Request, request.raw()).issues);
        }
        if let Reply::Document(response) = &exchange.reply {
            findings.add(envelopes.recorded(Direction::Response, response.raw()).issues);
        }
        Asked::Yes
    }
}
