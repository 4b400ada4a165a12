//! Which text of a reply is judged, and what of it is shown.

use super::unwrapped::Inner;
use crate::json::{Kind, Raw, RawStr, js_stringify};
use crate::recording::{CallResult, Content, Exchange, Field, Reply, RpcError};
use crate::rulebook::{Question, Rulebook, TextElse, TextRule, TextSource};
use std::borrow::Cow;

/// The text of an exchange's reply that a rulebook looks at; empty where it looks at none. `hides` tells whether the
/// reply claims success and says otherwise: then all of it is looked at.
pub fn judged_text<'a>(exchange: &Exchange<'a>, rulebook: &Rulebook, hides: bool) -> Cow<'a, str> {
    match Inner::of(exchange, rulebook) {
        Some(inner) => {
            text_as_it_is(&inner.reply_of(exchange), rulebook, hides).into_owned().into()
        }
        None => text_as_it_is(exchange, rulebook, hides),
    }
}

fn text_as_it_is<'a>(exchange: &Exchange<'a>, rulebook: &Rulebook, hides: bool) -> Cow<'a, str> {
    match &exchange.reply {
        Reply::Document(_) | Reply::None => Cow::Borrowed(""),
        Reply::Error(error) => rpc_error_text(error),
        Reply::Result(result) => match (result.is_error, rulebook.errors.question) {
            (true, _) | (false, Question::All) => error_text(result, &rulebook.text),
            (false, Question::Failures) if hides => whole_text(result, &rulebook.text),
            (false, Question::Errors | Question::Failures) => success_text(result, &rulebook.text),
        },
    }
}

/// The text of a reply that is an error, whatever the rulebook.
pub(super) fn judged_error_text<'a>(exchange: &Exchange<'a>) -> Option<Cow<'a, str>> {
    match &exchange.reply {
        Reply::Error(error) => Some(rpc_error_text(error)),
        Reply::Result(result) if result.is_error => all_text(&result.content, usize::MAX),
        Reply::Result(_) | Reply::Document(_) | Reply::None => None,
    }
}

pub(super) fn error_text<'a>(result: &CallResult<'a>, rule: &TextRule) -> Cow<'a, str> {
    let found = match rule.source {
        TextSource::FirstTextBlock => first_text_block(&result.content),
        TextSource::AllText => all_text(&result.content, usize::MAX),
    };
    found.filter(|text| !text.is_empty()).unwrap_or_else(|| {
        let shown = match rule.otherwise {
            TextElse::JsonDump => result.content.raw(),
            TextElse::Structured => {
                let structured = result.structured.filter(|raw| raw.kind() != Kind::Null);
                let content = || result.content.raw().filter(|raw| raw.kind() == Kind::String);
                structured.or_else(content)
            }
            TextElse::Empty => None,
        };
        shown.map_or(Cow::Borrowed(""), |raw| Cow::Owned(js_stringify(raw)))
    })
}

/// The text of a JSON-RPC error: its message, or all of it where the message is no text.
pub(super) fn rpc_error_text<'a>(error: &RpcError<'a>) -> Cow<'a, str> {
    error.message.text().map_or_else(|| Cow::Owned(js_stringify(error.raw)), RawStr::decode)
}

/// The beginning of what a successful reply says.
pub(super) fn success_text<'a>(result: &CallResult<'a>, rule: &TextRule) -> Cow<'a, str> {
    text_up_to(rule.success_bytes, result, rule)
}

/// All of it.
pub(super) fn whole_text<'a>(result: &CallResult<'a>, rule: &TextRule) -> Cow<'a, str> {
    text_up_to(usize::MAX, result, rule)
}

fn text_up_to<'a>(limit: usize, result: &CallResult<'a>, rule: &TextRule) -> Cow<'a, str> {
    all_text(&result.content, limit).unwrap_or_else(|| {
        let is_empty = matches!(&result.content, Content::Blocks { blocks, .. } if blocks.as_slice().is_empty());
        let structured = result.structured.filter(|_| is_empty && rule.otherwise == TextElse::Structured);
        structured.map_or(Cow::Borrowed(""), |raw| {
            let mut text = js_stringify(raw);
            text.truncate(text.floor_char_boundary(limit));
            Cow::Owned(text)
        })
    })
}

/// The first characters of an error's text, as evidence: UTF-16 units are counted, as JavaScript
/// does, but a pair of surrogates is never cut in two.
pub(super) fn shown_text(result: &CallResult<'_>, units: usize, missing: &str) -> String {
    let first =
        first_block(&result.content).and_then(|(_, block)| block.text()).map(RawStr::decode);
    let text = first.filter(|text| !text.is_empty()).unwrap_or(Cow::Borrowed(missing));
    cut_utf16(&text, units).to_owned()
}

pub(super) fn cut_utf16(text: &str, units: usize) -> &str {
    // No character has more units than bytes, and one of ASCII has one of each.
    let end = match text.as_bytes().get(..units) {
        None => text.len(),
        Some(beginning) if beginning.is_ascii() => units,
        Some(_) => {
            let mut left = units;
            let beyond = text.char_indices().find(|(_, character)| {
                let fits = character.len_utf16() <= left;
                left = left.saturating_sub(character.len_utf16());
                !fits
            });
            beyond.map_or(text.len(), |(at, _)| at)
        }
    };
    &text[..end]
}

fn first_text_block<'a>(content: &Content<'a>) -> Option<Cow<'a, str>> {
    let (kind, text) = first_block(content)?;
    kind.text().filter(|kind| kind.is("text"))?;
    text.text().map(RawStr::decode)
}

/// `type` and `text` of what JavaScript finds at `content[0]`.
fn first_block<'a>(content: &Content<'a>) -> Option<(Field<'a>, Field<'a>)> {
    match content {
        Content::Blocks { blocks, .. } => {
            blocks.as_slice().first().map(|block| (block.kind, block.text))
        }
        Content::Other(raw) if raw.kind() == Kind::Object => {
            let block = raw.member("0")?;
            let field =
                |name| block.member(name).map_or(Field::Absent, |raw: Raw<'a>| Field::from(raw));
            Some((field("type"), field("text")))
        }
        Content::Other(_) | Content::Absent => None,
    }
}

/// All text blocks, joined by line feeds, up to about `limit` bytes.
pub(super) fn all_text<'a>(content: &Content<'a>, limit: usize) -> Option<Cow<'a, str>> {
    let mut texts = content
        .blocks()
        .iter()
        .filter(|block| block.is_text())
        .filter_map(|block| block.text.text());
    let first = texts.next()?.decode_up_to(limit);
    let mut joined: Option<String> = None;
    for text in texts {
        let so_far = joined.as_ref().map_or(first.len(), String::len);
        if so_far >= limit {
            break;
        }
        let joined = joined.get_or_insert_with(|| first.clone().into_owned());
        joined.push('\n');
        joined.push_str(&text.decode_up_to(limit - so_far));
    }
    Some(joined.map_or(first, Cow::Owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_before_a_pair_of_surrogates_rather_than_inside_it() {
        assert_eq!(cut_utf16("abc", 2), "ab");
        assert_eq!(cut_utf16("a😀b", 2), "a");
        assert_eq!(cut_utf16("a😀b", 3), "a😀");
        assert_eq!(cut_utf16("é", 1), "é");
    }
}
