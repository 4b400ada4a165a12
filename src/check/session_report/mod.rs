//! Reports on whole sessions: one object that says whether a session's replies hold, a readable text
//! beside it, and a check of recorded objects of the same kind.

mod model;
mod name;
mod recorded;
#[cfg(test)]
mod tests;
mod text;
mod truth;

pub use model::{CountedIssues, IntegrityIssue, SessionReport};
pub use name::{ReportNames, SessionName, is_report_name};
pub use recorded::recognise;
pub(super) use recorded::{Members, last};
pub use text::{FailingSession, IssueDetails};
pub use truth::{check, read};

use super::payload::Sign;
use super::table::{CheckContext, Findings};
use crate::recording::{Exchange, ExchangeKind};
use crate::verdict::{NotApplied, Side};
use memchr::memmem::Finder;
use std::sync::LazyLock;

static REPORT: Sign = Sign {
    kind: ExchangeKind::SessionReport,
    words: LazyLock::new(|| {
        ["alidation", "integrityIssues", "hasErrors", "\"tasks\""].map(Finder::new).into()
    }),
    is_one: recognise,
};

/// Holds a report on a session against itself, and takes over the issues that it lists.
pub(super) fn ask(
    exchange: &Exchange<'_>,
    _: &CheckContext<'_>,
    findings: &mut Findings,
) -> Result<(), NotApplied> {
    REPORT.ask(exchange, |report| {
        let (contradictions, reported) = read(report);
        for (issue, category) in reported {
            findings.add_recorded(&issue, Some(Side::Session), category);
        }
        findings.add(Side::Reply, contradictions);
    })
}
