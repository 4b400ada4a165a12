//! Calls in the messages of a chat, and what models write as their arguments.

use super::python;
use super::texts::{compact, elements_of, get, is_text, nested, quoted, text_of};
use crate::json::{Kind, Raw, RawStr};
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// A call in a chat, with what the message after it holds as its reply.
#[derive(Debug)]
pub(super) struct ChatCall<'a> {
    /// Empty where the chat has none.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: Arguments,
    pub(super) reply: Option<Raw<'a>>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    /// Empty where none were recorded.
    pub(super) json: String,
    /// The model wrote something else: the text of it stands here.
    pub(super) is_broken: bool,
}

impl Arguments {
    /// Arguments as a value, or as a text that holds one.
    pub(super) fn of(value: Option<Raw<'_>>) -> Self {
        let Some(value) = value.filter(|value| value.kind() != Kind::Null) else {
            return Self::default();
        };
        let whole = |json: &str| Self { json: compact(json).into_owned(), is_broken: false };
        let Some(text) = value.as_str().map(RawStr::decode) else { return whole(value.text()) };
        if text.trim().is_empty() {
            return Self::default();
        }
        if let Some(value) = nested(&text) {
            return whole(value.text());
        }
        let printed = python::to_json(&text)
            .filter(|printed| !printed.is_cut && printed.json.starts_with('{'));
        let is_broken = printed.is_none();
        Self { json: printed.map_or_else(|| quoted(&text), |printed| printed.json), is_broken }
    }
}

/// The calls of a chat, in their order. Ids may repeat; calls of one id are answered in their order.
pub(super) fn calls<'a>(messages: &[Raw<'a>]) -> Vec<ChatCall<'a>> {
    let mut calls = Vec::<ChatCall<'a>>::new();
    let mut open: HashMap<String, VecDeque<usize>> = HashMap::new();
    for message in messages {
        if is_text(*message, "role", "tool") {
            let id = text_of(*message, "tool_call_id").unwrap_or_default();
            let call = open.get_mut(&*id).and_then(VecDeque::pop_front);
            if let Some(call) = call.and_then(|at| calls.get_mut(at)) {
                call.reply = message.member("content");
            }
        }
        for call in elements_of(*message, "tool_calls") {
            let id = text_of(call, "id").unwrap_or_default().into_owned();
            let function = call.member("function").unwrap_or(call);
            open.entry(id.clone()).or_default().push_back(calls.len());
            let name = text_of(function, "name").unwrap_or_default().into_owned();
            let arguments = Arguments::of(get(function, "arguments"));
            calls.push(ChatCall { id, name, arguments, reply: None });
        }
    }
    calls
}

/// The text of a message: a string, or the texts of its parts.
pub(super) fn text_in(content: Raw<'_>) -> String {
    if let Some(text) = content.as_str() {
        return text.decode().into_owned();
    }
    let parts = content.elements().unwrap_or_default();
    let texts: Vec<_> = parts.iter().filter_map(|part| text_of(*part, "text")).collect();
    if texts.len() == parts.len() { texts.join("\n") } else { compact(content.text()).into_owned() }
}

/// The one text that a reply has, as a string or in its only block.
pub(super) fn only_text(content: Option<Raw<'_>>) -> Option<Cow<'_, str>> {
    match content?.elements().as_deref() {
        Some([one]) => text_of(*one, "text"),
        _ => content?.as_str().map(RawStr::decode),
    }
}

/// Whether an id is one of those that APIs draw at random, so that no two calls anywhere have the same.
pub(super) fn is_random(id: &str) -> bool {
    let drawn = id.rsplit(['_', ':', '.']).next().unwrap_or_default();
    let has_digit = drawn.bytes().any(|byte| byte.is_ascii_digit());
    drawn.len() >= 16
        && has_digit
        && drawn.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_that_were_drawn_are_unique() {
        let drawn = "toolu_016Qd7VbFwLfxADKi777REX4 call_cca0fce9594dc72aa7a6 9f1c9c3e-6c3b-4d57-9a3f-0f7a1a2b3c4d";
        assert!(drawn.split(' ').all(is_random), "{drawn}");
        let counted = "call_0 functions.search:12 get_weather call_9261ff2d3c ";
        assert!(!counted.split(' ').any(is_random), "{counted}");
    }
}
