//! Sessions of Continue: `~/.continue/sessions/ID.json`.

use super::texts::{
    Places, bare_error, elements_of, json_of_text, nested, protocol_code, push_text_block, read,
    text_of,
};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity, Refuser};

const FAILED: &str = " failed with the message: ";
const ADVICE: &str = "\n\nPlease try something else";
/// Errors of the program itself, before it asks the server.
const UNKNOWN: [&str; 2] = ["No MCP connection found", "MCP connection not found"];

pub(super) static CONTINUE: Program = Program {
    id: "continue",
    name: "Continue session",
    about: "A session of Continue: ~/.continue/sessions/ID.json.",
    fidelity: Fidelity::Derived,
    units: Units::Document,
    signs: &[r#""history""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let document = head.document()?;
    let history = document.member("history").and_then(Raw::elements)?;
    let is_session = document.member("sessionId").is_some()
        && (document.member("workspaceDirectory").is_some() || document.member("title").is_some());
    let is_item = |item: &Raw<'_>| {
        item.member("message").is_some_and(|message| message.member("role").is_some())
    };
    let has_calls = |item: &Raw<'_>| item.member("toolCallStates").is_some();
    if history.iter().any(has_calls) {
        return Some("a history with toolCallStates");
    }
    (is_session && history.first().is_none_or(is_item))
        .then_some("sessionId, title and a history of messages")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Session { max_depth: file.max_depth, id: file.stem.to_owned(), calls: 0 })
}

struct Session {
    max_depth: usize,
    id: String,
    calls: u64,
}

impl Convert for Session {
    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(document) = read(text, self.max_depth, wire) else { return };
        if let Some(id) = text_of(document, "sessionId") {
            self.id = id.into_owned();
        }
        let mut places = Places::of(document, wire);
        for item in elements_of(document, "history") {
            wire.at(places.of_part(item));
            let mut states = elements_of(item, "toolCallStates");
            // Older builds allowed one call at a time.
            states.extend(item.member("toolCallState"));
            let mut found = false;
            for state in states {
                found |= self.state(state, wire);
            }
            if !found {
                wire.other("(no MCP call)", 1);
            }
        }
    }
}

impl Session {
    fn state(&mut self, state: Raw<'_>, wire: &mut Wire) -> bool {
        let uri = state.member("tool").and_then(|tool| text_of(tool, "uri")).unwrap_or_default();
        let names = uri.strip_prefix("mcp://").and_then(|names| names.split_once('/'));
        let Some((server, tool)) = names.map(|(server, tool)| (unescaped(server), unescaped(tool)))
        else {
            return false;
        };
        let status = text_of(state, "status").unwrap_or_default();
        if status == "generating" {
            return false;
        }
        self.calls += 1;
        let id = text_of(state, "toolCallId").unwrap_or_default();
        let is_unique = id.len() >= SHORTEST_UNIQUE;
        let id = if is_unique { id.into_owned() } else { format!("{}/{id}", self.calls) };
        let written = state.member("toolCall").and_then(|call| call.member("function"));
        let written = written.and_then(|function| function.member("arguments"));
        let parsed = state.member("parsedArgs").filter(|arguments| arguments.kind() != Kind::Null);
        wire.call(&Call {
            id: &id,
            is_unique,
            server: &server,
            session: &self.id,
            tool: &tool,
            arguments: &json_of_text(parsed.or(written), self.max_depth),
            ..Call::default()
        });
        if wire.is_open(&id) {
            self.answer(state, &status, &id, wire);
        }
        true
    }

    fn answer(&self, state: Raw<'_>, status: &str, id: &str, wire: &mut Wire) {
        let output = elements_of(state, "output");
        let texts: Vec<_> = output.iter().filter_map(|item| text_of(*item, "content")).collect();
        let mut blocks = String::new();
        for text in &texts {
            push_text_block(text, &mut blocks);
        }
        blocks = format!("[{blocks}]");
        let error = texts.first().map(|text| message_of(text)).unwrap_or_default();
        let content = nested(error, self.max_depth).filter(|content| content.kind() == Kind::Array);
        let bare = bare_error(error);
        let reply = match status {
            "done" => Reply::Blocks { blocks: &blocks, structured: None, is_error: Some(false) },
            "errored" => match (content, protocol_code(error)) {
                (Some(content), _) => {
                    Reply::Blocks { blocks: content.text(), structured: None, is_error: Some(true) }
                }
                (None, Some(code)) => Reply::Error { code, message: error },
                (None, None) if UNKNOWN.iter().any(|words| error.starts_with(words)) => {
                    Reply::Lost {
                        fate: Fate::NotSent,
                        refused_by: Some(Refuser::Host),
                        reason: error,
                    }
                }
                (None, None) => Reply::WholeError(&bare),
            },
            "canceled" => Reply::Lost { fate: Fate::Cancelled, refused_by: None, reason: error },
            // The person has not answered whether it may be made.
            "generated" => Reply::Lost { fate: Fate::NotSent, refused_by: None, reason: "" },
            _ => return,
        };
        wire.answer(&Answer { id, at: None, duration_ms: None, reply, is_cut: false });
    }
}

/// Ids of models that are shorter, such as `call_1`, return in other sessions.
const SHORTEST_UNIQUE: usize = 16;

/// The message in `TOOL failed with the message: …`.
fn message_of(text: &str) -> &str {
    let message = text.split_once(FAILED).map_or(text, |(_, rest)| rest);
    message.rsplit_once(ADVICE).map_or(message, |(message, _)| message)
}

/// A part of an address without the escapes of addresses.
fn unescaped(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.filter(|digits| *first == b'%' && !digits.starts_with('+'));
        let byte = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
