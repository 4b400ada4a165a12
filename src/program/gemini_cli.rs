//! Sessions of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`, of older builds `session-*.json`.

use super::records::{JsonFile, Records};
use super::texts::{
    Places, bare_error, is_text, nested, protocol_code, push_media_block, push_text_block,
    split_underscore, text_of,
};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw, RawStr};
use crate::recording::{Fate, Fidelity, Place, Refuser};
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
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""projectHash""#, r#""$set""#, r#""$rewindTo""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let is_session = |record: &Raw<'_>| {
        ["sessionId", "projectHash"].iter().all(|name| record.member(name).is_some())
    };
    let record = head.document().or_else(|| head.records().first().copied());
    if record.as_ref().is_some_and(is_session) {
        return Some("sessionId and projectHash");
    }
    let is_change =
        |record: &Raw<'_>| record.member("$set").is_some() || record.member("$rewindTo").is_some();
    let is_message =
        |record: &Raw<'_>| is_text(*record, "type", "gemini") && record.member("content").is_some();
    (head.records().iter().any(is_change) && head.records().iter().any(is_message))
        .then_some("messages of type gemini, and changes such as $set")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    let session = Session { max_depth: file.max_depth, ..Session::default() };
    Box::new(JsonFile::new(session, file.max_depth))
}

/// The messages of a session as they stand after all that was read.
#[derive(Default)]
struct Session {
    max_depth: usize,
    id: String,
    messages: Vec<Message>,
    index: HashMap<String, usize>,
    held: usize,
}

struct Message {
    id: String,
    /// Its calls, as a JSON array; empty where it has none.
    calls: String,
    place: Place,
}

impl Records for Session {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        if let Some(id) = text_of(value, "sessionId") {
            self.id = id.into_owned();
        }
        if let Some(id) = text_of(value, "$rewindTo") {
            self.rewind(&id, wire);
        } else if let Some(set) = value.member("$set") {
            if let Some(messages) = set.member("messages").and_then(Raw::elements) {
                self.messages.clear();
                self.index.clear();
                self.held = 0;
                for message in messages {
                    self.message(message, wire.place());
                }
            }
            wire.other("(no MCP call)", 1);
        } else if let Some(messages) = value.member("messages").and_then(Raw::elements) {
            let mut places = Places::of(value, wire);
            for message in messages {
                self.message(message, places.of_part(message));
            }
        } else {
            if text_of(value, "id").is_some_and(|id| self.index.contains_key(&*id)) {
                wire.other("(message written again)", 1);
            } else if value.member("toolCalls").is_none() {
                wire.other("(no MCP call)", 1);
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
            self.write(&message, wire);
        }
    }
}

impl Session {
    /// Takes a message, in place of an earlier one with its id.
    fn message(&mut self, message: Raw<'_>, place: Place) {
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
        wire.other("(no MCP call)", 1);
        let Some(at) = self.index.get(id).copied() else { return };
        for message in self.messages.split_off(at.min(self.messages.len())) {
            self.index.remove(&message.id);
            self.held -= message.calls.len();
            if !message.calls.is_empty() {
                wire.other("(calls taken back)", 1);
            }
        }
    }

    fn write(&self, message: &Message, wire: &mut Wire) {
        let Some(calls) = nested(&message.calls, self.max_depth).and_then(Raw::elements) else {
            return;
        };
        wire.at(message.place);
        let mut found = false;
        for call in calls {
            found |= self.call(call, wire);
        }
        if !found {
            wire.other("(no MCP call)", 1);
        }
    }

    fn call(&self, call: Raw<'_>, wire: &mut Wire) -> bool {
        let (Some(id), Some(name)) = (text_of(call, "id"), text_of(call, "name")) else {
            return false;
        };
        let shown = text_of(call, "displayName").unwrap_or_default();
        let shown = shown.strip_suffix(" MCP Server)").and_then(|names| names.split_once(" ("));
        let joined = split_underscore(&name).map(|split| (split.tool, split.server));
        // Two servers with the same tool.
        let doubled = || name.split_once("__").map(|(server, tool)| (tool, server));
        let Some((tool, server)) = shown.or(joined).or_else(doubled) else { return false };
        let at = text_of(call, "timestamp");
        wire.call(&Call {
            id: &id,
            is_unique: true,
            server,
            session: &self.id,
            tool,
            arguments: call.member("args").map_or("", Raw::text),
            at: at.as_deref(),
            name_is_guess: shown.is_none(),
            host_owned: false,
        });
        if wire.is_open(&id) {
            answer(call, &id, at.as_deref(), wire, self.max_depth);
        }
        true
    }
}

fn answer(call: Raw<'_>, id: &str, at: Option<&str>, wire: &mut Wire, max_depth: usize) {
    let result = call.member("result").filter(|result| result.kind() != Kind::Null);
    let is_cancelled = is_text(call, "status", "cancelled");
    let is_error = call.member("status").map(|_| is_text(call, "status", "error"));
    let parts = match result {
        Some(result) => result.elements().unwrap_or_else(|| vec![result]),
        None if is_cancelled => Vec::new(),
        None => return,
    };
    let response = parts
        .iter()
        .find_map(|part| part.member("functionResponse"))
        .and_then(|response| response.member("response"));
    let error = response.and_then(|response| text_of(response, "error"));
    let output = response
        .and_then(|response| text_of(response, "output"))
        .or_else(|| result?.as_str().map(RawStr::decode));
    let whole = response.filter(|response| response.member("content").is_some());
    let bare = error.as_deref().map(bare_error).unwrap_or_default();
    let blocks;
    let mut is_cut = false;
    let reply = if let Some(error) = error.as_deref() {
        failure(error, &bare, is_cancelled, max_depth)
    } else if is_cancelled {
        Reply::Lost { fate: Fate::Cancelled, refused_by: None, reason: "" }
    } else if let Some(whole) = whole {
        Reply::Whole(whole.text())
    } else if let Some(output) = output.as_deref() {
        is_cut = CUT.iter().any(|words| output.contains(words));
        blocks = format!("[{}]", blocks_of(output, &parts));
        Reply::Blocks { blocks: &blocks, structured: None, is_error }
    } else {
        Reply::Lost { fate: Fate::NotRecorded, refused_by: None, reason: "" }
    };
    wire.answer(&Answer { id, at, duration_ms: None, is_cut, reply });
}

fn failure<'a>(error: &'a str, bare: &'a str, is_cancelled: bool, max_depth: usize) -> Reply<'a> {
    let is_unknown = error.starts_with("Tool \"") && error.contains("\" not found");
    let refuser =
        NOT_SENT.iter().find(|(words, _)| error.starts_with(words)).map(|(_, refuser)| *refuser);
    if let Some(refused_by) = refuser.or(is_unknown.then_some(Refuser::Host)) {
        return Reply::Lost { fate: Fate::NotSent, refused_by: Some(refused_by), reason: error };
    }
    if is_cancelled || error.starts_with("[Operation Cancelled]") {
        return Reply::Lost { fate: Fate::Cancelled, refused_by: None, reason: error };
    }
    if error.starts_with("MCP tool '")
        && error.contains("' reported tool error for function call: ")
    {
        return match result_in(error, max_depth) {
            Some(result) => Reply::Whole(result),
            None => Reply::Text { text: error, is_error: Some(true) },
        };
    }
    match protocol_code(error.strip_prefix("Error: ").unwrap_or(error)) {
        Some(code) => Reply::Error { code, message: error },
        None => Reply::WholeError(bare),
    }
}

/// The result that the words of an error quote. The arguments before it may hold the same words.
fn result_in(error: &str, max_depth: usize) -> Option<&str> {
    const QUOTES: usize = 8;
    error.match_indices(" with response: ").take(QUOTES).find_map(|(at, words)| {
        let parts = nested(error.get(at + words.len()..)?, max_depth)?.elements()?;
        let response = parts.first()?.member("functionResponse")?.member("response")?;
        // Older builds put the result into a member.
        let inner = response.member("error").filter(|inner| inner.kind() == Kind::Object);
        Some(inner.unwrap_or(response).text())
    })
}

/// The blocks of a reply: the program marks each text as one that cannot be trusted, and names the images that follow.
fn blocks_of(output: &str, parts: &[Raw<'_>]) -> String {
    let mut blocks = String::new();
    let mut images = String::new();
    let inner = parts
        .iter()
        .filter_map(|part| part.member("functionResponse")?.member("parts")?.elements())
        .flatten();
    for data in parts.iter().copied().chain(inner).filter_map(|part| part.member("inlineData")) {
        let member = |name| data.member(name).map_or("\"\"", Raw::text);
        let kind = if member("mimeType").starts_with("\"audio/") { "audio" } else { "image" };
        push_media_block(kind, member("data"), member("mimeType"), &mut images);
    }
    if output.is_empty() && images.is_empty() {
        push_text_block("", &mut blocks);
    }
    let mut rest = output;
    while !rest.is_empty() {
        let marked = rest.strip_prefix(BEFORE_TEXT).and_then(|text| text.split_once(AFTER_TEXT));
        if let Some((text, after)) = marked {
            push_text_block(text, &mut blocks);
            rest = after.strip_prefix('\n').unwrap_or(after);
            continue;
        }
        let next = rest.find("\n<untrusted_context>\n").filter(|_| !rest.starts_with(BEFORE_TEXT));
        let end = next.map_or(rest.len(), |end| end + 1);
        let (plain, after) = rest.split_at(end);
        let is_note =
            |line: &&str| line.starts_with("[Tool '") && line.contains("' provided the following ");
        let kept: Vec<&str> =
            plain.trim_end_matches('\n').split('\n').filter(|line| !is_note(line)).collect();
        if !kept.is_empty() {
            push_text_block(&kept.join("\n"), &mut blocks);
        }
        rest = after;
    }
    if !blocks.is_empty() && !images.is_empty() {
        blocks.push(',');
    }
    blocks.push_str(&images);
    blocks
}
