//! Rollouts of Codex: `~/.codex/sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl`, or the same compressed; and what
//! `codex exec --json` prints: the items of a run as they begin and end.

use super::reader::Convert;
use super::texts::{
    SplitName, array, count_of_blocks, elements_of, fits, get, given, image_of_url, is_text,
    json_of, json_of_text, nested, number_of, split_name, text_block, text_of,
};
use super::wire::{Answer, Call, Reply};
use super::{PLAIN, Program, Units, Wire};
use crate::json::{Kind, Raw, RawStr};
use crate::recording::{Fate, Refuser};
use memchr::memmem;
use std::borrow::Cow;
use std::collections::HashSet;

/// Tools of the program that ask servers for resources. They are noted as calls are and are none.
const RESOURCES: [&str; 3] =
    ["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"];

/// What stands in place of a reply when the server never saw the call.
const NOT_SENT: [(&str, Refuser); 9] = [
    ("user rejected MCP tool call", Refuser::User),
    ("user cancelled MCP tool call", Refuser::User),
    ("MCP tool call blocked by app configuration", Refuser::Policy),
    ("This action was rejected due to unacceptable risk", Refuser::Policy),
    ("Tool call was cancelled because of safety risks", Refuser::Policy),
    ("Command blocked by PreToolUse hook", Refuser::Hook),
    ("unsupported call: ", Refuser::Host),
    ("failed to parse function arguments", Refuser::Host),
    ("err: ", Refuser::Host),
];

/// What a client of the program's says that waited no longer.
const TIMED_OUT: [&str; 3] =
    ["timed out awaiting tools/call", "request timed out", "deadline has elapsed"];

/// Ids of calls of the model that are remembered.
const MOST_MET: usize = 100_000;

pub(super) static CODEX: Program = Program {
    id: "codex",
    name: "Codex rollout",
    about: "A session of Codex: ~/.codex/sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl.",
    units: Units::Lines,
    // In quotes: bare words are looked for in vain more often.
    signs: &[
        r#""session_meta""#,
        r#""response_item""#,
        r#""event_msg""#,
        r#""turn_context""#,
        r#""record_type""#,
    ],
    words: &[
        r#""session_meta""#,
        r#""instructions""#,
        r#""function_call""#,
        r#""mcp_tool_call_end""#,
        r#""McpToolCall""#,
    ],
    open_words: &[r#""function_call_output""#],
    host_owned: &["node_repl", "codex_apps", "computer-use"],
    recognise: |head| {
        let kinds = "type=session_meta|response_item|event_msg|turn_context timestamp payload:{";
        if head.has_line(kinds) {
            return Some("lines with timestamp, type and payload, such as session_meta");
        }
        let first = head.records().first();
        let is_first = first.is_some_and(|first| fits(*first, "id timestamp instructions"));
        (is_first && head.has_line("record_type=state"))
            .then_some("a first line with id and instructions, then lines with record_type state")
    },
    converter: |_| Box::new(Rollout::default()),
    ..PLAIN
};

pub(super) static CODEX_EXEC: Program = Program {
    id: "codex-exec",
    name: "Codex exec events",
    about: "What `codex exec --json` printed.",
    // The types of events; behind the third those that only older builds print.
    signs: &[
        r#""thread.started""#,
        r#""item.started""#,
        r#""item.completed""#,
        r#""session_configured""#,
        r#""task_started""#,
        r#""task_complete""#,
        r#""agent_message""#,
        r#""mcp_tool_call_begin""#,
        r#""mcp_tool_call_end""#,
    ],
    words: &["\"mcp_tool_call", r#""thread.started""#, r#""session_configured""#],
    open_words: &[],
    recognise: |head| {
        if head.has_line("type=thread.started thread_id") {
            return Some("an event thread.started");
        }
        if head.has_line("type=item.started|item.completed item.type") {
            return Some("events item.started and item.completed");
        }
        let older = "id msg.type=session_configured|task_started|task_complete|agent_message|\
            mcp_tool_call_begin|mcp_tool_call_end";
        head.has_line(older).then_some("events with id and msg of Codex's types")
    },
    converter: |_| Box::new(Run { threads: 0 }),
    ..CODEX
};

#[derive(Default)]
struct Rollout {
    /// Calls of the model in the file: an event that follows tells of the same call.
    met: HashSet<String>,
}

impl Convert for Rollout {
    fn value(&mut self, line: Raw<'_>, wire: &mut Wire) {
        let at = text_of(line, "timestamp");
        let at = at.as_deref();
        // The first builds wrote the payload alone.
        let payload = line.member("payload").unwrap_or(line);
        // Rollouts of forks repeat those of their parents, with their first lines.
        let is_first =
            is_text(line, "type", "session_meta") || line.member("instructions").is_some();
        if wire.session.is_empty() && is_first {
            wire.session = text_of(payload, "id").unwrap_or_default().into_owned();
        }
        match text_of(payload, "type").as_deref() {
            Some("function_call") => self.call(payload, at, wire),
            Some("function_call_output") => output(payload, at, wire),
            Some("mcp_tool_call_end") => self.event(&Event::of(payload), at, wire),
            Some("item_completed") if is_text(payload, "item.type", "McpToolCall") => {
                self.event(&Event::of_item(get(payload, "item")), at, wire);
            }
            _ => {}
        }
    }
}

impl Rollout {
    /// A call as the model wrote it.
    fn call(&mut self, payload: Raw<'_>, at: Option<&str>, wire: &mut Wire) {
        let names = text_of(payload, "call_id").zip(text_of(payload, "name"));
        let Some((id, name)) = names else { return };
        let namespace = text_of(payload, "namespace").unwrap_or_default();
        let full = format!("{namespace}{name}");
        let Some(SplitName { server, tool, is_guess }) = split(&namespace, &name, &full) else {
            return;
        };
        wire.call(&Call {
            id: &id,
            is_unique: true,
            server,
            tool,
            arguments: &json_of_text(payload.member("arguments")),
            at,
            name_is_guess: is_guess,
            ..Call::default()
        });
        if self.met.len() < MOST_MET {
            self.met.insert(id.into_owned());
        }
    }

    fn event(&self, event: &Event<'_>, at: Option<&str>, wire: &mut Wire) {
        let (Some(id), Some((server, tool))) = (event.id.as_deref(), event.names()) else { return };
        if wire.is_open(id) {
            wire.rename(id, server, tool);
        } else if !self.met.contains(id) {
            event.begin(id, true, at, wire);
        }
        let reply = event.result.map_or_else(|| event.failure(), |it| Reply::Whole(it.text()));
        let was_sent = !matches!(reply, Reply::Lost { fate: Fate::NotSent, .. });
        let part = |name| number_of::<f64>(event.duration, name);
        let duration = part("secs").zip(part("nanos"));
        wire.answer(&Answer {
            id,
            at,
            duration_ms: duration.map(|(s, nanos)| s * 1000.0 + nanos / 1e6).filter(|_| was_sent),
            reply,
            is_cut: event.result.is_some_and(is_cut_copy),
        });
    }
}

/// A call as the program itself saw it end.
#[derive(Default)]
struct Event<'a> {
    id: Option<Cow<'a, str>>,
    server: Option<Cow<'a, str>>,
    tool: Option<Cow<'a, str>>,
    arguments: &'a str,
    duration: Option<Raw<'a>>,
    result: Option<Raw<'a>>,
    error: Option<Cow<'a, str>>,
}

impl<'a> Event<'a> {
    fn of(payload: Raw<'a>) -> Self {
        Self {
            id: text_of(payload, "call_id"),
            server: text_of(payload, "invocation.server"),
            tool: text_of(payload, "invocation.tool"),
            arguments: json_of(payload, "invocation.arguments"),
            duration: payload.member("duration"),
            result: get(payload, "result.Ok"),
            error: text_of(payload, "result.Err"),
        }
    }

    /// Newer builds keep the items of a turn.
    fn of_item(item: Option<Raw<'a>>) -> Self {
        Self {
            id: text_of(item, "id"),
            server: text_of(item, "server"),
            tool: text_of(item, "tool"),
            arguments: json_of(item, "arguments"),
            duration: get(item, "duration"),
            result: get(item, "result").filter(|result| result.kind() == Kind::Object),
            error: text_of(item, "error.message"),
        }
    }

    /// Whether a server was called, and by which names.
    fn names(&self) -> Option<(&str, &str)> {
        let tool = self.tool.as_deref().filter(|tool| !RESOURCES.contains(tool))?;
        Some((self.server.as_deref()?, tool))
    }

    fn begin(&self, id: &str, is_unique: bool, at: Option<&str>, wire: &mut Wire) {
        let Some((server, tool)) = self.names() else { return };
        let arguments = self.arguments;
        wire.call(&Call { id, is_unique, server, tool, arguments, at, ..Call::default() });
    }

    /// What came back, where there is no result.
    fn failure(&self) -> Reply<'_> {
        let bare = |error| failure(error).unwrap_or_else(|| Reply::coded(None, error));
        self.error.as_deref().map_or_else(Reply::default, bare)
    }
}

/// What the model was shown of the reply.
fn output(payload: Raw<'_>, at: Option<&str>, wire: &mut Wire) {
    let Some(id) = text_of(payload, "call_id").filter(|id| wire.is_open(id)) else { return };
    let output = get(payload, "output.content").or_else(|| payload.member("output"));
    let text = output.and_then(Raw::as_str).map(RawStr::decode).unwrap_or_default();
    let mut answer = Answer { id: &id, at, ..Answer::default() };
    if let Some(items) = output.and_then(Raw::elements) {
        let mut blocks = Vec::new();
        for item in items {
            blocks.extend(block(item, blocks.is_empty()));
        }
        let blocks = array(&blocks);
        answer.is_cut = is_cut(&blocks);
        answer.reply = Reply::blocks(blocks, None);
    } else {
        (answer.reply, answer.is_cut) = shown(&text);
    }
    wire.answer(&answer);
}

/// The reply of which the model was shown a text, and whether the program left out a part of it.
pub(super) fn shown(text: &str) -> (Reply<'_>, bool) {
    let text = without_wall_time(text);
    if let Some(failure) = failure(text) {
        return (failure, false);
    }
    let blocks = nested(text).filter(|content| count_of_blocks(*content) > Some(0));
    let blocks = blocks.map(|content| Reply::blocks(content.text(), None));
    (blocks.unwrap_or_else(|| Reply::text(text, None)), is_cut(text))
}

/// A part of an output in the shape of the model's interface, as a block.
fn block(item: Raw<'_>, is_first: bool) -> Option<String> {
    let Some(text) = text_of(item, "text") else {
        return image_of_url(&text_of(item, "image_url")?);
    };
    let text = if is_first { without_wall_time(&text) } else { &text };
    // The time stands in a part of its own.
    (!text.is_empty() || !is_first).then(|| text_block(text))
}

struct Run {
    /// A file may hold several runs, whose items have the same ids.
    threads: u64,
}

impl Convert for Run {
    fn value(&mut self, line: Raw<'_>, wire: &mut Wire) {
        let message = line.member("msg");
        match text_of(message.unwrap_or(line), "type").as_deref() {
            Some("thread.started") => {
                self.threads += 1;
                wire.session = text_of(line, "thread_id").unwrap_or_default().into_owned();
            }
            Some("session_configured") => {
                wire.session = text_of(message, "session_id").unwrap_or_default().into_owned();
            }
            Some("mcp_tool_call_begin") => {
                let event = message.map(Event::of).unwrap_or_default();
                if let Some(id) = event.id.as_deref() {
                    event.begin(id, true, None, wire);
                }
            }
            Some("mcp_tool_call_end") => {
                let event = message.map(Event::of).unwrap_or_default();
                Rollout::default().event(&event, None, wire);
            }
            kind if is_text(line, "item.type", "mcp_tool_call") => {
                self.item(line.member("item"), kind == Some("item.completed"), wire);
            }
            _ => {}
        }
    }
}

impl Run {
    fn item(&self, item: Option<Raw<'_>>, is_end: bool, wire: &mut Wire) {
        let event = Event::of_item(item);
        let Some(id) = event.id.as_ref().filter(|_| event.names().is_some()) else { return };
        let id = format!("{}/{id}", self.threads);
        if !wire.is_open(&id) {
            event.begin(&id, false, None, wire);
        }
        let is_failed = get(item, "status").map(|_| is_text(item, "status", "failed"));
        let result = |result| {
            let content = get(result, "content").filter(|content| content.kind() == Kind::Array);
            let structured = given(result, "structured_content");
            let structured = structured.or_else(|| given(result, "structuredContent"));
            Reply::Blocks {
                blocks: content.map_or("[]", Raw::text).into(),
                structured: structured.map(|structured| structured.text().into()),
                is_error: is_failed,
            }
        };
        if is_end {
            let reply = event.result.map_or_else(|| event.failure(), result);
            wire.answer(&Answer { id: &id, reply, ..Answer::default() });
        }
    }
}

/// Names of functions are cut to this length.
const LONGEST_NAME: usize = 64;

/// The server and tool of a function. Newer builds write `mcp__SERVER__` apart from the tool, older ones wrote
/// `mcp__SERVER__TOOL`, the first ones `SERVER__TOOL`. `full` is both in one.
fn split<'a>(namespace: &'a str, name: &'a str, full: &'a str) -> Option<SplitName<'a>> {
    if let Some(server) = namespace.strip_prefix("mcp__").and_then(|rest| rest.strip_suffix("__")) {
        let names = SplitName { server, tool: name, is_guess: false };
        return (!server.is_empty()).then_some(names);
    }
    let first = || split_name(name, "", "__").filter(|_| !name.starts_with("mcp__"));
    let split = split_name(full, "mcp__", "__");
    let split = split.or_else(|| first().filter(|_| namespace.is_empty()))?;
    let is_guess = split.is_guess || full.len() >= LONGEST_NAME || !namespace.is_empty();
    Some(SplitName { is_guess, ..split })
}

/// What a text says that stands in place of a reply.
fn failure(text: &str) -> Option<Reply<'_>> {
    if let Some(refused) = Reply::refused(&NOT_SENT, text) {
        return Some(refused);
    }
    if text == "aborted" || text.starts_with("aborted by user") {
        return Some(Reply::lost(Fate::Cancelled, text));
    }
    let is_time_out = TIMED_OUT.iter().any(|words| text.contains(words));
    let reply = if is_time_out {
        Reply::lost(Fate::TimedOut, text)
    } else {
        Reply::coded(code(text), text)
    };
    text.starts_with("tool call error: ").then_some(reply)
}

/// The code in the words of an error: `Mcp error: -32602: …`, before that `code -32602, …`.
fn code(text: &str) -> Option<&str> {
    ["Mcp error: -", "MCP error -", "code -"].iter().find_map(|words| {
        let (_, rest) = text.split_once(words)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let start = text.len() - rest.len() - 1;
        text.get(start..start + 1 + digits).filter(|_| (1..=9).contains(&digits))
    })
}

fn without_wall_time(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("Wall time") else { return text };
    rest.split_once("\nOutput:\n")
        .filter(|(time, _)| !time.contains('\n'))
        .map_or(text, |(_, rest)| rest)
}

/// Whether the program left out the middle of a text.
fn is_cut(text: &str) -> bool {
    if text.contains("\n[... omitted ") && text.contains(" lines ...]") {
        return true;
    }
    [" chars truncated…", " tokens truncated…"].iter().any(|words| {
        memmem::find_iter(text.as_bytes(), words).any(|at| {
            let before = text[..at].trim_end_matches(|c: char| c.is_ascii_digit());
            before.len() < at && before.ends_with('…')
        })
    })
}

/// Whether a result stands for one that was too large: a text of the beginning and end of its JSON.
fn is_cut_copy(result: Raw<'_>) -> bool {
    let blocks = elements_of(result, "content");
    let [block] = blocks[..] else { return false };
    text_of(block, "text").is_some_and(|text| text.starts_with('{') && is_cut(&text))
}
