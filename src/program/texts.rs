//! Members of JSON by their paths, and what programs do to replies before they write them down.

use crate::json::{Kind, Raw, RawStr, scan_document, start_in};
use crate::recording::{LinePosition, Moment};
use std::borrow::Cow;
use std::str::FromStr;

/// How deep JSON may be that stands in a text; it is to be read once more, inside a line.
pub(super) const MOST_DEPTH: usize = 4_000;

/// The JSON that a text is, without white space around it.
pub(super) fn nested(text: &str) -> Option<Raw<'_>> {
    scan_document(text, MOST_DEPTH).ok()
}

/// The value at a path: names of members, with dots between.
pub(super) fn get<'a>(value: impl Into<Option<Raw<'a>>>, path: &str) -> Option<Raw<'a>> {
    path.split('.').try_fold(value.into()?, Raw::member)
}

/// The value at a path, unless it is null.
pub(super) fn given<'a>(value: impl Into<Option<Raw<'a>>>, path: &str) -> Option<Raw<'a>> {
    get(value, path).filter(|value| value.kind() != Kind::Null)
}

pub(super) fn text_of<'a>(value: impl Into<Option<Raw<'a>>>, path: &str) -> Option<Cow<'a, str>> {
    get(value, path)?.as_str().map(RawStr::decode)
}

/// The text at a path, unless it is empty.
pub(super) fn filled<'a>(value: impl Into<Option<Raw<'a>>>, path: &str) -> Option<Cow<'a, str>> {
    text_of(value, path).filter(|text| !text.is_empty())
}

pub(super) fn elements_of<'a>(value: impl Into<Option<Raw<'a>>>, path: &str) -> Vec<Raw<'a>> {
    get(value, path).and_then(Raw::elements).unwrap_or_default()
}

pub(super) fn number_of<'a, T: FromStr>(
    value: impl Into<Option<Raw<'a>>>,
    path: &str,
) -> Option<T> {
    get(value, path)?.text().parse().ok()
}

/// The JSON at a path; empty where nothing or null stands there.
pub(super) fn json_of<'a>(value: impl Into<Option<Raw<'a>>>, path: &str) -> &'a str {
    given(value, path).map_or("", Raw::text)
}

pub(super) fn is_text<'a>(value: impl Into<Option<Raw<'a>>>, path: &str, text: &str) -> bool {
    get(value, path).and_then(Raw::as_str).is_some_and(|member| member.is(text))
}

pub(super) fn is_true<'a>(value: impl Into<Option<Raw<'a>>>, path: &str) -> bool {
    get(value, path).is_some_and(|member| member.text() == "true")
}

/// The text that a string is, or the JSON of another value.
pub(super) fn text_or_json(value: Raw<'_>) -> Cow<'_, str> {
    value.as_str().map_or(value.text().into(), RawStr::decode)
}

/// Whether a value has what a pattern names, with spaces between: `a|b` one of these paths, `a=x|y` one of these texts
/// at a path, `a:[` a list and `a:{` an object there.
pub(super) fn fits(value: Raw<'_>, pattern: &str) -> bool {
    let has_kind = |path: &str| match path.split_once(':') {
        Some((path, start)) => get(value, path).is_some_and(|it| it.text().starts_with(start)),
        None => get(value, path).is_some(),
    };
    pattern.split(' ').all(|part| match part.split_once('=') {
        Some((path, texts)) => {
            text_of(value, path).is_some_and(|text| texts.split('|').any(|it| it == text))
        }
        None => part.split('|').any(has_kind),
    })
}

/// How many content blocks a list has, where all its elements are typed as those are.
pub(super) fn count_of_blocks(value: Raw<'_>) -> Option<usize> {
    let all = value.elements()?;
    all.iter().all(|block| block.member("type").is_some()).then_some(all.len())
}

/// The value of a member that programs write as JSON, or as the text of it; empty where it is missing. A text that is
/// no JSON stays a text.
pub(super) fn json_of_text(value: Option<Raw<'_>>) -> Cow<'_, str> {
    let Some(value) = value.filter(|value| value.kind() != Kind::Null) else { return "".into() };
    let Some(text) = value.as_str().map(RawStr::decode) else { return value.text().into() };
    match nested(&text) {
        Some(inner) => inner.text().to_owned().into(),
        None if text.trim().is_empty() => "".into(),
        None => value.text().into(),
    }
}

/// Where the parts of a value stand that begins at a place of a file. They are asked for in the order in which they
/// stand.
pub(super) struct Places<'a> {
    text: &'a str,
    read: usize,
    first: LinePosition,
    place: LinePosition,
}

impl<'a> Places<'a> {
    pub(super) fn of(value: Raw<'a>, first: LinePosition) -> Self {
        Self { text: value.text(), read: 0, first, place: first }
    }

    pub(super) fn of_part(&mut self, part: Raw<'_>) -> LinePosition {
        let at = start_in(self.text, part.text());
        let passed = self.text.as_bytes().get(self.read..at).unwrap_or_default();
        for end in memchr::memchr_iter(b'\n', passed) {
            self.place.line += 1;
            self.place.byte = self.first.byte + (self.read + end + 1) as u64;
        }
        self.read += passed.len();
        self.place
    }
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The code of the JSON-RPC error that a client of an SDK turned into a text.
pub(super) fn protocol_code(text: &str) -> Option<&str> {
    let (code, _) = text.strip_prefix("MCP error ")?.split_once(':')?;
    is_code(code).then_some(code)
}

pub(super) fn is_code(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The names of a server and its tool in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SplitName<'a> {
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
    pub(super) is_guess: bool,
}

/// Hosts split names where what stands between first does; a second makes that a guess, and so does an underscore.
pub(super) fn split_name<'a>(name: &'a str, prefix: &str, between: &str) -> Option<SplitName<'a>> {
    let (server, tool) = name.strip_prefix(prefix)?.split_once(between)?;
    let is_guess = between == "_" || tool.contains(between);
    (!server.is_empty() && !tool.is_empty()).then_some(SplitName { server, tool, is_guess })
}

/// Milliseconds since 1970 as a time of RFC 3339.
pub(super) fn time_of_millis(millis: i64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(millis).ok()?;
    Some(format!("{time:.3}"))
}

/// The same of a number that may have decimals.
pub(super) fn time_of(millis: f64) -> Option<String> {
    #[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
    time_of_millis(millis.round() as i64)
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

/// A list of values that are JSON.
pub(super) fn array(values: &[String]) -> String {
    format!("[{}]", values.join(","))
}

pub(super) fn text_block(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quoted(text))
}

/// A block of an image or a sound; its data and type are given as JSON.
pub(super) fn media_block(kind: &str, data: &str, mime_type: &str) -> String {
    format!(r#"{{"type":"{kind}","data":{data},"mimeType":{mime_type}}}"#)
}

/// The block of an image that is written as a `data:` address.
pub(super) fn image_of_url(url: &str) -> Option<String> {
    let (kind, data) = url.strip_prefix("data:image/")?.split_once(";base64,")?;
    let is_data = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    let mime_type = quoted(&format!("image/{kind}"));
    data.bytes().all(is_data).then(|| media_block("image", &quoted(data), &mime_type))
}

/// A part of an address without the escapes of addresses.
pub(super) fn unescaped(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.filter(|digits| *first == b'%' && !digits.starts_with('+'));
        let byte = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
