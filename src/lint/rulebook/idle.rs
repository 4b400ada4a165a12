//! What never hit, held or answered.

use super::finding::{Finding, Rule};
use super::seen::Seen;
use super::subject::{KINDS, Subject, replies};
use crate::rulebook::{Observing, Question};
use crate::verdict::{Severity, SignalSet, grouped};
use std::collections::BTreeSet;

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(seen) = subject.seen else { return };
    signals(subject, seen, findings);
    lines(subject, seen, findings);
    patterns(subject, seen, findings);
}

fn dead(name: String, place: Option<String>, evidence: String, replies: u64) -> Finding {
    Finding {
        rule: Rule::Dead,
        severity: Severity::Info,
        name,
        place,
        evidence,
        counts: vec![("replies", replies)],
        weight: 0,
    }
}

/// In how many replies something was looked for that is looked for in these kinds.
fn looked_at(seen: &Seen<'_>, looked: [bool; 2]) -> u64 {
    let kinds = KINDS.into_iter().zip(looked).filter(|(_, looked)| *looked);
    kinds.map(|(which, _)| seen.replies(which)).sum()
}

fn signals(subject: &Subject<'_>, seen: &Seen<'_>, findings: &mut Vec<Finding>) {
    let ever =
        seen.observed.iter().fold(SignalSet::default(), |all, it| SignalSet(all.0 | it.signals.0));
    let observed = KINDS.map(|which| subject.rulebook.observed_signals(which));
    for signal in (0..subject.rulebook.signals.len()).filter(|signal| !ever.has(*signal)) {
        let looked = observed.each_ref().map(|signals| signals.contains(&signal));
        let replies = looked_at(seen, looked);
        if replies > 0 {
            let evidence = format!("it matches none of {} replies", grouped(replies));
            let place = subject.place_of_signal(signal);
            let mut finding = dead(subject.signal_name(signal), place, evidence, replies);
            // A whole signal weighs more than any of its patterns.
            finding.weight = 2;
            findings.push(finding);
        }
    }
}

/// Decision lines that answered nothing, and kinds that no error has.
fn lines(subject: &Subject<'_>, seen: &Seen<'_>, findings: &mut Vec<Finding>) {
    let mut lines = BTreeSet::new();
    let mut kinds = BTreeSet::new();
    for observed in &seen.observed {
        lines.extend(observed.verdict.decided_by.as_deref());
        kinds.extend(observed.verdict.error_kind.as_deref());
    }
    let errors = seen.replies(Observing::Errors);
    let asked = match subject.rulebook.errors.question {
        Question::Errors | Question::Failures => (replies(errors, Observing::Errors), errors),
        Question::All => {
            let all = looked_at(seen, [true, true]);
            (format!("{} replies", grouped(all)), all)
        }
    };
    if asked.1 == 0 {
        return;
    }
    let named = subject.rulebook.decide.iter().map(|line| ("decide", line.name.as_str(), &lines));
    let of_kinds = subject.rulebook.error_kinds.iter();
    let named = named.chain(of_kinds.map(|kind| ("error_kinds", kind.name.as_str(), &kinds)));
    for (section, name, _) in named.filter(|(_, name, seen)| !seen.contains(name)) {
        let place = subject.linted.places.part(section, name);
        let (of, count) = &asked;
        let evidence = format!("none of {of} reaches it");
        let mut finding =
            dead(format!("{section}.{name}"), place.map(str::to_owned), evidence, *count);
        finding.weight = 1;
        findings.push(finding);
    }
}

fn patterns(subject: &Subject<'_>, seen: &Seen<'_>, findings: &mut Vec<Finding>) {
    let hit: BTreeSet<usize> =
        seen.observed.iter().flat_map(|it| it.hits.iter().copied()).collect();
    let asked = KINDS.map(|which| subject.rulebook.asked_of(which));
    for (question, of) in subject.rulebook.asked().iter().enumerate() {
        let replies = looked_at(seen, asked.map(|asked| asked.has(question)));
        for number in of.patterns.clone().filter(|number| !hit.contains(number) && replies > 0) {
            let evidence = format!("it matches none of {} replies", grouped(replies));
            let name = subject.names[number].clone();
            findings.push(dead(name, subject.place_of_pattern(number), evidence, replies));
        }
    }
}
