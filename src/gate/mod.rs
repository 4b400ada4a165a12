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
pub use report::{Advised, CallPlace, Finding, GateReport, Outcome, RuleVerdict, State};
pub use rules::{RULES, RuleKind, WAIVERS};
pub(crate) use show::sections;
pub use show::{annotations, json, junit, markdown, sarif};
pub use waive::WaiverKey;

use crate::compare::show::overlap_words;
use crate::compare::{Overlap, Side};
use report::SideName;
use rules::OPERATOR;
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
    /// Whether a rule of the policy is about what only whoever runs the server can mend.
    has_operator_rule: bool,
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
    let has_operator_rule = policy.rules.iter().any(|rule| rule.kind.name == OPERATOR);
    let mut case = Case { evidence: *evidence, traffic, has_operator_rule, book };
    let mut rules = Vec::with_capacity(policy.rules.len() + 1);
    for rule in &policy.rules {
        case.book.rule = &rule.name;
        let mut verdict = rule.limit.measure(&mut case);
        case.book.waive_rule(&mut verdict);
        if verdict.outcome == Outcome::Fail && rule.limit.only_warns() {
            verdict.outcome = Outcome::Warned;
        }
        rules.push(of_rule(RuleVerdict { line: rule.line, ..verdict }, &rule.name, rule.kind));
    }
    rules.extend(case.book.verdict(policy).map(|it| of_rule(it, WAIVERS.name, &WAIVERS)));
    let state = state(&rules, evidence);
    Ok(GateReport {
        policy: policy.label.clone(),
        state,
        passed: has_passed(state, &rules),
        before: side_name(evidence.before),
        after: side_name(evidence.after),
        overlap,
        rules,
    })
}

fn has_passed(state: State, rules: &[RuleVerdict]) -> bool {
    match state {
        State::Green => true,
        State::Operator => !rules.iter().any(|rule| rule.outcome == Outcome::Fail),
        State::Red | State::NothingToJudge => false,
    }
}

/// What fails says more than what could not be judged, and that says more than what is only told.
fn state(rules: &[RuleVerdict], evidence: &Evidence<'_>) -> State {
    let has = |outcome| rules.iter().any(|rule| rule.outcome == outcome);
    let is_known =
        |side: &Side| side.entries.iter().any(|entry| side.verdict(entry.verdict).outcome.tells());
    if rules.iter().any(|rule| rule.outcome == Outcome::Fail && rule.kind != OPERATOR) {
        State::Red
    } else if has(Outcome::Fail) {
        State::Operator
    } else if has(Outcome::Undecided)
        || !is_known(evidence.after) && is_known(evidence.before)
        || none_tried(rules)
    {
        State::NothingToJudge
    } else if has(Outcome::Warned) {
        State::Operator
    } else {
        State::Green
    }
}

/// Whether no rule of the policy could be tried; that waivers are in use or not says nothing.
pub fn none_tried(rules: &[RuleVerdict]) -> bool {
    let mut own = rules.iter().filter(|rule| rule.kind != WAIVERS.name);
    own.all(|rule| rule.outcome == Outcome::Skipped)
}

fn of_rule(verdict: RuleVerdict, name: &str, kind: &'static RuleKind) -> RuleVerdict {
    let is_told = matches!(verdict.outcome, Outcome::Fail | Outcome::Warned);
    let next = is_told.then(|| kind.next.to_owned());
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
