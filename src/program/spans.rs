//! Spans of programs that trace all that agents do. None of them says which tools are MCP's.

use super::Wire;
use super::chat::{self, Arguments};
use super::kept;
use super::python;
use super::texts::{compact, filled, get, given, is_text, nested, split_name, text_of, time_of};
use super::wire::{Answer, Call, NO_CALL, Reply};
use crate::json::{Kind, Raw, RawStr};
use std::borrow::Cow;
use std::collections::HashMap;

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
pub(super) struct Span<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) parent: Cow<'a, str>,
    pub(super) session: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    /// Values in which someone may have noted the server.
    pub(super) noted: [Option<Raw<'a>>; 2],
    pub(super) is_tool: bool,
    pub(super) input: Option<Raw<'a>>,
    pub(super) output: Option<Raw<'a>>,
    pub(super) error: Option<Cow<'a, str>>,
    pub(super) start: Option<String>,
    pub(super) end: Option<String>,
    pub(super) duration_ms: Option<f64>,
}

#[derive(Default)]
pub(super) struct Spans {
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
    pub(super) fn new(is_named: bool) -> Self {
        Self { is_named, ..Self::default() }
    }

    /// Writes the call that a span is of. Without a name for the format, only results of MCP calls show one.
    pub(super) fn span(&mut self, span: &Span<'_>, wire: &mut Wire) {
        let result = span.output.and_then(|output| kept::result_in(unwrapped(output)));
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
        (Some(error), _) => kept::failure(error),
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
        return kept::blocks_in(output, None).unwrap_or_else(text);
    };
    // A message of LangChain, as Python prints it.
    let is_printed = text.starts_with("content=") && text.contains("tool_call_id=");
    let printed = python::to_json(&text).filter(|_| is_printed);
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
    let reply = kept::content(message.member("content")?, is_error);
    let structured = given(message, "artifact.structured_content").map(kept::owned);
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
pub(super) fn time_in(span: Raw<'_>, paths: &[&str]) -> Option<String> {
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
pub(super) fn either<'a>(span: Raw<'a>, paths: &[&str]) -> Option<Cow<'a, str>> {
    paths.iter().find_map(|path| filled(span, path))
}
