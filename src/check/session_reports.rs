//! Recorded reports on a session's validation, by themselves or as replies of tools.

use super::payload::payload;
use super::table::{Around, Asked, Check, Findings};
use crate::session_report;
use crate::tape::{Exchange, ExchangeKind};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// The check of session reports.
pub(super) struct SessionReports;

/// A report without any of these is none.
static WORDS: LazyLock<[Finder<'static>; 3]> =
    LazyLock::new(|| ["alidation", "integrityIssues", "hasErrors"].map(Finder::new));

impl Check for SessionReports {
    fn name(&self) -> &'static str {
        "session_report"
    }

    fn about(&self) -> &'static str {
        "Recorded reports on a session's validation: whether flags, counts and issues agree."
    }

    fn check(&self, exchange: &Exchange<'_>, _: &Around<'_>, findings: &mut Findings) -> Asked {
        let is_certain = match exchange.kind {
            ExchangeKind::SessionReport => true,
            ExchangeKind::ToolCall => false,
            ExchangeKind::Envelope | ExchangeKind::JudgeResult => return Asked::No,
        };
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
}
