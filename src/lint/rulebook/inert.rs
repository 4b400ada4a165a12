//! What can turn no verdict.
//!
//! By the rulebook alone: signals that nothing rests on, and factors that no sum of the others needs to
//! reach any threshold. By what was judged: signals that may hold or not in every combination of signals that
//! occurs, and nothing comes of it.

use super::subject::{JudgedCorpus, KINDS, Observed, Subject, replies, verdict};
use super::{Finding, Named, Rule, found};
use crate::rulebook::{Decision, LeafSet, Observing, Question};
use crate::verdict::{Ground, SchemaOutcome, Severity, SignalSet, counted, grouped};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// So many different sums of weights are looked at.
const MOST_SUMS: usize = 1 << 16;
/// So many combinations of signals are tried, those of most exchanges first.
const MOST_COMBINATIONS: usize = 4096;

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let unused = unused(subject);
    findings.extend(unused.iter().map(|signal| {
        let evidence = "unused by any rule or factor".to_owned();
        found(Rule::Inert, Severity::Warning, subject.signal(*signal), evidence)
    }));
    factors(subject, findings);
    if let Some(seen) = subject.linted.seen {
        by_combinations(subject, seen, &unused, findings);
    }
}

/// The signals that have no say in anything.
fn unused(subject: &Subject<'_>) -> BTreeSet<usize> {
    let [errors, hidden] = subject.rulebook.deciding_signals();
    let deciding = SignalSet(errors.0 | hidden.0);
    let below = KINDS.map(|which| subject.rulebook.signals_below(which));
    let mut used = deciding;
    for below in &below {
        for (_, signals) in below.iter().enumerate().filter(|(signal, _)| deciding.has(*signal)) {
            used.0 |= signals.0;
        }
    }
    (0..subject.rulebook.signals.len()).filter(|signal| !used.has(*signal)).collect()
}

/// Factors that no threshold needs: proved over all sums that the others can come to.
fn factors(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let rulebook = subject.rulebook;
    let thresholds: Vec<f64> = rulebook
        .decide
        .iter()
        .filter_map(|line| match line.decision {
            Decision::Threshold(threshold) => Some(threshold),
            Decision::Return(_) => None,
        })
        .collect();
    for (at, factor) in rulebook.factors.iter().enumerate() {
        let others = rulebook.factors.iter().enumerate().filter(|(other, _)| *other != at);
        let Some(sums) = sums(others.map(|(_, other)| other.weight)) else { return };
        let reaches = |sum: f64, threshold: f64| {
            let score = sum / rulebook.denominator;
            let score = if rulebook.clamp { score.min(1.0) } else { score };
            score >= threshold
        };
        let matters = thresholds.iter().any(|threshold| {
            sums.iter()
                .any(|sum| reaches(*sum, *threshold) != reaches(sum + factor.weight, *threshold))
        });
        if !matters {
            let evidence = format!(
                "its weight {} takes none of the {} sums of the other factors over or under a threshold ({})",
                factor.weight,
                sums.len(),
                thresholds.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
            );
            let named = subject.factor(factor);
            findings.push(Finding {
                counts: BTreeMap::from([("sums", sums.len() as u64)]),
                ..found(Rule::Inert, Severity::Warning, named, evidence)
            });
        }
    }
}

/// All sums that some of these weights come to; `None` where they are too many.
fn sums(weights: impl Iterator<Item = f64>) -> Option<Vec<f64>> {
    let mut sums: BTreeMap<i64, f64> = BTreeMap::from([(0, 0.0)]);
    for weight in weights {
        let more: Vec<f64> = sums.values().map(|sum| sum + weight).collect();
        sums.extend(more.into_iter().map(|sum| (rounded(sum), sum)));
        if sums.len() > MOST_SUMS {
            return None;
        }
    }
    Some(sums.into_values().collect())
}

#[expect(clippy::cast_possible_truncation, reason = "a sum of weights, to nine places")]
fn rounded(sum: f64) -> i64 {
    (sum * 1e9).round() as i64
}

/// What tells one combination from others: what is there to be judged, and what was found in it.
type Combination = (Ground, Option<&'static str>, LeafSet, Option<bool>);

fn by_combinations(
    subject: &Subject<'_>,
    seen: &JudgedCorpus<'_>,
    known: &BTreeSet<usize>,
    findings: &mut Vec<Finding>,
) {
    let mut combinations: BTreeMap<Combination, (&Observed<'_>, u64)> = BTreeMap::new();
    for observed in &seen.observed {
        let schema = observed.verdict.schema.as_ref().map(|it| SchemaOutcome::name(it.outcome));
        let combination =
            (observed.verdict.ground, schema, observed.yes, observed.verdict.hidden_failure);
        combinations.entry(combination).or_insert((observed, 0)).1 += observed.exchanges;
    }
    let mut tried: Vec<(&Observed<'_>, u64)> = combinations.into_values().collect();
    tried.sort_by_key(|(observed, exchanges)| (Reverse(*exchanges), observed.number));
    tried.truncate(MOST_COMBINATIONS);
    for signal in (0..subject.rulebook.signals.len()).filter(|signal| !known.contains(signal)) {
        let mut of = Vec::new();
        for which in KINDS {
            if subject.rulebook.observed_signals(which).has(signal) {
                of.extend(
                    tried.iter().map(|(observed, _)| *observed).filter(|it| it.which == which),
                );
            }
        }
        // What never holds is told as that.
        if !of.iter().any(|observed| observed.signals.has(signal)) {
            continue;
        }
        let matters = of.iter().any(|observed| {
            let now = subject.concluded(observed, None);
            // What cannot be told may matter.
            !subject.can_tell(observed, signal)
                || [false, true].into_iter().any(|holds| {
                    let other = subject.concluded(observed, Some((signal, holds)));
                    verdict(&now) != verdict(&other) || now.error_kind != other.error_kind
                })
        });
        if !matters {
            let count = of.len() as u64;
            let evidence = format!(
                "it makes no difference in any of the {} that occur",
                counted(count, "combination")
            );
            findings.push(Finding {
                counts: BTreeMap::from([("combinations", count)]),
                weight: count,
                ..found(Rule::Inert, Severity::Info, subject.signal(signal), evidence)
            });
        }
    }
}

/// What never hit, held or answered.
pub(super) fn dead(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(seen) = subject.linted.seen else { return };
    let rulebook = subject.rulebook;
    let mut add = |named: Named, evidence: String, replies: u64, weight: u64| {
        findings.push(Finding {
            counts: BTreeMap::from([("replies", replies)]),
            weight,
            ..found(Rule::Dead, Severity::Info, named, evidence)
        });
    };
    let matches_none = |replies: u64| format!("it matches none of {} replies", grouped(replies));
    // In how many replies something is looked for.
    let looked_at = |is_looked_for: &dyn Fn(usize) -> bool| -> u64 {
        let kinds = KINDS.into_iter().enumerate().filter(|(at, _)| is_looked_for(*at));
        kinds.map(|(_, which)| seen.replies(which)).sum()
    };
    // A whole signal weighs more than a line, and a line more than a pattern.
    let observed = KINDS.map(|which| rulebook.observed_signals(which));
    for signal in 0..rulebook.signals.len() {
        let replies = looked_at(&|kind| observed[kind].has(signal));
        if replies > 0 && !seen.observed.iter().any(|it| it.signals.has(signal)) {
            add(subject.signal(signal), matches_none(replies), replies, 2);
        }
    }
    let (of, count) = asked(subject, seen);
    let lines = seen.observed.iter().filter_map(|it| it.verdict.decided_by.as_deref());
    let kinds = seen.observed.iter().filter_map(|it| it.verdict.error_kind.as_deref());
    let (lines, kinds): (BTreeSet<&str>, BTreeSet<&str>) = (lines.collect(), kinds.collect());
    let places = subject.linted.places;
    let lines = rulebook.decide.iter().filter(|line| !lines.contains(&*line.name));
    let lines = lines.map(|it| (format!("decide.{}", it.name), places.part("decide", &it.name)));
    let kinds = rulebook.error_kinds.iter().filter(|kind| !kinds.contains(&*kind.name));
    let kinds =
        kinds.map(|it| (format!("error_kinds.{}", it.name), places.part("error_kinds", &it.name)));
    for (name, place) in lines.chain(kinds).filter(|_| count > 0) {
        let named = (name, place.map(str::to_owned));
        add(named, format!("none of {of} reaches it"), count, 1);
    }
    let hit: BTreeSet<usize> = seen.observed.iter().flat_map(|it| &it.hits).copied().collect();
    let asked = KINDS.map(|which| rulebook.asked_of(which));
    for (question, of) in rulebook.asked().iter().enumerate() {
        let replies = looked_at(&|kind| asked[kind].has(question));
        for number in of.patterns.clone().filter(|number| !hit.contains(number) && replies > 0) {
            add(subject.pattern(number), matches_none(replies), replies, 0);
        }
    }
}

/// The replies that the rulebook's question is put to, in words and how many.
fn asked(subject: &Subject<'_>, seen: &JudgedCorpus<'_>) -> (String, u64) {
    let [errors, successes] = KINDS.map(|which| seen.replies(which));
    match subject.rulebook.errors.question {
        Question::Errors | Question::Failures => (replies(errors, Observing::Errors), errors),
        Question::All => (format!("{} replies", grouped(errors + successes)), errors + successes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_all_there_once() {
        assert_eq!(sums([2.0, 1.0, 1.0].into_iter()), Some(vec![0.0, 1.0, 2.0, 3.0, 4.0]));
        assert_eq!(sums([0.1, 0.2, -0.3].into_iter()).map(|sums| sums.len()), Some(7));
        assert_eq!(sums((0..40).map(|bit| f64::from(bit).exp2())), None);
    }
}
