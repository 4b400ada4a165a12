//! Patterns that find nothing which another of the same question does not find.

use super::finding::{Finding, Rule};
use super::seen::Seen;
use super::subject::Subject;
use crate::rulebook::{Matching, PatternKind};
use crate::verdict::{Severity, counted};
use std::collections::{BTreeMap, BTreeSet};

/// From so many exchanges on, that one finds all that another does is worth a word.
const ENOUGH: u64 = 5;

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let mut contained = BTreeSet::new();
    for asked in subject.rulebook.asked() {
        for number in asked.patterns.clone() {
            let within = asked.patterns.clone().find(|other| holds(subject, number, *other));
            if let Some(other) = within {
                contained.insert(number);
                let evidence =
                    format!("it contains `{}`, which is in the list too", subject.names[other]);
                findings.push(finding(subject, number, evidence, None));
            }
        }
    }
    if let Some(seen) = subject.seen {
        by_hits(subject, seen, &contained, findings);
    }
}

/// Whether one pattern can only hit where another hits.
fn holds(subject: &Subject<'_>, number: usize, other: usize) -> bool {
    let [one, two] = [number, other].map(|at| &subject.rulebook.patterns[at]);
    let (PatternKind::Text(kind), PatternKind::Text(otherwise)) = (one.kind, two.kind) else {
        return false;
    };
    number != other
        && kind == otherwise
        && one.text != two.text
        && match kind {
            Matching::Substring => one.text.contains(&two.text),
            Matching::Word => {
                stands_in(&one.text, &two.text, |c| c.is_ascii_alphanumeric() || c == '_')
            }
            Matching::Part => stands_in(&one.text, &two.text, |c| c.is_ascii_alphanumeric()),
        }
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
    seen: &Seen<'_>,
    known: &BTreeSet<usize>,
    findings: &mut Vec<Finding>,
) {
    let mut hit: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    let mut exchanges: BTreeMap<u32, (u64, &BTreeSet<u32>)> = BTreeMap::new();
    for observed in &seen.observed {
        exchanges.insert(observed.number, (observed.exchanges, &observed.servers));
        for pattern in &observed.hits {
            hit.entry(*pattern).or_default().insert(observed.number);
        }
    }
    for asked in subject.rulebook.asked() {
        let there: Vec<(usize, &BTreeSet<u32>)> =
            asked.patterns.clone().filter_map(|at| Some((at, hit.get(&at)?))).collect();
        for (number, where_hit) in there.iter().filter(|(at, _)| !known.contains(at)) {
            let all = where_hit.iter().filter_map(|verdict| exchanges.get(verdict));
            let count: u64 = all.clone().map(|(count, _)| count).sum();
            let servers: BTreeSet<u32> =
                all.flat_map(|(_, servers)| servers.iter().copied()).collect();
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
                findings.push(finding(subject, *number, evidence, Some(count)));
            }
        }
    }
}

/// `seen`: in how many exchanges; `None` where the texts themselves prove it.
fn finding(subject: &Subject<'_>, number: usize, evidence: String, seen: Option<u64>) -> Finding {
    Finding {
        rule: Rule::Subsumed,
        severity: Severity::Info,
        name: subject.names[number].clone(),
        place: subject.place_of_pattern(number),
        evidence,
        counts: seen.map(|seen| ("exchanges", seen)).into_iter().collect(),
        // What is proved comes before what was only seen.
        weight: seen.unwrap_or(u64::MAX),
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
