//! Asks the criteria that apply to an exchange.

use crate::check::checks::{Checks, Owner};
use crate::check::payload::payload;
use crate::check::table::{Around, Asked, Findings};
use crate::expression::{Answer, BUDGET};
use crate::json::to_value;
use crate::recording::{Exchange, ExchangeKind};
use crate::rulebook::Criterion;
use crate::verdict::{Issue, IssueType, NotApplied, Raised, Severity, Side};
use serde_json::{Value, json};
use std::collections::HashSet;

pub(in crate::check) fn check(
    exchange: &Exchange<'_>,
    around: &Around<'_>,
    findings: &mut Findings,
) -> Asked {
    let applying = applying(exchange, around.checks);
    if applying.is_empty() {
        return Asked::No(NotApplied::NothingGiven);
    }
    let input = exchange.input.as_ref().map_or(Value::Null, |input| to_value(input.raw()));
    let output = payload(exchange).with_value(to_value).unwrap_or(Value::Null);
    let verdict = json!({
        "classification": around.conclusion.classification.name(),
        "confidence": around.conclusion.confidence / 100.0,
        "is_error": around.is_error.is_yes(),
    });
    let values = [("input", &input), ("output", &output), ("verdict", &verdict)];
    // All criteria of a call together cost no more than one may: they may come with the recordings.
    let mut left = BUDGET;
    for criterion in applying {
        match criterion.expression.evaluate_within(&values, &mut left) {
            Answer::True => findings.passed.push(criterion.name.clone()),
            Answer::False => {
                findings.failed.push(criterion.name.clone());
                let suggestion = criterion.suggestion.clone();
                let issue =
                    issue(criterion.raised, "is not met", &criterion.name, &criterion.about);
                findings.add(issue.side, [Issue { suggestion, ..issue }]);
            }
            Answer::Ambiguous(why) => {
                let raised =
                    Raised { severity: Severity::Warning, kind: IssueType::CriteriaAmbiguous };
                let why = why.to_string();
                let issue = issue(raised, "cannot be decided", &criterion.name, &why);
                findings.add(Side::Reply, [issue]);
            }
        }
    }
    Asked::Yes
}

/// The criteria that an exchange is to meet: those of the rulebook and of files, and for a call those of the contract
/// that it is held against.
fn applying<'c>(exchange: &Exchange<'_>, checks: &'c Checks) -> Vec<&'c Criterion> {
    let (kind, server, tool) = (exchange.kind, &exchange.server, &exchange.tool.name);
    if checks.criteria.is_empty() {
        return Vec::new();
    }
    let contract = checks.contract_of(server, tool).map(|(at, _)| Owner::Contract(at));
    let mut names = HashSet::new();
    let owned = checks.criteria.iter().filter(|owned| match owned.owner {
        Owner::Rulebook | Owner::File(_) => true,
        Owner::Contract(_) => kind != ExchangeKind::ToolCall || contract == Some(owned.owner),
    });
    owned
        .map(|owned| &owned.criterion)
        .filter(|criterion| criterion.applies.to(kind.name(), server, tool))
        // Two contracts may have the same criterion.
        .filter(|criterion| names.insert(criterion.name.as_str()))
        .collect()
}

fn issue(raised: Raised, says: &str, name: &str, more: &str) -> Issue {
    let more = if more.is_empty() { String::new() } else { format!(": {more}") };
    Issue::new(raised.severity, raised.kind, format!("Criterion '{name}' {says}{more}"))
}
