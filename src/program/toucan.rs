//! Rows of Toucan, a set of chats with tools of real MCP servers.

use super::chat::{self, ChatCall};
use super::kept::{self, CallResult, Kept};
use super::records::{JsonFile, Records, records_in};
use super::texts::{compact, elements_of, nested, quoted, text_of};
use super::wire::{Answer, Call};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_64;

pub(super) struct Toucan;

/// So many lists of tools are remembered, so that each is written once.
const MOST_LISTS: usize = 100_000;
/// So many servers of a row are told apart.
const MOST_SERVERS: usize = 100;

/// How the agent that made most chats tells of an exception.
const EXCEPTION: &str = "An error occurred when calling tool `";

impl Program for Toucan {
    fn id(&self) -> &'static str {
        "toucan"
    }

    fn name(&self) -> &'static str {
        "Toucan rows"
    }

    fn about(&self) -> &'static str {
        "Rows of the data set Toucan-1.5M as JSON: one chat each, with the definitions of its tools."
    }

    fn fidelity(&self) -> Fidelity {
        Fidelity::Derived
    }

    fn units(&self) -> Units {
        Units::Lines
    }

    fn recognise(&self, head: &Head<'_>) -> Option<&'static str> {
        let is_row = |row: &Raw<'_>| {
            let row = row.member("row").unwrap_or(*row);
            let has = |name: &str| row.member(name).is_some();
            let is_of_servers = row
                .member("metadata")
                .is_some_and(|metadata| metadata.text().contains("mcp_servers"));
            has("messages")
                && (has("available_tools") || has("tools"))
                && (is_of_servers || (has("subset_name") && has("target_tools")))
        };
        let rows = head.any_records();
        let mut listed = rows.iter().flat_map(|row| elements_of(*row, "rows"));
        (rows.iter().any(is_row) || listed.any(|row| is_row(&row)))
            .then_some("rows with messages, the tools available, and subset_name or mcp_servers")
    }

    fn converter(&self, file: &FileFacts<'_>) -> Box<dyn Convert> {
        let rows = Rows { max_depth: file.max_depth, count: 0, lists: HashSet::new() };
        Box::new(JsonFile::new(rows, file.max_depth))
    }
}

struct Rows {
    max_depth: usize,
    /// Rows so far.
    count: u64,
    /// Tools of servers that were written.
    lists: HashSet<u64>,
}

/// A value that stands in the row itself, or as a text of JSON.
struct Inner(Option<String>);

impl Inner {
    fn of(row: Raw<'_>, name: &str, max_depth: usize) -> Self {
        let text = row.member(name).map(|value| match value.as_str() {
            Some(text) => text.decode().into_owned(),
            None => value.text().to_owned(),
        });
        Self(text.filter(|text| nested(text, max_depth).is_some()))
    }

    fn raw(&self) -> Option<Raw<'_>> {
        self.0.as_ref().map(|text| Raw::known(text.trim(), false))
    }

    fn elements(&self) -> Vec<Raw<'_>> {
        self.raw().and_then(Raw::elements).unwrap_or_default()
    }
}

impl Records for Rows {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        for row in records_in(value, &["rows"]) {
            self.row(row.member("row").unwrap_or(row), wire);
        }
    }
}

impl Rows {
    fn row(&mut self, row: Raw<'_>, wire: &mut Wire) {
        self.count += 1;
        let messages = Inner::of(row, "messages", self.max_depth);
        let messages = messages.elements();
        let calls = chat::calls(&messages, self.max_depth);
        if calls.is_empty() {
            wire.other("(no MCP call)", 1);
            return;
        }
        let metadata = Inner::of(row, "metadata", self.max_depth);
        let servers = servers_in(metadata.raw());
        for name in ["available_tools", "tools"] {
            let tools = Inner::of(row, name, self.max_depth);
            self.tools(&tools.elements(), &servers, wire);
        }
        let uuid = text_of(row, "uuid").filter(|uuid| chat::is_random(uuid));
        let number = self.count.to_string();
        let session = uuid.as_deref().unwrap_or(&number);
        for (at, call) in calls.iter().enumerate() {
            self.call(session, uuid.is_some(), at, call, &servers, wire);
        }
    }

    /// Writes the definitions of tools, those of each server once.
    fn tools(&mut self, tools: &[Raw<'_>], servers: &[Server], wire: &mut Wire) {
        let mut lists: BTreeMap<&str, String> = BTreeMap::new();
        let definitions: Vec<_> = tools.iter().filter_map(|tool| tool.member("function")).collect();
        let names: Vec<_> = definitions.iter().map(|function| text_of(*function, "name")).collect();
        for (function, name) in definitions.iter().zip(&names) {
            let Some(split) = name.as_deref().map(|name| Name::of(name, servers)) else { continue };
            let is_known = !split.is_guess && !split.server.is_empty();
            let Some(schema) = function.member("parameters").filter(|_| is_known) else { continue };
            let description = function.member("description").map_or("\"\"", Raw::text);
            let list = lists.entry(split.server).or_default();
            let comma = if list.is_empty() { "" } else { "," };
            let (name, schema) = (quoted(split.tool), compact(schema.text()));
            let _ = write!(
                list,
                r#"{comma}{{"name":{name},"description":{},"inputSchema":{schema}}}"#,
                compact(description)
            );
        }
        for (server, list) in lists {
            let known = xxh3_64(format!("{server}\n{list}").as_bytes());
            if self.lists.len() < MOST_LISTS && self.lists.insert(known) {
                wire.tools(server, &format!("[{list}]"));
            }
        }
    }

    fn call(
        &self,
        session: &str,
        is_unique: bool,
        at: usize,
        call: &ChatCall<'_>,
        servers: &[Server],
        wire: &mut Wire,
    ) {
        let name = Name::of(&call.name, servers);
        let id = format!("{session}.{at}");
        wire.call(&Call {
            id: &id,
            is_unique,
            server: name.server,
            session,
            tool: name.tool,
            arguments: &call.arguments.json,
            name_is_guess: name.is_guess,
            ..Call::default()
        });
        let Some(reply) = call.reply else { return };
        let text = chat::text_in(reply);
        let result = kept::result_in_text(&text, self.max_depth);
        let is_cut = matches!(&result, Some(CallResult { is_cut: true, .. }));
        let kept = match result {
            Some(result) => Kept::Result(result),
            None if text.is_empty() => Kept::lost(Fate::NotRecorded, ""),
            None => match text.strip_prefix(EXCEPTION).and_then(|rest| rest.split_once("`:\n")) {
                Some((_, exception)) => failure(exception),
                None => Kept::text(text, None),
            },
        };
        wire.answer(&Answer { id: &id, at: None, duration_ms: None, reply: kept.reply(), is_cut });
    }
}

/// What an exception tells, which stands before a traceback.
fn failure(exception: &str) -> Kept {
    let told = exception.split_once("\nTraceback:\n").map_or(exception, |(told, _)| told);
    match kept::failure(told) {
        // The name of the exception is a part of what the model was shown.
        Kept::Error(_) => Kept::error(told),
        other => other,
    }
}

/// A server of a row, and how the names of its tools begin.
struct Server {
    name: String,
    begin: String,
}

fn servers_in(metadata: Option<Raw<'_>>) -> Vec<Server> {
    let servers =
        metadata.and_then(|metadata| metadata.member("mcp_servers")).and_then(Raw::elements);
    let names =
        servers.unwrap_or_default().into_iter().filter(|server| server.kind() == Kind::Object);
    let names =
        names.filter_map(|server| text_of(server, "server_name").map(std::borrow::Cow::into_owned));
    let mut servers: Vec<Server> = names
        .filter(|name| !name.is_empty())
        .take(MOST_SERVERS)
        .map(|name| Server { begin: name.to_lowercase().replace(' ', "-") + "-", name })
        .collect();
    // Of two that fit, the longer one is meant.
    servers.sort_by_key(|server| std::cmp::Reverse(server.begin.len()));
    servers
}

/// The name of a tool behind that of its server.
struct Name<'a> {
    server: &'a str,
    tool: &'a str,
    is_guess: bool,
}

impl<'a> Name<'a> {
    fn of(name: &'a str, servers: &'a [Server]) -> Self {
        let known = servers.iter().find_map(|server| {
            let tool = name.strip_prefix(&server.begin).filter(|tool| !tool.is_empty())?;
            Some(Self { server: &server.name, tool, is_guess: false })
        });
        let alone = match servers {
            [only] => Some(Self { server: &only.name, tool: name, is_guess: false }),
            _ => None,
        };
        known.or(alone).unwrap_or_else(|| match name.split_once('-') {
            Some((server, tool)) if !server.is_empty() && !tool.is_empty() => {
                Self { server, tool, is_guess: true }
            }
            _ => Self { server: "", tool: name, is_guess: false },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_behind_a_server_of_the_row() {
        let metadata = r#"{"mcp_servers":[{"server_name":"Sea"},{"server_name":"Sea Chart"}]}"#;
        let servers = servers_in(nested(metadata, 9));
        let split = |name| {
            let name = Name::of(name, &servers);
            (name.server.to_owned(), name.tool.to_owned(), name.is_guess)
        };
        let owned =
            |server: &str, tool: &str, is_guess| (server.to_owned(), tool.to_owned(), is_guess);
        assert_eq!(split("sea-chart-draw-map"), owned("Sea Chart", "draw-map", false));
        assert_eq!(split("sea-level"), owned("Sea", "level", false));
        assert_eq!(split("river-depth-at"), owned("river", "depth-at", true));
        assert_eq!(split("plain"), owned("", "plain", false));
    }

    #[test]
    fn tools_of_a_server_are_written_once() {
        let tool =
            r#"{\"function\":{\"name\":\"sea-level\",\"parameters\":{ \"type\":\"object\" }}}"#;
        let row = format!(
            r#"{{"subset_name":"s","target_tools":"","messages":"[{{\"role\":\"assistant\",\"function_call\":{{\"name\":\"sea-level\",\"arguments\":\"{{}}\"}}}}]","available_tools":"[{tool}]","metadata":"{{\"mcp_servers\":[{{\"server_name\":\"Sea\"}}]}}"}}"#
        );
        let mut wire = Wire::default();
        wire.begin(Toucan.id(), Toucan.fidelity());
        let mut rows = Rows { max_depth: 64, count: 0, lists: HashSet::new() };
        for _ in 0..2 {
            rows.value(nested(&row, 64).expect("JSON"), &mut wire);
        }
        let lists = wire.take().text;
        let expected = r#"{"server":"Sea","tools":[{"name":"level","description":"","inputSchema":{"type":"object"}}]}"#;
        assert_eq!(lists.trim(), expected);
    }
}
