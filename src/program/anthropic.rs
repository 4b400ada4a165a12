//! Messages of Anthropic's API in which the API called tools of MCP servers: responses, histories and streams.

use super::records::{JsonFile, Records};
use super::texts::{elements_of, is_text, nested, protocol_code, text_of};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::Fidelity;
use memchr::memmem;
use std::collections::HashMap;

const USE: &str = "mcp_tool_use";
const QUOTED_USE: &str = r#""mcp_tool_use""#;
const RESULT: &str = "mcp_tool_result";
/// Blocks of a stream that have not ended.
const MOST_BEGUN: usize = 1_000;

pub(super) static ANTHROPIC_MESSAGES: Program = Program {
    id: "anthropic-messages",
    name: "Anthropic Messages",
    about: "Responses, histories or streams of Anthropic's Messages API with blocks of MCP.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    // Of a stream the first event, since the block of a call may come late.
    signs: &[r#""mcp_servers""#, QUOTED_USE, r#""mcp_tool_result""#, r#""message_start""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let has_blocks = memmem::find(head.bytes, QUOTED_USE.as_bytes()).is_some();
    let is_list = |value: Option<Raw<'_>>| value.is_some_and(|value| value.kind() == Kind::Array);
    let is_own = |record: Raw<'_>| {
        let asks_mcp = is_list(record.member("mcp_servers")) && is_list(record.member("messages"));
        let is_stream = has_blocks
            && is_text(record, "type", "message_start")
            && record.member("message").is_some_and(|message| is_list(message.member("content")));
        asks_mcp || is_stream || blocks(record).into_iter().any(is_mcp)
    };
    head.records_and_events()
        .any(is_own)
        .then_some("content blocks of the type mcp_tool_use, or mcp_servers beside messages")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    let messages = Messages { max_depth: file.max_depth, begun: HashMap::new() };
    Box::new(JsonFile::new(messages, file.max_depth))
}

/// The content blocks of a response, of the messages of a request, or of an event.
fn blocks(record: Raw<'_>) -> Vec<Raw<'_>> {
    let member = |name| record.member(name).filter(|it| it.kind() == Kind::Object);
    let batched = member("result").and_then(|result| result.member("message"));
    let holders = [member("request"), Some(record), member("response"), member("body"), batched];
    let mut found = Vec::new();
    for holder in holders.into_iter().flatten() {
        let messages = elements_of(holder, "messages");
        for message in messages.into_iter().chain([holder]) {
            found.extend(elements_of(message, "content"));
        }
    }
    found.extend(member("content_block"));
    found
}

fn is_mcp(block: Raw<'_>) -> bool {
    (is_text(block, "type", USE) && block.member("name").is_some())
        || (is_text(block, "type", RESULT) && block.member("tool_use_id").is_some())
}

struct Messages {
    max_depth: usize,
    /// The blocks of a stream by their index, with the arguments so far.
    begun: HashMap<String, Begun>,
}

struct Begun {
    block: String,
    arguments: String,
}

impl Records for Messages {
    fn record(&mut self, record: Raw<'_>, wire: &mut Wire) {
        let kind = text_of(record, "type").unwrap_or_default();
        let index = record.member("index").map_or("", Raw::text);
        let block = record.member("content_block").filter(|block| is_text(*block, "type", USE));
        match (&*kind, block) {
            ("content_block_start", Some(block)) if self.begun.len() < MOST_BEGUN => {
                let begun = Begun { block: block.text().to_owned(), arguments: String::new() };
                self.begun.insert(index.to_owned(), begun);
                wire.other("(part of a stream)", 1);
            }
            ("content_block_delta", _) => {
                let part = record.member("delta").and_then(|delta| text_of(delta, "partial_json"));
                if let (Some(begun), Some(part)) = (self.begun.get_mut(index), part) {
                    begun.arguments.push_str(&part);
                }
                wire.other("(part of a stream)", 1);
            }
            ("content_block_stop", _) => match self.begun.remove(index) {
                Some(Begun { block, arguments }) => {
                    let arguments = nested(&arguments, self.max_depth);
                    call(Raw::known(&block, false), arguments, wire);
                }
                None => wire.other("(no MCP call)", 1),
            },
            _ => {
                let blocks = blocks(record);
                let mut found = false;
                for block in blocks.into_iter().filter(|block| is_mcp(*block)) {
                    found = true;
                    if is_text(block, "type", USE) {
                        call(block, None, wire);
                    } else {
                        answer(block, wire);
                    }
                }
                if !found {
                    wire.other("(no MCP call)", 1);
                }
            }
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        for begun in std::mem::take(&mut self.begun).into_values() {
            call(Raw::known(&begun.block, false), None, wire);
        }
    }
}

/// Writes a call. In streams, the arguments come after the block.
fn call(block: Raw<'_>, arguments: Option<Raw<'_>>, wire: &mut Wire) {
    let id = text_of(block, "id").unwrap_or_default();
    let server = text_of(block, "server_name").or_else(|| text_of(block, "server"));
    wire.call(&Call {
        id: &id,
        is_unique: !id.is_empty(),
        server: &server.unwrap_or_default(),
        tool: &text_of(block, "name").unwrap_or_default(),
        arguments: arguments.or(block.member("input")).map_or("", Raw::text),
        ..Call::default()
    });
}

fn answer(block: Raw<'_>, wire: &mut Wire) {
    let id = text_of(block, "tool_use_id").unwrap_or_default();
    let is_error =
        block.member("is_error").filter(|it| it.kind() == Kind::Bool).map(|it| it.text() == "true");
    let content = block.member("content");
    let blocks = content.and_then(Raw::elements).unwrap_or_default();
    let only = match blocks[..] {
        [one] => text_of(one, "text"),
        _ => content.and_then(Raw::as_str).map(crate::json::RawStr::decode),
    };
    let text = only.as_deref().unwrap_or_default();
    let reply = match (protocol_code(text).filter(|_| is_error == Some(true)), content) {
        (Some(code), _) => Reply::Error { code, message: text },
        (None, Some(content)) if content.kind() == Kind::Array => {
            Reply::Blocks { blocks: content.text(), structured: None, is_error }
        }
        (None, _) => Reply::Text { text, is_error },
    };
    wire.answer(&Answer { id: &id, at: None, duration_ms: None, is_cut: false, reply });
}
