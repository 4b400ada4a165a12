//! What programs do to replies before they write them down, and how it is undone.

use super::Wire;
use super::wire::Why;
use crate::json::{Kind, Raw, RawStr, ScanError, ScanErrorKind, scan_document};
use crate::recording::{Moment, Place};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The value that a line or a document is. One that cannot be read is noted.
pub(super) fn read<'a>(text: &'a str, max_depth: usize, wire: &mut Wire) -> Option<Raw<'a>> {
    scan_document(text, max_depth).map_err(|error| note(&error, text, wire)).ok()
}

pub(super) fn note(error: &ScanError, text: &str, wire: &mut Wire) {
    let why = match error.kind {
        ScanErrorKind::End => Why::CutShort,
        ScanErrorKind::Depth => Why::TooDeep,
        _ => Why::NotJson,
    };
    wire.unreadable(why, error.to_string(), text);
}

/// The JSON that a text is, without white space around it.
pub(super) fn nested(text: &str, max_depth: usize) -> Option<Raw<'_>> {
    scan_document(text, max_depth).ok()
}

/// The value of a member that programs write as JSON, or as the text of it; empty where it is missing. A text that is
/// no JSON stays a text.
pub(super) fn json_of_text(value: Option<Raw<'_>>, max_depth: usize) -> Cow<'_, str> {
    let Some(value) = value.filter(|value| value.kind() != Kind::Null) else {
        return Cow::Borrowed("");
    };
    let Some(text) = value.as_str().map(RawStr::decode) else { return Cow::Borrowed(value.text()) };
    match nested(&text, max_depth) {
        Some(inner) => Cow::Owned(inner.text().to_owned()),
        None if text.trim().is_empty() => Cow::Borrowed(""),
        None => Cow::Borrowed(value.text()),
    }
}

/// Where the parts of a value stand that begins at the place of the file that is being read. They are asked for in the
/// order in which they stand.
pub(super) struct Places<'a> {
    text: &'a str,
    read: usize,
    first: Place,
    place: Place,
}

impl<'a> Places<'a> {
    pub(super) fn of(value: Raw<'a>, wire: &Wire) -> Self {
        Self { text: value.text(), read: 0, first: wire.place(), place: wire.place() }
    }

    pub(super) fn of_part(&mut self, part: Raw<'_>) -> Place {
        let at = (part.text().as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let passed = self.text.as_bytes().get(self.read..at).unwrap_or_default();
        for end in memchr::memchr_iter(b'\n', passed) {
            self.place.line += 1;
            self.place.byte = self.first.byte + (self.read + end + 1) as u64;
        }
        self.read += passed.len();
        self.place
    }
}

/// An error of the protocol whose code was not recorded.
pub(super) fn bare_error(message: &str) -> String {
    format!(r#"{{"message":{}}}"#, quoted(message))
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text of a member that is a string.
pub(super) fn text_of<'a>(value: Raw<'a>, name: &str) -> Option<Cow<'a, str>> {
    value.member(name)?.as_str().map(RawStr::decode)
}

/// The elements of a member that is an array.
pub(super) fn elements_of<'a>(value: Raw<'a>, name: &str) -> Vec<Raw<'a>> {
    value.member(name).and_then(Raw::elements).unwrap_or_default()
}

pub(super) fn is_text(value: Raw<'_>, name: &str, text: &str) -> bool {
    value.member(name).and_then(Raw::as_str).is_some_and(|member| member.is(text))
}

pub(super) fn is_true(value: Raw<'_>, name: &str) -> bool {
    value.member(name).is_some_and(|member| member.text() == "true")
}

/// The code of the JSON-RPC error that a client of an SDK turned into a text.
pub(super) fn protocol_code(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("MCP error ")?;
    let (code, _) = rest.split_once(':')?;
    let digits = code.strip_prefix('-').unwrap_or(code);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(code)
}

/// Hosts split `mcp__SERVER__TOOL` at the first pair of underscores; a second makes that a guess.
pub(super) fn split_double_underscore(name: &str) -> Option<SplitName<'_>> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then_some(SplitName {
        server,
        tool,
        is_guess: tool.contains("__"),
    })
}

/// Server and tool of `mcp_SERVER_TOOL`: hosts split at the first underscore, which is a guess.
pub(super) fn split_underscore(name: &str) -> Option<SplitName<'_>> {
    let (server, tool) = name.strip_prefix("mcp_")?.split_once('_')?;
    (!server.is_empty() && !tool.is_empty()).then_some(SplitName { server, tool, is_guess: true })
}

/// A name that holds those of a server and its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SplitName<'a> {
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) is_guess: bool,
}

/// Milliseconds since 1970 as a time of RFC 3339.
pub(super) fn time_of_millis(millis: i64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(millis).ok()?;
    Some(format!("{time:.3}"))
}

pub(super) fn later(at: &str, milliseconds: f64) -> Option<String> {
    #[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
    let milliseconds = milliseconds.round() as i64;
    time_of_millis(Moment::parse(at)?.0.checked_add(milliseconds)?)
}

/// JSON without the white space between its tokens, which may span lines.
pub(super) fn compact(json: &str) -> Cow<'_, str> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    if !json.as_bytes().iter().any(is_space) {
        return json.into();
    }
    let mut out = String::with_capacity(json.len());
    let (mut start, mut in_string, mut escaped) = (0, false, false);
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            _ if !in_string && is_space(&byte) => {
                out.push_str(json.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push_str(json.get(start..).unwrap_or_default());
    out.into()
}

pub(super) fn push_text_block(text: &str, blocks: &mut String) {
    let comma = if blocks.is_empty() { "" } else { "," };
    let _ = write!(blocks, "{comma}{{\"type\":\"text\",\"text\":{}}}", quoted(text));
}

/// A block of an image or a sound; its data and type are given as JSON.
pub(super) fn push_media_block(kind: &str, data: &str, mime_type: &str, blocks: &mut String) {
    let comma = if blocks.is_empty() { "" } else { "," };
    let _ = write!(blocks, r#"{comma}{{"type":"{kind}","data":{data},"mimeType":{mime_type}}}"#);
}

/// An image that is written as a `data:` address.
#[derive(Clone, Copy, Debug)]
pub(super) struct ImageUrl<'a> {
    kind: &'a str,
    data: &'a str,
}

impl<'a> ImageUrl<'a> {
    pub(super) fn of(url: &'a str) -> Option<Self> {
        let (kind, data) = url.strip_prefix("data:image/")?.split_once(";base64,")?;
        let is_data = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
        data.bytes().all(is_data).then_some(Self { kind, data })
    }

    pub(super) fn push(self, blocks: &mut String) {
        let mime_type = quoted(&format!("image/{}", self.kind));
        push_media_block("image", &quoted(self.data), &mime_type, blocks);
    }
}
