//! Messages of Anthropic's API in which the API called tools of MCP servers: responses, histories and streams.

use super::chat::only_text;
use super::reader::Convert;
use super::texts::{elements_of, fits, get, is_text, json_of, nested, protocol_code, text_of};
use super::wire::{Answer, Call, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::{Kind, Raw};
use memchr::memmem;
use std::collections::HashMap;

const USE: &str = "mcp_tool_use";
const QUOTED_USE: &str = r#""mcp_tool_use""#;
/// Blocks of a stream that have not ended.
const MOST_BEGUN: usize = 1_000;

pub(super) static ANTHROPIC_MESSAGES: Program = Program {
    id: "anthropic-messages",
    name: "Anthropic Messages",
    about: "Responses, histories or streams of Anthropic's Messages API with blocks of MCP.",
    // Of a stream the first event, since the block of a call may come late.
    signs: &[r#""mcp_servers""#, QUOTED_USE, r#""mcp_tool_result""#, r#""message_start""#],
    recognise: |head| {
        let has_blocks = memmem::find(head.bytes, QUOTED_USE.as_bytes()).is_some();
        let is_own = |record: Raw<'_>| {
            fits(record, "mcp_servers:[ messages:[")
                || (has_blocks && fits(record, "type=message_start message.content:["))
                || blocks(record).into_iter().any(is_mcp)
        };
        head.records_and_events()
            .any(is_own)
            .then_some("content blocks of the type mcp_tool_use, or mcp_servers beside messages")
    },
    converter: |_| Box::new(Messages::default()),
    ..PLAIN
};

/// The content blocks of a response, of the messages of a request, or of an event.
fn blocks(record: Raw<'_>) -> Vec<Raw<'_>> {
    let batched = get(record, "result.message");
    let member = |name| record.member(name);
    let holders = [member("request"), Some(record), member("response"), member("body"), batched];
    let mut found = Vec::new();
    for holder in holders.into_iter().flatten() {
        for message in elements_of(holder, "messages").into_iter().chain([holder]) {
            found.extend(elements_of(message, "content"));
        }
    }
    found.extend(member("content_block"));
    found
}

fn is_mcp(block: Raw<'_>) -> bool {
    fits(block, "type=mcp_tool_use name") || fits(block, "type=mcp_tool_result tool_use_id")
}

#[derive(Default)]
struct Messages {
    /// The blocks of a stream by their index, each with the arguments so far.
    begun: HashMap<String, (String, String)>,
}

impl Convert for Messages {
    fn record(&mut self, record: Raw<'_>, wire: &mut Wire) {
        let index = record.member("index").map_or("", Raw::text);
        let block = record.member("content_block").filter(|block| is_text(*block, "type", USE));
        match (text_of(record, "type").as_deref(), block) {
            (Some("content_block_start"), Some(block)) if self.begun.len() < MOST_BEGUN => {
                self.begun.insert(index.to_owned(), (block.text().to_owned(), String::new()));
                wire.other("(part of a stream)", 1);
            }
            (Some("content_block_delta"), _) => {
                let begun = self.begun.get_mut(index);
                if let Some((begun, part)) = begun.zip(text_of(record, "delta.partial_json")) {
                    begun.1.push_str(&part);
                }
                wire.other("(part of a stream)", 1);
            }
            (Some("content_block_stop"), _) => {
                if let Some((block, arguments)) = self.begun.remove(index) {
                    call(Raw::known(&block, false), nested(&arguments), wire);
                }
            }
            _ => {
                for block in blocks(record).into_iter().filter(|block| is_mcp(*block)) {
                    if is_text(block, "type", USE) {
                        call(block, None, wire);
                    } else {
                        answer(block, wire);
                    }
                }
            }
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        for (block, _) in std::mem::take(&mut self.begun).into_values() {
            call(Raw::known(&block, false), None, wire);
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
    let is_error = match json_of(block, "is_error") {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    };
    let content = block.member("content");
    let text = only_text(content).unwrap_or_default();
    let reply = match content.filter(|content| content.kind() == Kind::Array) {
        _ if is_error == Some(true) && protocol_code(&text).is_some() => Reply::error(&text),
        Some(content) => Reply::blocks(content.text(), is_error),
        None => Reply::text(&text, is_error),
    };
    wire.answer(&Answer { id: &id, reply, ..Answer::default() });
}
