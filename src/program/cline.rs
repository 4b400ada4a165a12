//! Tasks of Cline and of what was made from it: `tasks/ID/ui_messages.json` in the storage that VS Code gives an
//! extension. `api_conversation_history.json` beside it holds the same calls as the model saw them.

use super::reader::Convert;
use super::texts::{
    SplitName, array, elements_of, get, image_of_url, is_text, is_true, json_of_text, nested,
    number_of, protocol_code, quoted, split_name, text_block, text_of, time_of_millis,
};
use super::wire::{Answer, Call, NO_CALL, Reply};
use super::{FileFacts, Head, PLAIN, Program, Units, Wire};
use crate::json::{Kind, ListPath, Raw, RawStr};
use crate::recording::{Fate, Refuser};
use std::borrow::Cow;

/// What Cline writes for a reply without text.
const NO_TEXT: &str = "(No response)";
const DENIED: &str = "The user denied this operation";
const FAILED: &str = "Error executing MCP tool";
/// Errors of the program itself, before it asks the server.
const UNKNOWN: [&str; 2] = ["No connection found for server", "is disabled and cannot be used"];
/// The names of the files that hold what people saw.
const SHOWN: [&str; 2] = ["ui_messages.json", "claude_messages.json"];

/// The document is the list.
static MESSAGES: ListPath = ListPath { members: &[], beside: &[], beside_kind: Kind::Null };

pub(super) static CLINE: Program = Program {
    id: "cline",
    name: "Cline task",
    about: "A task of Cline: tasks/ID/ui_messages.json, or api_conversation_history.json without it.",
    units: Units::Elements(&MESSAGES),
    signs: &[r#""ts""#, "<task>"],
    recognise,
    converter: |file| Box::new(Task::of(file)),
    ..PLAIN
};

pub(super) static ROO_CODE: Program = Program {
    id: "roo-code",
    name: "Roo Code task",
    about: "A task of Roo Code or Kilo Code: tasks/ID/ui_messages.json, or api_conversation_history.json without it.",
    recognise: |head| {
        let is_own = |record: Raw<'_>| {
            let request =
                text_of(record, "text").filter(|_| is_text(record, "say", "api_req_started"));
            let mut names =
                elements_of(record, "content").into_iter().filter_map(|it| text_of(it, "name"));
            request.is_some_and(|text| text.contains("\"apiProtocol\""))
                || names.any(|name| name.starts_with("mcp--"))
                || record.member("contextCondense").is_some()
        };
        recognise(head).filter(|_| head.any_records().into_iter().any(is_own))
    },
    ..CLINE
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    if head.document()?.kind() != Kind::Array {
        return None;
    }
    let records = head.any_records();
    if records.iter().any(|record| is_shown(*record)) {
        return Some("messages with ts, and ask or say");
    }
    let first = records.first().filter(|record| is_text(**record, "role", "user"))?;
    let mut texts = elements_of(*first, "content").into_iter().filter_map(|it| text_of(it, "text"));
    let is_task = texts.any(|text| text.starts_with("<task>"));
    is_task.then_some("a first message that begins with <task>")
}

/// Whether a message is one that people saw.
fn is_shown(record: Raw<'_>) -> bool {
    let is_kind = |kind| is_text(record, "type", kind) && text_of(record, kind).is_some();
    record.member("ts").is_some_and(|ts| ts.kind() == Kind::Number)
        && (is_kind("ask") || is_kind("say"))
}

struct Task {
    session: String,
    is_shown: bool,
    /// That stands in a file beside this one.
    is_repeated: bool,
    current: Option<Current>,
    calls: u64,
}

struct Current {
    id: String,
    /// A person was asked first.
    is_asked: bool,
    is_started: bool,
}

impl Task {
    fn of(file: &FileFacts<'_>) -> Self {
        let folder = file.folder.filter(|_| !SHOWN.contains(&file.name));
        let name = file.folder.and_then(|folder| folder.file_name()).and_then(|name| name.to_str());
        Self {
            session: name.unwrap_or(file.stem).to_owned(),
            is_shown: false,
            is_repeated: SHOWN.iter().any(|name| folder.is_some_and(|it| it.join(name).is_file())),
            current: None,
            calls: 0,
        }
    }
}

impl Convert for Task {
    fn look_ahead(&mut self, message: Raw<'_>) {
        self.is_shown |= is_shown(message);
    }

    fn value(&mut self, record: Raw<'_>, wire: &mut Wire) {
        wire.session.clone_from(&self.session);
        if self.is_shown {
            self.shown(record, wire);
        } else if self.is_repeated {
            wire.other("(repeats ui_messages.json)", 1);
        } else {
            self.told(record, wire);
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        if self.is_shown {
            // Nobody knows whether the last call would have been allowed.
            self.leave(false, wire);
        }
    }
}

/// What people saw.
impl Task {
    fn shown(&mut self, record: Raw<'_>, wire: &mut Wire) {
        let is_asked = is_text(record, "type", "ask");
        let kind = text_of(record, if is_asked { "ask" } else { "say" }).unwrap_or_default();
        let text = text_of(record, "text").unwrap_or_default();
        let at = time(record);
        match &*kind {
            "use_mcp_server" if !is_true(record, "partial") => {
                self.leave(true, wire);
                let call = nested(&text).filter(|call| is_text(*call, "type", "use_mcp_tool"));
                if let Some(call) = call {
                    let member = |name| text_of(call, name).unwrap_or_default();
                    let (server, tool) = (member("serverName"), member("toolName"));
                    let arguments = json_of_text(call.member("arguments"));
                    let arguments = if arguments.is_empty() { "{}" } else { &*arguments };
                    let at = at.as_deref();
                    let id = self.begin(is_asked, false);
                    let (server, tool) = (&*server, &*tool);
                    wire.call(&Call { id, server, tool, arguments, at, ..Call::default() });
                }
            }
            "mcp_server_request_started" => {
                if let Some(current) = &mut self.current {
                    current.is_started = true;
                }
            }
            "api_req_started" => {
                self.leave(true, wire);
                wire.other(NO_CALL, 1);
            }
            _ if kind == "mcp_server_response" || kind == "error" && text.starts_with(FAILED) => {
                let Some(current) = self.current.take() else { return };
                let images = elements_of(record, "images").into_iter();
                let images = images.filter_map(Raw::as_str).map(RawStr::decode);
                tell(&current.id, at.as_deref(), None, &text, images, wire);
            }
            _ => {}
        }
    }

    /// The id of a call that waits for what comes next.
    fn begin(&mut self, is_asked: bool, is_started: bool) -> &str {
        self.calls += 1;
        let id = self.calls.to_string();
        &self.current.insert(Current { id, is_asked, is_started }).id
    }

    /// The task goes on, or ends, without an answer to the call that was made last.
    fn leave(&mut self, goes_on: bool, wire: &mut Wire) {
        let Some(current) = self.current.take() else { return };
        let reply = match (current.is_started, current.is_asked) {
            // Cline shows its model the error alone.
            (true, _) if goes_on => Reply::default(),
            (false, true) if goes_on => Reply::not_sent(Refuser::User, ""),
            (false, true) => Reply::lost(Fate::NotSent, ""),
            _ => return,
        };
        wire.answer(&Answer { id: &current.id, reply, ..Answer::default() });
    }
}

/// What the model saw.
impl Task {
    fn told(&mut self, record: Raw<'_>, wire: &mut Wire) {
        let at = time(record);
        let at = at.as_deref();
        let is_model = is_text(record, "role", "assistant");
        let mut blocks = elements_of(record, "content").into_iter().peekable();
        while let Some(block) = blocks.next() {
            let text = text_of(block, "text").unwrap_or_default();
            if is_model && is_text(block, "type", "tool_use") {
                used(block, at, wire);
            } else if is_model {
                self.wrote(&text, at, wire);
            } else if is_text(block, "type", "tool_result") {
                result(block, at, wire);
            } else if let Some(rest) = after_title(&text) {
                let Some(current) = self.current.take() else { continue };
                let following = blocks.next_if(|_| rest.is_empty());
                let following = following.and_then(|block| text_of(block, "text"));
                let text = following.as_deref().unwrap_or(rest);
                let mut images = Vec::new();
                while let Some(image) = blocks.next_if(|block| is_text(*block, "type", "image")) {
                    images.extend(data_url(image));
                }
                tell(&current.id, at, None, text, images, wire);
            }
        }
    }

    /// A call in the model's own text.
    fn wrote(&mut self, text: &str, at: Option<&str>, wire: &mut Wire) {
        for call in text.split("<use_mcp_tool>").skip(1) {
            let Some((call, _)) = call.split_once("</use_mcp_tool>") else { continue };
            let tag = |name: &str| {
                let (_, rest) = call.split_once(&format!("<{name}>"))?;
                Some(rest.rsplit_once(&format!("</{name}>"))?.0.trim())
            };
            let Some((server, tool)) = tag("server_name").zip(tag("tool_name")) else { continue };
            let arguments = tag("arguments").unwrap_or_default();
            let arguments: Cow<'_, str> = match nested(arguments) {
                Some(arguments) => arguments.text().into(),
                None if arguments.is_empty() => "".into(),
                None => quoted(arguments).into(),
            };
            let id = self.begin(false, true);
            wire.call(&Call { id, server, tool, arguments: &arguments, at, ..Call::default() });
        }
    }
}

fn used(block: Raw<'_>, at: Option<&str>, wire: &mut Wire) {
    let Some((id, name)) = text_of(block, "id").zip(text_of(block, "name")) else { return };
    let input = block.member("input");
    let call = Call { id: &id, at, ..Call::default() };
    if name == "use_mcp_tool" {
        let names = text_of(input, "server_name").zip(text_of(input, "tool_name"));
        let Some((server, tool)) = names else { return };
        let arguments = json_of_text(get(input, "arguments"));
        wire.call(&Call { server: &server, tool: &tool, arguments: &arguments, ..call });
    } else if let Some(SplitName { server, tool, is_guess }) = split(&name) {
        let arguments = input.map_or("", Raw::text);
        wire.call(&Call { server, tool, arguments, name_is_guess: is_guess, ..call });
    }
}

fn result(block: Raw<'_>, at: Option<&str>, wire: &mut Wire) {
    let Some(id) = text_of(block, "tool_use_id").filter(|id| wire.is_open(id)) else { return };
    let is_error = is_true(block, "is_error").then_some(true);
    let parts = elements_of(block, "content");
    let texts: Vec<_> = parts.iter().filter_map(|part| text_of(*part, "text")).collect();
    let text = text_of(block, "content").unwrap_or_else(|| texts.join("\n\n").into());
    let images = parts.iter().filter_map(|part| data_url(*part));
    tell(&id, at, is_error, &text, images, wire);
}

/// Names of functions are cut to this length.
const LONGEST_NAME: usize = 64;

/// Server and tool of a function: `mcp--SERVER--TOOL` of Roo Code, which models also write with underscores, and
/// `KEY0mcp0TOOL` or `SERVER__TOOL` of Cline. A key stands for a server whose name is not in the file.
fn split(name: &str) -> Option<SplitName<'_>> {
    let forms = [("mcp__", "__"), ("mcp--", "--"), ("", "0mcp0"), ("", "__")];
    let is_form = |(prefix, between): &(&str, &str)| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.contains(between))
    };
    let (prefix, between) = *forms.iter().find(|form| is_form(form))?;
    let split = split_name(name, prefix, between)?;
    let is_guess = match between {
        "--" => false,
        "0mcp0" => true,
        _ => split.is_guess,
    };
    Some(SplitName { is_guess: is_guess || name.len() >= LONGEST_NAME, ..split })
}

/// What follows `[use_mcp_tool for 'SERVER'] Result:`.
fn after_title(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("[use_mcp_tool for '")?;
    let (title, rest) = rest.split_once("Result:")?;
    (!title.contains('\n')).then_some(rest.trim_start())
}

/// An image of the model's interface as a `data:` address.
fn data_url(part: Raw<'_>) -> Option<Cow<'_, str>> {
    let (kind, data) = (text_of(part, "source.media_type")?, text_of(part, "source.data")?);
    Some(format!("data:{kind};base64,{data}").into())
}

fn time(record: Raw<'_>) -> Option<String> {
    time_of_millis(number_of(record, "ts")?)
}

/// Writes what came back, in the words of the program.
fn tell<'a>(
    id: &str,
    at: Option<&str>,
    is_error: Option<bool>,
    text: &str,
    images: impl IntoIterator<Item = Cow<'a, str>>,
    wire: &mut Wire,
) {
    // Roo Code wraps what it says itself.
    let wrapped = Some(text).filter(|text| text.starts_with("{\"status\":")).and_then(nested);
    let is_denied = text.starts_with(DENIED) || is_text(wrapped, "status", "denied");
    let inner = text_of(wrapped, "error").filter(|_| is_text(wrapped, "status", "error"));
    let is_wrapped = inner.is_some() || text.starts_with("The tool execution failed");
    let error = inner.as_deref().unwrap_or(text).split_once(FAILED);
    let error = error.filter(|(before, _)| before.is_empty() || is_wrapped);
    let reply = if is_denied {
        Reply::not_sent(Refuser::User, text)
    } else if let Some((_, error)) = error {
        failure(error, text)
    } else {
        let marked = text.strip_prefix("Error:\n").or_else(|| (text == "Error:").then_some(""));
        // One build writes the mark in front of the text, where a server may have written it.
        let is_unclear = text.starts_with("Error: ");
        let is_marked = marked.map(|_| true).or((!is_unclear).then_some(false));
        Reply::blocks(with_images(marked.unwrap_or(text), images), is_error.or(is_marked))
    };
    wire.answer(&Answer { id, at, reply, ..Answer::default() });
}

/// An error that the program caught when it asked the server.
fn failure<'a>(error: &str, whole: &'a str) -> Reply<'a> {
    let text = error.trim_start_matches([':', ' ', '\n']);
    let text = text.split("\n</error>").next().unwrap_or_default().trim_end();
    let object = nested(text).filter(|object| object.kind() == Kind::Object);
    let message = text_of(object, "message").unwrap_or(text.into());
    let code = get(object, "code").filter(|code| code.kind() == Kind::Number).map(Raw::text);
    if UNKNOWN.iter().any(|words| message.contains(words)) {
        return Reply::not_sent(Refuser::Host, whole);
    }
    Reply::coded(protocol_code(&message).or(code), &message)
}

/// A text and its images as blocks. Cline also puts the addresses of images behind the text.
fn with_images<'a>(mut text: &str, images: impl IntoIterator<Item = Cow<'a, str>>) -> String {
    let mut blocks = Vec::new();
    while let Some((before, url)) = text.rsplit_once("\n\n")
        && let Some(image) = image_of_url(url)
    {
        blocks.insert(0, image);
        text = before;
    }
    blocks.extend(images.into_iter().filter_map(|url| image_of_url(&url)));
    let text = if text == NO_TEXT { "" } else { text };
    if !text.is_empty() || blocks.is_empty() {
        blocks.insert(0, text_block(text));
    }
    array(&blocks)
}
