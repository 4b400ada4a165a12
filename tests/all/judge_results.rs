//! Every rule and example of judge results comes out as its case says: `tests/seeds/judged`; and so
//! does every fact: `tests/seeds/facts`.

use crate::envelopes::{cases, compare_issues};
use crate::support::Differences;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tapecheck::internals::check::facts::{Facts, Replier};
use tapecheck::internals::check::judge_result::{
    JudgeResult, RecordedIssue, RetryLadder, confidence_band, decision, interpretation,
    is_good_enough, is_result, needs_review, quality_band, read_result, text_report,
};
use tapecheck::internals::json::scan_document;
use tapecheck::internals::verdict::{IssueType, Severity};

/// What there is to say of a result, under the names that cases use.
fn said(result: &JudgeResult) -> Value {
    let blocking = result.issues.iter().filter(|issue| issue.severity == Severity::Error);
    let messages: Vec<&str> = blocking.map(|issue| issue.message.as_str()).collect();
    let is_about_security =
        |issue: &RecordedIssue| issue.known_kind() == Some(IssueType::SecurityIssue);
    let mut unknown: BTreeMap<&str, usize> = BTreeMap::new();
    for issue in result.issues.iter().filter(|issue| issue.known_kind().is_none()) {
        *unknown.entry(&issue.kind).or_default() += 1;
    }
    let warnings = result.severities().warnings;
    let rung = RetryLadder::rung_of(result.valid, result.quality_score);
    json!({
        "confidence_band": confidence_band(result.confidence).name,
        "quality_band": quality_band(result.quality_score).name,
        "interpretation": interpretation(result.valid, result.confidence, result.quality_score).text(),
        "decision": decision(result.valid, result.confidence, warnings).name(),
        "needs_review": needs_review(result.confidence),
        "good_enough": is_good_enough(result.valid, result.quality_score),
        "blocking": messages,
        "security": result.issues.iter().any(is_about_security),
        "unknown_types": unknown,
        "rung": rung.map(|rung| RetryLadder::rungs()[rung]),
        "report": text_report(result).lines().collect::<Vec<_>>(),
    })
}

fn compare(name: &str, case: &Value, wrong: &mut Differences) {
    let expect = case["expect"].as_object().unwrap_or_else(|| panic!("{name} expects nothing"));
    let text = case["result"].to_string();
    let raw = scan_document(&text, 1_000).expect("JSON");
    let result = read_result(raw);
    let complaints = match &result {
        Ok(result) => result.complaints(),
        Err(violations) => violations.clone(),
    };
    for (what, wanted) in expect {
        match (what.as_str(), &result) {
            ("issues", _) => compare_issues(name, &complaints, wanted, wrong),
            ("readable", result) => wrong.compare(name, &result.is_ok().into(), wanted),
            ("recognised", _) => wrong.compare(name, &is_result(raw).into(), wanted),
            (_, Ok(result)) => match said(result).get(what) {
                Some(got) => wrong.compare(format!("{name}: {what}"), got, wanted),
                None => wrong.add(format!("{name}: nothing is called {what}")),
            },
            (_, Err(_)) => wrong.add(format!("{name}: the result cannot be read")),
        }
    }
}

fn compare_ladder(name: &str, case: &Value, wrong: &mut Differences) {
    let mut ladder = RetryLadder::default();
    for result in case["results"].as_array().expect("results") {
        let valid = result["valid"].as_bool().expect("valid");
        ladder.add(valid, result["quality_score"].as_f64().expect("a quality"));
    }
    let rungs: Vec<_> = ladder.shares().collect();
    wrong.compare(name, &json!(rungs), &case["expect"]["ladder"]);
}

#[test]
fn every_judge_result_is_read_as_its_case_says() {
    let mut wrong = Differences::default();
    for (name, case) in cases("judged") {
        if case.get("results").is_some() {
            compare_ladder(&name, &case, &mut wrong);
        } else if let Some(list) = case["cases"].as_array() {
            for (at, part) in list.iter().enumerate() {
                compare(&format!("{name} {at}"), part, &mut wrong);
            }
        } else {
            compare(&name, &case, &mut wrong);
        }
    }
    wrong.assert_none("tests/seeds/judged");
}

#[test]
fn every_fact_is_held_against_replies_as_its_case_says() {
    let mut wrong = Differences::default();
    for (name, case) in cases("facts") {
        let lines: Vec<&str> =
            case["facts"].as_array().expect("lines").iter().filter_map(Value::as_str).collect();
        let facts = Facts::from_toml(&lines.join("\n"), &name);
        let facts = facts.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        for part in case["replies"].as_array().expect("replies") {
            let replier = Replier {
                server: case["server"].as_str(),
                tool: case["tool"].as_str().expect("a tool"),
            };
            let text = part["reply"].to_string();
            let issues = facts.check(replier, scan_document(&text, 1_000).expect("JSON"));
            compare_issues(&name, &issues, &part["issues"], &mut wrong);
        }
    }
    wrong.assert_none("tests/seeds/facts");
}
