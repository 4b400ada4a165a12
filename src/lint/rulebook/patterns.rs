//! Patterns that are looked for twice, and patterns that find nothing which another of the same question does
//! not find.

use super::subject::{JudgedCorpus, KINDS, Subject};
use super::{Finding, Rule, found};
use crate::rulebook::{Case, Field, Matching, PatternKind};
use crate::verdict::{Severity, SignalSet, counted};
use std::collections::{BTreeMap, BTreeSet};

/// From so many exchanges on, that one finds all that another does is worth a word.
const ENOUGH: u64 = 5;

/// What makes two patterns the same.
type Same<'a> = (Field, u8, &'a str, &'a str);

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    duplicates(subject, findings);
    let mut contained = BTreeSet::new();
    for asked in subject.rulebook.asked() {
        for number in asked.patterns.clone() {
            let within = asked.patterns.clone().find(|other| holds(subject, number, *other));
            if let Some(other) = within {
                contained.insert(number);
                let evidence =
                    format!("it contains `{}`, which is in the list too", subject.names[other]);
                findings.push(subsumed(subject, number, evidence, None));
            }
        }
    }
    if let Some(seen) = subject.linted.seen {
        by_hits(subject, seen, &contained, findings);
    }
}

fn duplicates(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let rulebook = subject.rulebook;
    let mut places: BTreeMap<Same<'_>, Vec<(usize, usize)>> = BTreeMap::new();
    for (question, asked) in rulebook.asked().iter().enumerate() {
        for number in asked.patterns.clone() {
            let pattern = &rulebook.patterns[number];
            let same = (pattern.field, rank(pattern.kind), &*pattern.text, &*asked.reading);
            places.entry(same).or_default().push((number, question));
        }
    }
    let resting = KINDS.map(|which| rulebook.signals_by_question(which));
    let of_both = |[errors, successes]: [SignalSet; 2]| SignalSet(errors.0 | successes.0);
    let used_by = |question: usize| of_both(resting.each_ref().map(|it| it[question]));
    let enough = |question: usize| of_both(KINDS.map(|it| subject.signals_by(it, question)));
    let names = |signals: SignalSet| {
        let signals = rulebook.signals.iter().enumerate().filter(|(at, _)| signals.has(*at));
        signals.map(|(_, signal)| signal.name.clone()).collect::<Vec<_>>().join(", ")
    };
    for twice in places.into_values() {
        let (first, question) = twice[0];
        for (number, other) in &twice[1..] {
            // Signals for which either is enough: there, the second adds nothing.
            let shared = SignalSet(enough(question).0 & enough(*other).0);
            let same = format!("the same as `{}`", subject.names[first]);
            let (severity, evidence) = if shared.0 == 0 {
                let [one, two] = [question, *other].map(|question| names(used_by(question)));
                (Severity::Info, format!("{same}, used by {one}; this one is used by {two}"))
            } else {
                let shared = names(shared);
                (Severity::Warning, format!("{same}, and either is enough for {shared}"))
            };
            let pattern = subject.pattern(*number);
            findings.push(found(Rule::Duplicate, severity, pattern, evidence));
        }
    }
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

/// Whether one pattern can only hit where another hits.
fn holds(subject: &Subject<'_>, number: usize, other: usize) -> bool {
    let [one, two] = [number, other].map(|at| &subject.rulebook.patterns[at]);
    let (PatternKind::Text(kind), PatternKind::Text(otherwise)) = (one.kind, two.kind) else {
        return false;
    };
    let is_word: fn(char) -> bool = match kind {
        Matching::Substring => |_| false,
        Matching::Word => |c| c.is_ascii_alphanumeric() || c == '_',
        Matching::Part => |c| c.is_ascii_alphanumeric(),
    };
    kind == otherwise && one.text != two.text && stands_in(&one.text, &two.text, is_word)
}

/// Whether a text stands in another with no letter of a word beside it.
fn stands_in(text: &str, part: &str, is_word: fn(char) -> bool) -> bool {
    text.match_indices(part).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + part.len()..].chars().next();
        ![before, after].into_iter().flatten().any(is_word)
    })
}

fn by_hits(
    subject: &Subject<'_>,
    seen: &JudgedCorpus<'_>,
    known: &BTreeSet<usize>,
    findings: &mut Vec<Finding>,
) {
    let mut hit: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for observed in &seen.observed {
        for pattern in &observed.hits {
            hit.entry(*pattern).or_default().insert(observed.number);
        }
    }
    for asked in subject.rulebook.asked() {
        let there: Vec<(usize, &BTreeSet<u32>)> =
            asked.patterns.clone().filter_map(|at| Some((at, hit.get(&at)?))).collect();
        for (number, where_hit) in there.iter().filter(|(at, _)| !known.contains(at)) {
            let count: u64 = where_hit.iter().map(|it| seen.exchanges_of[*it as usize]).sum();
            let servers: BTreeSet<u32> =
                where_hit.iter().flat_map(|it| &seen.servers_of[*it as usize]).copied().collect();
            if count < ENOUGH || servers.len() < 2 {
                continue;
            }
            let wider = there.iter().find(|(other, others)| {
                let equal = where_hit.len() == others.len();
                // Of two that hit the same, the later one is told; what can go itself is no reason.
                other != number
                    && !known.contains(other)
                    && where_hit.is_subset(others)
                    && (!equal || other < number)
            });
            if let Some((other, _)) = wider {
                let evidence = format!(
                    "`{}` always matches too ({} of {})",
                    subject.names[*other],
                    counted(count, "call"),
                    counted(servers.len() as u64, "server")
                );
                findings.push(subsumed(subject, *number, evidence, Some(count)));
            }
        }
    }
}

/// `seen`: in how many exchanges; `None` where the texts themselves prove it, which comes first.
fn subsumed(subject: &Subject<'_>, number: usize, evidence: String, seen: Option<u64>) -> Finding {
    Finding {
        counts: seen.map(|seen| ("exchanges", seen)).into_iter().collect(),
        weight: seen.unwrap_or(u64::MAX),
        ..found(Rule::Subsumed, Severity::Info, subject.pattern(number), evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_others_only_as_words() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        assert!(stands_in("must be string", "string", word));
        assert!(!stands_in("must be strings", "string", word));
        assert!(stands_in("stringy string", "string", word));
        assert!(!stands_in("a_string", "string", word));
    }
}
