//! Tasks of Cline and of what was made from it: `tasks/ID/ui_messages.json` in the storage that VS Code gives an
//! extension. `api_conversation_history.json` beside it holds the same calls as the model saw them.

use super::texts::{
    ImageUrl, SplitName, bare_error, elements_of, is_text, is_true, json_of_text, nested,
    protocol_code, push_text_block, quoted, read, split_double_underscore, text_of, time_of_millis,
};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, ListPath, Raw, RawStr};
use crate::recording::{Fate, Fidelity, Refuser};
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
    fidelity: Fidelity::Derived,
    units: Units::Elements(&MESSAGES),
    signs: &[r#""ts""#, "<task>"],
    recognise,
    converter,
};

pub(super) static ROO_CODE: Program = Program {
    id: "roo-code",
    name: "Roo Code task",
    about: "A task of Roo Code or Kilo Code: tasks/ID/ui_messages.json, or api_conversation_history.json without it.",
    fidelity: Fidelity::Derived,
    units: Units::Elements(&MESSAGES),
    signs: &[r#""ts""#, "<task>"],
    recognise: recognise_roo,
    converter,
};

fn recognise_roo(head: &Head<'_>) -> Option<&'static str> {
    let is_own = |record: &Raw<'_>| {
        let request = text_of(*record, "text")
            .filter(|_| is_text(*record, "say", "api_req_started"))
            .is_some_and(|text| text.contains("\"apiProtocol\""));
        let call = elements_of(*record, "content")
            .iter()
            .filter_map(|block| text_of(*block, "name"))
            .any(|name| name.starts_with("mcp--"));
        request || call || record.member("contextCondense").is_some()
    };
    let records = head.any_records();
    recognise(head).filter(|_| records.iter().any(is_own))
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Task::of(file))
}

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    if head.document()?.kind() != Kind::Array {
        return None;
    }
    let records = head.any_records();
    if records.iter().any(is_shown) {
        return Some("messages with ts, and ask or say");
    }
    let is_task = |record: &Raw<'_>| {
        is_text(*record, "role", "user")
            && elements_of(*record, "content")
                .iter()
                .filter_map(|block| text_of(*block, "text"))
                .any(|text| text.starts_with("<task>"))
    };
    records.first().is_some_and(is_task).then_some("a first message that begins with <task>")
}

/// Whether a message is one that people saw.
fn is_shown(record: &Raw<'_>) -> bool {
    let is_kind = |kind| is_text(*record, "type", kind) && text_of(*record, kind).is_some();
    record.member("ts").is_some_and(|ts| ts.kind() == Kind::Number)
        && (is_kind("ask") || is_kind("say"))
}

struct Task {
    max_depth: usize,
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
            max_depth: file.max_depth,
            session: name.unwrap_or(file.stem).to_owned(),
            is_shown: false,
            is_repeated: SHOWN.iter().any(|name| folder.is_some_and(|it| it.join(name).is_file())),
            current: None,
            calls: 0,
        }
    }
}

impl Convert for Task {
    fn look_ahead(&mut self, message: &str) {
        self.is_shown |= nested(message, self.max_depth).is_some_and(|it| is_shown(&it));
    }

    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(record) = read(text, self.max_depth, wire) else { return };
        let other = match (self.is_shown, self.is_repeated) {
            (false, true) => "(repeats ui_messages.json)",
            (true, _) if self.shown(record, wire) => return,
            (false, false) if self.told(record, wire) => return,
            _ => "(no MCP call)",
        };
        wire.other(other, 1);
    }

    fn end(&mut self, wire: &mut Wire) {
        if self.is_shown {
            // Nobody knows whether the last call would have been allowed.
            self.leave(None, wire);
        }
    }
}

/// What people saw.
impl Task {
    fn shown(&mut self, record: Raw<'_>, wire: &mut Wire) -> bool {
        let is_asked = is_text(record, "type", "ask");
        let kind = text_of(record, if is_asked { "ask" } else { "say" }).unwrap_or_default();
        let text = text_of(record, "text").unwrap_or_default();
        let at = time(record);
        match &*kind {
            "use_mcp_server" => {
                if is_true(record, "partial") {
                    return false;
                }
                self.leave(Some(Refuser::User), wire);
                self.call(is_asked, &text, at.as_deref(), wire)
            }
            "mcp_server_request_started" => {
                if let Some(current) = &mut self.current {
                    current.is_started = true;
                }
                false
            }
            "mcp_server_response" => self.answer(record, &text, at.as_deref(), wire),
            "error" if text.starts_with(FAILED) => self.answer(record, &text, at.as_deref(), wire),
            "api_req_started" => {
                self.leave(Some(Refuser::User), wire);
                false
            }
            _ => false,
        }
    }

    fn call(&mut self, is_asked: bool, text: &str, at: Option<&str>, wire: &mut Wire) -> bool {
        let Some(call) =
            nested(text, self.max_depth).filter(|call| is_text(*call, "type", "use_mcp_tool"))
        else {
            return false;
        };
        let server = text_of(call, "serverName").unwrap_or_default();
        let tool = text_of(call, "toolName").unwrap_or_default();
        let arguments = json_of_text(call.member("arguments"), self.max_depth);
        let arguments = if arguments.is_empty() { "{}" } else { &*arguments };
        let id = self.next_id();
        wire.call(&self.named(&id, &server, &tool, arguments, at));
        self.current = Some(Current { id, is_asked, is_started: false });
        true
    }

    fn answer(&mut self, record: Raw<'_>, text: &str, at: Option<&str>, wire: &mut Wire) -> bool {
        let Some(current) = self.current.take() else { return false };
        let images = elements_of(record, "images");
        let images = images.iter().filter_map(|image| image.as_str()).map(RawStr::decode);
        let images: Vec<_> = images.collect();
        self.tell(&current.id, at, &Told { text, is_error: None, images: &images }, wire);
        true
    }

    /// The task goes on without an answer to the call that was made last.
    fn leave(&mut self, refused_by: Option<Refuser>, wire: &mut Wire) {
        let Some(current) = self.current.take() else { return };
        let goes_on = refused_by.is_some();
        let fate = match (current.is_started, current.is_asked) {
            // Cline shows its model the error alone.
            (true, _) if goes_on => Fate::NotRecorded,
            (false, true) => Fate::NotSent,
            _ => return,
        };
        let refused_by = refused_by.filter(|_| fate == Fate::NotSent);
        let reply = Reply::Lost { fate, refused_by, reason: "" };
        wire.answer(&Answer { id: &current.id, at: None, duration_ms: None, is_cut: false, reply });
    }

    fn next_id(&mut self) -> String {
        self.calls += 1;
        self.calls.to_string()
    }

    fn named<'a>(
        &'a self,
        id: &'a str,
        server: &'a str,
        tool: &'a str,
        arguments: &'a str,
        at: Option<&'a str>,
    ) -> Call<'a> {
        let session = &self.session;
        Call { id, server, session, tool, arguments, at, ..Call::default() }
    }
}

/// What the model saw.
impl Task {
    fn told(&mut self, record: Raw<'_>, wire: &mut Wire) -> bool {
        let at = time(record);
        let is_model = is_text(record, "role", "assistant");
        let mut found = false;
        let mut blocks = elements_of(record, "content").into_iter().peekable();
        while let Some(block) = blocks.next() {
            let text = text_of(block, "text").unwrap_or_default();
            if is_model && is_text(block, "type", "tool_use") {
                found |= self.used(block, at.as_deref(), wire);
            } else if is_model {
                found |= self.wrote(&text, at.as_deref(), wire);
            } else if is_text(block, "type", "tool_result") {
                found |= self.result(block, at.as_deref(), wire);
            } else if let Some(rest) = after_title(&text) {
                let Some(current) = self.current.take() else { continue };
                let following = blocks.next_if(|_| rest.is_empty());
                let following = following.and_then(|block| text_of(block, "text"));
                let text = following.as_deref().unwrap_or(rest);
                let mut images = Vec::new();
                while let Some(image) = blocks.next_if(|block| is_text(*block, "type", "image")) {
                    images.extend(data_url(image));
                }
                let told = Told { text, is_error: None, images: &images };
                self.tell(&current.id, at.as_deref(), &told, wire);
                found = true;
            }
        }
        found
    }

    /// A call in the model's own text.
    fn wrote(&mut self, text: &str, at: Option<&str>, wire: &mut Wire) -> bool {
        let mut found = false;
        for call in text.split("<use_mcp_tool>").skip(1) {
            let Some((call, _)) = call.split_once("</use_mcp_tool>") else { continue };
            let tag = |name: &str| {
                let (_, rest) = call.split_once(&format!("<{name}>"))?;
                Some(rest.rsplit_once(&format!("</{name}>"))?.0.trim())
            };
            let (Some(server), Some(tool)) = (tag("server_name"), tag("tool_name")) else {
                continue;
            };
            let arguments = tag("arguments").unwrap_or_default();
            let arguments = match nested(arguments, self.max_depth) {
                Some(arguments) => Cow::Borrowed(arguments.text()),
                None if arguments.is_empty() => Cow::Borrowed(""),
                None => Cow::Owned(quoted(arguments)),
            };
            let id = self.next_id();
            wire.call(&self.named(&id, server, tool, &arguments, at));
            self.current = Some(Current { id, is_asked: false, is_started: true });
            found = true;
        }
        found
    }

    fn used(&self, block: Raw<'_>, at: Option<&str>, wire: &mut Wire) -> bool {
        let (Some(id), Some(name)) = (text_of(block, "id"), text_of(block, "name")) else {
            return false;
        };
        let input = block.member("input");
        if name == "use_mcp_tool" {
            let member = |name| text_of(input?, name);
            let (Some(server), Some(tool)) = (member("server_name"), member("tool_name")) else {
                return false;
            };
            let arguments =
                json_of_text(input.and_then(|input| input.member("arguments")), self.max_depth);
            wire.call(&self.named(&id, &server, &tool, &arguments, at));
            return true;
        }
        let Some(split) = split(&name) else { return false };
        let arguments = input.map_or("", Raw::text);
        let call = self.named(&id, split.server, split.tool, arguments, at);
        wire.call(&Call { name_is_guess: split.is_guess, ..call });
        true
    }

    fn result(&self, block: Raw<'_>, at: Option<&str>, wire: &mut Wire) -> bool {
        let Some(id) = text_of(block, "tool_use_id").filter(|id| wire.is_open(id)) else {
            return false;
        };
        let is_error = is_true(block, "is_error").then_some(true);
        let content = block.member("content");
        let parts = content.and_then(Raw::elements).unwrap_or_default();
        let texts: Vec<_> = parts.iter().filter_map(|part| text_of(*part, "text")).collect();
        let text = match content.and_then(Raw::as_str) {
            Some(text) => text.decode(),
            None => texts.join("\n\n").into(),
        };
        let images: Vec<_> = parts.iter().filter_map(|part| data_url(*part)).collect();
        self.tell(&id, at, &Told { text: &text, is_error, images: &images }, wire);
        true
    }
}

/// Names of functions are cut to this length.
const LONGEST_NAME: usize = 64;

/// Server and tool of a function: `mcp--SERVER--TOOL` of Roo Code, which models also write with underscores, and
/// `KEY0mcp0TOOL` or `SERVER__TOOL` of Cline. A key stands for a server whose name is not in the file.
fn split(name: &str) -> Option<SplitName<'_>> {
    let is_long = name.len() >= LONGEST_NAME;
    if let Some(split) = split_double_underscore(name) {
        return Some(SplitName { is_guess: split.is_guess || is_long, ..split });
    }
    let (server, tool, is_guess) = if let Some(rest) = name.strip_prefix("mcp--") {
        let (server, tool) = rest.split_once("--")?;
        (server, tool, false)
    } else if let Some((key, tool)) = name.split_once("0mcp0") {
        (key, tool, true)
    } else {
        let (server, tool) = name.split_once("__")?;
        (server, tool, tool.contains("__"))
    };
    let is_guess = is_guess || is_long;
    (!server.is_empty() && !tool.is_empty()).then_some(SplitName { server, tool, is_guess })
}

/// What follows `[use_mcp_tool for 'SERVER'] Result:`.
fn after_title(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("[use_mcp_tool for '")?;
    let (title, rest) = rest.split_once("Result:")?;
    (!title.contains('\n')).then_some(rest.trim_start())
}

/// An image of the model's interface as a `data:` address.
fn data_url(part: Raw<'_>) -> Option<Cow<'_, str>> {
    let source = part.member("source")?;
    let (kind, data) = (text_of(source, "media_type")?, text_of(source, "data")?);
    Some(format!("data:{kind};base64,{data}").into())
}

fn time(record: Raw<'_>) -> Option<String> {
    time_of_millis(record.member("ts")?.text().parse().ok()?)
}

/// What came back, in the words of the program.
struct Told<'a> {
    text: &'a str,
    is_error: Option<bool>,
    images: &'a [Cow<'a, str>],
}

impl Task {
    fn tell(&self, id: &str, at: Option<&str>, told: &Told<'_>, wire: &mut Wire) {
        let text = told.text;
        // Roo Code wraps what it says itself.
        let wrapped = text.strip_prefix("{\"status\":").and_then(|_| nested(text, self.max_depth));
        let is_denied = text.starts_with(DENIED)
            || wrapped.is_some_and(|wrapped| is_text(wrapped, "status", "denied"));
        let inner = wrapped
            .filter(|wrapped| is_text(*wrapped, "status", "error"))
            .and_then(|wrapped| text_of(wrapped, "error"));
        let is_wrapped = inner.is_some() || text.starts_with("The tool execution failed");
        let error = inner
            .as_deref()
            .unwrap_or(text)
            .split_once(FAILED)
            .filter(|(before, _)| before.is_empty() || is_wrapped)
            .map(|(_, rest)| Failure::of(rest, self.max_depth));
        let is_unknown = error
            .as_ref()
            .is_some_and(|error| UNKNOWN.iter().any(|words| error.message.contains(words)));
        let (bare, blocks);
        let reply = if is_denied || is_unknown {
            let refused_by = Some(if is_denied { Refuser::User } else { Refuser::Host });
            Reply::Lost { fate: Fate::NotSent, refused_by, reason: text }
        } else if let Some(error) = &error {
            bare = bare_error(&error.message);
            match error.code() {
                Some(code) => Reply::Error { code, message: &error.message },
                None => Reply::WholeError(&bare),
            }
        } else {
            let marked = text.strip_prefix("Error:\n").or_else(|| (text == "Error:").then_some(""));
            // One build writes the mark in front of the text, where a server may have written it.
            let is_unclear = text.starts_with("Error: ");
            let is_error = marked.map(|_| true).or((!is_unclear).then_some(false));
            blocks = with_images(marked.unwrap_or(text), told.images);
            let is_error = told.is_error.or(is_error);
            Reply::Blocks { blocks: &blocks, structured: None, is_error }
        };
        wire.answer(&Answer { id, at, duration_ms: None, is_cut: false, reply });
    }
}

/// A text and its images as blocks. Cline also puts the addresses of images behind the text.
fn with_images(text: &str, images: &[Cow<'_, str>]) -> String {
    let mut text = text;
    let mut found: Vec<ImageUrl<'_>> = Vec::new();
    while let Some((before, url)) = text.rsplit_once("\n\n")
        && let Some(image) = ImageUrl::of(url)
    {
        found.push(image);
        text = before;
    }
    found.reverse();
    found.extend(images.iter().filter_map(|url| ImageUrl::of(url)));
    let mut blocks = String::new();
    let text = if text == NO_TEXT { "" } else { text };
    if !text.is_empty() || found.is_empty() {
        push_text_block(text, &mut blocks);
    }
    for image in found {
        image.push(&mut blocks);
    }
    format!("[{blocks}]")
}

/// An error that the program caught when it asked the server.
struct Failure {
    message: String,
    code: Option<String>,
}

impl Failure {
    fn of(rest: &str, max_depth: usize) -> Self {
        let text = rest.trim_start_matches([':', ' ', '\n']);
        let text = text.split_once("\n</error>").map_or(text, |(text, _)| text).trim_end();
        let object = nested(text, max_depth).filter(|object| object.kind() == Kind::Object);
        let message = object.and_then(|object| text_of(object, "message"));
        let code = object.and_then(|object| object.member("code"));
        let code =
            code.filter(|code| code.kind() == Kind::Number).map(|code| code.text().to_owned());
        Self { message: message.map_or(text.to_owned(), Cow::into_owned), code }
    }

    fn code(&self) -> Option<&str> {
        protocol_code(&self.message).or(self.code.as_deref())
    }
}
