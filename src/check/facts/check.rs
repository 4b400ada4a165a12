//! A value compared with the facts about it.

use super::speaker::Speaker;
use super::{Fact, Facts, Known, Replier, Subject};
use crate::check::worded_schema::bounded_value;
use crate::json::Raw;
use crate::verdict::{Issue, IssueType, Severity};
use serde_json::Value;

/// The longest quotation from a reply or a fact, in characters.
const QUOTATION: usize = 100;
/// How many bytes of what a reply cites are searched for a source.
const CITED_BYTES: usize = 64 << 10;

impl Facts {
    /// What a reply states against the facts. Its JSON is structured content, or held by its text.
    pub fn check(&self, replier: Replier<'_>, reply: Raw<'_>) -> Vec<Issue> {
        let general = self.about_tool(replier);
        if general.is_empty() && self.by_value.is_empty() {
            return Vec::new();
        }
        self.compare(general, reply, &Speaker::Tool)
    }

    /// What an output that a judge looked at states against the facts. Those about tools are not about it.
    pub(super) fn check_judged(&self, output: Raw<'_>, speaker: &Speaker) -> Vec<Issue> {
        self.compare(Vec::new(), output, speaker)
    }

    /// Compares a value with these facts and those about the subjects in it.
    fn compare(&self, mut numbers: Vec<usize>, value: Raw<'_>, speaker: &Speaker) -> Vec<Issue> {
        let value = bounded_value(value);
        let value = value.value();
        numbers.extend(self.about_values(value));
        // Issues come in the order of the file, whatever the facts were found by.
        numbers.sort_unstable();
        let facts = numbers.into_iter().filter_map(|number| self.all.get(number));
        facts.filter_map(|fact| compared(fact, value, speaker)).flatten().collect()
    }

    fn about_tool(&self, replier: Replier<'_>) -> Vec<usize> {
        let Replier { server, tool } = replier;
        let of_server = server.map(|server| [format!("{server}/{tool}"), format!("{server}/*")]);
        let names = std::iter::once(tool.to_owned()).chain(of_server.into_iter().flatten());
        names.filter_map(|name| self.by_tool.get(&name)).flatten().copied().collect()
    }

    fn about_values(&self, reply: &Value) -> impl Iterator<Item = usize> {
        let named = self
            .by_value
            .iter()
            .filter_map(|(pointer, subjects)| subjects.get(&text_of(reply.pointer(pointer)?)?));
        named.flatten().copied()
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

/// What a value states against one fact; `None` where it says nothing about it.
fn compared(fact: &Fact, value: &Value, speaker: &Speaker) -> Option<impl Iterator<Item = Issue>> {
    let stated = value.pointer(&fact.field).filter(|stated| !stated.is_null())?;
    let agrees = match &fact.known {
        Known::Nothing => false,
        Known::Value(known) => is_equal(stated, known),
        Known::Written(text) => is_written(stated, text),
    };
    let field = Some(fact.field.as_str());
    let contradiction = if agrees { None } else { contradiction(fact, stated, speaker, field) };
    Some(contradiction.into_iter().chain(missing_source(fact, value, speaker)))
}

/// The issue of a value that is not the known one, unless the speaker's judge reports it; `place` is a
/// JSON pointer to it, where it has one.
pub(super) fn contradiction(
    fact: &Fact,
    stated: &Value,
    speaker: &Speaker,
    place: Option<&str>,
) -> Option<Issue> {
    let (field, subject, quoted_value) = (&fact.field, subject(&fact.subject), quoted(stated));
    let known = match &fact.known {
        Known::Nothing => None,
        Known::Value(value) => Some(quoted(value)),
        Known::Written(text) => Some(shortened(text)),
    };
    let source = fact.source.as_deref().map(shortened);
    let according = source.map_or_else(String::new, |source| format!(" according to {source}"));
    let (kind, but, suggestion) = match known {
        Some(known) => (
            speaker.mismatch(),
            format!("is {known}{according}"),
            format!("Correct {field} to {known}"),
        ),
        None => (
            IssueType::UnsupportedClaim,
            "nothing is known about it".to_owned(),
            "Remove the claim, or add what is known to the facts file".to_owned(),
        ),
    };
    (!speaker.reports(stated)).then(|| Issue {
        severity: Severity::Error,
        kind,
        side: kind.side(),
        message: Issue::cut(format!(
            "{field} of {subject} is stated as {quoted_value}, but {but}{}",
            speaker.remark()
        )),
        location: speaker.location(place),
        suggestion: Some(Issue::cut(suggestion)),
    })
}

fn missing_source(fact: &Fact, reply: &Value, speaker: &Speaker) -> Option<Issue> {
    let (field, subject) = (&fact.field, subject(&fact.subject));
    let (message, suggestion) = match (&fact.known, &fact.source, &fact.cited_at) {
        (Known::Value(_) | Known::Written(_), None, _) => (
            format!("The fact about {field} of {subject} has no source"),
            "Add a source to this fact in the facts file".to_owned(),
        ),
        (_, Some(source), Some(place)) if !cites(reply.pointer(place), source) => (
            format!("{field} of {subject} is stated without its source {}", shortened(source)),
            format!("Name {} at {place} of the reply", shortened(source)),
        ),
        _ => return None,
    };
    Some(Issue {
        severity: Severity::Warning,
        kind: IssueType::SourceMissing,
        side: IssueType::SourceMissing.side(),
        message: Issue::cut(message),
        location: speaker.location(Some(field)),
        suggestion: Some(Issue::cut(suggestion)),
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
            stated.len() == known.len()
                && stated.iter().all(|(name, stated)| {
                    known.get(name).is_some_and(|known| is_equal(stated, known))
                })
        }
        (stated, known) => stated == known,
    }
}

/// Whether a value is what somebody wrote without saying its type.
fn is_written(stated: &Value, text: &str) -> bool {
    match stated {
        Value::String(stated) => stated == text,
        Value::Number(stated) => {
            text.parse().is_ok_and(|known: f64| stated.as_f64() == Some(known))
        }
        Value::Bool(stated) => text == if *stated { "true" } else { "false" },
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Tool(name) => shortened(name),
        Subject::Value { text, .. } => shortened(text),
    }
}

/// A scalar as it is; what a composite is, because it may be of any size.
fn quoted(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => format!("{:?}", shortened(text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(QUOTATION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
