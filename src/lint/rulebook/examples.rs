//! Examples that come out otherwise.

use super::finding::{Finding, Rule};
use super::subject::Subject;
use crate::run::run_examples;
use crate::verdict::Severity;

pub(super) fn find(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let failing = |name: String, place: String, evidence: String| Finding {
        rule: Rule::FailingExample,
        severity: Severity::Error,
        name,
        place: Some(place),
        evidence,
        counts: Vec::new(),
        weight: 1,
    };
    for mismatch in run_examples(subject.rulebook) {
        let name = format!("examples.{}", mismatch.example);
        findings.push(failing(name, mismatch.place, mismatch.difference));
    }
    for broken in subject.rulebook.broken_examples().into_iter().map(|broken| broken.problem) {
        let place = format!("{}:{}", broken.file, broken.line);
        findings.push(failing("signals".to_owned(), place, broken.message));
    }
}
