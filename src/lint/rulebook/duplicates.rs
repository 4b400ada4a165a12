//! What is looked for twice.

use super::finding::{Finding, Rule};
use super::subject::{KINDS, Subject};
use crate::rulebook::{Case, Field, LeafSet, Matching, PatternKind};
use crate::verdict::{Severity, SignalSet};
use std::collections::BTreeMap;

/// What makes two patterns the same.
type Same<'a> = (Field, u8, &'a str, &'a str);

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let rulebook = subject.rulebook;
    let mut places: BTreeMap<Same<'_>, Vec<(usize, usize)>> = BTreeMap::new();
    for (question, asked) in rulebook.asked().iter().enumerate() {
        for number in asked.patterns.clone() {
            let pattern = &rulebook.patterns[number];
            let same =
                (pattern.field, rank(pattern.kind), pattern.text.as_str(), asked.reading.as_str());
            places.entry(same).or_default().push((number, question));
        }
    }
    let resting = KINDS.map(|which| rulebook.signals_by_question(which));
    let alone = |question: usize| alone(subject, question);
    let signals_of = |question: usize| SignalSet(resting[0][question].0 | resting[1][question].0);
    for twice in places.into_values().filter(|places| places.len() > 1) {
        let (first, question) = twice[0];
        for (number, other) in &twice[1..] {
            let [one, two] = [question, *other].map(signals_of);
            // Signals for which either is enough: there, the second adds nothing.
            let shared = SignalSet(alone(question).0 & alone(*other).0);
            let names = |signals: SignalSet| {
                let signals =
                    rulebook.signals.iter().enumerate().filter(|(at, _)| signals.has(*at));
                signals.map(|(_, signal)| signal.name.clone()).collect::<Vec<_>>().join(", ")
            };
            let (severity, evidence) = if shared.0 == 0 {
                let evidence = format!(
                    "the same as `{}`, used by {}; this one is used by {}",
                    subject.names[first],
                    names(one),
                    names(two)
                );
                (Severity::Info, evidence)
            } else {
                let evidence = format!(
                    "the same as `{}`, and either is enough for {}",
                    subject.names[first],
                    names(shared)
                );
                (Severity::Warning, evidence)
            };
            findings.push(Finding {
                rule: Rule::Duplicate,
                severity,
                name: subject.names[*number].clone(),
                place: subject.place_of_pattern(*number),
                evidence,
                counts: Vec::new(),
                weight: 0,
            });
        }
    }
}

/// The signals that hold where one question is answered with yes, and would not otherwise.
fn alone(subject: &Subject<'_>, question: usize) -> SignalSet {
    let signals = KINDS.map(|which| {
        let mut yes = LeafSet::default();
        let nothing = subject.rulebook.signals_when(which, yes);
        yes.insert(question);
        subject.rulebook.signals_when(which, yes).0 & !nothing.0
    });
    SignalSet(signals[0] | signals[1])
}

fn rank(kind: PatternKind) -> u8 {
    match kind {
        PatternKind::Text(Matching::Substring) => 0,
        PatternKind::Text(Matching::Word) => 1,
        PatternKind::Text(Matching::Part) => 2,
        PatternKind::Whole => 3,
        PatternKind::Regex(Case::Ignored) => 4,
        PatternKind::Regex(Case::Exact) => 5,
        PatternKind::Quotation(_) => 6,
    }
}
