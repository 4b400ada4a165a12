//! What hosts keep of replies: results of calls as JSON or as Python prints them, and the words of exceptions.

use super::python;
use super::texts::{bare_error, compact, nested, protocol_code, push_text_block, quoted, text_of};
use super::wire::Reply;
use crate::json::{Kind, Raw};
use crate::recording::{Block, Fate, Refuser};
use std::fmt::Write as _;

/// A result that a server sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallResult {
    /// The blocks, as a JSON array.
    blocks: String,
    structured: Option<String>,
    is_error: Option<bool>,
    pub(super) is_cut: bool,
}

/// What was kept of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    Result(CallResult),
    Text {
        text: String,
        is_error: Option<bool>,
    },
    /// An error of the protocol, as JSON.
    Error(String),
    Lost {
        fate: Fate,
        refused_by: Option<Refuser>,
        reason: String,
    },
}

impl Kept {
    pub(super) fn lost(fate: Fate, reason: impl Into<String>) -> Self {
        Self::Lost { fate, refused_by: None, reason: reason.into() }
    }

    pub(super) fn not_sent(refused_by: Refuser, reason: impl Into<String>) -> Self {
        Self::Lost { fate: Fate::NotSent, refused_by: Some(refused_by), reason: reason.into() }
    }

    pub(super) fn text(text: impl Into<String>, is_error: Option<bool>) -> Self {
        Self::Text { text: text.into(), is_error }
    }

    pub(super) fn invalid_params(message: &str) -> Self {
        Self::Error(coded_error("-32602", message))
    }

    /// An error of the protocol whose code is not known, unless the message tells it.
    pub(super) fn error(message: &str) -> Self {
        Self::Error(match protocol_code(message) {
            Some(code) => coded_error(code, message),
            None => bare_error(message),
        })
    }

    pub(super) fn reply(&self) -> Reply<'_> {
        match self {
            Self::Result(result) => Reply::Blocks {
                blocks: &result.blocks,
                structured: result.structured.as_deref(),
                is_error: result.is_error,
            },
            Self::Text { text, is_error } => Reply::Text { text, is_error: *is_error },
            Self::Error(error) => Reply::WholeError(error),
            Self::Lost { fate, refused_by, reason } => {
                Reply::Lost { fate: *fate, refused_by: *refused_by, reason }
            }
        }
    }
}

fn coded_error(code: &str, message: &str) -> String {
    format!(r#"{{"code":{code},"message":{}}}"#, quoted(message))
}

/// How Python begins to print the block of an SDK.
const PRINTED_BLOCKS: [&str; 5] =
    ["[TextContent(", "[ImageContent(", "[AudioContent(", "[EmbeddedResource(", "[ResourceLink("];

/// How Python begins to print a result.
const PRINTED_RESULTS: [&str; 4] = ["meta=", "_meta=", "content=", "CallToolResult("];

/// The result of a call, where a value can be nothing else.
pub(super) fn result_in(value: Raw<'_>, max_depth: usize) -> Option<CallResult> {
    match value.kind() {
        Kind::Object => result_object(value),
        Kind::Array => blocks_of_sdk(value),
        Kind::String => result_in_text(&value.as_str()?.decode(), max_depth),
        Kind::Null | Kind::Bool | Kind::Number => None,
    }
}

/// The result of a call in a text, which may stop before the result does.
pub(super) fn result_in_text(text: &str, max_depth: usize) -> Option<CallResult> {
    let text = text.trim();
    match nested(text, max_depth) {
        Some(value) if value.kind() == Kind::Object => return result_object(value),
        Some(value) => return blocks_of_sdk(value),
        None => {}
    }
    let is_blocks = PRINTED_BLOCKS.iter().any(|begin| text.starts_with(begin));
    let is_result =
        text.starts_with('{') || PRINTED_RESULTS.iter().any(|begin| text.starts_with(begin));
    if !(is_blocks || is_result && text.contains("content")) {
        return None;
    }
    let printed = python::to_json(text)?;
    let value = nested(&printed.json, max_depth)?;
    let found = if is_blocks { Some(blocks_only(value)) } else { result_object(value) };
    // What was cut is the end, where the mark of errors stands.
    found.map(|result| CallResult { is_cut: printed.is_cut, ..result })
}

fn result_object(value: Raw<'_>) -> Option<CallResult> {
    Block::of_result(value, "data")?;
    let members = value.members()?;
    let member = |names: [&str; 2]| {
        let named = members.iter().rev().find(|(key, _)| names.iter().any(|name| key.is(name)));
        named.map(|(_, value)| *value).filter(|value| value.kind() != Kind::Null)
    };
    Some(CallResult {
        blocks: compact(value.member("content")?.text()).into_owned(),
        structured: member(["structuredContent", "structured_content"])
            .map(|structured| compact(structured.text()).into_owned()),
        is_error: match member(["isError", "is_error"]).map(Raw::text) {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        },
        is_cut: false,
    })
}

/// Blocks that an SDK for MCP made: those of chat programs have no annotations.
fn blocks_of_sdk(value: Raw<'_>) -> Option<CallResult> {
    let blocks = value.elements()?;
    let is_made =
        |block: &Raw<'_>| Block::is_typed(*block) && block.member("annotations").is_some();
    (!blocks.is_empty() && blocks.iter().all(is_made)).then(|| blocks_only(value))
}

fn blocks_only(value: Raw<'_>) -> CallResult {
    CallResult {
        blocks: compact(value.text()).into_owned(),
        structured: None,
        is_error: None,
        is_cut: false,
    }
}

/// A list of blocks, where it is known to be what a server sent, or to have been made of that.
pub(super) fn blocks_in(value: Raw<'_>) -> Option<CallResult> {
    let elements = value.elements()?;
    if elements.is_empty() || !elements.iter().all(|block| text_of(*block, "type").is_some()) {
        return None;
    }
    let mut blocks = String::from("[");
    for element in elements {
        if blocks.len() > 1 {
            blocks.push(',');
        }
        push_block(element, &mut blocks);
    }
    blocks.push(']');
    Some(CallResult { blocks, structured: None, is_error: None, is_cut: false })
}

/// A block as the protocol has it: programs keep images and sounds in shapes of their own.
fn push_block(block: Raw<'_>, blocks: &mut String) {
    let kind = text_of(block, "type").unwrap_or_default();
    let url = text_of(block, &kind).or_else(|| text_of(block.member("image_url")?, "url"));
    let inline = url.as_deref().and_then(|url| url.strip_prefix("data:")?.split_once(";base64,"));
    let other = || {
        Some((
            text_of(block, "mime_type")?,
            text_of(block, "base64").or_else(|| text_of(block, "data"))?,
        ))
    };
    let kind = if kind == "image_url" { "image" } else { &*kind };
    match (kind, inline, other()) {
        ("image" | "audio", Some((mime_type, data)), _) => {
            push_media(kind, mime_type, data, blocks);
        }
        ("image" | "audio", None, Some((mime_type, data))) => {
            push_media(kind, &mime_type, &data, blocks);
        }
        _ => blocks.push_str(&compact(block.text())),
    }
}

fn push_media(kind: &str, mime_type: &str, data: &str, blocks: &mut String) {
    let (mime_type, data) = (quoted(mime_type), quoted(data));
    let _ = write!(blocks, r#"{{"type":"{kind}","data":{data},"mimeType":{mime_type}}}"#);
}

impl CallResult {
    pub(super) fn of_text(text: &str) -> Self {
        let mut blocks = String::new();
        push_text_block(text, &mut blocks);
        Self { blocks: format!("[{blocks}]"), structured: None, is_error: None, is_cut: false }
    }

    pub(super) fn with_error(self, is_error: Option<bool>) -> Self {
        Self { is_error: is_error.or(self.is_error), ..self }
    }

    pub(super) fn with_structured(self, structured: Option<Raw<'_>>) -> Self {
        let structured = structured.filter(|value| value.kind() != Kind::Null);
        Self { structured: structured.map(|value| compact(value.text()).into_owned()), ..self }
    }
}

/// Words of clients that waited no longer.
const TIME_OUTS: [&str; 5] = [
    "Timed out while waiting for response",
    "MCP error -32001: Request timed out",
    "MCP error -32001: Maximum total timeout exceeded",
    "Tool call timed out",
    "Request timed out",
];

pub(super) fn is_time_out(text: &str) -> bool {
    let is_of_call = text.starts_with("Tool call '") || text.starts_with("Tool '");
    TIME_OUTS.iter().any(|words| text.starts_with(words))
        || (is_of_call && text.contains("' timed out"))
}

/// What an exception tells that stands where a result would. Its text may begin with its name: `NAME: TEXT`, or
/// `NAME('TEXT')`, with a traceback behind it.
pub(super) fn failure(text: &str) -> Kept {
    let text = text
        .split_once("Traceback (most recent call last):")
        .map_or(text, |(before, _)| before)
        .trim();
    let exception = Exception::of(text);
    let message = exception.as_ref().map_or(text, |exception| &exception.message);
    let name = exception
        .as_ref()
        .map_or("", |exception| exception.name.rsplit('.').next().unwrap_or_default());
    if is_time_out(message) || matches!(name, "TimeoutError" | "ReadTimeout" | "TimeoutException") {
        return Kept::lost(Fate::TimedOut, text);
    }
    match name {
        "CancelledError" | "GraphInterrupt" | "NodeInterrupt" => Kept::lost(Fate::Cancelled, text),
        // Hosts check arguments before they call.
        "ValidationError" => Kept::not_sent(Refuser::Host, text),
        "ToolException" | "ToolError" => Kept::text(message, Some(true)),
        _ => coded(message).unwrap_or_else(|| Kept::error(message)),
    }
}

/// An error that Python printed: `{'code': -32602, 'message': '…'}`, perhaps after words.
fn coded(text: &str) -> Option<Kept> {
    let printed = python::to_json(text.get(text.find("{'code': ")?..)?)?;
    let error = nested(&printed.json, usize::MAX)?;
    let is_whole =
        error.member("code")?.kind() == Kind::Number && text_of(error, "message").is_some();
    is_whole.then_some(Kept::Error(printed.json))
}

struct Exception<'a> {
    name: &'a str,
    message: std::borrow::Cow<'a, str>,
}

impl<'a> Exception<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))?;
        let (name, rest) = text.split_at(end);
        let ends = ["Error", "Exception", "Timeout", "Interrupt", "Group"];
        if !ends.iter().any(|end| name.ends_with(end)) {
            return None;
        }
        if let Some(message) = rest.strip_prefix(": ") {
            return Some(Self { name, message: message.into() });
        }
        let arguments = rest.strip_prefix('(')?.trim_end().strip_suffix(')')?;
        let printed = python::to_json(arguments).filter(|printed| !printed.is_cut);
        let decoded = printed.as_ref().and_then(|printed| {
            let value = nested(&printed.json, usize::MAX)?;
            Some(value.as_str()?.decode().into_owned())
        });
        // Not all who print exceptions escape the quotes in them.
        let inside = || {
            let unquoted = |quote| arguments.strip_prefix(quote)?.strip_suffix(quote);
            unquoted('\'').or_else(|| unquoted('"')).unwrap_or(arguments).into()
        };
        Some(Self { name, message: decoded.map_or_else(inside, std::borrow::Cow::Owned) })
    }
}
