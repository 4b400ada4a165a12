//! Sessions of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`, of older builds `session-*.json`.

use super::reader::Convert;
use super::texts::{
    Places, SplitName, array, elements_of, fits, get, given, is_text, media_block, nested,
    protocol_code, split_name, text_block, text_of,
};
use super::wire::{Answer, Call, NO_CALL, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::{Kind, Raw, RawStr};
use crate::recording::{Fate, LinePosition, Refuser};
use std::collections::HashMap;

/// Messages, and bytes of their calls, that are kept since they may be written again or taken back.
const MOST_MESSAGES: usize = 100_000;
const MOST_HELD: usize = 64 << 20;

/// What stands in place of a reply when the server never saw the call.
const NOT_SENT: [(&str, Refuser); 7] = [
    ("[Operation Cancelled] Reason: User did not allow tool call", Refuser::User),
    ("Tool execution denied by policy", Refuser::Policy),
    ("Tool execution blocked: ", Refuser::Hook),
    ("Agent execution stopped: ", Refuser::Hook),
    ("Invalid parameters provided", Refuser::Host),
    ("params must ", Refuser::Host),
    ("params/", Refuser::Host),
];

/// How a text begins, or what it holds, that the program shortened.
const CUT: [&str; 3] = [
    "Tool output was too large and has been truncated",
    "Output too large. ",
    "... [CONTENT TRUNCATED] ...",
];

const BEFORE_TEXT: &str = "<untrusted_context>\n";
const AFTER_TEXT: &str = "\n</untrusted_context>";

pub(super) static GEMINI_CLI: Program = Program {
    id: "gemini-cli",
    name: "Gemini CLI session",
    about: "A session of Gemini CLI: ~/.gemini/tmp/PROJECT/chats/session-*.jsonl, or .json of older builds.",
    signs: &[r#""projectHash""#, r#""$set""#, r#""$rewindTo""#],
    recognise: |head| {
        let record = head.document().or_else(|| head.records().first().copied());
        if record.is_some_and(|record| fits(record, "sessionId projectHash")) {
            return Some("sessionId and projectHash");
        }
        (head.has_line("$set|$rewindTo") && head.has_line("type=gemini content"))
            .then_some("messages of type gemini, and changes such as $set")
    },
    converter: |_| Box::new(Session::default()),
    ..PLAIN
};

/// The messages of a session as they stand after all that was read.
#[derive(Default)]
struct Session {
    messages: Vec<Message>,
    index: HashMap<String, usize>,
    held: usize,
}

struct Message {
    id: String,
    /// Its calls, as a JSON array; empty where it has none.
    calls: String,
    place: LinePosition,
}

impl Convert for Session {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        if let Some(id) = text_of(value, "sessionId") {
            wire.session = id.into_owned();
        }
        let mut places = Places::of(value, wire.place());
        if let Some(id) = text_of(value, "$rewindTo") {
            self.rewind(&id, wire);
        } else if let Some(set) = value.member("$set") {
            if let Some(messages) = get(set, "messages").and_then(Raw::elements) {
                *self = Self::default();
                for message in messages {
                    self.message(message, wire.place());
                }
            }
        } else if let Some(messages) = value.member("messages").and_then(Raw::elements) {
            wire.keep();
            for message in messages {
                self.message(message, places.of_part(message));
            }
        } else {
            if text_of(value, "id").is_some_and(|id| self.index.contains_key(&*id)) {
                wire.other("(message written again)", 1);
            } else if value.member("toolCalls").is_some() {
                wire.keep();
            }
            self.message(value, wire.place());
        }
        if self.held > MOST_HELD || self.messages.len() > MOST_MESSAGES {
            self.end(wire);
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        self.index.clear();
        self.held = 0;
        for message in std::mem::take(&mut self.messages) {
            let Some(calls) = nested(&message.calls).and_then(Raw::elements) else { continue };
            wire.at(message.place);
            wire.once(|wire| calls.into_iter().for_each(|it| call(it, wire)));
        }
    }
}

impl Session {
    /// Takes a message, in place of an earlier one with its id.
    fn message(&mut self, message: Raw<'_>, place: LinePosition) {
        let Some(id) = text_of(message, "id") else { return };
        let calls = message.member("toolCalls").filter(|calls| calls.kind() == Kind::Array);
        let calls = calls.map_or("", Raw::text).to_owned();
        self.held += calls.len();
        let earlier = self.index.get(&*id).and_then(|at| self.messages.get_mut(*at));
        if let Some(earlier) = earlier {
            self.held -= earlier.calls.len();
            earlier.calls = calls;
            earlier.place = place;
        } else {
            self.index.insert(id.clone().into_owned(), self.messages.len());
            self.messages.push(Message { id: id.into_owned(), calls, place });
        }
    }

    /// Takes back a message and all that followed.
    fn rewind(&mut self, id: &str, wire: &mut Wire) {
        wire.other(NO_CALL, 1);
        let Some(at) = self.index.get(id).copied() else { return };
        for message in self.messages.split_off(at.min(self.messages.len())) {
            self.index.remove(&message.id);
            self.held -= message.calls.len();
            if !message.calls.is_empty() {
                wire.other("(calls taken back)", 1);
            }
        }
    }
}

fn call(call: Raw<'_>, wire: &mut Wire) {
    let Some((id, name)) = text_of(call, "id").zip(text_of(call, "name")) else { return };
    let shown = text_of(call, "displayName").unwrap_or_default();
    let shown = shown.strip_suffix(" MCP Server)").and_then(|names| names.split_once(" ("));
    let shown = shown.map(|(tool, server)| SplitName { server, tool, is_guess: false });
    let joined = || split_name(&name, "mcp_", "_");
    // Two servers with the same tool.
    let doubled = || split_name(&name, "", "__");
    let split = shown.or_else(joined).or_else(doubled);
    let Some(SplitName { server, tool, .. }) = split else { return };
    let at = text_of(call, "timestamp");
    wire.call(&Call {
        id: &id,
        is_unique: true,
        server,
        tool,
        arguments: call.member("args").map_or("", Raw::text),
        at: at.as_deref(),
        name_is_guess: shown.is_none(),
        ..Call::default()
    });
    if wire.is_open(&id) {
        answer(call, &id, at.as_deref(), wire);
    }
}

fn answer(call: Raw<'_>, id: &str, at: Option<&str>, wire: &mut Wire) {
    let result = given(call, "result");
    let is_cancelled = is_text(call, "status", "cancelled");
    let is_error = call.member("status").map(|_| is_text(call, "status", "error"));
    if result.is_none() && !is_cancelled {
        return;
    }
    let one = || result.into_iter().collect();
    let parts = result.and_then(Raw::elements).unwrap_or_else(one);
    let response = parts.iter().find_map(|part| part.member("functionResponse"));
    let response = get(response, "response");
    let error = text_of(response, "error");
    let output = text_of(response, "output").or_else(|| result?.as_str().map(RawStr::decode));
    let mut is_cut = false;
    let reply = if let Some(error) = error.as_deref() {
        failure(error, is_cancelled)
    } else if is_cancelled {
        Reply::lost(Fate::Cancelled, "")
    } else if let Some(whole) = response.filter(|response| response.member("content").is_some()) {
        Reply::Whole(whole.text())
    } else if let Some(output) = output.as_deref() {
        is_cut = CUT.iter().any(|words| output.contains(words));
        Reply::blocks(blocks_of(output, &parts), is_error)
    } else {
        Reply::default()
    };
    wire.answer(&Answer { id, at, reply, is_cut, ..Answer::default() });
}

fn failure(error: &str, is_cancelled: bool) -> Reply<'_> {
    if let Some(refused) = Reply::refused(&NOT_SENT, error) {
        return refused;
    }
    if error.starts_with("Tool \"") && error.contains("\" not found") {
        return Reply::not_sent(Refuser::Host, error);
    }
    if is_cancelled || error.starts_with("[Operation Cancelled]") {
        return Reply::lost(Fate::Cancelled, error);
    }
    if error.starts_with("MCP tool '")
        && error.contains("' reported tool error for function call: ")
    {
        return result_in(error).map_or_else(|| Reply::text(error, Some(true)), Reply::Whole);
    }
    Reply::coded(protocol_code(error.strip_prefix("Error: ").unwrap_or(error)), error)
}

/// The result that the words of an error quote. The arguments before it may hold the same words.
fn result_in(error: &str) -> Option<&str> {
    const QUOTES: usize = 8;
    error.match_indices(" with response: ").take(QUOTES).find_map(|(at, words)| {
        let parts = nested(error.get(at + words.len()..)?)?.elements()?;
        let response = get(*parts.first()?, "functionResponse.response")?;
        // Older builds put the result into a member.
        let inner = response.member("error").filter(|inner| inner.kind() == Kind::Object);
        Some(inner.unwrap_or(response).text())
    })
}

/// The blocks of a reply: the program marks each text as one that cannot be trusted, and names the images that follow.
fn blocks_of(output: &str, parts: &[Raw<'_>]) -> String {
    let mut blocks = Vec::new();
    let mut rest = output;
    while !rest.is_empty() {
        let marked = rest.strip_prefix(BEFORE_TEXT).and_then(|text| text.split_once(AFTER_TEXT));
        if let Some((text, after)) = marked {
            blocks.push(text_block(text));
            rest = after.strip_prefix('\n').unwrap_or(after);
            continue;
        }
        let next = rest.find("\n<untrusted_context>\n").filter(|_| !rest.starts_with(BEFORE_TEXT));
        let (plain, after) = rest.split_at(next.map_or(rest.len(), |end| end + 1));
        let is_note =
            |line: &&str| line.starts_with("[Tool '") && line.contains("' provided the following ");
        let kept = plain.trim_end_matches('\n').split('\n').filter(|line| !is_note(line));
        let kept: Vec<&str> = kept.collect();
        blocks.extend((!kept.is_empty()).then(|| text_block(&kept.join("\n"))));
        rest = after;
    }
    let inner = parts.iter().flat_map(|part| elements_of(*part, "functionResponse.parts"));
    for data in parts.iter().copied().chain(inner).filter_map(|part| part.member("inlineData")) {
        let member = |name| data.member(name).map_or("\"\"", Raw::text);
        let kind = if member("mimeType").starts_with("\"audio/") { "audio" } else { "image" };
        blocks.push(media_block(kind, member("data"), member("mimeType")));
    }
    if output.is_empty() && blocks.is_empty() {
        blocks.push(text_block(""));
    }
    array(&blocks)
}
