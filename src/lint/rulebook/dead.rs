//! What never hit, held or answered.

use super::subject::{JudgedCorpus, KINDS, Subject, replies};
use super::{Finding, Named, Rule, found};
use crate::rulebook::{Observing, Question};
use crate::verdict::{Severity, grouped};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(seen) = subject.linted.seen else { return };
    let rulebook = subject.rulebook;
    let mut dead = |named: Named, evidence: String, replies: u64, weight: u64| {
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
            dead(subject.signal(signal), matches_none(replies), replies, 2);
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
        dead(named, format!("none of {of} reaches it"), count, 1);
    }
    let hit: BTreeSet<usize> = seen.observed.iter().flat_map(|it| &it.hits).copied().collect();
    let asked = KINDS.map(|which| rulebook.asked_of(which));
    for (question, of) in rulebook.asked().iter().enumerate() {
        let replies = looked_at(&|kind| asked[kind].has(question));
        for number in of.patterns.clone().filter(|number| !hit.contains(number) && replies > 0) {
            dead(subject.pattern(number), matches_none(replies), replies, 0);
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
