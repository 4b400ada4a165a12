//! Results of judges, recorded by themselves or as replies of tools.

use super::payload::payload;
use super::table::{Around, Asked, Findings};
use crate::json::Raw;
use crate::judged::{is_result, read_result};
use crate::tape::{Exchange, ExchangeKind};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// A result without either of these is none.
static WORDS: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| ["quality_score", "confidence"].map(Finder::new));

/// Holds a judge's result against its schema and against itself.
pub(super) fn check(exchange: &Exchange<'_>, _: &Around<'_>, findings: &mut Findings) -> Asked {
    let is_certain = exchange.kind == ExchangeKind::JudgeResult;
    let payload = payload(exchange);
    if !is_certain && !payload.mentions(&*WORDS) {
        return Asked::No;
    }
    let asked = payload.with_value(|value| {
        let is_one = is_certain || is_result(value);
        if is_one {
            look(value, findings);
        }
        is_one
    });
    if asked == Some(true) { Asked::Yes } else { Asked::No }
}

fn look(value: Raw<'_>, findings: &mut Findings) {
    match read_result(value) {
        Err(violations) => findings.add(violations),
        Ok(result) => {
            result.issues.iter().for_each(|issue| findings.add_recorded(issue));
            findings.add(result.complaints());
            // A result may claim anything, and what it claims is told; tables hold shares.
            findings.confidence = Some(result.confidence.clamp(0.0, 1.0));
            findings.quality = Some(result.quality_score.clamp(0.0, 1.0));
            findings.passed.extend(result.passed_criteria);
            findings.failed.extend(result.failed_criteria);
        }
    }
}
