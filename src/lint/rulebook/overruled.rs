//! Factors whose score alone reaches the threshold, while a line before it answers no.

use super::finding::{Finding, Rule};
use super::subject::Subject;
use crate::rulebook::{Decision, Factor, Field, LeafSet, Observing};
use crate::verdict::Severity;

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let rulebook = subject.rulebook;
    for factor in rulebook.factors.iter().filter(|factor| reads_text(subject, factor)) {
        let (errors, nothing) = (Observing::Errors, LeafSet::default());
        let alone = rulebook.signals_where(errors, nothing, (factor.signal, true));
        let decided = rulebook.decide(alone);
        let line = decided.line.and_then(|line| rulebook.decide.get(usize::from(line)));
        let Some(line) = line.filter(|line| line.decision == Decision::Return(false)) else {
            continue;
        };
        let Some(threshold) = decided.threshold.filter(|it| decided.score >= *it) else { continue };
        findings.push(Finding {
            rule: Rule::Overruled,
            severity: Severity::Warning,
            name: format!("factors.{}", factor.name),
            place: subject.linted.places.part("factors", &factor.name).map(str::to_owned),
            evidence: format!(
                "alone it makes a score of {:.4}, which reaches the threshold {threshold}, but the line \"{}\" answers no first",
                decided.score, line.name
            ),
            counts: Vec::new(),
            weight: 0,
        });
    }
}

/// A factor that looks at the call alone may well be told to wait for a text.
fn reads_text(subject: &Subject<'_>, factor: &Factor) -> bool {
    let patterns = subject.rulebook.signals[factor.signal].patterns.iter();
    let mut patterns = patterns.filter_map(|it| subject.rulebook.patterns.get(usize::from(*it)));
    patterns.any(|pattern| pattern.field == Field::Text)
}
