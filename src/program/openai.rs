//! Objects of `OpenAI`'s Responses API with calls of MCP servers: responses, histories and streams.

use super::reader::Convert;
use super::texts::{
    array, count_of_blocks, elements_of, filled, fits, get, given, is_text, json_of_text,
    protocol_code, quoted, text_of, text_or_json,
};
use super::wire::{Answer, Call, NO_CALL, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::{Kind, Raw};
use crate::recording::Fate;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

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
