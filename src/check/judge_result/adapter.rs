//! Results of judges, recorded by themselves or as replies of tools.

use crate::check::judge_result::{is_result, read_result};
use crate::check::payload::Sign;
use crate::check::table::{Around, Asked, Findings};
use crate::json::Raw;
use crate::recording::{Exchange, ExchangeKind};
use crate::verdict::Side;
use memchr::memmem::Finder;
use std::sync::LazyLock;

static RESULT: Sign = Sign {
    kind: ExchangeKind::JudgeResult,
    words: LazyLock::new(|| ["quality_score", "confidence"].map(Finder::new).into()),
    is_one: is_result,
};

pub(in crate::check) fn check(
    exchange: &Exchange<'_>,
    _: &Around<'_>,
    findings: &mut Findings,
) -> Asked {
    RESULT.ask(exchange, |result| look(result, findings))
}

fn look(value: Raw<'_>, findings: &mut Findings) {
    match read_result(value) {
        Err(violations) => findings.add(Side::Reply, violations),
        Ok(result) => {
            result.issues.iter().for_each(|issue| findings.add_recorded(issue, None, None));
            findings.add(Side::Reply, result.complaints());
            // A result may claim anything, and what it claims is told; tables hold shares.
            findings.confidence = Some(result.confidence.clamp(0.0, 1.0));
            findings.quality = Some(result.quality_score.clamp(0.0, 1.0));
            findings.passed.extend(result.passed_criteria);
            findings.failed.extend(result.failed_criteria);
        }
    }
}
