//! `run --stdout jsonl`: what each line holds, and the `ValidationResult` that it is.

use crate::support::{Judged, shared};
use serde_json::Value;
use tapecheck::internals::check::judge_result::read_result;
use tapecheck::internals::json::scan_document;
use tapecheck::internals::rulebook::{Rulebook, builtin_names};
use tapecheck::internals::verdict::Severities;

/// Members of every line besides those of a `ValidationResult`.
const MEMBERS: [&str; 19] = [
    "key",
    "file",
    "line",
    "outcome",
    "because",
    "server",
    "tool",
    "scenario",
    "classification",
    "confidence_percent",
    "is_valid",
    "is_error",
    "business_logic",
    "score",
    "threshold",
    "signals",
    "evidence",
    "response_metadata",
    "hits",
];

fn assert_lines_are_validation_results(judged: &Judged, rulebook: &str) {
    let schema: Value = serde_json::from_str(include_str!("validation-result.schema.json"))
        .expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema compiles");
    assert!(!judged.verdicts.is_empty(), "there are calls");
    for verdict in &judged.verdicts {
        let line = Value::Object(verdict.clone());
        if let Err(error) = validator.validate(&line) {
            panic!("under {rulebook}: {error} at {}: {line}", error.instance_path());
        }
        for member in MEMBERS {
            assert!(verdict.contains_key(member), "under {rulebook}: no {member}: {line}");
        }
        let counts = &verdict["metadata"];
        let of = |severity: &str| {
            let issues = verdict["issues"].as_array().expect("issues").iter();
            issues.filter(|issue| issue["severity"] == severity).count()
        };
        assert_eq!(counts["error_count"], of("error"), "{line}");
        assert_eq!(counts["warning_count"], of("warning"), "{line}");
        assert_eq!(counts["info_count"], of("info"), "{line}");
        assert_eq!(counts["total_issues"], verdict["issues"].as_array().map_or(0, Vec::len));
        assert_eq!(verdict["valid"], of("error") == 0, "valid is: no issue is an error: {line}");
        let percent = verdict["confidence_percent"].as_f64().expect("a number");
        assert!((0.0..=100.0).contains(&percent), "{line}");
        // What a recorded result states of itself is as it was recorded.
        if verdict["kind"] != "judge_result" {
            let text = line.to_string();
            let own = read_result(scan_document(&text, 64).expect("JSON")).expect("a result");
            assert_eq!(own.complaints(), [], "under {rulebook}: {line}");
        }
        // Whether an error is business logic is asked of errors only, of what may have been flagged as one, and of what hides one.
        let is_asked = verdict["is_error"] != false
            || verdict.get("hidden_failure") == Some(&Value::Bool(true));
        assert!(is_asked || verdict["business_logic"].is_null(), "{line}");
    }
}

#[test]
fn every_line_of_the_corpus_is_a_validation_result() {
    for rulebook in builtin_names() {
        assert_lines_are_validation_results(Judged::corpus(rulebook), rulebook);
    }
}

#[test]
fn every_line_of_the_recordings_is_a_validation_result() {
    let Some(recorded) = shared("corpora/recorded") else { return };
    for rulebook in builtin_names() {
        assert_lines_are_validation_results(&Judged::new(&recorded, rulebook), rulebook);
    }
}

#[test]
fn every_line_of_the_reference_records_is_a_validation_result() {
    let Some(records) = shared("reference/exchanges.jsonl.gz") else { return };
    for rulebook in builtin_names() {
        assert_lines_are_validation_results(&Judged::new(&records, rulebook), rulebook);
    }
}

#[test]
fn issues_cost_as_much_quality_as_in_the_four_published_examples() {
    for rulebook in builtin_names() {
        let quality = Rulebook::builtin(rulebook).expect("built in").quality;
        for (errors, warnings, infos, published) in
            [(0, 1, 1, 0.82), (2, 1, 0, 0.55), (3, 1, 0, 0.35), (0, 4, 1, 0.52)]
        {
            let score = quality.score(Severities { errors, warnings, infos });
            let is_close = (score - published).abs() <= 0.01 + f64::EPSILON;
            let issues = format!("{errors} errors, {warnings} warnings, {infos} infos");
            assert!(is_close, "{rulebook}: {issues} leave {score} instead of {published}");
        }
        let ruined = quality.score(Severities { errors: 9, warnings: 9, infos: 9 });
        assert!(ruined.abs() < f64::EPSILON, "{rulebook}: quality ends at 0, not at {ruined}");
    }
}

#[test]
fn the_table_holds_a_score_where_the_question_was_asked_and_nowhere_else() {
    let place = super::harness::Place::with_good_recording();
    let error = r#"{"isError":true,"content":[{"type":"text","text":"User not found"}]}"#;
    place.recording("error.jsonl", format!(r#"{{"tool":"get","input":{{}},"response":{error}}}"#));
    // This rulebook looks at successes too, for failures that they hide.
    place.run(&["--rulebook", "calibrated"]).ended_with(0);
    let table =
        crate::support::read_table(&place.out(), tapecheck::internals::store::Table::Verdicts);
    let missing = |name: &str| table.texts(name).iter().filter(|cell| cell.is_none()).count();
    assert_eq!((table.height, missing("business_logic")), (4, 3));
    assert_eq!((missing("score"), missing("decided_by")), (3, 3));
}

#[test]
fn a_line_says_what_became_of_the_call_and_why_and_where_it_was_recorded() {
    let place = super::harness::Place::new();
    let reply = |id: &str, text: &str| {
        format!(
            r#"{{"id":"{id}","tool":"find","input":{{}},"response":{{"isError":true,"content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let crashed = reply("a", "Traceback (most recent call last):");
    let refused = reply("b", "User not found: 123");
    place.recording("a.jsonl", super::harness::lines(&[crashed, refused]));
    place.run(&["--rulebook", "guide"]).ended_with(0);
    let text = place.text("verdicts.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let said = lines.map(|line: Value| {
        ["file", "line", "outcome", "classification", "because"].map(|name| line[name].clone())
    });
    let expected: [[Value; 5]; 2] = [
        ("failed", 1, "The tool failed, or gave no answer."),
        ("refused", 2, "The tool works, and refused the request for a reason."),
    ]
    .map(|(outcome, line, because)| {
        ["a.jsonl".into(), line.into(), outcome.into(), "fully_working".into(), because.into()]
    });
    assert_eq!(said.collect::<Vec<[Value; 5]>>(), expected);
}

#[test]
fn a_schema_that_cannot_be_used_validates_nothing() {
    let place = super::harness::Place::new();
    let line = r#"{"tool":{"name":"add","outputSchema":{"type":"nonsense"}},"input":{},"response":{"content":[{"type":"text","text":"5"}],"structuredContent":{"sum":5}}}"#;
    place.recording("a.jsonl", line);
    place.run(&["--rulebook", "guide"]).ended_with(0);
    let verdict = place.verdicts().pop().expect("a verdict");
    let schema = &verdict["response_metadata"]["outputSchemaValidation"];
    assert_eq!(schema["hasOutputSchema"], true);
    assert_eq!(schema["isValid"], false, "a boolean, as consumers expect: {schema}");
    assert!(
        schema["error"].as_str().is_some_and(|error| error.contains("the schema is invalid")),
        "{schema}"
    );
    assert_eq!(verdict["classification"], "fully_working", "the reply is not at fault");
    assert_eq!(verdict["issues"][0]["type"], "schema_uncompilable");
}
