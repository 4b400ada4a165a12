//! What hosts keep of replies: results of calls as JSON or as Python prints them, and the words of exceptions.

use super::python;
use super::texts::{array, compact, given, media_block, nested, quoted, text_of};
use super::wire::{Answer, Reply};
use crate::json::{Kind, Raw};
use crate::recording::{Block, Fate, Refuser};
use std::borrow::Cow;

/// How Python begins to print the block of an SDK.
const PRINTED_BLOCKS: [&str; 5] =
    ["[TextContent(", "[ImageContent(", "[AudioContent(", "[EmbeddedResource(", "[ResourceLink("];

/// How Python begins to print a result.
const PRINTED_RESULTS: [&str; 4] = ["meta=", "_meta=", "content=", "CallToolResult("];

/// The result of a call, where a value can be nothing else.
pub(super) fn result_in(value: Raw<'_>) -> Option<Answer<'static>> {
    match value.as_str() {
        Some(text) => result_in_text(&text.decode()),
        None => whole_result(value),
    }
}

/// The result of a call in a text, which may stop before the result does.
pub(super) fn result_in_text(text: &str) -> Option<Answer<'static>> {
    let text = text.trim();
    if let Some(value) = nested(text) {
        return whole_result(value);
    }
    let begins = |words: &[&str]| words.iter().any(|begin| text.starts_with(begin));
    let is_blocks = begins(&PRINTED_BLOCKS);
    let is_result = text.starts_with('{') || begins(&PRINTED_RESULTS);
    if !(is_blocks || is_result && text.contains("content")) {
        return None;
    }
    let printed = python::to_json(text)?;
    let value = nested(&printed.json)?;
    let found = if is_blocks { blocks_only(value) } else { result_object(value)? };
    // What was cut is the end, where the mark of errors stands.
    Some(Answer { is_cut: printed.is_cut, ..found })
}

fn whole_result(value: Raw<'_>) -> Option<Answer<'static>> {
    // Blocks that an SDK for MCP made: those of chat programs have no annotations.
    let is_made =
        |block: &Raw<'_>| Block::is_typed(*block) && block.member("annotations").is_some();
    match value.elements() {
        Some(blocks) => {
            (!blocks.is_empty() && blocks.iter().all(is_made)).then(|| blocks_only(value))
        }
        None => result_object(value),
    }
}

fn result_object(value: Raw<'_>) -> Option<Answer<'static>> {
    Block::of_result(value, "data")?;
    let members = value.members()?;
    let member = |names: [&str; 2]| {
        let named = members.iter().rev().find(|(key, _)| names.iter().any(|name| key.is(name)));
        named.map(|(_, value)| *value).filter(|value| value.kind() != Kind::Null)
    };
    let reply = Reply::Blocks {
        blocks: owned(value.member("content")?),
        structured: member(["structuredContent", "structured_content"]).map(owned),
        is_error: match member(["isError", "is_error"]).map(Raw::text) {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => None,
        },
    };
    Some(Answer { reply, ..Answer::default() })
}

fn blocks_only(value: Raw<'_>) -> Answer<'static> {
    Answer { reply: Reply::blocks(owned(value), None), ..Answer::default() }
}

pub(super) fn owned(value: Raw<'_>) -> Cow<'static, str> {
    compact(value.text()).into_owned().into()
}

/// A list of blocks, where it is known to be what a server sent, or to have been made of that.
pub(super) fn blocks_in(value: Raw<'_>, is_error: Option<bool>) -> Option<Reply<'static>> {
    let elements = value.elements()?;
    let is_typed = |block: &Raw<'_>| text_of(*block, "type").is_some();
    let blocks = || elements.iter().map(|it| block(*it)).collect::<Vec<_>>();
    (!elements.is_empty() && elements.iter().all(is_typed))
        .then(|| Reply::blocks(array(&blocks()), is_error))
}

/// What a chat holds of a reply: blocks, or a text.
pub(super) fn content(value: Raw<'_>, is_error: Option<bool>) -> Reply<'static> {
    blocks_in(value, is_error)
        .unwrap_or_else(|| Reply::text(&super::chat::text_in(value), is_error))
}

/// A block as the protocol has it: programs keep images and sounds in shapes of their own.
fn block(block: Raw<'_>) -> String {
    let kind = text_of(block, "type").unwrap_or_default();
    let url = block.member(&kind).and_then(Raw::as_str).map(crate::json::RawStr::decode);
    let url = url.or_else(|| text_of(block, "image_url.url"));
    let inline = url.as_deref().and_then(|url| url.strip_prefix("data:")?.split_once(";base64,"));
    let data = || text_of(block, "base64").or_else(|| text_of(block, "data"));
    let media = match inline {
        Some((mime_type, data)) => Some((Cow::from(mime_type), Cow::from(data))),
        None => text_of(block, "mime_type").zip(data()),
    };
    let kind = if kind == "image_url" { "image" } else { &*kind };
    match media.filter(|_| matches!(kind, "image" | "audio")) {
        Some((mime_type, data)) => media_block(kind, &quoted(&data), &quoted(&mime_type)),
        None => compact(block.text()).into_owned(),
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
pub(super) fn failure(text: &str) -> Reply<'static> {
    let text = text.split("Traceback (most recent call last):").next().unwrap_or_default().trim();
    let (name, message) = exception(text).unwrap_or(("", text.into()));
    if is_time_out(&message) || matches!(name, "TimeoutError" | "ReadTimeout" | "TimeoutException")
    {
        return Reply::lost(Fate::TimedOut, text.to_owned());
    }
    match name {
        "CancelledError" | "GraphInterrupt" | "NodeInterrupt" => {
            Reply::lost(Fate::Cancelled, text.to_owned())
        }
        // Hosts check arguments before they call.
        "ValidationError" => Reply::not_sent(Refuser::Host, text.to_owned()),
        "ToolException" | "ToolError" => Reply::text(&message, Some(true)),
        _ => coded(&message).unwrap_or_else(|| Reply::error(&message)),
    }
}

/// An error that Python printed: `{'code': -32602, 'message': '…'}`, perhaps after words.
fn coded(text: &str) -> Option<Reply<'static>> {
    let printed = python::to_json(text.get(text.find("{'code': ")?..)?)?;
    let error = nested(&printed.json)?;
    let is_whole =
        given(error, "code")?.kind() == Kind::Number && text_of(error, "message").is_some();
    is_whole.then_some(Reply::Error(printed.json))
}

/// The name of an exception without its modules, and its message.
fn exception(text: &str) -> Option<(&str, Cow<'_, str>)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))?;
    let (name, rest) = text.split_at(end);
    let ends = ["Error", "Exception", "Timeout", "Interrupt", "Group"];
    ends.iter().find(|end| name.ends_with(*end))?;
    let name = name.rsplit('.').next().unwrap_or_default();
    if let Some(message) = rest.strip_prefix(": ") {
        return Some((name, message.into()));
    }
    let arguments = rest.strip_prefix('(')?.trim_end().strip_suffix(')')?;
    let printed = python::to_json(arguments).filter(|printed| !printed.is_cut);
    let decoded = printed.as_ref().and_then(|printed| {
        let value = nested(&printed.json)?;
        Some(value.as_str()?.decode().into_owned())
    });
    // Not all who print exceptions escape the quotes in them.
    let unquoted = |quote| arguments.strip_prefix(quote)?.strip_suffix(quote);
    let inside = || unquoted('\'').or_else(|| unquoted('"')).unwrap_or(arguments).into();
    Some((name, decoded.map_or_else(inside, Cow::Owned)))
}
