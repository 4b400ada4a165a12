//! Who states what is compared with facts.

use crate::check::judge_result::JudgeResult;
use crate::verdict::{Category, IssueType};
use serde_json::Value;

/// Where an output that was judged stands in its exchange.
pub(super) const OUTPUT: &str = "output";

pub(super) enum Speaker {
    Tool,
    /// The author of an output, usually a model, with what a judge said of it where that can be read.
    Judged(Option<Box<JudgeResult>>),
}

impl Speaker {
    pub(super) fn mismatch(&self) -> IssueType {
        match self {
            Self::Tool => IssueType::FactMismatch,
            Self::Judged(_) => IssueType::Hallucination,
        }
    }

    /// Where a value is, by a JSON pointer to it in its reply or output.
    pub(super) fn location(&self, place: Option<&str>) -> Option<String> {
        match self {
            Self::Tool => place.map(str::to_owned),
            Self::Judged(_) => Some(format!("/{OUTPUT}{}", place.unwrap_or_default())),
        }
    }

    /// What is added to a contradiction where a judge accepted it.
    pub(super) fn remark(&self) -> &'static str {
        match self {
            Self::Judged(Some(result)) if result.valid => "; the judge called the output valid",
            Self::Tool | Self::Judged(_) => "",
        }
    }

    /// Whether the judge reports an issue of facts that quotes this value: it need not be reported twice.
    pub(super) fn reports(&self, stated: &Value) -> bool {
        let Self::Judged(Some(result)) = self else { return false };
        let quoted = match stated {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => stated.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return false,
        };
        let is_about_facts = |kind| Category::of(kind).name == "facts";
        let mut issues = result.issues.iter();
        issues.any(|issue| {
            issue.known_kind().is_some_and(is_about_facts) && quotes(&issue.message, &quoted)
        })
    }
}

/// Whether a message has a value in it, and not only a longer one that contains it.
fn quotes(message: &str, value: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric();
    message.match_indices(value).any(|(at, _)| {
        let before = message[..at].trim_end_matches('.');
        let after = message[at + value.len()..].trim_start_matches('.');
        !value.is_empty() && !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}
