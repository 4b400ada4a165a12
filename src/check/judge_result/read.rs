//! From recorded text to a result.

use super::{JudgeResult, Metadata, RESULT_SCHEMA, RecordedIssue};
use crate::check::worded_schema::{Shape, bounded_value};
use crate::json::{Kind, Raw};
use crate::verdict::{Issue, Severity};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The members every result has. What has all but one of them is meant to be a result.
const REQUIRED: [&str; 4] = ["valid", "confidence", "issues", "quality_score"];

static SHAPE: LazyLock<Shape> = LazyLock::new(|| {
    let schema = serde_json::from_str(RESULT_SCHEMA).expect("the schema of results is JSON");
    Shape::compile(schema, "result").expect("the schema of results is in order")
});

/// Whether it is meant to be a result: an object with three or more of its four required members.
pub fn is_result(value: Raw<'_>) -> bool {
    // Whoever lacks one member at most has one of these two: most replies need no closer look.
    let may_be = |name: &[u8]| memchr::memmem::find(value.text().as_bytes(), name).is_some();
    if value.kind() != Kind::Object || !(may_be(b"confidence") || may_be(b"quality_score")) {
        return false;
    }
    let members = value.members().unwrap_or_default();
    let has = |name: &&&str| members.iter().any(|(key, _)| key.is(name));
    REQUIRED.iter().filter(has).count() + 1 >= REQUIRED.len()
}

/// Reads a result, or says why it cannot be read. A result that can be read although it breaks the
/// schema somewhere (a message is too short, say) keeps that among its
/// [`violations`](JudgeResult::violations).
pub fn read_result(value: Raw<'_>) -> Result<JudgeResult, Vec<Issue>> {
    let value = bounded_value(value);
    let violations = SHAPE.check(value.value());
    match result(value.value()) {
        Some(result) => Ok(JudgeResult { violations, ..result }),
        None => Err(violations),
    }
}

/// The result; `None` only where the schema is broken too.
fn result(value: &Value) -> Option<JudgeResult> {
    let members = value.as_object()?;
    let issues = members.get("issues")?.as_array()?;
    Some(JudgeResult {
        valid: members.get("valid")?.as_bool()?,
        confidence: members.get("confidence")?.as_f64()?,
        quality_score: members.get("quality_score")?.as_f64()?,
        issues: issues.iter().map(issue).collect::<Option<_>>()?,
        passed_criteria: texts(members, "passed_criteria")?,
        failed_criteria: texts(members, "failed_criteria")?,
        metadata: members.get("metadata").and_then(Value::as_object).map(metadata),
        violations: Vec::new(),
    })
}

fn issue(value: &Value) -> Option<RecordedIssue> {
    let members = value.as_object()?;
    let severity = members.get("severity")?.as_str()?;
    Some(RecordedIssue {
        severity: Severity::ALL.into_iter().find(|known| known.name() == severity)?,
        kind: text(members, "type")?,
        message: text(members, "message")?,
        location: text(members, "location"),
        suggestion: text(members, "suggestion"),
    })
}

fn text(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name)?.as_str().map(str::to_owned)
}

/// A list of texts; empty where it is absent.
fn texts(members: &Map<String, Value>, name: &str) -> Option<Vec<String>> {
    let Some(list) = members.get(name) else { return Some(Vec::new()) };
    list.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

fn metadata(members: &Map<String, Value>) -> Metadata {
    let count = |name: &str| members.get(name).and_then(whole);
    Metadata {
        validation_types_run: texts(members, "validation_types_run").unwrap_or_default(),
        total_issues: count("total_issues"),
        error_count: count("error_count"),
        warning_count: count("warning_count"),
        info_count: count("info_count"),
        duration_ms: members.get("duration_ms").and_then(Value::as_f64),
        model: text(members, "model"),
    }
}

/// A whole number, also one that is written as 2.0; what does not fit is the nearest that does.
fn whole(value: &Value) -> Option<i64> {
    let number = value.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it has no fraction, and the cast saturates"
    )]
    let rounded = number as i64;
    value.as_i64().or((number.fract() == 0.0).then_some(rounded))
}
