//! Lines that hold documents instead of calls: which kind a line is of, and its members around them.
//!
//! One function says what a line is, so that it does not matter which of the formats is asked first.

use super::body::{Body, Side, document, read_body, target};
use super::exchange::scalar;
use super::wire::read_messages;
use super::{Context, ExchangeRecord, LISTS, Message, Reading, Record};
use crate::check::envelope::{is_request, is_response};
use crate::check::judge_result::is_result;
use crate::check::session_report::recognise;
use crate::json::{Kind, Raw, RawStr, Scan, Scanner, scan_document};
use crate::recording::{Direction, ExchangeKind, JsonText, Reply};
use std::borrow::Cow;

const JSON_RPC_OVER_HTTP: Record<'static> = Record::Traffic(Cow::Borrowed("(JSON-RPC over HTTP)"));

/// Members by which other formats know their lines.
const FOREIGN: [&str; 3] = ["tool", "jsonrpc", "dir"];

/// Members of lines that recorders write.
const MEMBERS: [&str; 9] = [
    "request",
    "response",
    "id",
    "server",
    "session",
    "recorded_at",
    "duration_ms",
    "scenarioCategory",
    "label",
];

pub(super) fn read_document<'a>(
    text: &'a str,
    kind: ExchangeKind,
    context: &mut Context,
) -> Reading<'a> {
    let line = read_line(text, context.max_depth)?;
    Ok(line.filter(|line| line.kind == kind).map(Line::into_record))
}

/// Whether a line is of any of these kinds.
pub(super) fn is_document(text: &str, max_depth: usize) -> bool {
    read_line(text, max_depth).is_ok_and(|line| line.is_some())
}

fn read_line(text: &str, max_depth: usize) -> Scan<Option<Line<'_>>> {
    Ok(Members::read(text, max_depth)?.and_then(|members| members.into_line(max_depth)))
}

struct Line<'a> {
    kind: ExchangeKind,
    request: Body<'a>,
    response: Body<'a>,
    members: Members<'a>,
}

/// The members of a line that may hold documents.
struct Members<'a> {
    whole: Raw<'a>,
    members: Vec<(RawStr<'a>, Raw<'a>)>,
}

impl<'a> Members<'a> {
    /// Takes a line apart, unless it is of another format.
    fn read(text: &'a str, max_depth: usize) -> Scan<Option<Self>> {
        let whole = scan_document(text, max_depth)?;
        let Some(members) = whole.members() else { return Ok(None) };
        let found = Self { whole, members };
        let holds_records =
            |name: &&str| found.get(name).is_some_and(|list| list.kind() == Kind::Array);
        let is_foreign = FOREIGN.iter().any(|name| found.get(name).is_some())
            || (found.get("input").is_some() && found.get("response").is_some());
        let is_message = found.get("request").is_some() || found.get("response").is_some();
        let is_foreign = is_foreign || (is_message && found.get("tool_name").is_some());
        let is_wrapper = LISTS.iter().any(holds_records) && !is_message;
        Ok((!is_foreign && !is_wrapper).then_some(found))
    }

    fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.members.iter().rev().find(|(key, _)| key.is(name)).map(|(_, value)| *value)
    }

    fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        scalar(&mut Scanner::trusted(self.get(name)?.text())).ok().flatten()
    }

    fn milliseconds(&self, name: &str) -> Option<f64> {
        self.get(name)?.text().parse().ok().filter(|number: &f64| number.is_finite())
    }

    fn into_line(self, max_depth: usize) -> Option<Line<'a>> {
        if self.get("request").is_some() || self.get("response").is_some() {
            return self.into_messages(max_depth);
        }
        let (kind, request, response) = if let Some(result) = self.result(max_depth) {
            (ExchangeKind::JudgeResult, self.judged(), Body::Document(result))
        } else if let Some(kind) = kind_of(self.whole) {
            (kind, Body::Absent, Body::Document(self.whole.into()))
        } else if is_request(self.whole) {
            (ExchangeKind::Envelope, Body::Document(self.whole.into()), Body::Absent)
        } else {
            return None;
        };
        Some(Line { kind, request, response, members: self })
    }

    /// A request, a response or both.
    fn into_messages(self, max_depth: usize) -> Option<Line<'a>> {
        let request = read_body(Side::Request, self.get("request"), max_depth);
        let response = read_body(Side::Response, self.get("response"), max_depth);
        let is_http = self.is_http();
        let known = match &response {
            Body::Document(response) => kind_of(response.raw()),
            Body::Absent | Body::Empty => None,
        };
        if request == Body::Absent {
            // A call may be recorded without its tool, and so may its reply alone.
            let is_call = self.get("input").is_some() || response == Body::Absent;
            if is_call || (known.is_none() && !is_http) {
                return None;
            }
        }
        // Logs and settings keep something else altogether under these names.
        let is_http = is_http
            || self.sent_to().is_some()
            || request == Body::Empty
            || response == Body::Empty;
        let is_rpc = is_rpc(&request) || is_rpc(&response);
        let asks =
            self.says("request", &request, "query") || self.says("response", &response, "status");
        if known.is_none() && !is_http && !is_rpc && !asks && !self.is_of_a_recorder() {
            return None;
        }
        let kind = known.unwrap_or(ExchangeKind::Envelope);
        Some(Line { kind, request, response, members: self })
    }

    /// The JSON-RPC messages that stand on the line as values, with what the line says of both.
    fn rpc(&self) -> Option<Vec<Message<'a>>> {
        let sides = [("request", Direction::FromClient), ("response", Direction::FromServer)];
        let mut all = Vec::new();
        for (name, direction) in sides {
            let Some(raw) = self.get(name).filter(|raw| raw.kind() != Kind::Null) else { continue };
            let body = raw.member("body").filter(|body| body.kind() == Kind::Object);
            let mut scanner = Scanner::trusted(body.unwrap_or(raw).text());
            all.extend(
                read_messages(&mut scanner).ok()??.into_iter().map(|message| Message {
                    direction: Some(direction),
                    server: self.text("server"),
                    session: self.text("session"),
                    // The line has one time, that of its request.
                    at: (direction == Direction::FromClient)
                        .then(|| self.text("recorded_at"))
                        .flatten(),
                    ..message
                }),
            );
        }
        Some(all)
    }

    /// Whether a server is named, and nothing stands beside the messages but what recordings say of them.
    fn is_of_a_recorder(&self) -> bool {
        let is_known = |name: &RawStr<'_>| MEMBERS.iter().any(|known| name.is(known));
        self.get("server").is_some() && self.members.iter().all(|(key, _)| is_known(key))
    }

    /// Whether a message, or the document in it, has a member that is no number: HTTP has those.
    fn says(&self, side: &str, body: &Body<'_>, name: &str) -> bool {
        let has = |raw: Raw<'_>| raw.member(name).is_some_and(|it| it.kind() != Kind::Number);
        self.get(side).is_some_and(has) || matches!(body, Body::Document(it) if has(it.raw()))
    }

    /// Where a request was sent, as itself or the line says.
    fn sent_to(&self) -> Option<Cow<'a, str>> {
        let of_line = || self.get("url").or_else(|| self.get("path")).filter(|_| self.is_http());
        let url = self.get("request").and_then(target).or_else(of_line)?;
        url.as_str().map(RawStr::decode)
    }

    /// Whether the line itself says where a request was sent.
    fn is_http(&self) -> bool {
        self.get("method").is_some() && (self.get("url").is_some() || self.get("path").is_some())
    }

    /// The result of a judge that a line holds.
    fn result(&self, max_depth: usize) -> Option<JsonText<'a>> {
        let named = self.get("validation_result").filter(|result| result.kind() != Kind::Null);
        let held = |raw| document(raw, max_depth);
        named
            .map(held)
            .or_else(|| self.get("result").map(held).filter(|result| is_result(result.raw())))
    }

    /// What a judge was given: the output that it judged is the member `output`.
    fn judged(&self) -> Body<'a> {
        let (input, output) = (self.get("input"), self.get("output"));
        let judged = match output {
            None => input.map(JsonText::from),
            Some(output) => {
                let input =
                    input.map_or_else(String::new, |input| format!(r#""input":{},"#, input.text()));
                let both = format!(r#"{{{input}"output":{}}}"#, output.text());
                scan_document(&both, usize::MAX).ok().map(|both| JsonText::from(both).into_owned())
            }
        };
        judged.map_or(Body::Absent, Body::Document)
    }
}

impl<'a> Line<'a> {
    fn into_record(self) -> Record<'a> {
        let Self { kind, request, response, members } = self;
        if !matches!((&request, &response), (Body::Document(_), _) | (_, Body::Document(_))) {
            return Record::Traffic(Cow::Borrowed("(HTTP without bodies)"));
        }
        if is_rpc(&request) || is_rpc(&response) {
            return members.rpc().map_or(JSON_RPC_OVER_HTTP, Record::Messages);
        }
        Record::Exchange(Box::new(ExchangeRecord {
            sent_to: members.sent_to().filter(|_| kind == ExchangeKind::Envelope),
            kind,
            id: members.text("id"),
            server: members.text("server"),
            session: members.text("session"),
            input: request.document(),
            reply: response.document().map_or(Reply::None, Reply::Document),
            scenario: members.text("scenarioCategory"),
            recorded_at: members.text("recorded_at").or_else(|| members.text("startedDateTime")),
            duration_ms: members
                .milliseconds("duration_ms")
                .or_else(|| members.milliseconds("time")),
            label: members.text("label"),
            ..ExchangeRecord::default()
        }))
    }
}

/// Whether a body is a JSON-RPC message, or a batch of them.
fn is_rpc(body: &Body<'_>) -> bool {
    let Body::Document(document) = body else { return false };
    let is_one = |raw: Raw<'_>| raw.member("jsonrpc").is_some();
    let raw = document.raw();
    is_one(raw) || raw.elements().is_some_and(|elements| elements.into_iter().any(is_one))
}

/// What a document is that some server or judge sent.
fn kind_of(document: Raw<'_>) -> Option<ExchangeKind> {
    if is_result(document) {
        Some(ExchangeKind::JudgeResult)
    } else if is_response(document) {
        Some(ExchangeKind::Envelope)
    } else if recognise(document) {
        Some(ExchangeKind::SessionReport)
    } else {
        None
    }
}
