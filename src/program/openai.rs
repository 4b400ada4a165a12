//! Objects of `OpenAI`'s Responses API with calls of MCP servers: responses, histories and streams.

use super::records::{JsonFile, Records};
use super::texts::{
    bare_error, elements_of, is_text, json_of_text, protocol_code, quoted, text_of,
};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

/// Members of responses, requests and lists that hold items.
const LISTS: [&str; 4] = ["input", "output", "data", "items"];
/// Calls that a stream began and has not told whole.
const MOST_BEGUN: usize = 100_000;
/// Lists of tools that are known to be written.
const MOST_LISTS: usize = 100_000;

pub(super) static OPENAI_RESPONSES: Program = Program {
    id: "openai-responses",
    name: "OpenAI Responses",
    about: "Responses, histories or streams of OpenAI's Responses API.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""output""#, r#""response."#, r#""mcp""#, r#""server_label""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    head.records_and_events()
        .any(is_own)
        .then_some("object: response, events of a response, or items of the type mcp_call")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    let responses = Responses {
        max_depth: file.max_depth,
        begun: BTreeMap::new(),
        listed: HashSet::new(),
        nameless: 0,
    };
    Box::new(JsonFile::new(responses, file.max_depth))
}

fn is_own(record: Raw<'_>) -> bool {
    let is_response = |value: Raw<'_>| {
        is_text(value, "object", "response")
            && value.member("output").is_some_and(|it| it.kind() == Kind::Array)
    };
    let is_event = text_of(record, "type").is_some_and(|kind| kind.starts_with("response."))
        && ["sequence_number", "response", "item", "item_id"]
            .iter()
            .any(|name| record.member(name).is_some());
    let asks_mcp = || {
        let tools = elements_of(record, "tools");
        record.member("input").is_some() && tools.iter().any(|tool| is_text(*tool, "type", "mcp"))
    };
    is_event
        || holders(record).into_iter().any(is_response)
        || asks_mcp()
        || !items(record).is_empty()
}

/// What may hold items: a record, or the request and the response in it.
fn holders(record: Raw<'_>) -> Vec<Raw<'_>> {
    let member = |name| record.member(name).filter(|it| it.kind() == Kind::Object);
    let response = member("response");
    let body = response.and_then(|response| response.member("body"));
    [member("request"), Some(record), response, body, member("body")]
        .into_iter()
        .flatten()
        .collect()
}

/// The items of MCP that a record holds.
fn items(record: Raw<'_>) -> Vec<Raw<'_>> {
    if is_item(record) {
        return vec![record];
    }
    let lists = holders(record)
        .into_iter()
        .flat_map(|holder| LISTS.iter().map(move |name| holder.member(name)));
    lists.flatten().filter_map(Raw::elements).flatten().filter(|item| is_item(*item)).collect()
}

fn is_item(value: Raw<'_>) -> bool {
    let kind = text_of(value, "type").unwrap_or_default();
    matches!(&*kind, "mcp_call" | "mcp_list_tools" | "mcp_approval_request")
        && value.member("server_label").is_some()
}

struct Responses {
    max_depth: usize,
    /// Calls that a stream began, by their ids.
    begun: BTreeMap<String, Begun>,
    listed: HashSet<String>,
    nameless: u64,
}

#[derive(Default)]
struct Begun {
    server: String,
    tool: String,
    arguments: String,
}

impl Records for Responses {
    fn record(&mut self, record: Raw<'_>, wire: &mut Wire) {
        let kind = text_of(record, "type").unwrap_or_default();
        match (&*kind, record.member("item")) {
            ("response.output_item.added", Some(item)) if is_text(item, "type", "mcp_call") => {
                if let (Some(id), true) = (text_of(item, "id"), self.begun.len() < MOST_BEGUN) {
                    let text = |name| text_of(item, name).unwrap_or_default().into_owned();
                    let begun = Begun {
                        server: text("server_label"),
                        tool: text("name"),
                        arguments: String::new(),
                    };
                    self.begun.insert(id.into_owned(), begun);
                }
                wire.other("(part of a stream)", 1);
            }
            (_, Some(item)) if is_item(item) => self.item(item, wire),
            ("response.mcp_call_arguments.done", _) => {
                let id = text_of(record, "item_id").unwrap_or_default();
                if let Some(begun) = self.begun.get_mut(&*id) {
                    begun.arguments =
                        json_of_text(record.member("arguments"), self.max_depth).into_owned();
                }
                wire.other("(part of a stream)", 1);
            }
            _ => {
                let items = items(record);
                if items.is_empty() {
                    wire.other("(no MCP call)", 1);
                }
                for item in items {
                    self.item(item, wire);
                }
            }
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        for (id, begun) in std::mem::take(&mut self.begun) {
            let Begun { server, tool, arguments } = &begun;
            wire.call(&Call {
                id: &id,
                is_unique: true,
                server,
                tool,
                arguments,
                ..Call::default()
            });
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
            return wire.other("(no MCP call)", 1);
        }
        let known = text_of(item, "id").filter(|id| !id.is_empty());
        let is_unique = known.is_some();
        let id = known.unwrap_or_else(|| {
            self.nameless += 1;
            format!("call {}", self.nameless).into()
        });
        self.begun.remove(&*id);
        let arguments = json_of_text(item.member("arguments"), self.max_depth);
        wire.call(&Call {
            id: &id,
            is_unique,
            server: &server,
            tool: &text_of(item, "name").unwrap_or_default(),
            arguments: &arguments,
            ..Call::default()
        });
        answer(&id, item, wire);
    }
}

fn answer(id: &str, item: Raw<'_>, wire: &mut Wire) {
    let member = |name| item.member(name).filter(|it| it.kind() != Kind::Null);
    // Where there is room for an error and none stands there, none was made.
    let is_error = item.member("error").map(|_| false);
    let error = member("error");
    let said = error.or_else(|| member("output"));
    let said_text =
        said.map(|said| said.as_str().map_or(said.text().into(), crate::json::RawStr::decode));
    let text = said_text.as_deref().unwrap_or_default();
    let reply = match (error, said) {
        (Some(error), _) if error.kind() == Kind::Object => {
            write_error(id, error, text, wire);
            return;
        }
        (Some(_), _) => match protocol_code(text) {
            Some(code) => Reply::Error { code, message: text },
            None => Reply::Text { text, is_error: Some(true) },
        },
        (None, Some(output)) => shown(output, text, is_error),
        (None, None) if is_text(item, "status", "completed") => Reply::Text { text, is_error },
        (None, None) if is_text(item, "status", "failed") => {
            let reason = "the error was not recorded";
            Reply::Lost { fate: Fate::NotRecorded, refused_by: None, reason }
        }
        // The call has not ended.
        (None, None) => return,
    };
    write(id, reply, wire);
}

fn write(id: &str, reply: Reply<'_>, wire: &mut Wire) {
    wire.answer(&Answer { id, at: None, duration_ms: None, is_cut: false, reply });
}

/// Writes an error, which is also given as a text.
fn write_error(id: &str, error: Raw<'_>, whole: &str, wire: &mut Wire) {
    let message = text_of(error, "message");
    if let (Some(message), false) = (&message, is_text(error, "type", "mcp_tool_execution_error")) {
        match error.member("code").filter(|code| code.kind() == Kind::Number) {
            Some(code) => write(id, Reply::Error { code: code.text(), message }, wire),
            None => write(id, Reply::WholeError(&bare_error(message)), wire),
        }
        return;
    }
    let content = error.member("content");
    let content = content.and_then(|content| content.member("content")).or(content);
    let text = content.map(|it| it.as_str().map_or(it.text().into(), crate::json::RawStr::decode));
    let text = text.as_deref().unwrap_or(whole);
    let is_error = Some(true);
    let reply = content.map_or(Reply::Text { text, is_error }, |it| shown(it, text, is_error));
    write(id, reply, wire);
}

/// What a tool said: blocks, or a text.
fn shown<'a>(value: Raw<'a>, text: &'a str, is_error: Option<bool>) -> Reply<'a> {
    let is_block = |block: &Raw<'_>| block.member("type").is_some();
    if value.elements().is_some_and(|blocks| blocks.iter().all(is_block)) {
        Reply::Blocks { blocks: value.text(), structured: None, is_error }
    } else {
        Reply::Text { text, is_error }
    }
}

/// A list of tools as the protocol has it.
fn tools(item: Raw<'_>) -> String {
    let mut out = String::from("[");
    for tool in elements_of(item, "tools") {
        let Some(name) = text_of(tool, "name") else { continue };
        let comma = if out.len() > 1 { "," } else { "" };
        let _ = write!(out, r#"{comma}{{"name":{}"#, quoted(&name));
        for (kept, of_protocol) in [
            ("description", "description"),
            ("input_schema", "inputSchema"),
            ("output_schema", "outputSchema"),
            ("annotations", "annotations"),
        ] {
            if let Some(value) = tool.member(kept).filter(|value| value.kind() != Kind::Null) {
                let _ = write!(out, r#","{of_protocol}":{}"#, value.text());
            }
        }
        out.push('}');
    }
    out + "]"
}
