//! Messages of APIs that called tools of MCP servers themselves, as responses, histories and streams: of Anthropic's
//! Messages API and of `OpenAI`'s Responses API.

use super::chat::only_text;
use super::reader::Convert;
use super::texts::{
    array, count_of_blocks, elements_of, filled, fits, get, given, is_text, json_of, json_of_text,
    nested, protocol_code, quoted, text_of, text_or_json,
};
use super::wire::{Answer, Call, NO_CALL, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::{Kind, Raw};
use crate::recording::Fate;
use memchr::memmem;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

const USE: &str = "mcp_tool_use";
const QUOTED_USE: &str = r#""mcp_tool_use""#;
/// Blocks of a stream that have not ended.
const MOST_BLOCKS: usize = 1_000;

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
            (Some("content_block_start"), Some(block)) if self.begun.len() < MOST_BLOCKS => {
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

/// Members of responses, requests and lists that hold items.
const LISTS: [&str; 4] = ["input", "output", "data", "items"];
/// Calls that a stream began and has not told whole.
const MOST_BEGUN: usize = 100_000;
/// Lists of tools that are known to be written.
const MOST_LISTS: usize = 100_000;
const ITEM: &str = "type=mcp_call|mcp_list_tools|mcp_approval_request server_label";

pub(super) static OPENAI_RESPONSES: Program = Program {
    id: "openai-responses",
    name: "OpenAI Responses",
    about: "Responses, histories or streams of OpenAI's Responses API.",
    signs: &[r#""output""#, r#""response."#, r#""mcp""#, r#""server_label""#],
    recognise: |head| {
        let is_own = |record: Raw<'_>| {
            let kind = text_of(record, "type").unwrap_or_default();
            let asks_mcp =
                || elements_of(record, "tools").iter().any(|it| is_text(*it, "type", "mcp"));
            (kind.starts_with("response.") && fits(record, "sequence_number|response|item|item_id"))
                || holders(record).any(|it| fits(it, "object=response output:["))
                || (record.member("input").is_some() && asks_mcp())
                || !items(record).is_empty()
        };
        head.records_and_events()
            .any(is_own)
            .then_some("object: response, events of a response, or items of the type mcp_call")
    },
    converter: |_| Box::new(Responses::default()),
    ..PLAIN
};

/// What may hold items: a record, or the request and the response in it.
fn holders(record: Raw<'_>) -> impl Iterator<Item = Raw<'_>> {
    let at = |path| get(record, path);
    [at("request"), Some(record), at("response"), at("response.body"), at("body")]
        .into_iter()
        .flatten()
}

/// The items of MCP that a record holds.
fn items(record: Raw<'_>) -> Vec<Raw<'_>> {
    if fits(record, ITEM) {
        return vec![record];
    }
    let lists =
        holders(record).flat_map(|it| LISTS.iter().flat_map(move |name| elements_of(it, name)));
    lists.filter(|item| fits(*item, ITEM)).collect()
}

#[derive(Default)]
struct Responses {
    /// Calls that a stream began, by their ids: server, tool and arguments.
    begun: BTreeMap<String, [String; 3]>,
    listed: HashSet<String>,
    nameless: u64,
}

impl Convert for Responses {
    fn record(&mut self, record: Raw<'_>, wire: &mut Wire) {
        match (text_of(record, "type").as_deref(), record.member("item")) {
            (Some("response.output_item.added"), Some(item))
                if is_text(item, "type", "mcp_call") =>
            {
                let text = |name| text_of(item, name).unwrap_or_default().into_owned();
                if let Some(id) = text_of(item, "id").filter(|_| self.begun.len() < MOST_BEGUN) {
                    let begun = [text("server_label"), text("name"), String::new()];
                    self.begun.insert(id.into_owned(), begun);
                }
                wire.other("(part of a stream)", 1);
            }
            (_, Some(item)) if fits(item, ITEM) => self.item(item, wire),
            (Some("response.mcp_call_arguments.done"), _) => {
                let id = text_of(record, "item_id").unwrap_or_default();
                if let Some([.., arguments]) = self.begun.get_mut(&*id) {
                    *arguments = json_of_text(record.member("arguments")).into_owned();
                }
                wire.other("(part of a stream)", 1);
            }
            _ => items(record).into_iter().for_each(|item| self.item(item, wire)),
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        for (id, [server, tool, arguments]) in &std::mem::take(&mut self.begun) {
            let is_unique = true;
            wire.call(&Call { id, is_unique, server, tool, arguments, ..Call::default() });
        }
    }
}

impl Responses {
    fn item(&mut self, item: Raw<'_>, wire: &mut Wire) {
        let server = text_of(item, "server_label").unwrap_or_default();
        if is_text(item, "type", "mcp_list_tools") {
            let tools = tools(item);
            if self.listed.len() < MOST_LISTS && self.listed.insert(format!("{server}\0{tools}")) {
                wire.tools(&server, &tools);
            } else {
                wire.other("(tool list)", 1);
            }
            return;
        }
        if !is_text(item, "type", "mcp_call") {
            return wire.other(NO_CALL, 1);
        }
        let known = filled(item, "id");
        let is_unique = known.is_some();
        let id = known.unwrap_or_else(|| {
            self.nameless += 1;
            format!("call {}", self.nameless).into()
        });
        self.begun.remove(&*id);
        wire.call(&Call {
            id: &id,
            is_unique,
            server: &server,
            tool: &text_of(item, "name").unwrap_or_default(),
            arguments: &json_of_text(item.member("arguments")),
            ..Call::default()
        });
        // A call may not have ended.
        if let Some(reply) = reply(item) {
            wire.answer(&Answer { id: &id, reply, ..Answer::default() });
        }
    }
}

fn reply(item: Raw<'_>) -> Option<Reply<'_>> {
    if let Some(error) = given(item, "error") {
        return Some(failure(error));
    }
    // Where there is room for an error and none stands there, none was made.
    let is_error = item.member("error").map(|_| false);
    match (given(item, "output"), text_of(item, "status").as_deref()) {
        (Some(output), _) => Some(shown(output, is_error)),
        (None, Some("completed")) => Some(Reply::text("", is_error)),
        (None, Some("failed")) => {
            let reason = "the error was not recorded";
            Some(Reply::lost(Fate::NotRecorded, reason))
        }
        (None, _) => None,
    }
}

/// An error, as a text or as an object with a message or with what the tool said.
fn failure(error: Raw<'_>) -> Reply<'_> {
    let is_error = Some(true);
    let text = text_or_json(error);
    if error.kind() != Kind::Object {
        let coded = protocol_code(&text).map(|_| Reply::error(&text));
        return coded.unwrap_or_else(|| Reply::text(&text, is_error));
    }
    let is_of_tool = is_text(error, "type", "mcp_tool_execution_error");
    if let Some(message) = text_of(error, "message").filter(|_| !is_of_tool) {
        let code = error.member("code").filter(|code| code.kind() == Kind::Number);
        return Reply::coded(code.map(Raw::text), &message);
    }
    let content = get(error, "content.content").or_else(|| error.member("content"));
    content.map_or_else(|| Reply::text(&text, is_error), |content| shown(content, is_error))
}

/// What a tool said: blocks, or a text.
fn shown(value: Raw<'_>, is_error: Option<bool>) -> Reply<'_> {
    let blocks = count_of_blocks(value).map(|_| Reply::blocks(value.text(), is_error));
    blocks.unwrap_or_else(|| Reply::text(&text_or_json(value), is_error))
}

/// A list of tools as the protocol has it.
fn tools(item: Raw<'_>) -> String {
    const MEMBERS: [(&str, &str); 4] = [
        ("description", "description"),
        ("input_schema", "inputSchema"),
        ("output_schema", "outputSchema"),
        ("annotations", "annotations"),
    ];
    let tool = |tool: Raw<'_>| {
        let mut out = format!(r#"{{"name":{}"#, quoted(&text_of(tool, "name")?));
        for (kept, of_protocol) in MEMBERS {
            if let Some(value) = given(tool, kept) {
                let _ = write!(out, r#","{of_protocol}":{}"#, value.text());
            }
        }
        Some(out + "}")
    };
    let tools: Vec<String> = elements_of(item, "tools").into_iter().filter_map(tool).collect();
    array(&tools)
}
