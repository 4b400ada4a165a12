//! Facts that turn a verdict alone.

use super::finding::{Finding, Rule};
use super::seen::{Observed, Seen};
use super::subject::{Subject, most, verdict};
use crate::label::Label;
use crate::rulebook::{LeafSet, Observing};
use crate::verdict::{FactSet, Severity, counted, grouped};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// So many patterns are named.
const SHOWN: usize = 5;
/// From so many labels on, a share of right answers says something.
const ENOUGH: u64 = 5;
/// What decides alone ought to be right at least so often.
const RIGHT: f64 = 0.75;

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    for fact in 0..subject.rulebook.facts.len() {
        let turned = [in_errors(subject, fact), in_successes(subject, fact)];
        for (turns, which) in turned.into_iter().zip(super::subject::KINDS) {
            if let Some(turns) = turns {
                findings.push(finding(subject, (fact, which), turns));
            }
        }
    }
}

/// How a fact turns the verdict of an error of which nothing else holds, in words.
fn in_errors(subject: &Subject<'_>, fact: usize) -> Option<String> {
    let rulebook = subject.rulebook;
    let which = Observing::Errors;
    if !rulebook.observed_facts(which).contains(&fact) {
        return None;
    }
    let nothing = LeafSet::default();
    let [without, with] = [false, true].map(|holds| {
        let facts = rulebook.facts_where(which, nothing, (fact, holds));
        rulebook.decide(facts)
    });
    if without.business_logic == with.business_logic {
        return None;
    }
    let answer = if with.business_logic { Label::BusinessLogic } else { Label::ToolFailure };
    let line = with.line.and_then(|line| rulebook.decide.get(usize::from(line)));
    let line = line.map_or("nothing", |line| line.name.as_str());
    let how = match (line, with.threshold) {
        (line, Some(threshold)) if with.business_logic && with.score >= threshold => format!(
            "its score {} reaches the {} that line \"{line}\" asks for",
            four(with.score),
            four(threshold)
        ),
        (line, _) => format!("line \"{line}\" answers"),
    };
    Some(format!("with nothing else an error is {} by it: {how}", answer.name()))
}

/// How a fact turns the verdict of a reply that claims success and of which nothing else holds.
fn in_successes(subject: &Subject<'_>, fact: usize) -> Option<String> {
    let rulebook = subject.rulebook;
    let which = Observing::Successes;
    if !rulebook.observed_facts(which).contains(&fact) {
        return None;
    }
    let hides = |holds| {
        let facts = rulebook.facts_where(which, LeafSet::default(), (fact, holds));
        rulebook.hides_failure(facts)
    };
    (hides(false) == Some(false) && hides(true) == Some(true))
        .then(|| "with nothing else a reply is a hidden failure by it".to_owned())
}

fn four(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

fn finding(subject: &Subject<'_>, (fact, which): (usize, Observing), turns: String) -> Finding {
    let mut evidence = turns;
    let ignores = subject.ignores_the_reply(fact);
    if ignores {
        evidence += "; it looks at the call and not at what came back";
    }
    let mut severity = if ignores { Severity::Warning } else { Severity::Info };
    let mut counts = Vec::new();
    let mut weight = 0;
    if let Some(seen) = subject.seen {
        let told = Told::of(subject, seen, (fact, which));
        weight = told.exchanges;
        counts = vec![
            ("exchanges", told.exchanges),
            ("labelled", told.labelled),
            ("labelled_right", told.right),
        ];
        evidence += &told.words(subject, which);
        if told.labelled >= ENOUGH && (told.right as f64) < RIGHT * told.labelled as f64 {
            severity = Severity::Warning;
        }
    }
    Finding {
        rule: Rule::DecisiveAlone,
        severity,
        name: subject.fact_name(fact),
        place: subject.place_of_fact(fact),
        evidence,
        counts,
        weight,
    }
}

/// The exchanges that are judged so by one fact alone: without it they would not be.
#[derive(Default)]
struct Told {
    replies: u64,
    exchanges: u64,
    labelled: u64,
    right: u64,
    patterns: BTreeMap<usize, u64>,
}

impl Told {
    fn of(subject: &Subject<'_>, seen: &Seen<'_>, (fact, which): (usize, Observing)) -> Self {
        let mut told = Self::default();
        let own = &subject.rulebook.facts[fact].patterns;
        for observed in seen.observed.iter().filter(|it| it.which == which) {
            told.replies += observed.exchanges;
            if !observed.facts.has(fact) || !turned(subject, observed, fact) {
                continue;
            }
            told.exchanges += observed.exchanges;
            for hit in &observed.hits {
                if own.iter().any(|pattern| usize::from(*pattern) == *hit) {
                    *told.patterns.entry(*hit).or_default() += observed.exchanges;
                }
            }
            let answer = Label::of(observed.said);
            for (_, label) in seen.labels_of(observed) {
                told.labelled += 1;
                told.right += u64::from(answer == Some(*label));
            }
        }
        told
    }

    fn words(&self, subject: &Subject<'_>, which: Observing) -> String {
        let replies = match which {
            Observing::Errors => "error replies",
            Observing::Successes => "replies that claim success",
        };
        if self.exchanges == 0 {
            return format!("; none of {} {replies} rests on it alone", grouped(self.replies));
        }
        let mut words = format!(
            "; {} of {} {replies} would be judged otherwise without it",
            grouped(self.exchanges),
            grouped(self.replies)
        );
        if self.labelled > 0 {
            let _ = write!(
                words,
                ", of {} it is right about {}",
                counted(self.labelled, "labelled one"),
                grouped(self.right)
            );
        }
        let patterns = self.patterns.iter().map(|(at, count)| (subject.names[*at].clone(), *count));
        let patterns: Vec<(String, u64)> = patterns.collect();
        if !patterns.is_empty() {
            let _ = write!(words, "; by {}", most(patterns, SHOWN));
        }
        words
    }
}

/// Whether the verdict is another one without the fact.
fn turned(subject: &Subject<'_>, observed: &Observed<'_>, fact: usize) -> bool {
    let facts: FactSet = observed.facts;
    let now = subject.ruling(observed, facts);
    let without = subject.ruling_where(observed, (fact, false));
    verdict(now.as_ref()) != verdict(without.as_ref())
}
