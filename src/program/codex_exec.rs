//! What `codex exec --json` prints: the items of a run as they begin and end.

use super::codex::{Event, HOST_OWNED, Rollout, failure, is_tool};
use super::texts::{bare_error, is_text, read, text_of};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity};
use memchr::memmem;

/// The types of events; behind the third those that only older builds print.
const SIGNS: [&str; 9] = [
    r#""thread.started""#,
    r#""item.started""#,
    r#""item.completed""#,
    r#""session_configured""#,
    r#""task_started""#,
    r#""task_complete""#,
    r#""agent_message""#,
    r#""mcp_tool_call_begin""#,
    r#""mcp_tool_call_end""#,
];

pub(super) static CODEX_EXEC: Program = Program {
    id: "codex-exec",
    name: "Codex exec events",
    about: "What `codex exec --json` printed.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &SIGNS,
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let is_thread = |line: &Raw<'_>| {
        is_text(*line, "type", "thread.started") && line.member("thread_id").is_some()
    };
    let is_item = |line: &Raw<'_>| {
        ["item.started", "item.completed"].iter().any(|kind| is_text(*line, "type", kind))
            && line.member("item").is_some_and(|item| item.member("type").is_some())
    };
    let is_older = |line: &Raw<'_>| {
        let kind = line.member("msg").and_then(|message| text_of(message, "type"));
        line.member("id").is_some()
            && kind.is_some_and(|kind| SIGNS[3..].iter().any(|sign| sign.trim_matches('"') == kind))
    };
    if head.records().iter().any(is_thread) {
        return Some("an event thread.started");
    }
    if head.records().iter().any(is_item) {
        return Some("events item.started and item.completed");
    }
    head.records().iter().any(is_older).then_some("events with id and msg of Codex's types")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Run {
        max_depth: file.max_depth,
        threads: 0,
        older: Rollout::new(file.max_depth),
        wanted: [
            memmem::Finder::new("\"mcp_tool_call"),
            memmem::Finder::new("\"thread.started\""),
            memmem::Finder::new("\"session_configured\""),
        ],
    })
}

struct Run {
    max_depth: usize,
    /// A file may hold several runs, whose items have the same ids.
    threads: u64,
    /// What reads the events of older builds, with the session of all.
    older: Rollout,
    wanted: [memmem::Finder<'static>; 3],
}

impl Convert for Run {
    fn wants(&self, line: &[u8], _wire: &Wire) -> bool {
        self.wanted.iter().any(|word| word.find(line).is_some())
    }

    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(line) = read(text, self.max_depth, wire) else { return };
        let found = if let Some(message) = line.member("msg") {
            self.event(message, wire)
        } else if is_text(line, "type", "thread.started") {
            self.threads += 1;
            self.older.session = text_of(line, "thread_id").unwrap_or_default().into_owned();
            false
        } else {
            line.member("item")
                .filter(|item| is_text(*item, "type", "mcp_tool_call"))
                .is_some_and(|item| self.item(item, is_text(line, "type", "item.completed"), wire))
        };
        if !found {
            wire.other("(no MCP call)", 1);
        }
    }
}

impl Run {
    fn event(&mut self, message: Raw<'_>, wire: &mut Wire) -> bool {
        match text_of(message, "type").as_deref() {
            Some("session_configured") => {
                self.older.session =
                    text_of(message, "session_id").unwrap_or_default().into_owned();
                false
            }
            Some("mcp_tool_call_begin") => self.older.begin(&Event::of(message), None, wire),
            Some("mcp_tool_call_end") => self.older.event(&Event::of(message), None, wire),
            _ => false,
        }
    }

    fn item(&self, item: Raw<'_>, is_end: bool, wire: &mut Wire) -> bool {
        let tool = text_of(item, "tool").filter(|tool| is_tool(tool));
        let (Some(id), Some(server), Some(tool)) =
            (text_of(item, "id"), text_of(item, "server"), tool)
        else {
            return false;
        };
        let id = format!("{}/{id}", self.threads);
        if !wire.is_open(&id) {
            let arguments = item.member("arguments").filter(|it| it.kind() != Kind::Null);
            wire.call(&Call {
                id: &id,
                server: &server,
                session: &self.older.session,
                tool: &tool,
                arguments: arguments.map_or("", Raw::text),
                host_owned: HOST_OWNED.contains(&&*server),
                ..Call::default()
            });
        }
        if is_end {
            answer(item, &id, wire);
        }
        true
    }
}

fn answer(item: Raw<'_>, id: &str, wire: &mut Wire) {
    let result = item.member("result").filter(|result| result.kind() == Kind::Object);
    let error = item.member("error").and_then(|error| text_of(error, "message"));
    let bare = error.as_deref().map(bare_error).unwrap_or_default();
    let is_failed = item.member("status").map(|_| is_text(item, "status", "failed"));
    let reply = match (result, error.as_deref()) {
        (Some(result), _) => {
            let content = result.member("content").filter(|content| content.kind() == Kind::Array);
            let structured = ["structured_content", "structuredContent"]
                .iter()
                .find_map(|name| result.member(name).filter(|it| it.kind() != Kind::Null));
            Reply::Blocks {
                blocks: content.map_or("[]", Raw::text),
                structured: structured.map(Raw::text),
                is_error: is_failed,
            }
        }
        (None, Some(error)) => failure(error, &bare).unwrap_or(Reply::WholeError(&bare)),
        (None, None) => Reply::Lost { fate: Fate::NotRecorded, refused_by: None, reason: "" },
    };
    wire.answer(&Answer { id, at: None, duration_ms: None, reply, is_cut: false });
}
