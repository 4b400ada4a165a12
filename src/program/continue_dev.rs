//! Sessions of Continue: `~/.continue/sessions/ID.json`.

use super::reader::Convert;
use super::texts::{
    array, elements_of, fits, given, json_of_text, nested, protocol_code, text_block, text_of,
    unescaped,
};
use super::wire::{Answer, Call, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Refuser};

const FAILED: &str = " failed with the message: ";
const ADVICE: &str = "\n\nPlease try something else";
/// Errors of the program itself, before it asks the server.
const UNKNOWN: [(&str, Refuser); 2] =
    [("No MCP connection found", Refuser::Host), ("MCP connection not found", Refuser::Host)];
/// Ids of models that are shorter, such as `call_1`, return in other sessions.
const SHORTEST_UNIQUE: usize = 16;

pub(super) static CONTINUE: Program = Program {
    id: "continue",
    name: "Continue session",
    about: "A session of Continue: ~/.continue/sessions/ID.json.",
    signs: &[r#""history""#],
    recognise: |head| {
        let document = head.document()?;
        let history = document.member("history").and_then(Raw::elements)?;
        if history.iter().any(|item| item.member("toolCallStates").is_some()) {
            return Some("a history with toolCallStates");
        }
        let is_item = |item: &Raw<'_>| fits(*item, "message.role");
        (fits(document, "sessionId workspaceDirectory|title")
            && history.first().is_none_or(is_item))
        .then_some("sessionId, title and a history of messages")
    },
    converter: |file| Box::new(Session { stem: file.stem.to_owned(), calls: 0 }),
    ..PLAIN
};

struct Session {
    stem: String,
    calls: u64,
}

impl Convert for Session {
    fn value(&mut self, document: Raw<'_>, wire: &mut Wire) {
        let id = text_of(document, "sessionId").unwrap_or((&*self.stem).into());
        wire.session = id.into_owned();
        wire.each(document, &["history"], |item, wire| {
            let mut states = elements_of(item, "toolCallStates");
            // Older builds allowed one call at a time.
            states.extend(item.member("toolCallState"));
            for state in states {
                self.state(state, wire);
            }
        });
    }
}

impl Session {
    fn state(&mut self, state: Raw<'_>, wire: &mut Wire) {
        let uri = text_of(state, "tool.uri").unwrap_or_default();
        let names = uri.strip_prefix("mcp://").and_then(|names| names.split_once('/'));
        let status = text_of(state, "status").unwrap_or_default();
        let Some((server, tool)) = names.filter(|_| status != "generating") else { return };
        self.calls += 1;
        let id = text_of(state, "toolCallId").unwrap_or_default();
        let is_unique = id.len() >= SHORTEST_UNIQUE;
        let id = if is_unique { id.into_owned() } else { format!("{}/{id}", self.calls) };
        let written = || given(state, "toolCall.function.arguments");
        wire.call(&Call {
            id: &id,
            is_unique,
            server: &unescaped(server),
            tool: &unescaped(tool),
            arguments: &json_of_text(given(state, "parsedArgs").or_else(written)),
            ..Call::default()
        });
        if wire.is_open(&id) {
            answer(state, &status, &id, wire);
        }
    }
}

fn answer(state: Raw<'_>, status: &str, id: &str, wire: &mut Wire) {
    let output = elements_of(state, "output");
    let texts: Vec<_> = output.iter().filter_map(|item| text_of(*item, "content")).collect();
    let error = texts.first().map(|text| message_of(text)).unwrap_or_default();
    let reply = match status {
        "done" => {
            let blocks: Vec<_> = texts.iter().map(|text| text_block(text)).collect();
            Reply::blocks(array(&blocks), Some(false))
        }
        "errored" => {
            let content = nested(error).filter(|content| content.kind() == Kind::Array);
            let unknown = Reply::refused(&UNKNOWN, error);
            match (content, protocol_code(error), unknown) {
                (Some(content), ..) => Reply::blocks(content.text(), Some(true)),
                (None, None, Some(unknown)) => unknown,
                _ => Reply::error(error),
            }
        }
        "canceled" => Reply::lost(Fate::Cancelled, error),
        // The person has not answered whether it may be made.
        "generated" => Reply::lost(Fate::NotSent, ""),
        _ => return,
    };
    wire.answer(&Answer { id, reply, ..Answer::default() });
}

/// The message in `TOOL failed with the message: …`.
fn message_of(text: &str) -> &str {
    let message = text.split_once(FAILED).map_or(text, |(_, rest)| rest);
    message.rsplit_once(ADVICE).map_or(message, |(message, _)| message)
}
