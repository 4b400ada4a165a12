//! Sessions of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`, of older builds `session-*.json`; and what
//! `gemini -o stream-json` prints: the events of a session as the program shows them to people.

use super::chat::is_random;
use super::reader::Convert;
use super::spans::NOT_OF_MCP;
use super::texts::{
    Places, SplitName, array, elements_of, fits, get, given, is_text, json_of, media_block, nested,
    protocol_code, split_name, text_block, text_of,
};
use super::wire::{Answer, Call, NO_CALL, Reply};
use super::{PLAIN, Program, Units, Wire};
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

/// Tools of the program itself, with spaces between. An underscore at the end stands for all that follows.
const OWN_TOOLS: &str = "activate_skill ask_user cli_help codebase_investigator complete_task delegate_to_agent \
    discovered_tool_ enter_plan_mode exit_plan_mode generalist get_internal_docs glob \
    google_web_search grep_search list_directory list_mcp_resources read_file read_many_files \
    read_mcp_resource replace run_shell_command save_memory search_file_content tracker_ \
    update_topic web_fetch write_file write_todos";

/// Types of errors of the program, which did not ask the server.
const REFUSALS: [(&str, Refuser); 3] = [
    ("policy_violation", Refuser::Policy),
    ("invalid_tool_params", Refuser::Host),
    ("tool_not_registered", Refuser::Host),
];

pub(super) static GEMINI_CLI_STREAM: Program = Program {
    id: "gemini-cli-stream",
    name: "Gemini CLI stream-json",
    about: "What `gemini -o stream-json` printed.",
    units: Units::Lines,
    ids_of: "gemini-cli",
    signs: &[r#""init""#, r#""tool_id""#],
    // Between the events, the program and its extensions print what they like.
    words: &[r#""init""#, r#""tool_use""#],
    open_words: &[r#""tool_result""#],
    recognise: |head| {
        if head.has_line("type=init timestamp session_id model") {
            return Some("an event init with session_id and model");
        }
        head.has_line("type=tool_use|tool_result timestamp tool_id")
            .then_some("events tool_use and tool_result with a tool_id")
    },
    converter: |file| Box::new(Stream { is_named: file.is_named }),
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
    let Some(SplitName { server, tool, .. }) = shown.or_else(|| joined(&name)) else { return };
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

/// The server and tool of a function. In older builds, `SERVER__TOOL` stands for a tool that two servers have.
fn joined(name: &str) -> Option<SplitName<'_>> {
    split_name(name, "mcp_", "_").or_else(|| split_name(name, "", "__"))
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
        is_cut = is_shortened(output);
        Reply::blocks(blocks_of(output, &parts), is_error)
    } else {
        Reply::default()
    };
    wire.answer(&Answer { id, at, reply, is_cut, ..Answer::default() });
}

struct Stream {
    /// All tools that are not the program's are MCP's: those of older builds have names without a server.
    is_named: bool,
}

impl Convert for Stream {
    fn record(&mut self, event: Raw<'_>, wire: &mut Wire) {
        match text_of(event, "type").as_deref() {
            Some("init") => {
                wire.session = text_of(event, "session_id").unwrap_or_default().into_owned();
            }
            Some("tool_use") => self.call(event, wire),
            Some("tool_result") => result_event(event, wire),
            _ => {}
        }
    }
}

impl Stream {
    fn call(&self, event: Raw<'_>, wire: &mut Wire) {
        let names = text_of(event, "tool_id").zip(text_of(event, "tool_name"));
        let Some((id, name)) = names else { return };
        let is_own = |own: &str| name == own || (own.ends_with('_') && name.starts_with(own));
        let is_own = OWN_TOOLS.split(' ').any(is_own);
        let bare = SplitName { server: "", tool: &name, is_guess: false };
        let split = joined(&name).or_else(|| (self.is_named && !is_own).then_some(bare));
        let Some(SplitName { server, tool, is_guess }) = split else {
            return wire.other(if is_own { NO_CALL } else { NOT_OF_MCP }, 1);
        };
        wire.call(&Call {
            id: &id,
            is_unique: is_random(&id),
            server,
            tool,
            arguments: json_of(event, "parameters"),
            at: text_of(event, "timestamp").as_deref(),
            name_is_guess: is_guess,
            ..Call::default()
        });
    }
}

fn result_event(event: Raw<'_>, wire: &mut Wire) {
    let Some(id) = text_of(event, "tool_id").filter(|id| wire.is_open(id)) else { return };
    let message = text_of(event, "error.message");
    let kind = text_of(event, "error.type").unwrap_or_default();
    let refuser = REFUSALS.iter().find(|(refusal, _)| *refusal == kind);
    // Media are named in the text, and a text is missing where something else was shown.
    let output = text_of(event, "output");
    let is_error = event.member("status").map(|_| is_text(event, "status", "error"));
    let (reply, is_cut) = match (&message, refuser, &output) {
        (Some(message), Some((_, refuser)), _) => (Reply::not_sent(*refuser, &**message), false),
        (Some(message), None, _) => (failure(message, false), false),
        (None, _, Some(output)) => (Reply::text(output, is_error), is_shortened(output)),
        (None, _, None) => (Reply::default(), false),
    };
    let at = text_of(event, "timestamp");
    wire.answer(&Answer { id: &id, at: at.as_deref(), reply, is_cut, ..Answer::default() });
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

fn is_shortened(output: &str) -> bool {
    CUT.iter().any(|words| output.contains(words))
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
