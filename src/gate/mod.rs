//! Whether a change is all right: a comparison held against a policy that is data.
//!
//! A [`Policy`] is a TOML file of rules and waivers. [`evaluate`] gives one [`RuleVerdict`] for each
//! rule; the [`GateReport`] of them is the one model that every output is written from.

mod evidence;
mod policy;
mod report;
mod rules;
mod show;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod traffic;
mod waive;

pub use evidence::Evidence;
pub use policy::{Policy, PolicyError, Sets};
pub use report::{Advised, CallPlace, Finding, GateReport, Outcome, RuleVerdict};
pub use rules::{RULES, RuleKind, WAIVERS};
pub(crate) use show::sections;
pub use show::{annotations, json, junit, markdown, sarif};
pub use waive::WaiverKey;

use crate::compare::show::overlap_words;
use crate::compare::{Overlap, Side};
use report::SideName;
use traffic::Traffic;
use waive::WaiverBook;

/// The sides have different exchanges, which the policy does not expect, or have none in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sides do not have the same calls: {}", overlap_words(.0))]
pub struct NotComparable(pub Overlap);

/// What rules measure, and the waivers that they may have.
struct Case<'a> {
    evidence: Evidence<'a>,
    traffic: Traffic,
    book: WaiverBook<'a>,
}

pub fn evaluate(policy: &Policy, evidence: &Evidence<'_>) -> Result<GateReport, NotComparable> {
    let overlap = evidence.comparison.overlap;
    let fits = match policy.sets {
        Sets::Same => overlap.is_whole(),
        Sets::Intersect => overlap.is_whole() || overlap.both() > 0,
        Sets::Any => true,
    };
    if !fits {
        return Err(NotComparable(overlap));
    }
    let traffic = Traffic::of(evidence, policy.least_matched);
    let book = WaiverBook::new(policy, evidence.today);
    let mut case = Case { evidence: *evidence, traffic, book };
    let mut rules = Vec::with_capacity(policy.rules.len() + 1);
    for rule in &policy.rules {
        case.book.rule = &rule.name;
        let mut verdict = rule.limit.measure(&mut case);
        case.book.waive_rule(&mut verdict);
        rules.push(of_rule(RuleVerdict { line: rule.line, ..verdict }, &rule.name, rule.kind));
    }
    rules.extend(case.book.verdict(policy).map(|it| of_rule(it, WAIVERS.name, &WAIVERS)));
    let is_refused =
        |rule: &RuleVerdict| matches!(rule.outcome, Outcome::Fail | Outcome::Undecided);
    Ok(GateReport {
        policy: policy.label.clone(),
        passed: !rules.iter().any(is_refused),
        before: side_name(evidence.before),
        after: side_name(evidence.after),
        overlap,
        rules,
    })
}

fn of_rule(verdict: RuleVerdict, name: &str, kind: &'static RuleKind) -> RuleVerdict {
    let next = (verdict.outcome == Outcome::Fail).then(|| kind.next.to_owned());
    RuleVerdict { name: name.to_owned(), kind: kind.name, next, ..verdict }
}

fn side_name(side: &Side) -> SideName {
    SideName {
        name: side.header.name.clone(),
        rulebook: side.header.rulebook.clone(),
        version: side.header.version.clone(),
        exchanges: side.entries.len() as u64,
    }
}
