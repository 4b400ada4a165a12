//! Recorded reports on a session's validation, by themselves or as replies of tools.

use super::payload::payload;
use super::table::{Around, Asked, Findings};
use crate::session_report;
use crate::tape::{Exchange, ExchangeKind};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// A report without any of these is none.
static WORDS: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["alidation", "integrityIssues", "hasErrors"].map(Finder::new));

/// Holds a report on a session against itself.
pub(super) fn check(exchange: &Exchange<'_>, _: &Around<'_>, findings: &mut Findings) -> Asked {
    let is_certain = exchange.kind == ExchangeKind::SessionReport;
    let payload = payload(exchange);
    if !is_certain && !payload.mentions(&*WORDS) {
        return Asked::No;
    }
    let asked = payload.with_value(|value| {
        let is_one = is_certain || session_report::recognise(value);
        if is_one {
            findings.add(session_report::check(value));
        }
        is_one
    });
    if asked == Some(true) { Asked::Yes } else { Asked::No }
}
