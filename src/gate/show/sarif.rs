//! SARIF 2.1.0: a rule for each rule of the policy, a result for each thing found.

use super::super::report::{Finding, GateReport, Outcome, RuleVerdict};
use super::Spot;
use super::lines::{finding, left_out, summary};
use crate::view::escape::terminal as plain;
use crate::view::sarif::{Log, location, message};
use serde_json::{Value, json};

/// The report as SARIF. Tapes lie in the folder `tapes` of the repository.
#[must_use]
pub fn sarif(report: &GateReport, tapes: &str) -> String {
    let writer = Writer { report, tapes };
    let rules: Vec<Value> = report.rules.iter().map(descriptor).collect();
    let numbered = report.rules.iter().enumerate();
    let results: Vec<Value> = numbered.flat_map(|(at, rule)| writer.results(at, rule)).collect();
    let not_tried: Vec<Value> = report
        .rules
        .iter()
        .filter_map(|rule| {
            let (level, word) = match rule.outcome {
                Outcome::Skipped => ("warning", "skipped"),
                Outcome::Undecided => ("error", "left undecided"),
                Outcome::Pass | Outcome::Fail | Outcome::Waived => return None,
            };
            let text = format!("{} was {word}: {}", plain(&rule.name), summary(rule));
            Some(json!({ "level": level, "message": message(&text) }))
        })
        .collect();
    Log { id: "tapecheck/gate", rules, results, notifications: not_tried }.text()
}

fn descriptor(rule: &RuleVerdict) -> Value {
    let facts = rule.kind.facts();
    json!({
        "id": plain(&rule.name),
        "shortDescription": { "text": facts.about },
        "help": { "text": facts.next },
        "defaultConfiguration": { "level": "error" },
        "properties": { "kind": facts.name, "allowed": plain(&rule.allowed) },
    })
}

fn of_spot(spot: &Spot) -> Value {
    location(&spot.file, spot.line)
}

struct Writer<'a> {
    report: &'a GateReport,
    tapes: &'a str,
}

impl Writer<'_> {
    fn results(&self, at: usize, rule: &RuleVerdict) -> Vec<Value> {
        if !matches!(rule.outcome, Outcome::Fail | Outcome::Waived) {
            return Vec::new();
        }
        let result = |text: &str, spots: &[Spot]| {
            let policy = Spot::of_policy(self.report, rule.line);
            let first = spots.first().unwrap_or(&policy);
            let others: Vec<Value> = spots.iter().skip(1).map(of_spot).collect();
            let mut result = json!({
                "ruleId": plain(&rule.name),
                "ruleIndex": at,
                "level": "error",
                "message": message(text),
                "locations": [of_spot(first)],
            });
            if !others.is_empty() {
                result["relatedLocations"] = others.into();
            }
            if rule.outcome == Outcome::Waived {
                let justification = plain(&rule.notes.join("; "));
                result["suppressions"] =
                    json!([{ "kind": "external", "justification": justification }]);
            }
            result
        };
        let mut results = Vec::new();
        for each in &rule.findings {
            let mut found = result(&finding(each), &self.spots(each));
            if let Some(group) = &each.group {
                found["partialFingerprints"] = json!({ "group/v1": group });
            }
            found["properties"] = json!({ "exchanges": each.exchanges });
            results.push(found);
        }
        if results.is_empty() {
            results.push(result(&summary(rule), &[]));
        }
        results.extend(left_out(rule.left_out).map(|text| result(&text, &[])));
        results
    }

    fn spots(&self, finding: &Finding) -> Vec<Spot> {
        finding.examples.iter().filter_map(|place| Spot::of_place(place, self.tapes)).collect()
    }
}
