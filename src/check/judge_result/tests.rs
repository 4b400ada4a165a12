use super::outcome::SCALES;
use super::*;
use crate::cases;
use crate::check::tests::in_words;
use crate::json::scan_document;
use crate::verdict::{Issue, IssueType};
use serde_json::json;

fn read(text: &str) -> Result<JudgeResult, Vec<Issue>> {
    read_result(scan_document(text, 1_000_000).expect("well-formed"))
}

/// How `VALID CONFIDENCE QUALITY WARNINGS` are read together.
fn outcome(numbers: &str) -> String {
    let [valid, confidence, quality, warnings] = numbers.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{numbers}")
    };
    let [confidence, quality] = [confidence, quality].map(|it| it.parse().expect("a number"));
    let (valid, warnings) = (valid == "true", warnings.parse().expect("a number"));
    format!(
        "{} confidence, {} quality, {}, {}{}{}",
        confidence_band(confidence).name,
        quality_band(quality).name,
        interpretation(valid, confidence, quality).name(),
        decision(valid, confidence, warnings).name(),
        if is_good_enough(valid, quality) { ", good enough" } else { "" },
        RetryLadder::rung_of(valid, quality).map_or(String::new(), |rung| format!(", rung {rung}")),
    )
}

/// What is said of a result, of its issues or in a report on it.
fn answer(question: &str) -> String {
    let (word, text) = question.split_once(' ').expect("a word and JSON");
    if word == "outcome" {
        return outcome(text);
    }
    let is_one = is_result(scan_document(text, 100).expect("well-formed"));
    let result = match read(text) {
        Ok(result) => result,
        Err(issues) if is_one => return format!("unreadable: {}", in_words(&issues)),
        Err(issues) => return format!("no result: {}", in_words(&issues)),
    };
    assert!(is_one, "{text}");
    match word {
        "report" => text_report(&result),
        "issues" => {
            let issues: Vec<Issue> = result.issues.iter().map(RecordedIssue::to_issue).collect();
            let unknown = result.issues.iter().filter(|issue| issue.known_kind().is_none());
            let unknown: Vec<&str> = unknown.map(|issue| issue.kind.as_str()).collect();
            format!("unknown: {unknown:?}\n{}", in_words(&issues))
        }
        "metadata" => format!("{:?}", result.metadata),
        _ => in_words(&result.complaints()),
    }
}

#[test]
fn results_are_read_as_their_cases_list() {
    cases::check("tests/cases/judge-results.txt", |case| {
        case.text.lines().map(answer).collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn many_contradicting_criteria_do_not_make_many_issues() {
    let names: Vec<String> = (0..1_000).map(|number| format!("criterion {number}")).collect();
    let result = json!({"valid": true, "confidence": 0.95, "quality_score": 0.9, "issues": [],
        "passed_criteria": names, "failed_criteria": names});
    let contradicting = read(&result.to_string()).expect("it can be read").inconsistencies();
    let both = contradicting.iter().filter(|it| it.message.contains("both passed and failed"));
    assert_eq!(both.count(), 20);
}

#[test]
fn hostile_results_end() {
    let (open, close) = ("{\"a\":".repeat(20_000), "}".repeat(20_000));
    let deep = format!(
        r#"{{"valid":true,"confidence":1,"quality_score":1,"issues":[],"metadata":{open}1{close}}}"#
    );
    assert!(read(&deep).is_ok());
    let many = format!("[{}0]", "{},".repeat(500_000));
    let wide = format!(r#"{{"valid":true,"confidence":1e999,"quality_score":-0,"issues":{many}}}"#);
    assert!(read(&wide).is_err());
}

#[test]
fn every_rung_of_the_ladder_accepts_what_the_ones_above_it_do() {
    let mut ladder = RetryLadder::default();
    for (valid, quality) in [(true, 0.8), (true, 0.7), (true, 0.55), (true, 0.2), (false, 1.0)] {
        ladder.add(valid, quality);
    }
    let shares =
        [(0.8, 1, Some(0.25)), (0.7, 2, Some(0.5)), (0.6, 2, Some(0.5)), (0.5, 3, Some(0.75))];
    assert!(ladder.shares().eq(shares));
    assert_eq!(ladder.valid(), 4);
    assert_eq!(RetryLadder::default().shares().last(), Some((0.5, 0, None)));
}

#[test]
fn the_scales_are_in_order() {
    for bands in [&SCALES.confidence, &SCALES.quality] {
        assert!(bands.windows(2).all(|pair| pair[0].from > pair[1].from));
    }
    assert!(SCALES.rungs.windows(2).all(|pair| pair[0] > pair[1]));
    assert!((SCALES.review_below..SCALES.mismatch.from).contains(&SCALES.mismatch.own));
    let known = |name: &String| IssueType::named(name).is_some();
    assert!(SCALES.mismatch.doubtful.iter().all(known));
    assert!(SCALES.blocking.iter().all(known));
}
