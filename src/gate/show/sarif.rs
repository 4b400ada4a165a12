//! SARIF 2.1.0: a rule for each rule of the policy, a result for each thing found.

use super::super::report::{GateReport, Outcome, RuleVerdict};
use super::lines::{finding, left_out, summary};
use super::of_policy;
use crate::view::escape::terminal as plain;
use crate::view::sarif::{Finding, Log, Notification, Rule, Spot};
use serde_json::{Value, json};

/// The report as SARIF. Recordings lie in the folder `recordings` of the repository.
pub fn sarif(report: &GateReport, recordings: &str) -> String {
    let numbered = report.rules.iter().enumerate();
    let log = Log {
        id: "tapecheck/gate",
        rules: report.rules.iter().map(described).collect(),
        findings: numbered.flat_map(|(at, rule)| found(report, at, rule, recordings)).collect(),
        notifications: report.rules.iter().filter_map(not_tried).collect(),
    };
    log.text()
}

fn described(rule: &RuleVerdict) -> Rule {
    let facts = rule.kind.facts();
    Rule {
        id: rule.name.clone(),
        about: facts.about,
        help: facts.next.to_owned(),
        level: "error",
        properties: json!({ "kind": facts.name, "allowed": plain(&rule.allowed) }),
    }
}

fn not_tried(rule: &RuleVerdict) -> Option<Notification> {
    let (level, word) = match rule.outcome {
        Outcome::Skipped => ("note", "skipped"),
        Outcome::Undecided => ("error", "left undecided"),
        Outcome::Pass | Outcome::Fail | Outcome::Waived => return None,
    };
    let message = format!("{} was {word}: {}", rule.name, summary(rule));
    Some(Notification { level, message })
}

fn found(report: &GateReport, at: usize, rule: &RuleVerdict, recordings: &str) -> Vec<Finding> {
    if !matches!(rule.outcome, Outcome::Fail | Outcome::Waived) {
        return Vec::new();
    }
    let one = |message: String, spots: Vec<Spot>| Finding {
        rule: rule.name.clone(),
        rule_index: Some(at),
        level: "error",
        message,
        spots: if spots.is_empty() {
            vec![of_policy(report, rule.line, recordings)]
        } else {
            spots
        },
        suppressed: (rule.outcome == Outcome::Waived).then(|| rule.notes.join("; ")),
        fingerprints: Value::Null,
        properties: Value::Null,
    };
    let of_finding = |each: &super::super::report::Finding| Finding {
        fingerprints: each.group.as_ref().map_or(Value::Null, |id| json!({ "group/v1": id })),
        properties: json!({ "exchanges": each.exchanges }),
        ..one(finding(each), each.spots(recordings).collect())
    };
    let mut found: Vec<Finding> = rule.findings.iter().map(of_finding).collect();
    if found.is_empty() {
        found.push(one(summary(rule), Vec::new()));
    }
    found.extend(left_out(rule.left_out).map(|text| one(text, Vec::new())));
    found
}
