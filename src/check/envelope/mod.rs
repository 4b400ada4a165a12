//! Requests and responses in envelopes: `{query, context?}`, and `{status, data?,
//! conversation_context?, message?}`.
//!
//! What an envelope must look like is said by two schemas, `request.schema.json` and
//! `response.schema.json`, with the words of every complaint in them (see `worded_schema`). Whoever adds
//! members to envelopes adds them to the schemas.

mod load;

pub use load::{EnvelopeError, SchemaFile};

use super::session_report::{Members, last};
use super::table::{CheckContext, Findings};
use super::worded_schema::{MAX_DEPTH, Shape, bounded_value};
use crate::json::{Kind, Raw};
use crate::recording::{Exchange, ExchangeKind, Reply};
use crate::verdict::{Issue, IssueType, NotApplied, Severity, Side};
use serde_json::Value;
use std::sync::LazyLock;

static BUILTIN: LazyLock<Envelopes> = LazyLock::new(|| {
    Envelopes::load(None, None).expect("the built-in schemas of envelopes are in order")
});

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the client to the server.
    Request,
    /// From the server to the client.
    Response,
}

impl Direction {
    /// The word for what is sent.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
        }
    }

    #[must_use]
    pub fn schema(self) -> &'static str {
        match self {
            Self::Request => include_str!("request.schema.json"),
            Self::Response => include_str!("response.schema.json"),
        }
    }
}

/// What is to be said of an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// Whether no issue is an error.
    pub valid: bool,
    /// What is wrong (errors), and what should be otherwise (warnings).
    pub issues: Vec<Issue>,
}

impl Validation {
    /// The issues that make the envelope invalid.
    pub fn errors(&self) -> impl Iterator<Item = &Issue> {
        self.issues.iter().filter(|issue| issue.severity == Severity::Error)
    }

    fn of(issues: Vec<Issue>) -> Self {
        Self { valid: issues.iter().all(|issue| issue.severity != Severity::Error), issues }
    }
}

/// What is wrong with a request, by the built-in schema.
#[must_use]
pub fn validate_request(request: &Value) -> Validation {
    Envelopes::builtin().request(request)
}

/// What is wrong with a response, by the built-in schema.
#[must_use]
pub fn validate_response(response: &Value) -> Validation {
    Envelopes::builtin().response(response)
}

/// The schemas of requests and responses.
#[derive(Debug)]
pub struct Envelopes {
    request: Shape,
    response: Shape,
}

impl Envelopes {
    #[must_use]
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// What is wrong with a request.
    #[must_use]
    pub fn request(&self, request: &Value) -> Validation {
        Validation::of(self.request.check(request))
    }

    /// What is wrong with a response.
    #[must_use]
    pub fn response(&self, response: &Value) -> Validation {
        Validation::of(self.response.check(response))
    }

    /// What is wrong with a recorded envelope. Parts that are nested very deep are not looked at,
    /// which the validation then says.
    #[must_use]
    pub fn recorded(&self, direction: Direction, envelope: Raw<'_>) -> Validation {
        let (envelope, is_cut) = bounded_value(envelope);
        let mut validation = match direction {
            Direction::Request => self.request(&envelope),
            Direction::Response => self.response(&envelope),
        };
        if is_cut {
            validation.issues.push(unseen(direction));
        }
        validation
    }
}

/// Holds requests and responses in envelopes against their schemas.
pub(super) fn ask(
    exchange: &Exchange<'_>,
    around: &CheckContext<'_>,
    findings: &mut Findings,
) -> Result<(), NotApplied> {
    if exchange.kind != ExchangeKind::Envelope {
        return Err(NotApplied::OtherKind);
    }
    let envelopes = around.checks.envelopes();
    let mut is_valid = true;
    if let Some(request) = &exchange.input {
        let request = envelopes.recorded(Direction::Request, request.raw());
        is_valid = request.valid;
        findings.add(Side::Caller, request.issues);
    }
    if let Reply::Document(response) = &exchange.reply {
        findings.add(Side::Reply, envelopes.recorded(Direction::Response, response.raw()).issues);
        findings.add(Side::Reply, not_refused(response.raw()).filter(|_| !is_valid));
    }
    Ok(())
}

/// What is wrong with a response to an invalid request, unless it is an error.
fn not_refused(response: Raw<'_>) -> Option<Issue> {
    let status = response.member("status").and_then(Raw::as_str)?;
    let status = ["success", "pending"].into_iter().find(|word| status.is(word))?;
    let message = format!("The request is invalid, but its response has the status '{status}'");
    let issue = Issue::new(Severity::Error, IssueType::RequestNotRefused, message);
    Some(Issue { location: Some("/status".to_owned()), ..issue })
}

fn unseen(direction: Direction) -> Issue {
    let noun = direction.noun();
    let message =
        format!("What is deeper than {MAX_DEPTH} levels in this {noun} was not looked at");
    let suggestion = Some(format!("Nest the {noun} less deep"));
    Issue { suggestion, ..Issue::new(Severity::Info, IssueType::SchemaUndecided, message) }
}

const STATUSES: [&str; 3] = ["success", "error", "pending"];

/// Members that logs and events have and envelopes do not: a line with one of them merely uses the same words.
const OF_LOGS: [&str; 9] =
    ["ts", "time", "timestamp", "level", "severity", "logger", "msg", "ms", "type"];

/// Whether a value is meant to be a request: an object whose `query` is a text, stands beside a
/// `context`, or is all there is and no object.
#[must_use]
pub fn is_request(value: Raw<'_>) -> bool {
    let Some(members) = members(value, &["query"]) else { return false };
    last(&members, "query").is_some_and(|query| {
        query.kind() == Kind::String
            || last(&members, "context").is_some()
            || (members.len() == 1 && query.kind() != Kind::Object)
    })
}

/// Whether a value is meant to be a response: an object with one of the three words as its `status`,
/// with any word as its `status` beside `data`, or with a `conversation_context`.
#[must_use]
pub fn is_response(value: Raw<'_>) -> bool {
    let Some(members) = members(value, &["status", "conversation_context"]) else { return false };
    let word = last(&members, "status").and_then(Raw::as_str);
    word.is_some_and(|word| STATUSES.iter().any(|known| word.is(known)))
        || (word.is_some() && last(&members, "data").is_some())
        || last(&members, "conversation_context").is_some()
}

/// The members of an object that has one of these and is no log. Most values are neither requests nor responses, which
/// their text betrays: they need not be taken apart.
fn members<'a>(value: Raw<'a>, names: &[&str]) -> Option<Members<'a>> {
    let text = value.text().as_bytes();
    let is_spelled_out = |name: &&str| memchr::memmem::find(text, name.as_bytes()).is_some();
    // A name may be written with escapes.
    let may_be = names.iter().any(is_spelled_out) || memchr::memchr(b'\\', text).is_some();
    let members = if may_be { value.members()? } else { return None };
    (!OF_LOGS.iter().any(|name| last(&members, name).is_some())).then_some(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;
    use crate::check::tests::in_words;
    use crate::json::scan_document;
    use serde_json::json;

    #[test]
    fn envelopes_are_judged_as_their_cases_list() {
        cases::check("tests/cases/envelopes.txt", |case| {
            let (questions, files) = case.questions(&["request", "response", "recognise"]);
            let file = |name| {
                let mut files = files.split("--- ").filter_map(|file| file.split_once('\n'));
                files.find(|file| file.0 == name).map(|(name, text)| SchemaFile { name, text })
            };
            let envelopes = match Envelopes::load(file("request.json"), file("response.json")) {
                Ok(envelopes) => envelopes,
                Err(error) => return error.to_string(),
            };
            let found = |question: &&str| {
                let (word, envelope) = question.split_once(' ').expect("a word and JSON");
                let envelope = scan_document(envelope, 1_000).expect("JSON");
                let direction = match word {
                    "request" => Direction::Request,
                    "response" => Direction::Response,
                    _ => return format!("{} {}", is_request(envelope), is_response(envelope)),
                };
                let Validation { valid, issues } = envelopes.recorded(direction, envelope);
                let valid = if valid { "valid" } else { "not valid" };
                format!("{valid}: {}", in_words(&issues))
            };
            questions.iter().map(found).collect::<Vec<_>>().join("\n")
        });
    }

    #[test]
    fn the_words_of_a_status_are_those_of_the_schema() {
        let schema: Value = serde_json::from_str(Direction::Response.schema()).expect("JSON");
        assert_eq!(schema["properties"]["status"]["enum"], json!(STATUSES));
    }

    #[test]
    fn functions_for_programs_know_the_built_in_schemas() {
        let builtin = Envelopes::builtin();
        assert_eq!(validate_request(&json!({})), builtin.request(&json!({})));
        assert_eq!(validate_response(&json!({})), builtin.response(&json!({})));
    }

    #[test]
    fn hostile_envelopes_are_judged_and_end() {
        let recorded = |text: &str| {
            let raw = scan_document(text, 1_000_000).expect("well-formed");
            Envelopes::builtin().recorded(Direction::Request, raw)
        };
        let (open, close) = ("[".repeat(50_000), "]".repeat(50_000));
        let deep =
            format!(r#"{{"query":7,"context":{{"previous_context":{{"x":{open}{close}}}}}}}"#);
        let found = recorded(&deep).issues.into_iter().map(|issue| issue.message);
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                "Invalid type, expected string",
                "What is deeper than 128 levels in this request was not looked at"
            ]
        );
        assert!(!recorded(&format!("[{}1]", "1,".repeat(1_000_000))).valid);
    }
}
