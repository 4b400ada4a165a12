//! Sessions of opencode: what `opencode export` writes and `opencode run --format json` prints, and the parts that
//! older builds kept in files of their own.

use super::reader::Values;
use super::texts::{
    Places, array, elements_of, fits, image_of_url, is_text, is_true, json_of, number_of,
    protocol_code, split_name, text_block, text_of, time_of_millis,
};
use super::wire::{Answer, Call, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::Raw;
use crate::recording::{Fate, Refuser};

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
const PART: &str = "sessionID messageID type id";
const EVENT: &str = "type timestamp sessionID part.sessionID part.messageID part.type part.id";

pub(super) static OPENCODE: Program = Program {
    id: "opencode",
    name: "opencode session",
    about: "A session of opencode: what `opencode export` or `opencode run --format json` writes, or storage/part.",
    signs: &[r#""messageID""#, r#""projectID""#, r#""directory""#],
    recognise: |head| {
        if head.has_line(EVENT) {
            return Some("events with a part and its sessionID");
        }
        let document = head.document()?;
        if fits(document, PART) {
            return Some("a part with sessionID, messageID and a type");
        }
        let messages = document.member("messages").and_then(Raw::elements)?;
        (fits(document, "info.projectID|info.directory")
            && messages.first().is_none_or(|message| fits(*message, "info parts")))
        .then_some("info, and messages with parts")
    },
    converter: |_| Box::new(Values(session)),
    ..PLAIN
};

fn session(document: Raw<'_>, wire: &mut Wire) {
    let document = document.member("part").filter(|_| fits(document, EVENT)).unwrap_or(document);
    if fits(document, PART) {
        return part(document, wire);
    }
    let mut places = Places::of(document, wire.place());
    wire.each(document, &["messages"], |message, wire| {
        for inner in elements_of(message, "parts") {
            wire.at(places.of_part(inner));
            part(inner, wire);
        }
    });
}

fn part(part: Raw<'_>, wire: &mut Wire) {
    let id = text_of(part, "callID").filter(|id| id.len() >= SHORTEST_UNIQUE);
    let id = id.or_else(|| text_of(part, "id"));
    let name = text_of(part, "tool").filter(|_| is_text(part, "type", "tool"));
    let Some((id, name)) = id.zip(name) else { return };
    let split = split_name(&name, "", "_").filter(|_| !OWN_TOOLS.contains(&&*name));
    let Some(split) = split else { return };
    let time = |path| time_of_millis(number_of(part, path)?);
    wire.call(&Call {
        id: &id,
        is_unique: true,
        server: split.server,
        session: &text_of(part, "sessionID").unwrap_or_default(),
        tool: split.tool,
        arguments: json_of(part, "state.input"),
        at: time("state.time.start").as_deref(),
        name_is_guess: true,
    });
    if !wire.is_open(&id) {
        return;
    }
    let text = |path| text_of(part, path).unwrap_or_default();
    let (output, error) = (text("state.output"), text("state.error"));
    let (reply, is_cut) = match &*text("state.status") {
        "completed" => {
            // The images that were attached stand behind the text.
            let files = elements_of(part, "state.attachments").into_iter();
            let images = files.filter_map(|file| image_of_url(&text_of(file, "url")?));
            let blocks: Vec<_> = [text_block(&output)].into_iter().chain(images).collect();
            let is_cut = output.contains(CUT) || is_true(part, "state.metadata.truncated");
            (Reply::blocks(array(&blocks), None), is_cut)
        }
        "error" => (failure(&error), false),
        _ => return,
    };
    let at = time("state.time.end");
    wire.answer(&Answer { id: &id, at: at.as_deref(), reply, is_cut, ..Answer::default() });
}

fn failure(error: &str) -> Reply<'_> {
    if error.starts_with(ABORTED) {
        return Reply::lost(Fate::Cancelled, error);
    }
    let code = protocol_code(error.strip_prefix("McpError: ").unwrap_or(error));
    Reply::refused(&NOT_SENT, error).unwrap_or_else(|| Reply::coded(code, error))
}
