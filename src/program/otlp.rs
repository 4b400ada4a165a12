//! OpenTelemetry traces as JSON, with the attributes that spans of MCP have.

use super::reader::Convert;
use super::texts::{
    Places, count_of_blocks, elements_of, fits, get, is_code, nested, number_of, protocol_code,
    quoted, text_of, text_or_json, time_of_millis,
};
use super::wire::{Answer, Call, NO_CALL, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::Raw;
use crate::recording::{Fate, LinePosition};
use memchr::memmem;
use std::collections::HashMap;
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
    signs: &[r#""resourceSpans""#],
    recognise: |head| {
        let records = head.any_records();
        let has_spans = records.into_iter().any(|record| fits(record, "resourceSpans:["));
        has_spans.then_some("resourceSpans")
    },
    converter: |_| Box::new(Traces::default()),
    ..PLAIN
};

#[derive(Default)]
struct Traces {
    spans: Vec<Span>,
    held: usize,
}

impl Convert for Traces {
    fn record(&mut self, export: Raw<'_>, wire: &mut Wire) {
        let text = export.text().as_bytes();
        if !MARKS.iter().any(|mark| memmem::find(text, mark.as_bytes()).is_some()) {
            return;
        }
        let mut places = Places::of(export, wire.place());
        for of_resource in elements_of(export, "resourceSpans") {
            let resource = of_resource.member("resource").map(attributes).unwrap_or_default();
            let lost = resource.text("mcpsnoop.session.missing_frames");
            if let Some(lost) = lost.and_then(|lost| lost.parse().ok()).filter(|lost| *lost > 0) {
                wire.other("(message that the recorder dropped)", lost);
            }
            let scopes = elements_of(of_resource, "scopeSpans").into_iter();
            for span in scopes.flat_map(|scope| elements_of(scope, "spans")) {
                match Span::read(span, &resource, places.of_part(span)) {
                    Some(span) => {
                        self.held += span.bytes();
                        self.spans.push(span);
                        wire.keep();
                    }
                    None => wire.other(NO_CALL, 1),
                }
            }
        }
        if self.spans.len() >= MOST_SPANS || self.held >= MOST_HELD {
            self.end(wire);
        }
    }

    /// Writes the calls of all spans that were read. Client and server each have a span of the same call.
    fn end(&mut self, wire: &mut Wire) {
        let spans = std::mem::take(self).spans;
        let mut by_id: HashMap<[&str; 2], usize> = HashMap::new();
        let mut by_request: HashMap<[&str; 3], usize> = HashMap::new();
        for (at, span) in spans.iter().enumerate().filter(|(_, span)| !span.is_servers) {
            by_id.insert([&span.trace, &span.id], at);
            by_request.extend(span.requests().map(|key| (key, at)));
        }
        let client_of = |span: &Span| {
            let parent = by_id.get(&[span.trace.as_str(), span.parent.as_str()]).copied();
            let client =
                parent.or_else(|| span.requests().find_map(|key| by_request.get(&key).copied()));
            client.filter(|client| span.is_servers && spans[*client].tool == span.tool)
        };
        let clients: Vec<Option<usize>> = spans.iter().map(client_of).collect();
        let sides =
            clients.iter().zip(&spans).filter_map(|(client, span)| Some(((*client)?, span)));
        let other_side: HashMap<usize, &Span> = sides.collect();
        for (at, (span, client)) in spans.iter().zip(&clients).enumerate() {
            wire.at(span.place);
            if client.is_some() {
                wire.other("(server's span of a call)", 1);
            } else {
                span.write(other_side.get(&at).copied(), wire);
            }
        }
    }
}

#[derive(Debug)]
struct Span {
    place: LinePosition,
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
    /// What the span says of its end besides a result: blocks where that is one, none where the recording ended before.
    outcome: Option<Reply<'static>>,
}

impl Span {
    fn read(span: Raw<'_>, resource: &Attributes, place: LinePosition) -> Option<Self> {
        let own = attributes(span);
        let text = |name: &str| own.text(name).map(str::to_owned);
        let snooped = own.text("rpc.method").filter(|_| own.text("mcpsnoop.call.status").is_some());
        own.text("mcp.method.name").or(snooped).filter(|method| *method == "tools/call")?;
        let named = || Some(text_of(span, "name")?.strip_prefix("tools/call ")?.to_owned());
        let tool =
            text("gen_ai.tool.name").or_else(|| text("mcpsnoop.call.tool_name")).or_else(named)?;
        let kind = span.member("kind").map_or("", Raw::text);
        let is_servers = matches!(kind, "2" | r#""SPAN_KIND_SERVER""#);
        let service = || resource.text("service.name").filter(|_| is_servers);
        let server = resource.text("mcpsnoop.session.label").or_else(service);
        let session = own.text("mcp.session.id").or_else(|| resource.text("mcpsnoop.session.id"));
        let session = session.or_else(|| own.text("gen_ai.conversation.id"));
        let request = text("jsonrpc.request.id").or_else(|| text("mcpsnoop.call.id"));
        let member = |name| text_of(span, name).unwrap_or_default().into_owned();
        Some(Self {
            place,
            trace: member("traceId"),
            id: member("spanId"),
            parent: member("parentSpanId"),
            is_servers,
            server: server.or_else(|| own.text("server.address")).unwrap_or_default().to_owned(),
            session: session.unwrap_or_default().to_owned(),
            request: request.unwrap_or_default(),
            tool,
            start: millis(span, "startTimeUnixNano"),
            end: millis(span, "endTimeUnixNano"),
            arguments: own.payload("gen_ai.tool.call.arguments"),
            result: own.payload("gen_ai.tool.call.result"),
            outcome: outcome(span, &own),
        })
    }

    fn bytes(&self) -> usize {
        const SPAN: usize = 256;
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        SPAN + self.tool.len() + length(&self.arguments) + length(&self.result)
    }

    /// What the spans of both sides have in common, where they are not parent and child.
    fn requests(&self) -> impl Iterator<Item = [&str; 3]> {
        let keys = [[&*self.session, &self.request, ""], [&self.trace, &self.request, &self.tool]];
        keys.into_iter().filter(|[holder, request, _]| !holder.is_empty() && !request.is_empty())
    }

    /// Writes the call. What this side did not record, the other may have.
    fn write(&self, other: Option<&Self>, wire: &mut Wire) {
        let is_unique = !self.id.is_empty();
        let number = wire.tally().calls;
        let id = if is_unique {
            format!("{}/{}", self.trace, self.id)
        } else {
            format!("span {number}")
        };
        let mut servers = [Some(self), other].into_iter().flatten().map(|span| &*span.server);
        let arguments = self.arguments.as_deref().or_else(|| other?.arguments.as_deref());
        let at = self.start.and_then(time_of_millis);
        wire.call(&Call {
            id: &id,
            is_unique,
            server: servers.find(|server| !server.is_empty()).unwrap_or_default(),
            session: &self.session,
            tool: &self.tool,
            arguments: arguments.unwrap_or_default(),
            at: at.as_deref(),
            ..Call::default()
        });
        let result = self.result.as_deref().or_else(|| other?.result.as_deref());
        let ended = self.end.and_then(time_of_millis);
        let took = self.start.zip(self.end).map(|(start, end)| end.saturating_sub(start) as f64);
        let Some(outcome) = &self.outcome else { return };
        let (reply, is_cut) = match (outcome, result) {
            (Reply::Blocks { is_error, .. }, Some(result)) => (reply(result, *is_error), false),
            (Reply::Lost { .. }, Some(result)) => (reply(result, None), false),
            (Reply::Blocks { .. }, None) => (outcome.clone(), true),
            _ => (outcome.clone(), false),
        };
        let at = ended.as_deref();
        wire.answer(&Answer { id: &id, at, duration_ms: took, is_cut, reply });
    }
}

/// A result as it was recorded: whole, its blocks, or anything else that a tool may have said.
fn reply(result: &str, is_error: Option<bool>) -> Reply<'_> {
    let value = Raw::known(result, false);
    let member = |name| value.member(name).map(Raw::text);
    if !fits(value, "content|structuredContent|isError") {
        let blocks = count_of_blocks(value).map(|_| Reply::blocks(result, is_error));
        return blocks.unwrap_or_else(|| Reply::text(&text_or_json(value), is_error));
    }
    if is_error != Some(true) || member("isError") == Some("true") {
        return Reply::Whole(result);
    }
    // The span says what the result leaves out.
    let blocks = member("content").unwrap_or("[]").into();
    Reply::Blocks { blocks, structured: member("structuredContent").map(Into::into), is_error }
}

fn outcome(span: Raw<'_>, own: &Attributes) -> Option<Reply<'static>> {
    let message = text_of(span, "status.message").unwrap_or_default().into_owned();
    let kind = own.text("error.type");
    let code = own.text("rpc.response.status_code").or(kind);
    // Some writers note success as a code.
    let code = code.filter(|code| *code != "0" && is_code(code));
    let code = code.or_else(|| protocol_code(&message));
    // For some writers it is certain that there was no error.
    let done = |is_error| Reply::blocks("[]", is_error);
    if let Some(status) = own.text("mcpsnoop.call.status") {
        return Some(match status {
            "ok" => done(Some(false)),
            "error" if own.text("mcpsnoop.call.tool_error") == Some("true") => {
                Reply::text(&message, Some(true))
            }
            "error" => Reply::coded(code, &message),
            "call_cancelled" | "cancelled" => {
                let reason = own.text("mcpsnoop.call.cancel_reason").unwrap_or_default();
                Reply::lost(Fate::given_up(reason), reason.to_owned())
            }
            "late_result" => done(None),
            _ => return None,
        });
    }
    let status = get(span, "status.code").map_or("", Raw::text);
    let has_failed = matches!(status, "2" | r#""STATUS_CODE_ERROR""#);
    Some(match kind {
        _ if code.is_some() => Reply::coded(code, &message),
        Some("tool_error") => Reply::text(&message, Some(true)),
        Some(kind) => {
            let is_time_out = ["timeout", "timed out", "timed_out", "deadline"]
                .iter()
                .any(|word| kind.to_ascii_lowercase().contains(word) || message.contains(word));
            let fate = if is_time_out { Fate::TimedOut } else { Fate::given_up(&message) };
            Reply::lost(fate, if message.is_empty() { kind.to_owned() } else { message })
        }
        None if has_failed => Reply::lost(Fate::given_up(&message), message),
        None => done(None),
    })
}

/// Nanoseconds since 1970 as milliseconds.
fn millis(span: Raw<'_>, name: &str) -> Option<i64> {
    let text = text_of(span, name).and_then(|text| text.parse::<i64>().ok());
    let nanos = text.or_else(|| number_of(span, name)).filter(|nanos| *nanos > 0)?;
    Some(nanos / 1_000_000)
}

/// Values by their names: the text of each, and as JSON.
#[derive(Debug, Default)]
struct Attributes(HashMap<String, (String, String)>);

fn attributes(holder: Raw<'_>) -> Attributes {
    const MEANT: [&str; 7] =
        ["mcp", "gen_ai.", "jsonrpc.", "rpc.", "error.", "server.", "service.name"];
    let pairs = elements_of(holder, "attributes").into_iter();
    let named = pairs.filter_map(|pair| {
        let name = text_of(pair, "key")?;
        MEANT.iter().find(|start| name.starts_with(*start))?;
        Some((name.into_owned(), value(pair.member("value")?)?))
    });
    Attributes(named.collect())
}

fn value(any: Raw<'_>) -> Option<(String, String)> {
    let (kind, held) = any.members()?.into_iter().next()?;
    let text = text_or_json(held).into_owned();
    let json = match &*kind.decode() {
        "kvlistValue" | "arrayValue" => plain(any)?,
        // Numbers may be kept as texts.
        "intValue" | "doubleValue" if nested(&text).is_some() => text.clone(),
        "boolValue" => text.clone(),
        _ => quoted(&text),
    };
    Some((text, json))
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
            out.push_str(&value(any)?.1);
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
        self.0.get(name).map(|(text, _)| text.as_str()).filter(|text| !text.is_empty())
    }

    /// What was recorded of arguments or of a result, as JSON. A text may hold JSON.
    fn payload(&self, name: &str) -> Option<String> {
        let (text, json) = self.0.get(name)?;
        let held = nested(text).filter(|_| json.starts_with('"'));
        Some(held.map_or_else(|| json.clone(), |held| held.text().to_owned()))
    }
}
