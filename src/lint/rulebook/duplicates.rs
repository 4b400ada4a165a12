//! What is looked for twice.

use super::finding::{Finding, Rule};
use super::subject::{KINDS, Subject};
use crate::rulebook::{Case, Field, LeafSet, Matching, PatternKind};
use crate::verdict::{FactSet, Severity};
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
    let resting = KINDS.map(|which| rulebook.facts_by_question(which));
    let alone = |question: usize| alone(subject, question);
    let facts_of = |question: usize| FactSet(resting[0][question].0 | resting[1][question].0);
    for twice in places.into_values().filter(|places| places.len() > 1) {
        let (first, question) = twice[0];
        for (number, other) in &twice[1..] {
            let [one, two] = [question, *other].map(facts_of);
            // Facts for which either is enough: there, the second adds nothing.
            let shared = FactSet(alone(question).0 & alone(*other).0);
            let names = |facts: FactSet| {
                let facts = rulebook.facts.iter().enumerate().filter(|(at, _)| facts.has(*at));
                facts.map(|(_, fact)| fact.name.clone()).collect::<Vec<_>>().join(", ")
            };
            let (severity, evidence) = if shared.0 == 0 {
                let evidence = format!(
                    "`{}` is looked for too; on that rest {}, on this {}",
                    subject.names[first],
                    names(one),
                    names(two)
                );
                (Severity::Info, evidence)
            } else {
                let evidence = format!(
                    "`{}` is looked for too, and either is enough for {}",
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

/// The facts that hold where one question is answered with yes, and would not otherwise.
fn alone(subject: &Subject<'_>, question: usize) -> FactSet {
    let facts = KINDS.map(|which| {
        let mut yes = LeafSet::default();
        let nothing = subject.rulebook.facts_when(which, yes);
        yes.insert(question);
        subject.rulebook.facts_when(which, yes).0 & !nothing.0
    });
    FactSet(facts[0] | facts[1])
}

fn rank(kind: PatternKind) -> u8 {
    match kind {
        PatternKind::Text(Matching::Substring) => 0,
        PatternKind::Text(Matching::Word) => 1,
        PatternKind::Text(Matching::Part) => 2,
        PatternKind::Whole => 3,
        PatternKind::Regex(Case::Ignored) => 4,
        PatternKind::Regex(Case::Exact) => 5,
    }
}
