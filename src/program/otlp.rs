//! OpenTelemetry traces as JSON, with the attributes that spans of MCP have.

use super::records::{JsonFile, Records};
use super::texts::{
    Places, bare_error, elements_of, nested, protocol_code, quoted, text_of, time_of_millis,
};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity, Place};
use memchr::memmem;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// What attributes of spans of MCP begin with.
const MARKS: [&str; 2] = ["mcp.method.name", "mcpsnoop.call."];
/// Spans that wait for the other side's span of the same call.
const MOST_SPANS: usize = 100_000;
/// Bytes of them.
const MOST_HELD: usize = 64 << 20;

pub(super) static OTLP: Program = Program {
    id: "otlp",
    name: "OTLP JSON",
    about: "OpenTelemetry traces as JSON, with spans of MCP.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""resourceSpans""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let has_spans = |record: &Raw<'_>| {
        record.member("resourceSpans").is_some_and(|spans| spans.kind() == Kind::Array)
    };
    head.any_records().iter().any(has_spans).then_some("resourceSpans")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    let traces = Traces { max_depth: file.max_depth, spans: Vec::new(), held: 0 };
    Box::new(JsonFile::new(traces, file.max_depth))
}

struct Traces {
    max_depth: usize,
    spans: Vec<Span>,
    held: usize,
}

impl Records for Traces {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        let text = value.text().as_bytes();
        if MARKS.iter().any(|mark| memmem::find(text, mark.as_bytes()).is_some()) {
            self.take(value, wire);
        } else {
            wire.other("(no MCP call)", 1);
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        self.write(wire);
    }
}

impl Traces {
    fn take(&mut self, value: Raw<'_>, wire: &mut Wire) {
        let mut places = Places::of(value, wire);
        let exports = value.elements().unwrap_or_else(|| vec![value]);
        let resources = exports.into_iter().flat_map(|it| elements_of(it, "resourceSpans"));
        let mut has_spans = false;
        for of_resource in resources {
            let resource = of_resource.member("resource").map(attributes).unwrap_or_default();
            let lost = resource.number("mcpsnoop.session.missing_frames").filter(|lost| *lost > 0);
            if let Some(lost) = lost {
                wire.other("(message that the recorder dropped)", lost);
            }
            let scopes = elements_of(of_resource, "scopeSpans").into_iter();
            for span in scopes.flat_map(|scope| elements_of(scope, "spans")) {
                has_spans = true;
                match Span::read(span, &resource, places.of_part(span), self.max_depth) {
                    Some(span) => {
                        self.held += span.bytes();
                        self.spans.push(span);
                    }
                    None => wire.other("(no MCP call)", 1),
                }
            }
        }
        if !has_spans {
            wire.other("(no MCP call)", 1);
        }
        if self.spans.len() >= MOST_SPANS || self.held >= MOST_HELD {
            self.write(wire);
        }
    }

    /// Writes the calls of all spans that were read. Client and server each have a span of the same call.
    fn write(&mut self, wire: &mut Wire) {
        let spans = std::mem::take(&mut self.spans);
        self.held = 0;
        let here = wire.place();
        let mut by_id: HashMap<[&str; 2], usize> = HashMap::new();
        let mut by_request: HashMap<[&str; 3], usize> = HashMap::new();
        for (at, span) in spans.iter().enumerate().filter(|(_, span)| !span.is_servers) {
            by_id.insert([&span.trace, &span.id], at);
            for key in span.requests() {
                by_request.insert(key, at);
            }
        }
        let client_of = |span: &Span| {
            let by_parent = by_id.get(&[span.trace.as_str(), span.parent.as_str()]).copied();
            by_parent
                .or_else(|| span.requests().iter().find_map(|key| by_request.get(key)).copied())
        };
        let mut other_side: HashMap<usize, usize> = HashMap::new();
        let mut dropped = HashSet::new();
        for (at, span) in spans.iter().enumerate().filter(|(_, span)| span.is_servers) {
            let client = client_of(span)
                .filter(|client| spans.get(*client).is_some_and(|it| it.tool == span.tool));
            if let Some(client) = client {
                other_side.insert(client, at);
                dropped.insert(at);
            }
        }
        for (at, span) in spans.iter().enumerate() {
            wire.at(span.place);
            if dropped.contains(&at) {
                wire.other("(server's span of a call)", 1);
            } else {
                span.write(other_side.get(&at).and_then(|server| spans.get(*server)), wire);
            }
        }
        wire.at(here);
    }
}

#[derive(Debug)]
struct Span {
    place: Place,
    trace: String,
    id: String,
    parent: String,
    is_servers: bool,
    /// Who serves, as far as this side says.
    server: String,
    session: String,
    request: String,
    tool: String,
    start: Option<i64>,
    end: Option<i64>,
    /// As JSON, where they were recorded.
    arguments: Option<String>,
    result: Option<String>,
    outcome: Outcome,
}

/// What a span says of its end besides a result.
#[derive(Debug)]
enum Outcome {
    /// No error; for some writers that is certain.
    Done {
        is_error: Option<bool>,
    },
    ToolError {
        message: String,
    },
    Error {
        code: Option<String>,
        message: String,
    },
    Lost {
        fate: Fate,
        message: String,
    },
    /// The recording ended before.
    Open,
}

impl Span {
    fn read(span: Raw<'_>, resource: &Attributes, place: Place, max_depth: usize) -> Option<Self> {
        let own = attributes(span);
        let text = |name: &str| own.text(name).map(str::to_owned);
        let is_snooped = own.text("mcpsnoop.call.status").is_some();
        let method =
            own.text("mcp.method.name").or(own.text("rpc.method").filter(|_| is_snooped))?;
        if method != "tools/call" {
            return None;
        }
        let name = text_of(span, "name").unwrap_or_default();
        let named = || name.strip_prefix("tools/call ").map(str::to_owned);
        let tool =
            text("gen_ai.tool.name").or_else(|| text("mcpsnoop.call.tool_name")).or_else(named)?;
        let kind = span.member("kind").map_or("", Raw::text);
        let is_servers = matches!(kind, "2" | r#""SPAN_KIND_SERVER""#);
        let service = || resource.text("service.name").filter(|_| is_servers);
        let server = resource
            .text("mcpsnoop.session.label")
            .or_else(service)
            .or_else(|| own.text("server.address"))
            .unwrap_or_default();
        let session = own
            .text("mcp.session.id")
            .or_else(|| resource.text("mcpsnoop.session.id"))
            .or_else(|| own.text("gen_ai.conversation.id"));
        let member = |name| text_of(span, name).unwrap_or_default().into_owned();
        Some(Self {
            place,
            trace: member("traceId"),
            id: member("spanId"),
            parent: member("parentSpanId"),
            is_servers,
            server: server.to_owned(),
            session: session.unwrap_or_default().to_owned(),
            request: text("jsonrpc.request.id")
                .or_else(|| text("mcpsnoop.call.id"))
                .unwrap_or_default(),
            tool,
            start: millis(span, "startTimeUnixNano"),
            end: millis(span, "endTimeUnixNano"),
            arguments: own.payload("gen_ai.tool.call.arguments", max_depth),
            result: own.payload("gen_ai.tool.call.result", max_depth),
            outcome: outcome(span, &own),
        })
    }

    fn bytes(&self) -> usize {
        const SPAN: usize = 256;
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        SPAN + self.tool.len() + length(&self.arguments) + length(&self.result)
    }

    /// What the spans of both sides have in common, where they are not parent and child.
    fn requests(&self) -> Vec<[&str; 3]> {
        let of = |holder: &'_ str| !holder.is_empty() && !self.request.is_empty();
        let mut keys = Vec::new();
        if of(&self.session) {
            keys.push([self.session.as_str(), &self.request, ""]);
        }
        if of(&self.trace) {
            keys.push([self.trace.as_str(), &self.request, &self.tool]);
        }
        keys
    }

    /// Writes the call. What this side did not record, the other may have.
    fn write(&self, other: Option<&Self>, wire: &mut Wire) {
        let is_known = !self.id.is_empty();
        let number = wire.tally().calls;
        let id =
            if is_known { format!("{}/{}", self.trace, self.id) } else { format!("span {number}") };
        let server = [Some(self), other].into_iter().flatten().map(|span| span.server.as_str());
        let arguments = self.arguments.as_deref().or_else(|| other?.arguments.as_deref());
        let at = self.start.and_then(time_of_millis);
        wire.call(&Call {
            id: &id,
            is_unique: is_known,
            server: server.into_iter().find(|server| !server.is_empty()).unwrap_or_default(),
            session: &self.session,
            tool: &self.tool,
            arguments: arguments.unwrap_or_default(),
            at: at.as_deref(),
            ..Call::default()
        });
        let result = self.result.as_deref().or_else(|| other?.result.as_deref());
        let ended = self.end.and_then(time_of_millis);
        let duration_ms =
            self.start.zip(self.end).map(|(start, end)| end.saturating_sub(start) as f64);
        let is_kept = result.is_some();
        let value = Raw::known(result.unwrap_or("[]"), false);
        let text = value.as_str().map_or(value.text().into(), crate::json::RawStr::decode);
        let reply = |is_error| reply(value.text(), &text, is_error);
        let answer = Answer {
            id: &id,
            at: ended.as_deref(),
            duration_ms: duration_ms.filter(|took| *took >= 0.0),
            is_cut: false,
            reply: Reply::Whole("{}"),
        };
        let bare;
        let (reply, is_cut) = match (&self.outcome, result) {
            (Outcome::Open, _) => return,
            (Outcome::Error { code: Some(code), message }, _) => {
                (Reply::Error { code, message }, false)
            }
            (Outcome::Error { code: None, message }, _) => {
                bare = bare_error(message);
                (Reply::WholeError(&bare), false)
            }
            (Outcome::Lost { fate, message }, None) => {
                (Reply::Lost { fate: *fate, refused_by: None, reason: message }, false)
            }
            (Outcome::Done { is_error }, _) => (reply(*is_error), !is_kept),
            (Outcome::Lost { .. }, Some(_)) => (reply(None), false),
            (Outcome::ToolError { .. }, Some(_)) => (reply(Some(true)), false),
            (Outcome::ToolError { message }, None) => {
                (Reply::Text { text: message, is_error: Some(true) }, true)
            }
        };
        wire.answer(&Answer { reply, is_cut, ..answer });
    }
}

/// A result as it was recorded: whole, its blocks, or anything else that a tool may have said.
fn reply<'a>(result: &'a str, text: &'a str, is_error: Option<bool>) -> Reply<'a> {
    let value = Raw::known(result, false);
    let is_block = |block: &Raw<'_>| block.member("type").is_some();
    let member = |name| value.member(name).map(Raw::text);
    let is_result =
        ["content", "structuredContent", "isError"].iter().any(|name| member(name).is_some());
    if is_result && is_error == Some(true) && member("isError") != Some("true") {
        // The span says what the result leaves out.
        let blocks = member("content").unwrap_or("[]");
        Reply::Blocks { blocks, structured: member("structuredContent"), is_error }
    } else if is_result {
        Reply::Whole(result)
    } else if value.elements().is_some_and(|blocks| blocks.iter().all(is_block)) {
        Reply::Blocks { blocks: result, structured: None, is_error }
    } else {
        Reply::Text { text, is_error }
    }
}

fn outcome(span: Raw<'_>, own: &Attributes) -> Outcome {
    let status = span.member("status");
    let message =
        status.and_then(|status| text_of(status, "message")).unwrap_or_default().into_owned();
    let kind = own.text("error.type");
    let is_code = |text: &&str| {
        // Some writers note success as a code.
        let digits = text.strip_prefix('-').unwrap_or(text);
        *text != "0" && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let code = own
        .text("rpc.response.status_code")
        .or(kind)
        .filter(is_code)
        .or_else(|| protocol_code(&message));
    if let Some(status) = own.text("mcpsnoop.call.status") {
        let is_true = |name| own.text(name) == Some("true");
        return match status {
            "ok" => Outcome::Done { is_error: Some(false) },
            "error" if is_true("mcpsnoop.call.tool_error") => Outcome::ToolError { message },
            "error" => Outcome::Error { code: code.map(str::to_owned), message },
            "call_cancelled" | "cancelled" => {
                let reason = own.text("mcpsnoop.call.cancel_reason").unwrap_or_default();
                Outcome::Lost { fate: Fate::given_up(reason), message: reason.to_owned() }
            }
            "late_result" => Outcome::Done { is_error: None },
            _ => Outcome::Open,
        };
    }
    if let Some(code) = code {
        return Outcome::Error { code: Some(code.to_owned()), message };
    }
    let has_failed = status.and_then(|status| status.member("code"));
    let has_failed =
        has_failed.is_some_and(|code| matches!(code.text(), "2" | r#""STATUS_CODE_ERROR""#));
    match kind {
        Some("tool_error") => Outcome::ToolError { message },
        Some(kind) => {
            let is_time_out = ["timeout", "timed out", "timed_out", "deadline"]
                .iter()
                .any(|word| kind.to_ascii_lowercase().contains(word) || message.contains(word));
            let fate = if is_time_out { Fate::TimedOut } else { Fate::given_up(&message) };
            let message = if message.is_empty() { kind.to_owned() } else { message };
            Outcome::Lost { fate, message }
        }
        None if has_failed => Outcome::Lost { fate: Fate::given_up(&message), message },
        None => Outcome::Done { is_error: None },
    }
}

/// Nanoseconds since 1970 as milliseconds.
fn millis(span: Raw<'_>, name: &str) -> Option<i64> {
    let nanos = span.member(name)?;
    let text = text_of(span, name).unwrap_or(nanos.text().into());
    text.parse::<i64>().ok().filter(|nanos| *nanos > 0).map(|nanos| nanos / 1_000_000)
}

#[derive(Debug, Default)]
struct Attributes(HashMap<String, Value>);

/// A value: its text, and as JSON.
#[derive(Debug)]
struct Value {
    text: String,
    json: String,
}

fn attributes(holder: Raw<'_>) -> Attributes {
    let pairs = elements_of(holder, "attributes");
    let is_meant = |name: &str| {
        ["mcp", "gen_ai.", "jsonrpc.", "rpc.", "error.", "server.", "service.name"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    let named = pairs.into_iter().filter_map(|pair| {
        let name = text_of(pair, "key").filter(|name| is_meant(name))?;
        Some((name.into_owned(), value(pair.member("value")?)?))
    });
    Attributes(named.collect())
}

fn value(any: Raw<'_>) -> Option<Value> {
    let (kind, held) = any.members()?.into_iter().next()?;
    let text = held.as_str().map_or(held.text().into(), crate::json::RawStr::decode);
    let text = text.into_owned();
    let json = match &*kind.decode() {
        "kvlistValue" | "arrayValue" => plain(any)?,
        // Numbers may be kept as texts.
        "intValue" | "doubleValue" if nested(&text, 1).is_some() => text.clone(),
        "boolValue" => text.clone(),
        _ => quoted(&text),
    };
    Some(Value { text, json })
}

/// A value of attributes as plain JSON.
fn plain(any: Raw<'_>) -> Option<String> {
    enum Step<'a> {
        Value(Raw<'a>),
        Text(String),
    }
    let mut out = String::new();
    let mut steps = vec![Step::Value(any)];
    while let Some(step) = steps.pop() {
        let any = match step {
            Step::Text(text) => {
                out.push_str(&text);
                continue;
            }
            Step::Value(any) => any,
        };
        let (kind, held) = any.members()?.into_iter().next()?;
        let is_map = kind.is("kvlistValue");
        if !is_map && !kind.is("arrayValue") {
            out.push_str(&value(any)?.json);
            continue;
        }
        out.push(if is_map { '{' } else { '[' });
        steps.push(Step::Text(if is_map { "}" } else { "]" }.to_owned()));
        let values = elements_of(held, "values");
        for (at, element) in values.into_iter().enumerate().rev() {
            let mut before = String::from(if at > 0 { "," } else { "" });
            if is_map {
                let _ = write!(before, "{}:", element.member("key")?.text());
                steps.push(Step::Value(element.member("value")?));
            } else {
                steps.push(Step::Value(element));
            }
            steps.push(Step::Text(before));
        }
    }
    Some(out)
}

impl Attributes {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.text.as_str()).filter(|text| !text.is_empty())
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// What was recorded of arguments or of a result, as JSON. A text may hold JSON.
    fn payload(&self, name: &str, max_depth: usize) -> Option<String> {
        let value = self.0.get(name)?;
        let held = nested(&value.text, max_depth).filter(|_| value.json.starts_with('"'));
        Some(held.map_or_else(|| value.json.clone(), |held| held.text().to_owned()))
    }
}
