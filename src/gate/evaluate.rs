//! A policy held against its evidence, rule by rule.

use super::policy::{Limit, Missing, Rule, Sets};
use super::report::{GateReport, Measure, Outcome, RuleVerdict, SideName};
use super::rules::{
    absent, counts, headers, issue_types, labels, shares, slower, stricter, time_outs,
};
use super::traffic::Traffic;
use super::waive::WaiverBook;
use super::{Evidence, Policy, RuleKind};
use crate::compare::show::overlap_words;
use crate::compare::{Overlap, Side};
use std::cell::LazyCell;

/// The sides have different exchanges, which the policy does not expect, or have none in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sides do not have the same calls: {}", overlap_words(.0))]
pub struct NotComparable(pub Overlap);

pub fn is_comparable(policy: &Policy, overlap: Overlap) -> Result<(), NotComparable> {
    let fits = match policy.sets {
        Sets::Same => overlap.is_whole(),
        Sets::Intersect => overlap.is_whole() || overlap.both() > 0,
        Sets::Any => true,
    };
    if fits { Ok(()) } else { Err(NotComparable(overlap)) }
}

pub fn evaluate(policy: &Policy, evidence: &Evidence<'_>) -> Result<GateReport, NotComparable> {
    is_comparable(policy, evidence.comparison.overlap)?;
    let mut book = WaiverBook::new(policy, evidence);
    let mut rules = Vec::with_capacity(policy.rules.len() + 1);
    let traffic = LazyCell::new(|| Traffic::of(evidence, policy.least_matched));
    for rule in &policy.rules {
        let measure = measure(rule, evidence, &traffic, &mut book);
        let measure = book.settle(&rule.name, measure);
        rules.push(verdict(&rule.name, rule.limit.kind(), rule.line, measure));
    }
    if let Some((kind, line, measure)) = book.measure() {
        rules.push(verdict(kind.name(), kind, Some(line), measure));
    }
    Ok(GateReport {
        policy: policy.label.clone(),
        passed: !rules.iter().any(|rule| rule.outcome.is_refusal()),
        before: side_name(evidence.before),
        after: side_name(evidence.after),
        overlap: evidence.comparison.overlap,
        rules,
    })
}

fn measure(
    rule: &Rule,
    evidence: &Evidence<'_>,
    traffic: &LazyCell<Traffic, impl FnOnce() -> Traffic>,
    book: &mut WaiverBook<'_>,
) -> Measure {
    match &rule.limit {
        Limit::Worse => counts::worse(evidence, **traffic, (&rule.name, book)),
        Limit::Shares(limit) => shares::shares(evidence, **traffic, *limit, (&rule.name, book)),
        Limit::Slower(limit) => slower::slower(evidence, *limit, (&rule.name, book)),
        Limit::Absent { significance } => {
            absent::absent(evidence, **traffic, *significance, (&rule.name, book))
        }
        Limit::Unreadable { significance } => {
            headers::unreadable(evidence, **traffic, *significance)
        }
        Limit::Stricter => stricter::stricter(evidence, (&rule.name, book)),
        Limit::Flips { most, filter } => {
            counts::flips(evidence, (*most, filter), (&rule.name, book))
        }
        Limit::NewIssueTypes { except, exchanges } => {
            issue_types::new_types(evidence, (except, *exchanges), (&rule.name, book))
        }
        Limit::TimeOuts { most } => time_outs::time_outs(evidence, *most, (&rule.name, book)),
        Limit::UnreadableLines { most_growth, most } => {
            headers::unreadable_lines(evidence, *most_growth, *most)
        }
        Limit::Labels { least, least_labels, missing } => {
            let measure = labels::labels(evidence, *least, *least_labels);
            match (measure.outcome, missing) {
                (Outcome::Skipped, Missing::Undecided) => {
                    Measure { outcome: Outcome::Undecided, ..measure }
                }
                _ => measure,
            }
        }
    }
}

fn verdict(name: &str, kind: RuleKind, line: Option<u64>, measure: Measure) -> RuleVerdict {
    let Measure { outcome, skipped_because, value, limit, measured, allowed, .. } = measure;
    RuleVerdict {
        name: name.to_owned(),
        kind,
        line,
        outcome,
        skipped_because,
        value,
        limit,
        measured,
        allowed,
        notes: measure.notes,
        next: (outcome == Outcome::Fail).then(|| kind.facts().next.to_owned()),
        findings: measure.findings,
        left_out: measure.left_out,
    }
}

fn side_name(side: &Side) -> SideName {
    SideName {
        name: side.header.name.clone(),
        rulebook: side.header.rulebook.clone(),
        version: side.header.version.clone(),
        exchanges: side.entries.len() as u64,
    }
}
