//! Recorded reports on a session's validation, by themselves or as replies of tools.

use crate::check::payload::Sign;
use crate::check::session_report;
use crate::check::table::{Around, Asked, Findings};
use crate::recording::{Exchange, ExchangeKind};
use crate::verdict::Side;
use memchr::memmem::Finder;
use std::sync::LazyLock;

static REPORT: Sign = Sign {
    kind: ExchangeKind::SessionReport,
    words: LazyLock::new(|| {
        ["alidation", "integrityIssues", "hasErrors", "\"tasks\""].map(Finder::new).into()
    }),
    is_one: session_report::recognise,
};

/// Holds a report on a session against itself, and takes over the issues that it lists.
pub(in crate::check) fn check(
    exchange: &Exchange<'_>,
    _: &Around<'_>,
    findings: &mut Findings,
) -> Asked {
    REPORT.ask(exchange, |report| {
        let (contradictions, reported) = session_report::read(report);
        for (issue, category) in reported {
            findings.add_recorded(&issue, Some(Side::Session), category);
        }
        findings.add(Side::Reply, contradictions);
    })
}
