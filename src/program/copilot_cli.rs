//! Events of GitHub Copilot CLI: `~/.copilot/session-state/ID/events.jsonl`. Copilot in VS Code writes transcripts of
//! the same events, without replies.

use super::texts::{
    bare_error, is_text, is_true, json_of_text, protocol_code, read, split_underscore, text_of,
};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity, Refuser};
use memchr::memmem;

const HOST_OWNED: [&str; 2] = ["github-mcp-server", "ide"];

/// What the program writes in place of a reply that is too large for its model.
const TOO_LARGE: &str = "Output too large to read at once";

pub(super) static COPILOT_CLI: Program = Program {
    id: "copilot-cli",
    name: "Copilot CLI events",
    about: "A session of GitHub Copilot CLI: ~/.copilot/session-state/ID/events.jsonl.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""session.start""#, r#""tool.execution_"#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let has = |line: &Raw<'_>, member: &str| {
        line.member("data").is_some_and(|data| data.member(member).is_some())
    };
    let is_start = |line: &Raw<'_>| {
        is_text(*line, "type", "session.start")
            && (has(line, "producer") || has(line, "copilotVersion"))
    };
    if head.records().iter().any(is_start) {
        return Some("an event session.start with its producer");
    }
    let is_tool = |line: &Raw<'_>| {
        (is_text(*line, "type", "tool.execution_start")
            || is_text(*line, "type", "tool.execution_complete"))
            && has(line, "toolCallId")
    };
    head.records().iter().any(is_tool).then_some("events tool.execution_start with a toolCallId")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Events {
        max_depth: file.max_depth,
        session: String::new(),
        starts: [
            memmem::Finder::new("\"session.start\""),
            memmem::Finder::new("\"tool.execution_start\""),
        ],
        ends: memmem::Finder::new("\"tool.execution_complete\""),
    })
}

struct Events {
    max_depth: usize,
    session: String,
    starts: [memmem::Finder<'static>; 2],
    ends: memmem::Finder<'static>,
}

impl Convert for Events {
    fn wants(&self, line: &[u8], wire: &Wire) -> bool {
        self.starts.iter().any(|word| word.find(line).is_some())
            || (wire.has_open() && self.ends.find(line).is_some())
    }

    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(line) = read(text, self.max_depth, wire) else { return };
        let at = text_of(line, "timestamp");
        let data = line.member("data").filter(|data| data.kind() == Kind::Object);
        let found = match (text_of(line, "type").as_deref(), data) {
            (Some("session.start"), Some(data)) => {
                self.session = text_of(data, "sessionId").unwrap_or_default().into_owned();
                false
            }
            (Some("tool.execution_start"), Some(data)) => self.call(data, at.as_deref(), wire),
            (Some("tool.execution_complete"), Some(data)) => answer(data, at.as_deref(), wire),
            _ => false,
        };
        if !found {
            wire.other("(no MCP call)", 1);
        }
    }
}

impl Events {
    fn call(&self, data: Raw<'_>, at: Option<&str>, wire: &mut Wire) -> bool {
        let Some(id) = text_of(data, "toolCallId") else { return false };
        let name = text_of(data, "toolName").unwrap_or_default();
        let named = text_of(data, "mcpServerName");
        let its_tool = text_of(data, "mcpToolName");
        let (server, tool, name_is_guess) = match (&named, &its_tool) {
            (Some(server), Some(tool)) => (&**server, &**tool, false),
            (Some(server), None) => {
                let tool = name.strip_prefix(&**server).and_then(|rest| rest.strip_prefix('-'));
                (&**server, tool.unwrap_or(&name), false)
            }
            (None, _) => match split_underscore(&name) {
                Some(split) => (split.server, split.tool, true),
                None => return false,
            },
        };
        wire.call(&Call {
            id: &id,
            is_unique: true,
            server,
            session: &self.session,
            tool,
            arguments: &json_of_text(data.member("arguments"), self.max_depth),
            at,
            name_is_guess,
            host_owned: HOST_OWNED.contains(&server),
        });
        true
    }
}

fn answer(data: Raw<'_>, at: Option<&str>, wire: &mut Wire) -> bool {
    let Some(id) = text_of(data, "toolCallId").filter(|id| wire.is_open(id)) else { return false };
    let result = data.member("result");
    let text = ["detailedContent", "content"]
        .iter()
        .find_map(|name| text_of(result?, name))
        .or_else(|| text_of(data, "result"));
    let blocks = result
        .and_then(|result| result.member("contents"))
        .filter(|blocks| blocks.elements().is_some_and(|blocks| !blocks.is_empty()));
    let error = data.member("error");
    let message =
        error.and_then(|error| text_of(error, "message")).or_else(|| text_of(data, "error"));
    let bare = message.as_deref().map(bare_error).unwrap_or_default();
    let is_error = data.member("success").map(|_| !is_true(data, "success"));
    let reply = if let Some(blocks) = blocks {
        let structured = result
            .and_then(|result| result.member("structuredContent"))
            .filter(|value| value.kind() == Kind::Object)
            .map(Raw::text);
        Reply::Blocks { blocks: blocks.text(), structured, is_error }
    } else if let Some(text) = text.as_deref().filter(|text| text.starts_with(TOO_LARGE)) {
        Reply::Lost { fate: Fate::NotRecorded, refused_by: None, reason: text }
    } else if let Some(text) = &text {
        Reply::Text { text, is_error }
    } else if let Some(message) = &message {
        let code = error.and_then(|error| text_of(error, "code")).unwrap_or_default();
        failure(message, &code, &bare)
    } else {
        Reply::Lost { fate: Fate::NotRecorded, refused_by: None, reason: "" }
    };
    wire.answer(&Answer { id: &id, at, duration_ms: None, reply, is_cut: false });
    true
}

/// What the message of a call says that did not succeed.
fn failure<'a>(message: &'a str, code: &str, bare: &'a str) -> Reply<'a> {
    let refuser = match code {
        "rejected" => Some(Refuser::User),
        "denied" | "permission_denied" if message.contains("hook") => Some(Refuser::Hook),
        "denied" | "permission_denied" => Some(Refuser::Policy),
        _ => None,
    };
    if refuser.is_some() {
        return Reply::Lost { fate: Fate::NotSent, refused_by: refuser, reason: message };
    }
    // Errors of the protocol are told with the server they came from, results that are errors without.
    let of_server = message.strip_prefix("MCP server '").and_then(|rest| rest.split_once("': "));
    match (protocol_code(of_server.map_or(message, |(_, rest)| rest)), of_server) {
        (Some(code), _) => Reply::Error { code, message },
        (None, Some(_)) => Reply::WholeError(bare),
        (None, None) => Reply::Text { text: message, is_error: Some(true) },
    }
}
