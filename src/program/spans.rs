//! Spans of programs that trace all that agents do: `LangSmith`, Langfuse and Phoenix, as their APIs and exports hand them
//! out. None of them says which tools are MCP's.

use super::chat::{self, Arguments};
use super::host_replies;
use super::python;
use super::reader::Convert;
use super::texts::{
    compact, elements_of, filled, fits, get, given, is_text, nested, number_of, split_name,
    text_of, time_of,
};
use super::wire::{Answer, Call, NO_CALL, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::{Kind, Raw, RawStr};
use std::borrow::Cow;
use std::collections::HashMap;

/// So deep runs are nested.
const MOST_NESTED: usize = 32;

/// Members that hold the records of each program.
const RUNS: [&str; 1] = ["runs"];
const OBSERVATIONS: [&str; 2] = ["observations", "data"];
const SPANS: [&str; 2] = ["data", "spans"];

const RUN: &str = "run_type=tool|chain|llm|retriever|embedding|prompt|parser \
    dotted_order|trace_id|child_runs|inputs";
const OBSERVATION: &str = "type=TOOL|SPAN|GENERATION|EVENT|AGENT|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|\
    GUARDRAIL traceId|trace_id startTime|start_time level|parentObservationId|parent_observation_id";
const KIND: &str = "openinference.span.kind";

pub(super) static LANGSMITH: Program = Program {
    id: "langsmith",
    name: "LangSmith runs",
    about: "Runs of LangSmith as JSON: of its SDK (list_runs), its API, or an export.",
    signs: &[r#""run_type""#],
    recognise: |head| {
        head.has_record(&RUNS, |run| fits(run, RUN))
            .then_some("runs with run_type and trace_id, dotted_order, child_runs or inputs")
    },
    converter: |file| {
        Tracer::boxed(file.is_named, &RUNS, |run, spans, wire| runs(run, 0, spans, wire))
    },
    ..PLAIN
};

pub(super) static LANGFUSE: Program = Program {
    id: "langfuse",
    name: "Langfuse observations",
    about: "Observations of Langfuse as JSON: of its API, alone or in a trace, or an export.",
    signs: &[r#""traceId""#, r#""trace_id""#],
    recognise: |head| {
        let is_one = |it: Raw<'_>| {
            let mut all = elements_of(it, "observations").into_iter().chain([it]);
            all.any(|it| fits(it, OBSERVATION))
        };
        head.has_record(&OBSERVATIONS, is_one)
            .then_some("observations with traceId, type, startTime and level")
    },
    converter: |file| Tracer::boxed(file.is_named, &OBSERVATIONS, observations),
    ..PLAIN
};

pub(super) static PHOENIX: Program = Program {
    id: "phoenix",
    name: "Phoenix spans",
    about: "Spans with the attributes of OpenInference as JSON: of Phoenix's API, or of its data frames.",
    signs: &[r#""openinference"#, r#""attributes.openinference"#],
    recognise: |head| {
        head.has_record(&SPANS, |span| attribute(span, KIND).is_some())
            .then_some("spans with the attribute openinference.span.kind")
    },
    converter: |file| Tracer::boxed(file.is_named, &SPANS, attributed),
    ..PLAIN
};

struct Tracer {
    spans: Spans,
    lists: &'static [&'static str],
    read: fn(Raw<'_>, &mut Spans, &mut Wire),
}

impl Tracer {
    fn boxed(
        is_named: bool,
        lists: &'static [&'static str],
        read: fn(Raw<'_>, &mut Spans, &mut Wire),
    ) -> Box<dyn Convert> {
        Box::new(Self { spans: Spans::new(is_named), lists, read })
    }
}

impl Convert for Tracer {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        wire.each(value, self.lists, |record, wire| (self.read)(record, &mut self.spans, wire));
    }
}

/// A run of `LangSmith` and those in it.
fn runs(run: Raw<'_>, depth: usize, spans: &mut Spans, wire: &mut Wire) {
    let text = |name| filled(run, name).unwrap_or_default();
    let span = Span {
        id: text("id"),
        parent: text("parent_run_id"),
        session: text("trace_id"),
        name: text("name"),
        noted: [get(run, "extra.metadata"), None],
        is_tool: is_text(run, "run_type", "tool"),
        input: run.member("inputs"),
        output: given(run, "outputs"),
        error: filled(run, "error"),
        start: time_in(run, &["start_time"]),
        end: time_in(run, &["end_time"]),
        duration_ms: None,
    };
    spans.span(&span, wire);
    if depth < MOST_NESTED {
        for child in elements_of(run, "child_runs") {
            runs(child, depth + 1, spans, wire);
        }
    }
}

/// An observation of Langfuse, or those that a trace holds.
fn observations(record: Raw<'_>, spans: &mut Spans, wire: &mut Wire) {
    let inner = elements_of(record, "observations");
    let is_trace = inner.iter().any(|it| it.member("type").is_some());
    for it in if is_trace { inner } else { vec![record] } {
        // Exports of the tables have other names than the API.
        let text = |names: [&str; 2]| either(it, &names).unwrap_or_default();
        let seconds: Option<f64> = number_of(it, "latency");
        let span = Span {
            id: text(["id", "id"]),
            parent: text(["parentObservationId", "parent_observation_id"]),
            session: text(["traceId", "trace_id"]),
            name: text(["name", "name"]),
            noted: [it.member("metadata"), None],
            is_tool: is_text(it, "type", "TOOL"),
            input: it.member("input"),
            output: it.member("output"),
            error: either(it, &["statusMessage", "status_message"])
                .filter(|_| is_text(it, "level", "ERROR")),
            start: time_in(it, &["startTime", "start_time"]),
            end: time_in(it, &["endTime", "end_time"]),
            duration_ms: seconds.map(|seconds| (seconds * 1e6).round() / 1e3),
        };
        spans.span(&span, wire);
    }
}

/// A span with the attributes of `OpenInference`.
fn attributed(span: Raw<'_>, spans: &mut Spans, wire: &mut Wire) {
    let context = |name: &str| {
        let flat = || span.member(&format!("context.{name}"))?.as_str().map(RawStr::decode);
        filled(span.member("context"), name).or_else(|| flat().filter(|text| !text.is_empty()))
    };
    let text = |name: &str| attribute(span, name)?.as_str().map(RawStr::decode);
    let kind = text(KIND).unwrap_or_default();
    let read = Span {
        id: context("span_id").unwrap_or_default(),
        parent: filled(span, "parent_id").unwrap_or_default(),
        session: text("session.id").or_else(|| context("trace_id")).unwrap_or_default(),
        name: text("tool.name").or_else(|| filled(span, "name")).unwrap_or_default(),
        noted: [span.member("attributes"), attribute(span, "metadata")],
        is_tool: kind.eq_ignore_ascii_case("TOOL"),
        input: attribute(span, "input.value"),
        output: attribute(span, "output.value"),
        error: filled(span, "status_message").filter(|_| is_text(span, "status_code", "ERROR")),
        start: time_in(span, &["start_time"]),
        end: time_in(span, &["end_time"]),
        duration_ms: None,
    };
    spans.span(&read, wire);
}

/// An attribute: its name may be one key, a path of keys, or a key of the span itself.
fn attribute<'a>(span: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    let attributes = span.member("attributes");
    let named = attributes.and_then(|attributes| attributes.member(name));
    let named = named.or_else(|| get(attributes, name));
    named.or_else(|| span.member(&format!("attributes.{name}")))
}

/// So many calls of a file are remembered, so that a span inside another of the same call does not count.
const MOST_REMEMBERED: usize = 100_000;
/// Longer ids and names are not remembered.
const LONGEST_ID: usize = 200;
/// So deep values are unwrapped.
const MOST_WRAPPED: usize = 4;

/// Names by which people note the server of a tool.
const SERVERS: [&str; 7] = [
    "mcp_server",
    "mcp.server",
    "mcp.server.name",
    "mcp_server_name",
    "mcp.server_name",
    "mcpServerName",
    "mcpServer",
];

/// What programs put before the name of a tool.
const PREFIXES: [&str; 2] = ["tools/call ", "execute_tool "];

/// A span, whatever program wrote it.
#[derive(Debug, Default)]
struct Span<'a> {
    id: Cow<'a, str>,
    parent: Cow<'a, str>,
    session: Cow<'a, str>,
    name: Cow<'a, str>,
    /// Values in which someone may have noted the server.
    noted: [Option<Raw<'a>>; 2],
    is_tool: bool,
    input: Option<Raw<'a>>,
    output: Option<Raw<'a>>,
    error: Option<Cow<'a, str>>,
    start: Option<String>,
    end: Option<String>,
    duration_ms: Option<f64>,
}

#[derive(Default)]
struct Spans {
    /// Whether the user says that all tools are MCP's.
    is_named: bool,
    /// Tools by the spans of calls that were written.
    written: HashMap<String, String>,
    /// Tools by the spans around those.
    around: HashMap<String, String>,
    /// Calls so far.
    count: u64,
}

/// Counts runs of tools that only become calls where the user names the format.
pub const NOT_OF_MCP: &str = "(tool not known to be MCP's)";

impl Spans {
    fn new(is_named: bool) -> Self {
        Self { is_named, ..Self::default() }
    }

    /// Writes the call that a span is of. Without a name for the format, only results of MCP calls show one.
    fn span(&mut self, span: &Span<'_>, wire: &mut Wire) {
        let result = span.output.and_then(|output| host_replies::result_in(unwrapped(output)));
        if result.is_none() && !self.is_named {
            return wire.other(if span.is_tool { NOT_OF_MCP } else { NO_CALL }, 1);
        }
        let (named, arguments) = input(span.input);
        let prefixed = PREFIXES.iter().find_map(|prefix| span.name.strip_prefix(prefix));
        // Older builds have no type for tools.
        if result.is_none() && !span.is_tool && named.is_none() && prefixed.is_none() {
            return wire.other(NO_CALL, 1);
        }
        let name = named.as_deref().or(prefixed).unwrap_or(&span.name);
        let split = split_name(name, "mcp__", "__");
        let tool = split.map_or(name, |split| split.tool);
        if self.is_repeated(span, tool) {
            return wire.other("(call recorded before)", 1);
        }
        self.count += 1;
        let number = self.count.to_string();
        let id = if span.id.is_empty() { &*number } else { &*span.id };
        let server = span.noted.iter().flatten().find_map(|value| server_in(*value, 0));
        wire.call(&Call {
            id,
            is_unique: chat::is_random(id),
            server: server.as_deref().or(split.map(|split| split.server)).unwrap_or_default(),
            session: &span.session,
            tool,
            arguments: &arguments,
            at: span.start.as_deref(),
            name_is_guess: split.is_some_and(|split| split.is_guess) && server.is_none(),
        });
        if let Some(answer) = result.or_else(|| told(span)) {
            let (at, duration_ms) = (span.end.as_deref(), span.duration_ms);
            wire.answer(&Answer { id, at, duration_ms, ..answer });
        }
    }

    /// Whether a span around this one, or inside it, is of the same call.
    fn is_repeated(&mut self, span: &Span<'_>, tool: &str) -> bool {
        let (id, parent) = (&*span.id, &*span.parent);
        if id.is_empty() || [id, parent, tool].iter().any(|it| it.len() > LONGEST_ID) {
            return false;
        }
        let is_tool = |found: Option<&String>| found.is_some_and(|found| found == tool);
        if is_tool(self.written.get(parent)) || is_tool(self.around.get(id)) {
            return true;
        }
        if self.written.len() < MOST_REMEMBERED {
            self.written.insert(id.to_owned(), tool.to_owned());
            if !parent.is_empty() {
                self.around.insert(parent.to_owned(), tool.to_owned());
            }
        }
        false
    }
}

/// What a span keeps of a reply that is no result of an MCP call.
fn told(span: &Span<'_>) -> Option<Answer<'static>> {
    let output = span.output.filter(|output| output.kind() != Kind::Null);
    let reply = match (&span.error, output) {
        (Some(error), _) => host_replies::failure(error),
        (None, Some(output)) => shown(unwrapped(output)),
        (None, None) => span.end.as_ref().map(|_| Reply::default())?,
    };
    Some(Answer { reply, ..Answer::default() })
}

fn shown(output: Raw<'_>) -> Reply<'static> {
    if let Some(message) = tool_message(output) {
        return message;
    }
    let Some(text) = output.as_str().map(RawStr::decode) else {
        let text = || Reply::text(&compact(output.text()), None);
        return host_replies::blocks_in(output, None).unwrap_or_else(text);
    };
    // A message of LangChain, as Python prints it.
    let is_printed = text.starts_with("content=") && text.contains("tool_call_id=");
    let printed = is_printed.then(|| python::to_json(&text)).flatten();
    let printed = printed.as_ref().and_then(|printed| tool_message(nested(&printed.json)?));
    let message = printed.or_else(|| tool_message(nested(&text)?));
    message.unwrap_or_else(|| Reply::text(&text, None))
}

/// What objects with the one member `output` hold.
fn unwrapped(mut output: Raw<'_>) -> Raw<'_> {
    for _ in 0..MOST_WRAPPED {
        output = only_member(output, "output").unwrap_or(output);
    }
    output
}

/// The value of a member, where an object has no other.
fn only_member<'a>(value: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    match &value.members()?[..] {
        [(key, inner)] if key.is(name) => Some(*inner),
        _ => None,
    }
}

/// The reply in a message of `LangChain`, which may stand in the arguments of its constructor.
fn tool_message(value: Raw<'_>) -> Option<Reply<'static>> {
    let inner = value.member("kwargs").filter(|kwargs| kwargs.kind() == Kind::Object);
    let message = inner.unwrap_or(value);
    message.member("tool_call_id")?;
    let is_error = is_text(message, "status", "error").then_some(true);
    let reply = host_replies::content(message.member("content")?, is_error);
    let structured = given(message, "artifact.structured_content").map(host_replies::owned);
    Some(match reply {
        Reply::Blocks { blocks, .. } => Reply::Blocks { blocks, structured, is_error },
        other => other,
    })
}

/// The arguments that a span was given, with the name of the tool where they are the parameters of a request.
fn input(input: Option<Raw<'_>>) -> (Option<String>, String) {
    let arguments = Arguments::of(input).json;
    let Some(value) = nested(&arguments) else { return (None, arguments) };
    let parameters = value.member("params").filter(|_| is_text(value, "method", "tools/call"));
    let parameters = parameters.unwrap_or(value);
    let members = parameters.members().unwrap_or_default();
    let is_request = members
        .iter()
        .all(|(key, _)| ["name", "arguments", "_meta"].iter().any(|name| key.is(name)));
    let request = text_of(parameters, "name").zip(parameters.member("arguments"));
    if let Some((name, inner)) = request.filter(|_| is_request) {
        return (Some(name.into_owned()), Arguments::of(Some(inner)).json);
    }
    // Tracers give an input that is no object a name.
    let inner = only_member(value, "input").map(|inner| Arguments::of(Some(inner)));
    let inner = inner.filter(|inner| inner.json.starts_with('{') && !inner.is_broken);
    (None, inner.map_or(arguments, |inner| inner.json))
}

/// The server that someone noted in a value.
fn server_in(value: Raw<'_>, depth: usize) -> Option<String> {
    if let Some(text) = value.as_str().map(RawStr::decode) {
        let inner = nested(&text).filter(|inner| inner.kind() == Kind::Object)?;
        return server_in(inner, depth);
    }
    let named = |server: Raw<'_>| match server.as_str() {
        Some(name) => Some(name.decode().into_owned()),
        None => text_of(server, "name").map(Cow::into_owned),
    };
    let direct = SERVERS.iter().find_map(|name| named(value.member(name)?));
    let direct =
        direct.or_else(|| named(get(value, "mcp.server")?)).filter(|name| !name.is_empty());
    let inner = || {
        let mut holders = ["metadata", "attributes"].iter();
        holders.find_map(|name| server_in(value.member(name)?, depth + 1))
    };
    direct.or_else(|| (depth < MOST_WRAPPED).then(inner).flatten())
}

/// A time at one of these paths, as a text or as a number of seconds or milliseconds. Tracers leave out that it is UTC.
fn time_in(span: Raw<'_>, paths: &[&str]) -> Option<String> {
    paths.iter().find_map(|path| {
        let value = span.member(path)?;
        if let Some(text) = value.as_str().map(RawStr::decode) {
            let (day, time) = text.split_once(['T', ' '])?;
            let zone = if time.contains(['Z', 'z', '+', '-']) { "" } else { "Z" };
            return Some(format!("{day}T{time}{zone}"));
        }
        let number = value.text().parse::<f64>().ok().filter(|_| value.kind() == Kind::Number)?;
        time_of(if number.abs() < 1e11 { number * 1000.0 } else { number })
    })
}

/// A text at one of these paths that is not empty.
fn either<'a>(span: Raw<'a>, paths: &[&str]) -> Option<Cow<'a, str>> {
    paths.iter().find_map(|path| filled(span, path))
}
