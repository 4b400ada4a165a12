//! A contract proposed from tool definitions and observed traffic.
//!
//! What a definition says is carried over, unless a call that succeeded contradicts it. Where the
//! definition says nothing, what every successful call showed becomes the contract. All else becomes a
//! comment: bounds that traffic merely happened to keep, arguments that the definition does not list, and what
//! had to be left out. A tool that no server lists and of which no call worked is left out. So a proposal
//! takes the successful calls it was made from.

mod seen;
#[cfg(test)]
mod tests;
mod write;

use crate::json::{Kind, Raw, scan_document, to_value};
use seen::{Room, Seen};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use xxhash_rust::xxh3::xxh3_128;

/// How deep arguments and responses may be nested to be looked at.
const DEEPEST_VALUE: usize = 64;
/// How many tools, and how many members of an object, are kept.
const MOST_NAMES: usize = 500;
/// How many bytes of definitions are looked at.
const MOST_DEFINITIONS: usize = 16 << 20;
/// Longest name of a member that is kept, in bytes.
const LONGEST_NAME: usize = 1_000;
/// How many names a comment lists at most.
const MOST_TOLD: usize = 20;
/// Longest name in a comment, in characters.
const LONGEST_TOLD: usize = 80;

/// One observed call.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// The server that was called.
    pub server: &'a str,
    pub tool: &'a str,
    /// The tool's definition, as `tools/list` gave it.
    pub definition: Option<&'a str>,
    pub input: Option<Raw<'a>>,
    pub outcome: Outcome<'a>,
}

/// What came of a call.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// It succeeded, with this JSON.
    Response(Raw<'a>),
    /// It succeeded, without JSON.
    Plain,
    /// It did not work, so neither its arguments nor its reply say what the tool takes and gives.
    Failed,
    /// Nothing came back, which says as little.
    Unanswered,
}

/// Proposes a contract, as TOML with the support of each line in a comment.
pub fn infer<'a>(name: &str, calls: impl IntoIterator<Item = Observed<'a>>) -> String {
    let mut proposal = Proposal::default();
    calls.into_iter().for_each(|call| proposal.see(&call));
    proposal.text(name, None)
}

/// A contract in the making: what was seen so far, in bounded memory.
#[derive(Default)]
pub struct Proposal {
    tools: BTreeMap<String, SeenTool>,
    /// Tools that the contract cannot have.
    left_out: Names,
    room: Room,
    /// How many bytes the definitions took that are kept.
    definitions: usize,
}

/// Some names, and whether there were more.
#[derive(Default)]
struct Names {
    kept: BTreeSet<String>,
    are_more: bool,
}

#[derive(Default)]
struct SeenTool {
    servers: Names,
    calls: u64,
    /// Calls that failed or were not answered.
    without_success: u64,
    /// Successful calls whose reply held no JSON, and those whose JSON was no object.
    plain: u64,
    no_object: u64,
    /// Arguments and responses that could not be looked at.
    unread: u64,
    definition: Option<Value>,
    /// Hash of the definition's text.
    digest: u128,
    /// Whether it was also defined otherwise, or with a definition that there was no room for.
    is_also_defined: bool,
    input: Seen,
    output: Seen,
}

impl SeenTool {
    /// Whether a server lists it or a call of it worked: callers also try names that no server has.
    fn exists(&self) -> bool {
        self.definition.is_some() || self.calls > self.without_success
    }
}

impl Names {
    fn add(&mut self, name: &str) {
        let clipped: String = name.chars().take(LONGEST_TOLD).collect();
        if self.kept.len() < MOST_TOLD {
            self.kept.insert(clipped);
        } else if !self.kept.contains(&clipped) {
            self.are_more = true;
        }
    }
}

impl Proposal {
    /// Takes in an observed call.
    pub fn see(&mut self, call: &Observed<'_>) {
        if let Some(definition) = call.definition {
            self.define(call.server, call.tool, definition);
        }
        let Some((tool, room)) = self.tool(call.server, call.tool) else { return };
        tool.calls += 1;
        let output = match call.outcome {
            Outcome::Failed | Outcome::Unanswered => {
                tool.without_success += 1;
                return;
            }
            Outcome::Response(output) => Some(output),
            Outcome::Plain => {
                tool.plain += 1;
                None
            }
        };
        let SeenTool { definition, input, output: seen_output, unread, no_object, .. } = tool;
        let schema = |part: &str| definition.as_ref().and_then(|tool| tool.get(part));
        // A call without arguments is one with none of them.
        let arguments =
            call.input.map_or_else(|| Some(Value::Object(serde_json::Map::new())), read);
        match arguments {
            Some(value @ Value::Object(_)) => input.see(&value, schema("inputSchema"), 0, room),
            Some(_) | None => *unread += 1,
        }
        match output.map(read) {
            Some(Some(value @ Value::Object(_))) => {
                seen_output.see(&value, schema("outputSchema"), 0, room);
            }
            Some(Some(_)) => *no_object += 1,
            Some(None) => *unread += 1,
            None => {}
        }
    }

    /// Takes in a tool that is defined, whether it is called or not. Calls are compared with definitions
    /// that came before them.
    pub fn define(&mut self, server: &str, name: &str, definition: &str) {
        let bytes = self.definitions + definition.len();
        let Some((tool, _)) = self.tool(server, name) else { return };
        let digest = xxh3_128(definition.as_bytes());
        if tool.definition.is_some() || bytes > MOST_DEFINITIONS {
            tool.is_also_defined |= tool.digest != digest;
            return;
        }
        if let Some(value) =
            scan_document(definition, DEEPEST_VALUE).ok().map(to_value).filter(Value::is_object)
        {
            tool.definition = Some(value);
            tool.digest = digest;
            self.definitions = bytes;
        }
    }

    /// How many tools the contract has.
    pub fn tools(&self) -> usize {
        self.tools.values().filter(|tool| tool.exists()).count()
    }

    /// The contract, as TOML with the support of each line in a comment; for one server, where the calls
    /// are those of one.
    pub fn text(&self, name: &str, server: Option<&str>) -> String {
        write::contract(self, name, server)
    }

    /// The tool of a name that a contract can have, unless there are too many.
    fn tool(&mut self, server: &str, name: &str) -> Option<(&mut SeenTool, &mut Room)> {
        let is_new = !self.tools.contains_key(name);
        if is_new && (!is_name(name) || self.tools.len() >= MOST_NAMES) {
            self.left_out.add(name);
            return None;
        }
        let tool = self.tools.entry(name.to_owned()).or_default();
        tool.servers.add(server);
        Some((tool, &mut self.room))
    }
}

/// What a contract accepts as the name of a tool.
fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    (1..=128).contains(&name.len()) && name.chars().all(is_plain)
}

fn read(raw: Raw<'_>) -> Option<Value> {
    if raw.kind() != Kind::Object {
        return Some(Value::Null);
    }
    scan_document(raw.text(), DEEPEST_VALUE).ok().map(to_value)
}
