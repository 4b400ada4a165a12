//! From recorded text to a result.

use crate::check::worded_schema::{Shape, bounded_value};
use crate::json::{Kind, Raw};
use crate::verdict::{Issue, IssueType, Severities, Severity};
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;
use std::sync::LazyLock;

/// The members every result has. What has all but one of them is meant to be a result.
const REQUIRED: [&str; 4] = ["valid", "confidence", "issues", "quality_score"];

static SHAPE: LazyLock<Shape> = LazyLock::new(|| {
    let schema = include_str!("validation_result.schema.json");
    let schema = serde_json::from_str(schema).expect("the schema of results is JSON");
    Shape::compile(schema, "result").expect("the schema of results is in order")
});

#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct JudgeResult {
    pub valid: bool,
    /// How sure the judge was, from 0 to 1.
    pub confidence: f64,
    /// How good the output was found, from 0 to 1.
    pub quality_score: f64,
    pub issues: Vec<RecordedIssue>,
    #[serde(default)]
    pub passed_criteria: Vec<String>,
    #[serde(default)]
    pub failed_criteria: Vec<String>,
    /// The counts of issues that it states.
    #[serde(default, deserialize_with = "if_it_fits")]
    pub metadata: StatedCounts,
    /// What the schema says against the result, although it could be read.
    #[serde(skip)]
    pub violations: Vec<Issue>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct RecordedIssue {
    pub severity: Severity,
    /// Its type, as the judge calls it.
    #[serde(rename = "type")]
    pub kind: String,
    pub message: String,
    #[serde(default, deserialize_with = "if_it_fits")]
    pub location: Option<String>,
    #[serde(default, deserialize_with = "if_it_fits")]
    pub suggestion: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub struct StatedCounts {
    #[serde(deserialize_with = "whole")]
    pub total_issues: Option<i64>,
    #[serde(deserialize_with = "whole")]
    pub error_count: Option<i64>,
    #[serde(deserialize_with = "whole")]
    pub warning_count: Option<i64>,
    #[serde(deserialize_with = "whole")]
    pub info_count: Option<i64>,
}

/// A value that is left out where it is of another type. A list is no object, although serde takes it for one.
fn if_it_fits<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(
    from: D,
) -> Result<T, D::Error> {
    let value = Some(Value::deserialize(from)?).filter(|value| !value.is_array());
    Ok(value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

/// A whole number, also one that is written as 2.0; what does not fit is the nearest that does.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    let value = Value::deserialize(from)?;
    let number = value.as_f64().filter(|number| number.fract() == 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "no fraction, and the cast saturates")]
    Ok(value.as_i64().or(number.map(|number| number as i64)))
}

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
    let (value, _) = bounded_value(value);
    let violations = SHAPE.check(&value);
    let issues = value.get("issues").and_then(Value::as_array);
    let has_objects = issues.is_some_and(|issues| issues.iter().all(Value::is_object));
    match JudgeResult::deserialize(value) {
        Ok(result) if has_objects => Ok(JudgeResult { violations, ..result }),
        _ => Err(violations),
    }
}

impl RecordedIssue {
    /// The type of issue that the judge means; `None` where the table of types does not have it.
    pub fn known_kind(&self) -> Option<IssueType> {
        IssueType::named(&self.kind)
    }

    /// The issue under its own type, if that is known.
    pub fn to_issue(&self) -> Issue {
        let kind = self.known_kind().unwrap_or(IssueType::UnlistedIssue);
        Issue {
            location: self.location.clone().map(Issue::cut),
            suggestion: self.suggestion.clone().map(Issue::cut),
            ..Issue::new(self.severity, kind, &*self.message)
        }
    }
}

impl JudgeResult {
    pub fn severities(&self) -> Severities {
        Severities::count(self.issues.iter().map(|issue| issue.severity))
    }
}
