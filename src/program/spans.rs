//! Spans of programs that trace all that agents do. None of them says which tools are MCP's.

use super::Wire;
use super::chat::{self, Arguments};
use super::kept::{self, CallResult, Kept};
use super::python;
use super::texts::{compact, is_text, nested, split_double_underscore, text_of, time_of_millis};
use super::wire::{Answer, Call};
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
    pub(super) id: String,
    pub(super) parent: String,
    pub(super) session: String,
    pub(super) name: String,
    pub(super) server: Option<String>,
    pub(super) is_tool: bool,
    pub(super) input: Option<Raw<'a>>,
    pub(super) output: Option<Raw<'a>>,
    pub(super) error: Option<String>,
    pub(super) start: Option<String>,
    pub(super) end: Option<String>,
    pub(super) duration_ms: Option<f64>,
}

pub(super) struct Spans {
    pub(super) max_depth: usize,
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
    pub(super) fn new(max_depth: usize, is_named: bool) -> Self {
        Self { max_depth, is_named, written: HashMap::new(), around: HashMap::new(), count: 0 }
    }

    /// Writes the call that a span is of. Without a name for the format, only results of MCP calls show one.
    pub(super) fn span(&mut self, span: &Span<'_>, wire: &mut Wire) {
        let result = span.output.and_then(|output| self.result(output, 0));
        if result.is_none() && !self.is_named {
            wire.other(if span.is_tool { NOT_OF_MCP } else { "(no MCP call)" }, 1);
            return;
        }
        let input = Input::of(span.input, self.max_depth);
        let prefixed = PREFIXES.iter().find_map(|prefix| span.name.strip_prefix(prefix));
        // Older builds have no type for tools.
        let is_tool = span.is_tool || input.name.is_some() || prefixed.is_some();
        if result.is_none() && !is_tool {
            return wire.other("(no MCP call)", 1);
        }
        let name = input.name.as_deref().or(prefixed).unwrap_or(&span.name);
        let split = split_double_underscore(name);
        let tool = split.map_or(name, |split| split.tool);
        if self.is_repeated(span, tool) {
            return wire.other("(call recorded before)", 1);
        }
        self.count += 1;
        let id = if span.id.is_empty() { self.count.to_string() } else { span.id.clone() };
        wire.call(&Call {
            id: &id,
            is_unique: chat::is_random(&id),
            server: span.server.as_deref().or(split.map(|split| split.server)).unwrap_or_default(),
            session: &span.session,
            tool,
            arguments: &input.arguments,
            at: span.start.as_deref(),
            name_is_guess: split.is_some_and(|split| split.is_guess) && span.server.is_none(),
            host_owned: false,
        });
        let Some(kept) = result.map(Kept::Result).or_else(|| self.kept(span)) else { return };
        let is_cut = matches!(&kept, Kept::Result(CallResult { is_cut: true, .. }));
        wire.answer(&Answer {
            id: &id,
            at: span.end.as_deref(),
            duration_ms: span
                .duration_ms
                .filter(|duration| duration.is_finite() && *duration >= 0.0),
            reply: kept.reply(),
            is_cut,
        });
    }

    /// Whether a span around this one, or inside it, is of the same call.
    fn is_repeated(&mut self, span: &Span<'_>, tool: &str) -> bool {
        let is_tool = |found: Option<&String>| found.is_some_and(|found| found == tool);
        let is_short = [&span.id, &span.parent].iter().all(|id| id.len() <= LONGEST_ID)
            && tool.len() <= LONGEST_ID;
        if span.id.is_empty() || !is_short {
            return false;
        }
        if is_tool(self.written.get(&span.parent)) || is_tool(self.around.get(&span.id)) {
            return true;
        }
        if self.written.len() < MOST_REMEMBERED {
            self.written.insert(span.id.clone(), tool.to_owned());
            if !span.parent.is_empty() {
                self.around.insert(span.parent.clone(), tool.to_owned());
            }
        }
        false
    }

    /// The result of an MCP call, which may be wrapped.
    fn result(&self, output: Raw<'_>, depth: usize) -> Option<CallResult> {
        if let Some(result) = kept::result_in(output, self.max_depth) {
            return Some(result);
        }
        let inner = only_member(output, "output").filter(|_| depth < MOST_WRAPPED)?;
        self.result(inner, depth + 1)
    }

    /// What a span keeps of a reply that is no result of an MCP call.
    fn kept(&self, span: &Span<'_>) -> Option<Kept> {
        if let Some(error) = &span.error {
            return Some(kept::failure(error));
        }
        let output = span.output.filter(|output| output.kind() != Kind::Null);
        match output {
            Some(output) => Some(self.told(output, 0)),
            None if span.end.is_some() => Some(Kept::lost(crate::recording::Fate::NotRecorded, "")),
            None => None,
        }
    }

    fn told(&self, output: Raw<'_>, depth: usize) -> Kept {
        if let Some(inner) = only_member(output, "output").filter(|_| depth < MOST_WRAPPED) {
            return self.told(inner, depth + 1);
        }
        if let Some(message) = tool_message(output) {
            return message;
        }
        let Some(text) = output.as_str().map(RawStr::decode) else {
            return kept::blocks_in(output)
                .map_or_else(|| Kept::text(compact(output.text()), None), Kept::Result);
        };
        // A message of LangChain, as Python prints it.
        if text.starts_with("content=") && text.contains("tool_call_id=") {
            let printed = python::to_json(&text);
            let message =
                printed.as_ref().and_then(|printed| nested(&printed.json, self.max_depth));
            if let Some(kept) = message.and_then(tool_message) {
                return kept;
            }
        }
        match nested(&text, self.max_depth).filter(|value| value.kind() == Kind::Object) {
            Some(value) if depth < MOST_WRAPPED => match tool_message(value) {
                Some(message) => message,
                None => Kept::text(text, None),
            },
            _ => Kept::text(text, None),
        }
    }
}

/// The value of a member, where an object has no other.
fn only_member<'a>(value: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    match &value.members()?[..] {
        [(key, inner)] if key.is(name) => Some(*inner),
        _ => None,
    }
}

/// The reply in a message of `LangChain`, which may stand in the arguments of its constructor.
fn tool_message(value: Raw<'_>) -> Option<Kept> {
    let message =
        value.member("kwargs").filter(|kwargs| kwargs.kind() == Kind::Object).unwrap_or(value);
    message.member("tool_call_id")?;
    let content = message.member("content")?;
    let is_error = is_text(message, "status", "error").then_some(true);
    let artifact = message.member("artifact");
    let structured = artifact.and_then(|artifact| artifact.member("structured_content"));
    let result =
        kept::blocks_in(content).unwrap_or_else(|| CallResult::of_text(&chat::text_in(content)));
    Some(Kept::Result(result.with_structured(structured).with_error(is_error)))
}

/// What a span was given: arguments, perhaps in the parameters of the request.
#[derive(Debug, PartialEq, Eq)]
struct Input {
    name: Option<String>,
    arguments: String,
}

impl Input {
    fn of(input: Option<Raw<'_>>, max_depth: usize) -> Self {
        let arguments = Arguments::of(input, max_depth).json;
        let Some(value) = nested(&arguments, max_depth) else {
            return Self { name: None, arguments };
        };
        let parameters = value
            .member("params")
            .filter(|_| is_text(value, "method", "tools/call"))
            .unwrap_or(value);
        let members = parameters.members().unwrap_or_default();
        let is_request = members
            .iter()
            .all(|(key, _)| ["name", "arguments", "_meta"].iter().any(|name| key.is(name)));
        if let (true, Some(name), Some(inner)) =
            (is_request, text_of(parameters, "name"), parameters.member("arguments"))
        {
            let arguments = Arguments::of(Some(inner), max_depth).json;
            return Self { name: Some(name.into_owned()), arguments };
        }
        // Tracers give an input that is no object a name.
        let inner = only_member(value, "input").map(|inner| Arguments::of(Some(inner), max_depth));
        let inner = inner.filter(|inner| inner.json.starts_with('{') && !inner.is_broken);
        Self { name: None, arguments: inner.map_or(arguments, |inner| inner.json) }
    }
}

/// The server that someone noted in these values.
pub(super) fn server_in<'a>(
    values: impl IntoIterator<Item = Option<Raw<'a>>>,
    max_depth: usize,
) -> Option<String> {
    values.into_iter().flatten().find_map(|value| noted(value, max_depth, 0))
}

fn noted(value: Raw<'_>, max_depth: usize, depth: usize) -> Option<String> {
    if let Some(text) = value.as_str().map(RawStr::decode) {
        let inner = nested(&text, max_depth).filter(|inner| inner.kind() == Kind::Object)?;
        return noted(inner, max_depth, depth);
    }
    let named = |server: Raw<'_>| match server.as_str() {
        Some(name) => Some(name.decode().into_owned()),
        None => text_of(server, "name").map(Cow::into_owned),
    };
    let direct = SERVERS.iter().find_map(|name| named(value.member(name)?));
    let direct = direct
        .or_else(|| named(value.member("mcp")?.member("server")?))
        .filter(|name| !name.is_empty());
    let inner = || {
        ["metadata", "attributes"]
            .iter()
            .find_map(|name| noted(value.member(name)?, max_depth, depth + 1))
    };
    direct.or_else(|| (depth < MOST_WRAPPED).then(inner).flatten())
}

/// A time, as a text or as a number of seconds or milliseconds. Tracers leave out that it is UTC.
pub(super) fn time_in(value: Option<Raw<'_>>) -> Option<String> {
    let value = value?;
    if let Some(text) = value.as_str().map(RawStr::decode) {
        let (day, time) = text.split_once(['T', ' '])?;
        let zone = if time.contains(['Z', 'z', '+', '-']) { "" } else { "Z" };
        return Some(format!("{day}T{time}{zone}"));
    }
    let number = value.text().parse::<f64>().ok().filter(|_| value.kind() == Kind::Number)?;
    let millis = if number.abs() < 1e11 { number * 1000.0 } else { number };
    #[expect(clippy::cast_possible_truncation, reason = "what is out of range is no time")]
    time_of_millis(millis.round() as i64)
}

/// A text that is there, and not empty.
pub(super) fn filled(value: Raw<'_>, name: &str) -> Option<String> {
    text_of(value, name).filter(|text| !text.is_empty()).map(Cow::into_owned)
}
