//! A value compared with the facts about it.

use super::{Fact, Facts, Known, Replier};
use crate::check::judge_result::{JudgeResult, RecordedIssue};
use crate::check::worded_schema::bounded_value;
use crate::json::Raw;
use crate::verdict::{Category, Issue, IssueType, Severity, cut};
use serde_json::Value;

/// Where an output that was judged stands in its exchange.
pub(super) const OUTPUT: &str = "output";
/// The longest quotation from a reply or a fact, in characters.
const QUOTATION: usize = 100;
/// How many bytes of what a reply cites are searched for a source.
const CITED_BYTES: usize = 64 << 10;

/// Who states what is compared with facts.
pub(super) enum Speaker {
    Tool,
    /// The author of an output, usually a model, with what a judge said of it where that can be read.
    Judged(Option<Box<JudgeResult>>),
}

impl Speaker {
    /// Where a value is, by a JSON pointer to it in its reply or output.
    fn location(&self, place: Option<&str>) -> Option<String> {
        match self {
            Self::Tool => place.map(str::to_owned),
            Self::Judged(_) => Some(format!("/{OUTPUT}{}", place.unwrap_or_default())),
        }
    }

    /// Whether the judge reports an issue of facts that quotes this value: it need not be reported twice.
    fn reports(&self, stated: &Value) -> bool {
        let (Self::Judged(Some(result)), Some(quoted)) = (self, text_of(stated)) else {
            return false;
        };
        let is_about_facts = |issue: &&RecordedIssue| {
            issue.known_kind().is_some_and(|kind| Category::of(kind).name == "facts")
        };
        let mut issues = result.issues.iter().filter(is_about_facts);
        issues.any(|issue| quotes(&issue.message, &quoted))
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

impl Facts {
    /// What a reply states against the facts. Its JSON is structured content, or held by its text.
    pub fn check(&self, Replier { server, tool }: Replier<'_>, reply: Raw<'_>) -> Vec<Issue> {
        let of_server = server.map(|server| [format!("{server}/{tool}"), format!("{server}/*")]);
        let names = std::iter::once(tool.to_owned()).chain(of_server.into_iter().flatten());
        let names: Vec<String> = names.collect();
        let general = self.subjects(true).flat_map(|(_, tools)| {
            names.iter().filter_map(|name| tools.get(name)).flatten().copied()
        });
        self.compare(general.collect(), reply, &Speaker::Tool)
    }

    /// What an output that a judge looked at states against the facts. Those about tools are not about it.
    pub(super) fn check_judged(&self, output: Raw<'_>, speaker: &Speaker) -> Vec<Issue> {
        self.compare(Vec::new(), output, speaker)
    }

    /// Compares a value with these facts and those about the subjects in it.
    fn compare(&self, mut numbers: Vec<usize>, value: Raw<'_>, speaker: &Speaker) -> Vec<Issue> {
        if numbers.is_empty() && !self.may_be_in_text() {
            return Vec::new();
        }
        let (value, _) = bounded_value(value);
        let named = self
            .subjects(false)
            .filter_map(|(pointer, subjects)| subjects.get(&text_of(value.pointer(pointer)?)?));
        numbers.extend(named.flatten());
        // Issues come in the order of the file, whatever the facts were found by.
        numbers.sort_unstable();
        let facts = numbers.into_iter().map(|number| &self.all[number]);
        facts.flat_map(|fact| compared(fact, &value, speaker)).collect()
    }
}

/// How a value is written where it stands alone.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// What is wrong with what a value states about one fact, if it says anything about it.
fn compared(fact: &Fact, value: &Value, speaker: &Speaker) -> Vec<Issue> {
    let stated = value.pointer(&fact.field).filter(|stated| !stated.is_null());
    let Some(stated) = stated else { return Vec::new() };
    let agrees = match &fact.known {
        Known::Nothing => false,
        Known::Value(known) => is_equal(stated, known),
        Known::Written(text) => is_written(stated, text),
    };
    let contradiction = || contradiction(fact, stated, speaker, Some(&fact.field));
    let contradiction = if agrees { None } else { contradiction() };
    contradiction.into_iter().chain(missing_source(fact, value, speaker)).collect()
}

/// The issue of a value that is not the known one, unless the speaker's judge reports it; `place` is a
/// JSON pointer to it, where it has one.
pub(super) fn contradiction(
    fact: &Fact,
    stated: &Value,
    speaker: &Speaker,
    place: Option<&str>,
) -> Option<Issue> {
    if speaker.reports(stated) {
        return None;
    }
    let (field, subject) = (&fact.field, cut(&fact.subject.text, QUOTATION));
    let known = match &fact.known {
        Known::Nothing => None,
        Known::Value(value) => Some(quoted(value)),
        Known::Written(text) => Some(cut(text, QUOTATION)),
    };
    let source = fact.source.as_deref().map(|source| cut(source, QUOTATION));
    let according = source.map_or_else(String::new, |source| format!(" according to {source}"));
    let (kind, but, suggestion) = match (known, speaker) {
        (None, _) => (
            IssueType::UnsupportedClaim,
            "nothing is known about it".to_owned(),
            "Remove the claim, or add what is known to the facts file".to_owned(),
        ),
        (Some(known), speaker) => (
            match speaker {
                Speaker::Tool => IssueType::FactMismatch,
                Speaker::Judged(_) => IssueType::Hallucination,
            },
            format!("is {known}{according}"),
            format!("Correct {field} to {known}"),
        ),
    };
    let remark = match speaker {
        Speaker::Judged(Some(result)) if result.valid => "; the judge called the output valid",
        _ => "",
    };
    let stated = quoted(stated);
    let message = format!("{field} of {subject} is stated as {stated}, but {but}{remark}");
    Some(Issue {
        location: speaker.location(place),
        suggestion: Some(Issue::cut(suggestion)),
        ..Issue::new(Severity::Error, kind, message)
    })
}

fn missing_source(fact: &Fact, reply: &Value, speaker: &Speaker) -> Option<Issue> {
    let (field, subject) = (&fact.field, cut(&fact.subject.text, QUOTATION));
    let (message, suggestion) = match (&fact.known, &fact.source, &fact.cited_at) {
        (Known::Value(_) | Known::Written(_), None, _) => (
            format!("The fact about {field} of {subject} has no source"),
            "Add a source to this fact in the facts file".to_owned(),
        ),
        (_, Some(source), Some(place)) if !cites(reply.pointer(place), source) => {
            let source = cut(source, QUOTATION);
            (
                format!("{field} of {subject} is stated without its source {source}"),
                format!("Name {source} at {place} of the reply"),
            )
        }
        _ => return None,
    };
    Some(Issue {
        location: speaker.location(Some(field)),
        suggestion: Some(Issue::cut(suggestion)),
        ..Issue::new(Severity::Warning, IssueType::SourceMissing, message)
    })
}

/// Whether any text in this part of a reply has the source in it; only so much is searched.
fn cites(cited: Option<&Value>, source: &str) -> bool {
    let mut left = CITED_BYTES;
    let mut open: Vec<&Value> = cited.into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                let searched = &text[..text.floor_char_boundary(left)];
                if searched.contains(source) {
                    return true;
                }
                left -= searched.len();
            }
            Value::Array(elements) => open.extend(elements.iter().take(left).rev()),
            Value::Object(members) => open.extend(members.values().take(left)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        // A value costs at least one step, so that a multitude of empty ones ends too.
        left = left.saturating_sub(1);
        if left == 0 {
            break;
        }
    }
    false
}

/// Equal, with numbers compared by value.
fn is_equal(stated: &Value, known: &Value) -> bool {
    match (stated, known) {
        (Value::Number(stated), Value::Number(known)) => stated.as_f64() == known.as_f64(),
        (Value::Array(stated), Value::Array(known)) => {
            stated.len() == known.len()
                && stated.iter().zip(known).all(|(stated, known)| is_equal(stated, known))
        }
        (Value::Object(stated), Value::Object(known)) => {
            let mut members = stated.iter().map(|(name, stated)| (stated, known.get(name)));
            stated.len() == known.len()
                && members.all(|(stated, known)| known.is_some_and(|it| is_equal(stated, it)))
        }
        (stated, known) => stated == known,
    }
}

/// Whether a value is what somebody wrote without saying its type.
fn is_written(stated: &Value, text: &str) -> bool {
    match stated {
        Value::Number(stated) => {
            text.parse().is_ok_and(|known: f64| stated.as_f64() == Some(known))
        }
        other => text_of(other).as_deref() == Some(text),
    }
}

/// A scalar as it is; what a composite is, because it may be of any size.
fn quoted(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => format!("{:?}", cut(text, QUOTATION)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
