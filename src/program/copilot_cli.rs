//! Events of GitHub Copilot CLI: `~/.copilot/session-state/ID/events.jsonl`. Copilot in VS Code writes transcripts of
//! the same events, without replies.

use super::reader::Values;
use super::texts::{
    SplitName, elements_of, get, is_true, json_of_text, protocol_code, split_name, text_of,
};
use super::wire::{Answer, Call, Reply};
use super::{PLAIN, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Refuser};

/// What the program writes in place of a reply that is too large for its model.
const TOO_LARGE: &str = "Output too large to read at once";

pub(super) static COPILOT_CLI: Program = Program {
    id: "copilot-cli",
    name: "Copilot CLI events",
    about: "A session of GitHub Copilot CLI: ~/.copilot/session-state/ID/events.jsonl.",
    units: Units::Lines,
    signs: &[r#""session.start""#, r#""tool.execution_"#],
    words: &[r#""session.start""#, r#""tool.execution_start""#],
    open_words: &[r#""tool.execution_complete""#],
    host_owned: &["github-mcp-server", "ide"],
    recognise: |head| {
        if head.has_line("type=session.start data.producer|data.copilotVersion") {
            return Some("an event session.start with its producer");
        }
        head.has_line("type=tool.execution_start|tool.execution_complete data.toolCallId")
            .then_some("events tool.execution_start with a toolCallId")
    },
    converter: |_| Box::new(Values(|value, wire| wire.each(value, &[], event))),
    ..PLAIN
};

fn event(line: Raw<'_>, wire: &mut Wire) {
    let at = text_of(line, "timestamp");
    let Some(data) = line.member("data").filter(|data| data.kind() == Kind::Object) else { return };
    match text_of(line, "type").as_deref() {
        Some("session.start") => {
            wire.session = text_of(data, "sessionId").unwrap_or_default().into_owned();
        }
        Some("tool.execution_start") => call(data, at.as_deref(), wire),
        Some("tool.execution_complete") => answer(data, at.as_deref(), wire),
        _ => {}
    }
}

fn call(data: Raw<'_>, at: Option<&str>, wire: &mut Wire) {
    let Some(id) = text_of(data, "toolCallId") else { return };
    let name = text_of(data, "toolName").unwrap_or_default();
    let (named, its_tool) = (text_of(data, "mcpServerName"), text_of(data, "mcpToolName"));
    let split = named.as_deref().map(|server| {
        let tool = name.strip_prefix(server).and_then(|rest| rest.strip_prefix('-'));
        let tool = its_tool.as_deref().or(tool).unwrap_or(&name);
        SplitName { server, tool, is_guess: false }
    });
    let split = split.or_else(|| split_name(&name, "mcp_", "_"));
    let Some(SplitName { server, tool, is_guess }) = split else { return };
    wire.call(&Call {
        id: &id,
        is_unique: true,
        server,
        tool,
        arguments: &json_of_text(data.member("arguments")),
        at,
        name_is_guess: is_guess,
        ..Call::default()
    });
}

fn answer(data: Raw<'_>, at: Option<&str>, wire: &mut Wire) {
    let Some(id) = text_of(data, "toolCallId").filter(|id| wire.is_open(id)) else { return };
    let paths = ["result.detailedContent", "result.content", "result"];
    let text = paths.iter().find_map(|path| text_of(data, path));
    let message = text_of(data, "error.message").or_else(|| text_of(data, "error"));
    let is_error = data.member("success").map(|_| !is_true(data, "success"));
    let blocks =
        get(data, "result.contents").filter(|_| !elements_of(data, "result.contents").is_empty());
    let reply = if let Some(blocks) = blocks {
        let structured = get(data, "result.structuredContent");
        let structured = structured.filter(|value| value.kind() == Kind::Object);
        let structured = structured.map(|structured| structured.text().into());
        Reply::Blocks { blocks: blocks.text().into(), structured, is_error }
    } else if let Some(text) = &text {
        let is_lost = text.starts_with(TOO_LARGE);
        if is_lost { Reply::lost(Fate::NotRecorded, &**text) } else { Reply::text(text, is_error) }
    } else if let Some(message) = &message {
        failure(message, &text_of(data, "error.code").unwrap_or_default())
    } else {
        Reply::default()
    };
    wire.answer(&Answer { id: &id, at, reply, ..Answer::default() });
}

/// What the message of a call says that did not succeed.
fn failure<'a>(message: &'a str, code: &str) -> Reply<'a> {
    let refused_by = match code {
        "rejected" => Some(Refuser::User),
        "denied" | "permission_denied" if message.contains("hook") => Some(Refuser::Hook),
        "denied" | "permission_denied" => Some(Refuser::Policy),
        _ => None,
    };
    if let Some(refused_by) = refused_by {
        return Reply::not_sent(refused_by, message);
    }
    // Errors of the protocol are told with the server they came from, results that are errors without.
    let of_server = message.strip_prefix("MCP server '").and_then(|rest| rest.split_once("': "));
    let code = protocol_code(of_server.map_or(message, |(_, rest)| rest));
    if code.is_some() || of_server.is_some() {
        return Reply::coded(code, message);
    }
    Reply::text(message, Some(true))
}
