//! A result inside a result: routers, gateways and frameworks pass on what a server sent as the text of their own reply.

use crate::json::{Kind, Raw, RawStr, is_js_truthy, scan_document};
use crate::recording::{Block, Blocks, CallResult, Content, Exchange, Field, Reply, Shape};
use crate::rulebook::Rulebook;
use memchr::memmem;
use std::borrow::Cow;

const MOST_NESTED: usize = 4;
const MAX_DEPTH: usize = 256;
/// So many bytes may stand before the contents of a result that was cut.
const MOST_BEFORE: usize = 100;

pub(super) struct Inner {
    /// It, as JSON.
    text: String,
    /// Its own flag, or that of one around it.
    is_error: Option<bool>,
}

impl Inner {
    /// The result inside a reply, where the rulebook judges that.
    pub(super) fn of(exchange: &Exchange<'_>, rulebook: &Rulebook) -> Option<Self> {
        let Reply::Result(result) = &exchange.reply else { return None };
        let [block] = result.content.blocks() else { return None };
        let text = block.text.text().filter(|_| rulebook.text.opens_results)?;
        // Line ends and tabs are escaped.
        let escaped = text.escaped_text().trim_start_matches(['\\', 'n', 'r', 't', ' ']);
        let mentions = |word: &[u8]| memmem::find(escaped.as_bytes(), word).is_some();
        let may_be = escaped.starts_with('{') && (mentions(b"content") || mentions(b"result"));
        if may_be && block.is_text() { Self::within(&text.decode(), MOST_NESTED) } else { None }
    }

    fn within(text: &str, room: usize) -> Option<Self> {
        if room == 0 {
            return None;
        }
        let Ok(value) = scan_document(text.trim_ascii(), MAX_DEPTH) else {
            return Self::cut_off(text);
        };
        let found = Self::result(value).or_else(|| Self::returned(value))?;
        let deeper = found.only_text().and_then(|text| Self::within(&text, room - 1));
        let is_error = found.is_error;
        let found = deeper.unwrap_or(found);
        // Whoever says that it is an error, it is one.
        let is_error = [is_error, found.is_error].into_iter().flatten().reduce(|a, b| a || b);
        Some(Self { is_error, ..found })
    }

    /// A value that is one result and nothing else, or has contents and says whether they are an error.
    fn result(value: Raw<'_>) -> Option<Self> {
        let flag = member(value, ["isError", "is_error"]);
        let contents = || value.member("content")?.elements().filter(|blocks| !blocks.is_empty());
        let is_typed = || contents().is_some_and(|all| all.into_iter().all(Block::is_typed));
        let is_flagged = flag.is_some_and(|flag| flag.kind() == Kind::Bool);
        if Block::of_result(value, "resultType").is_none() && !(is_flagged && is_typed()) {
            return None;
        }
        let kind = value.member("resultType").map(Raw::as_str);
        let is_result = kind.is_none_or(|kind| kind.is_some_and(|kind| kind.is("complete")));
        is_result.then(|| Self { text: value.text().to_owned(), is_error: flag.map(is_js_truthy) })
    }

    /// A result of which the end is missing: its first text, as far as it is there.
    fn cut_off(text: &str) -> Option<Self> {
        const FIRST_TEXT: [&str; 10] =
            [":", "[", "{", "\"type\"", ":", "\"text\"", ",", "\"text\"", ":", "\""];
        let (before, after) = text.split_once("\"content\"")?;
        let begins = |name: &str| before.contains(name);
        let is_head = before.len() <= MOST_BEFORE
            && before.bytes().filter(|byte| *byte == b'"').count() <= 4
            && (before.trim_ascii() == "{" || begins("\"_meta\"") || begins("\"isError\""));
        let rest = Some(after).filter(|_| is_head)?;
        let mut tokens = FIRST_TEXT.into_iter();
        let rest = tokens.try_fold(rest, |rest, it| rest.trim_ascii_start().strip_prefix(it))?;
        let is_end = |(at, _): &(usize, char)| {
            rest[..*at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0
        };
        let end = rest.char_indices().filter(|(_, c)| *c == '"').find(is_end);
        let mut said = &rest[..end.map_or(rest.len(), |(at, _)| at)];
        // An escape may be cut, too.
        if let Some(at) = said.rfind('\\').filter(|at| end.is_none() && said.len() - at < 6) {
            let before = said[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
            said = &said[..at - before % 2];
        }
        let text = format!(r#"{{"content":[{{"type":"text","text":"{said}"}}]}}"#);
        scan_document(&text, MAX_DEPTH).ok()?;
        let is_error = before.split_once("\"isError\"").map(|(_, flag)| flag.contains("true"));
        Some(Self { text, is_error })
    }

    /// What a framework says that a function returned, which is JSON.
    fn returned(value: Raw<'_>) -> Option<Self> {
        let [(name, returned)] = value.members()?[..] else { return None };
        let text = returned.as_str().filter(|_| name.is("result"))?.decode();
        let is_json = text.trim_ascii_start().starts_with(['{', '[']);
        scan_document(text.trim_ascii(), MAX_DEPTH).ok().filter(|_| is_json)?;
        let text = format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, returned.text());
        Some(Self { text, is_error: None })
    }

    fn only_text(&self) -> Option<Cow<'_, str>> {
        let blocks = Raw::known(&self.text, false).member("content")?.elements()?;
        let [block] = blocks[..] else { return None };
        block.member("text").and_then(Raw::as_str).map(RawStr::decode)
    }

    /// The call with this reply.
    pub(super) fn reply_of<'b>(&'b self, exchange: &'b Exchange<'b>) -> Exchange<'b> {
        let mut exchange = exchange.clone();
        let raw = Raw::known(&self.text, false);
        let mut blocks = Blocks::default();
        let content = raw.member("content");
        for block in content.and_then(Raw::elements).unwrap_or_default() {
            let field = |name| block.member(name).map_or(Field::Absent, Field::from);
            blocks.push(Block { raw: block, kind: field("type"), text: field("text") });
        }
        if let Reply::Result(outer) = &exchange.reply {
            let own = member(raw, ["structuredContent", "structured_content"]);
            let result = CallResult {
                raw,
                is_error: outer.is_error || self.is_error == Some(true),
                content: content.map_or(Content::Absent, |raw| Content::Blocks { raw, blocks }),
                structured: outer.structured.or(own),
                has_meta: outer.has_meta || member(raw, ["_meta", "meta"]).is_some(),
                shape: Shape::Complete,
            };
            exchange.reply = Reply::Result(result);
        }
        if let Some(origin) = exchange.origin.as_mut().filter(|_| self.is_error.is_some()) {
            origin.error_unknown = false;
        }
        exchange
    }
}

/// A member under either of its names, unless it is null.
fn member<'a>(value: Raw<'a>, names: [&str; 2]) -> Option<Raw<'a>> {
    let mut found = names.iter().filter_map(|name| value.member(name));
    found.find(|value| value.kind() != Kind::Null)
}
