//! Calls in the messages of a chat, in the shapes that programs write them.

use super::python;
use super::texts::{compact, nested, quoted};
use crate::json::{Kind, Raw, RawStr};
use std::collections::{HashMap, VecDeque};

/// A call in a chat, with what the message after it holds as its reply.
#[derive(Debug)]
pub(super) struct ChatCall<'a> {
    /// Empty where the chat has none.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: Arguments,
    pub(super) reply: Option<Raw<'a>>,
    pub(super) is_error: Option<bool>,
}

/// Arguments as JSON.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    /// Empty where none were recorded.
    pub(super) json: String,
    /// The model wrote something else: the text of it stands here.
    pub(super) is_broken: bool,
}

impl Arguments {
    /// Arguments as a value, or as a text that holds one.
    pub(super) fn of(value: Option<Raw<'_>>, max_depth: usize) -> Self {
        let Some(value) = value.filter(|value| value.kind() != Kind::Null) else {
            return Self::default();
        };
        match value.as_str() {
            Some(text) => Self::in_text(&text.decode(), max_depth),
            None => Self { json: compact(value.text()).into_owned(), is_broken: false },
        }
    }

    fn in_text(text: &str, max_depth: usize) -> Self {
        if text.trim().is_empty() {
            return Self::default();
        }
        if let Some(value) = nested(text, max_depth) {
            return Self { json: compact(value.text()).into_owned(), is_broken: false };
        }
        let printed = python::to_json(text)
            .filter(|printed| !printed.is_cut && printed.json.starts_with('{'));
        let is_broken = printed.is_none();
        Self { json: printed.map_or_else(|| quoted(text), |printed| printed.json), is_broken }
    }
}

/// The calls of a chat, in their order.
pub(super) fn calls<'a>(messages: &[Raw<'a>], max_depth: usize) -> Vec<ChatCall<'a>> {
    let mut chat = Chat { calls: Vec::new(), open: HashMap::new(), max_depth };
    for message in messages {
        chat.message(*message);
    }
    chat.calls
}

struct Fields<'a>(Vec<(RawStr<'a>, Raw<'a>)>);

impl<'a> Fields<'a> {
    fn of(value: Raw<'a>) -> Self {
        Self(value.members().unwrap_or_default())
    }

    fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.0.iter().rev().find(|(key, _)| key.is(name)).map(|(_, value)| *value)
    }

    fn text(&self, name: &str) -> Option<RawStr<'a>> {
        self.get(name)?.as_str()
    }

    fn decoded(&self, name: &str) -> String {
        self.text(name).map(RawStr::decode).unwrap_or_default().into_owned()
    }
}

struct Chat<'a> {
    calls: Vec<ChatCall<'a>>,
    /// Calls without a reply, by id, or by name where there are no ids.
    open: HashMap<String, VecDeque<usize>>,
    max_depth: usize,
}

impl<'a> Chat<'a> {
    fn message(&mut self, message: Raw<'a>) {
        let fields = Fields::of(message);
        let role = fields.decoded("role");
        let content = fields.get("content");
        match &*role {
            "tool" => self.answer(&fields.decoded("tool_call_id"), content, None),
            "function" => self.answer(&fields.decoded("name"), content, None),
            "tool_response" => self.answer("", content, None),
            "tool_call" => {
                let text = content.and_then(Raw::as_str).map(RawStr::decode).unwrap_or_default();
                let call = Arguments::in_text(&text, self.max_depth);
                if let Some(call) = nested(&call.json, self.max_depth) {
                    self.call(String::new(), "", &Fields::of(call));
                }
            }
            _ => {}
        }
        for call in fields.get("tool_calls").and_then(Raw::elements).unwrap_or_default() {
            let call = Fields::of(call);
            let function = call.get("function").filter(|function| function.kind() == Kind::Object);
            self.call(call.decoded("id"), "", &function.map_or(call, Fields::of));
        }
        if let Some(call) = fields.get("function_call").filter(|call| call.kind() == Kind::Object) {
            let call = Fields::of(call);
            self.call(String::new(), &call.decoded("name"), &call);
        }
        match fields.text("type") {
            Some(kind) if kind.is("function_call") => {
                self.call(fields.decoded("call_id"), "", &fields);
            }
            Some(kind) if kind.is("function_call_output") => {
                self.answer(&fields.decoded("call_id"), fields.get("output"), None);
            }
            _ => {}
        }
        for block in content.and_then(Raw::elements).unwrap_or_default() {
            let block = Fields::of(block);
            match block.text("type") {
                Some(kind) if kind.is("tool_use") => {
                    self.call(block.decoded("id"), "", &block);
                }
                Some(kind) if kind.is("tool_result") => {
                    let is_error = block.get("is_error").map(|value| value.text() == "true");
                    self.answer(&block.decoded("tool_use_id"), block.get("content"), is_error);
                }
                _ => {}
            }
        }
    }

    /// Takes a call; the name by which it is answered counts where it has no id.
    fn call(&mut self, id: String, name: &str, call: &Fields<'_>) {
        let key = if id.is_empty() { name.to_owned() } else { id.clone() };
        self.open.entry(key).or_default().push_back(self.calls.len());
        let arguments = ["arguments", "args", "input"].iter().find_map(|name| call.get(name));
        self.calls.push(ChatCall {
            id,
            name: call.decoded("name"),
            arguments: Arguments::of(arguments, self.max_depth),
            reply: None,
            is_error: None,
        });
    }

    fn answer(&mut self, key: &str, reply: Option<Raw<'a>>, is_error: Option<bool>) {
        let open = self.open.get_mut(key).and_then(VecDeque::pop_front);
        if let Some(call) = open.and_then(|at| self.calls.get_mut(at)) {
            call.reply = reply;
            call.is_error = is_error;
        }
    }
}

/// The text of a message: a string, or the texts of its parts.
pub(super) fn text_in(content: Raw<'_>) -> String {
    if let Some(text) = content.as_str() {
        return text.decode().into_owned();
    }
    let parts = content.elements().unwrap_or_default();
    let texts: Vec<_> =
        parts.iter().filter_map(|part| super::texts::text_of(*part, "text")).collect();
    if texts.len() == parts.len() { texts.join("\n") } else { compact(content.text()).into_owned() }
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
        for id in [
            "toolu_016Qd7VbFwLfxADKi777REX4",
            "call_cca0fce9594dc72aa7a6",
            "9f1c9c3e-6c3b-4d57-9a3f-0f7a1a2b3c4d",
        ] {
            assert!(is_random(id), "{id}");
        }
        for id in ["call_0", "functions.search:12", "", "get_weather", "call_9261ff2d3c"] {
            assert!(!is_random(id), "{id}");
        }
    }
}
