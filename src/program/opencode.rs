//! Sessions of opencode: what `opencode export` writes, and the parts that older builds kept in files of their own.

use super::texts::{
    ImageUrl, Places, bare_error, elements_of, is_text, is_true, protocol_code, push_text_block,
    read, text_of, time_of_millis,
};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity, Refuser};

/// Tools of the program itself that are named as those of servers are.
const OWN_TOOLS: [&str; 6] =
    ["plan_enter", "plan_exit", "apply_patch", "lsp_hover", "lsp_diagnostics", "todo_write"];

/// What stands in place of a reply when the server never saw the call.
const NOT_SENT: [(&str, Refuser); 3] = [
    ("The user rejected permission to use this specific tool call", Refuser::User),
    ("The user has specified a rule which prevents", Refuser::Policy),
    ("Model tried to call unavailable tool", Refuser::Host),
];

/// Ids of models that are shorter, such as `call_1`, return in other sessions.
const SHORTEST_UNIQUE: usize = 16;

const ABORTED: &str = "Tool execution aborted";
const CUT: &str = "the output was truncated. Full output saved to: ";

pub(super) static OPENCODE: Program = Program {
    id: "opencode",
    name: "opencode session",
    about: "A session of opencode: what `opencode export` writes, or a file of storage/part of an older build.",
    fidelity: Fidelity::Derived,
    units: Units::Document,
    signs: &[r#""messageID""#, r#""projectID""#, r#""directory""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let document = head.document()?;
    if is_part(&document) {
        return Some("a part with sessionID, messageID and a type");
    }
    let messages = document.member("messages").and_then(Raw::elements)?;
    let is_message =
        |message: &Raw<'_>| message.member("info").is_some() && message.member("parts").is_some();
    let is_session = document.member("info").is_some_and(|info| {
        ["projectID", "directory"].iter().any(|name| info.member(name).is_some())
    });
    (is_session && messages.first().is_none_or(is_message))
        .then_some("info, and messages with parts")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Session { max_depth: file.max_depth })
}

fn is_part(document: &Raw<'_>) -> bool {
    ["sessionID", "messageID", "type"].iter().all(|name| document.member(name).is_some())
        && document.member("id").is_some()
}

struct Session {
    max_depth: usize,
}

impl Convert for Session {
    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(document) = read(text, self.max_depth, wire) else { return };
        if is_part(&document) {
            if !part(document, wire) {
                wire.other("(no MCP call)", 1);
            }
            return;
        }
        let mut places = Places::of(document, wire);
        for message in elements_of(document, "messages") {
            let mut found = false;
            for inner in elements_of(message, "parts") {
                wire.at(places.of_part(inner));
                found |= part(inner, wire);
            }
            if !found {
                wire.other("(no MCP call)", 1);
            }
        }
    }
}

fn part(part: Raw<'_>, wire: &mut Wire) -> bool {
    let Some(name) = text_of(part, "tool").filter(|_| is_text(part, "type", "tool")) else {
        return false;
    };
    let id = text_of(part, "callID").filter(|id| id.len() >= SHORTEST_UNIQUE);
    let id = id.or_else(|| text_of(part, "id"));
    let (Some(id), Some((server, tool))) = (id, name.split_once('_')) else { return false };
    if server.is_empty() || tool.is_empty() || OWN_TOOLS.contains(&&*name) {
        return false;
    }
    let state = part.member("state");
    let member = |name| state.and_then(|state| state.member(name));
    let time = |name| time_of_millis(member("time")?.member(name)?.text().parse().ok()?);
    let (start, end) = (time("start"), time("end"));
    let input = member("input").filter(|input| input.kind() != Kind::Null);
    let session = text_of(part, "sessionID").unwrap_or_default();
    wire.call(&Call {
        id: &id,
        is_unique: true,
        server,
        session: &session,
        tool,
        arguments: input.map_or("", Raw::text),
        at: start.as_deref(),
        name_is_guess: true,
        host_owned: false,
    });
    if !wire.is_open(&id) {
        return true;
    }
    let text = |name| state.and_then(|state| text_of(state, name)).unwrap_or_default();
    let (output, error) = (text("output"), text("error"));
    let (bare, blocks);
    let mut is_cut = false;
    let reply = match &*text("status") {
        "completed" => {
            is_cut = output.contains(CUT)
                || member("metadata").is_some_and(|metadata| is_true(metadata, "truncated"));
            blocks = blocks_of(&output, member("attachments"));
            Reply::Blocks { blocks: &blocks, structured: None, is_error: None }
        }
        "error" => {
            bare = bare_error(&error);
            failure(&error, &bare)
        }
        _ => return true,
    };
    wire.answer(&Answer { id: &id, at: end.as_deref(), duration_ms: None, reply, is_cut });
    true
}

fn failure<'a>(error: &'a str, bare: &'a str) -> Reply<'a> {
    if let Some((_, refuser)) = NOT_SENT.iter().find(|(words, _)| error.starts_with(words)) {
        return Reply::Lost { fate: Fate::NotSent, refused_by: Some(*refuser), reason: error };
    }
    if error.starts_with(ABORTED) {
        return Reply::Lost { fate: Fate::Cancelled, refused_by: None, reason: error };
    }
    match protocol_code(error.strip_prefix("McpError: ").unwrap_or(error)) {
        Some(code) => Reply::Error { code, message: error },
        None => Reply::WholeError(bare),
    }
}

/// The text of a reply, and the images that were attached to it.
fn blocks_of(output: &str, attachments: Option<Raw<'_>>) -> String {
    let mut blocks = String::new();
    push_text_block(output, &mut blocks);
    for file in attachments.and_then(Raw::elements).unwrap_or_default() {
        let url = text_of(file, "url").unwrap_or_default();
        if let Some(image) = ImageUrl::of(&url) {
            image.push(&mut blocks);
        }
    }
    format!("[{blocks}]")
}
