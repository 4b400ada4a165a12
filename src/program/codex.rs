//! Rollouts of Codex: `~/.codex/sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl`, or the same compressed.

use super::texts::{
    ImageUrl, SplitName, bare_error, elements_of, is_text, json_of_text, nested, push_text_block,
    read, split_double_underscore, text_of,
};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity, Refuser};
use memchr::memmem;
use std::borrow::Cow;
use std::collections::HashSet;

pub(super) const HOST_OWNED: [&str; 3] = ["node_repl", "codex_apps", "computer-use"];

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
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    // In quotes: bare words are looked for in vain more often.
    signs: &[
        r#""session_meta""#,
        r#""response_item""#,
        r#""event_msg""#,
        r#""turn_context""#,
        r#""record_type""#,
    ],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let has_payload = |line: &Raw<'_>| {
        let kinds = ["session_meta", "response_item", "event_msg", "turn_context"];
        line.member("timestamp").is_some()
            && kinds.iter().any(|kind| is_text(*line, "type", kind))
            && line.member("payload").is_some_and(|payload| payload.kind() == Kind::Object)
    };
    if head.records().iter().any(has_payload) {
        return Some("lines with timestamp, type and payload, such as session_meta");
    }
    let is_first = |line: &Raw<'_>| {
        ["id", "timestamp", "instructions"].iter().all(|name| line.member(name).is_some())
    };
    let has_state = |line: &Raw<'_>| is_text(*line, "record_type", "state");
    (head.records().first().is_some_and(is_first) && head.records().iter().any(has_state))
        .then_some("a first line with id and instructions, then lines with record_type state")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Rollout::new(file.max_depth))
}

pub(super) struct Rollout {
    max_depth: usize,
    pub(super) session: String,
    /// Calls of the model in the file: an event that follows tells of the same call.
    met: HashSet<String>,
    calls: [memmem::Finder<'static>; 3],
    outputs: memmem::Finder<'static>,
}

impl Rollout {
    pub(super) fn new(max_depth: usize) -> Self {
        Self {
            max_depth,
            session: String::new(),
            met: HashSet::new(),
            calls: [
                memmem::Finder::new("\"function_call\""),
                memmem::Finder::new("\"mcp_tool_call_end\""),
                memmem::Finder::new("\"McpToolCall\""),
            ],
            outputs: memmem::Finder::new("\"function_call_output\""),
        }
    }
}

impl Convert for Rollout {
    fn wants(&self, line: &[u8], wire: &Wire) -> bool {
        self.session.is_empty()
            || self.calls.iter().any(|word| word.find(line).is_some())
            || (wire.has_open() && self.outputs.find(line).is_some())
    }

    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(line) = read(text, self.max_depth, wire) else { return };
        let at = text_of(line, "timestamp");
        // The first builds wrote the payload alone.
        let payload = line.member("payload").unwrap_or(line);
        // Rollouts of forks repeat those of their parents, with their first lines.
        let is_first =
            is_text(line, "type", "session_meta") || line.member("instructions").is_some();
        if self.session.is_empty() && is_first {
            self.session = text_of(payload, "id").unwrap_or_default().into_owned();
        }
        let found = match text_of(payload, "type").as_deref() {
            Some("function_call") => self.call(payload, at.as_deref(), wire),
            Some("function_call_output") => self.output(payload, at.as_deref(), wire),
            Some("mcp_tool_call_end") => self.event(&Event::of(payload), at.as_deref(), wire),
            Some("item_completed") => payload
                .member("item")
                .filter(|item| is_text(*item, "type", "McpToolCall"))
                .is_some_and(|item| self.event(&Event::of_item(item), at.as_deref(), wire)),
            _ => false,
        };
        if !found {
            wire.other("(no MCP call)", 1);
        }
    }
}

/// A call as the program itself saw it end.
pub(super) struct Event<'a> {
    id: Option<Cow<'a, str>>,
    server: Option<Cow<'a, str>>,
    tool: Option<Cow<'a, str>>,
    arguments: Option<Raw<'a>>,
    duration: Option<Raw<'a>>,
    result: Option<Raw<'a>>,
    error: Option<Cow<'a, str>>,
}

impl<'a> Event<'a> {
    pub(super) fn of(payload: Raw<'a>) -> Self {
        let invocation = |name| payload.member("invocation")?.member(name);
        let text = |name| Some(invocation(name)?.as_str()?.decode());
        let result = payload.member("result");
        Self {
            id: text_of(payload, "call_id"),
            server: text("server"),
            tool: text("tool").filter(|tool| is_tool(tool)),
            arguments: invocation("arguments"),
            duration: payload.member("duration"),
            result: result.and_then(|result| result.member("Ok")),
            error: result.and_then(|result| text_of(result, "Err")),
        }
    }

    /// Newer builds keep the items of a turn.
    fn of_item(item: Raw<'a>) -> Self {
        let is_object = |value: &Raw<'_>| value.kind() == Kind::Object;
        Self {
            id: text_of(item, "id"),
            server: text_of(item, "server"),
            tool: text_of(item, "tool").filter(|tool| is_tool(tool)),
            arguments: item.member("arguments"),
            duration: item.member("duration"),
            result: item.member("result").filter(is_object),
            error: item.member("error").and_then(|error| text_of(error, "message")),
        }
    }
}

impl Rollout {
    /// A call as the model wrote it.
    fn call(&mut self, payload: Raw<'_>, at: Option<&str>, wire: &mut Wire) -> bool {
        let (Some(id), Some(name)) = (text_of(payload, "call_id"), text_of(payload, "name")) else {
            return false;
        };
        let namespace = text_of(payload, "namespace").unwrap_or_default();
        let full = format!("{namespace}{name}");
        let Some(split) = names(&namespace, &name, &full) else { return false };
        let arguments = json_of_text(payload.member("arguments"), self.max_depth);
        wire.call(&Call {
            id: &id,
            is_unique: true,
            server: split.server,
            session: &self.session,
            tool: split.tool,
            arguments: &arguments,
            at,
            name_is_guess: split.is_guess,
            host_owned: HOST_OWNED.contains(&split.server),
        });
        if self.met.len() < MOST_MET {
            self.met.insert(id.into_owned());
        }
        true
    }

    /// What the model was shown of the reply.
    fn output(&self, payload: Raw<'_>, at: Option<&str>, wire: &mut Wire) -> bool {
        let Some(id) = text_of(payload, "call_id").filter(|id| wire.is_open(id)) else {
            return false;
        };
        let mut output = payload.member("output");
        if let Some(content) = output.and_then(|output| output.member("content")) {
            output = Some(content);
        }
        let mut blocks = String::new();
        let mut answer = Answer {
            id: &id,
            at,
            duration_ms: None,
            is_cut: false,
            reply: Reply::Text { text: "", is_error: None },
        };
        let text =
            output.and_then(Raw::as_str).map(crate::json::RawStr::decode).unwrap_or_default();
        let text = without_wall_time(&text);
        let bare = bare_error(text);
        if let Some(items) = output.and_then(Raw::elements) {
            for item in items {
                push_item(item, &mut blocks);
            }
            answer.is_cut = is_cut(&blocks);
            blocks = format!("[{blocks}]");
            answer.reply = Reply::Blocks { blocks: &blocks, structured: None, is_error: None };
        } else if let Some(failure) = failure(text, &bare) {
            answer.reply = failure;
        } else {
            answer.is_cut = is_cut(text);
            answer.reply = match nested(text, self.max_depth).filter(is_content) {
                Some(content) => {
                    Reply::Blocks { blocks: content.text(), structured: None, is_error: None }
                }
                None => Reply::Text { text, is_error: None },
            };
        }
        wire.answer(&answer);
        true
    }

    /// The call that an event is about.
    pub(super) fn begin(&self, event: &Event<'_>, at: Option<&str>, wire: &mut Wire) -> bool {
        let (Some(id), Some(server), Some(tool)) = (&event.id, &event.server, &event.tool) else {
            return false;
        };
        let arguments = event.arguments.filter(|arguments| arguments.kind() != Kind::Null);
        wire.call(&Call {
            id,
            is_unique: true,
            server,
            session: &self.session,
            tool,
            arguments: arguments.map_or("", Raw::text),
            at,
            name_is_guess: false,
            host_owned: HOST_OWNED.contains(&&**server),
        });
        true
    }

    pub(super) fn event(&self, event: &Event<'_>, at: Option<&str>, wire: &mut Wire) -> bool {
        let (Some(id), Some(server), Some(tool)) = (&event.id, &event.server, &event.tool) else {
            return false;
        };
        let host_owned = HOST_OWNED.contains(&&**server);
        if wire.is_open(id) {
            wire.rename(id, server, tool, host_owned);
        } else if !self.met.contains(&**id) {
            self.begin(event, at, wire);
        }
        let bare = bare_error(event.error.as_deref().unwrap_or_default());
        let reply = match (event.result, event.error.as_deref()) {
            (Some(result), _) => Reply::Whole(result.text()),
            (None, Some(error)) => failure(error, &bare).unwrap_or(Reply::WholeError(&bare)),
            (None, None) => Reply::Lost { fate: Fate::NotRecorded, refused_by: None, reason: "" },
        };
        let was_sent = !matches!(reply, Reply::Lost { fate: Fate::NotSent, .. });
        wire.answer(&Answer {
            id,
            at,
            duration_ms: event.duration.and_then(millis).filter(|_| was_sent),
            reply,
            is_cut: event.result.is_some_and(is_cut_copy),
        });
        true
    }
}

/// Whether a server was called under this name.
pub(super) fn is_tool(name: &str) -> bool {
    !RESOURCES.contains(&name)
}

/// Names of functions are cut to this length.
const LONGEST_NAME: usize = 64;

/// The server and tool of a function. Newer builds write `mcp__SERVER__` apart from the tool, older ones wrote
/// `mcp__SERVER__TOOL`, the first ones `SERVER__TOOL`. `full` is both in one.
fn names<'a>(namespace: &'a str, name: &'a str, full: &'a str) -> Option<SplitName<'a>> {
    if let Some(server) = namespace.strip_prefix("mcp__").and_then(|rest| rest.strip_suffix("__")) {
        let names = SplitName { server, tool: name, is_guess: false };
        return (!server.is_empty()).then_some(names);
    }
    let is_long = full.len() >= LONGEST_NAME;
    if let Some(split) = split_double_underscore(full) {
        let is_guess = split.is_guess || is_long || !namespace.is_empty();
        return Some(SplitName { is_guess, ..split });
    }
    if !namespace.is_empty() || name.starts_with("mcp__") {
        return None;
    }
    let (server, tool) = name.split_once("__")?;
    let is_guess = tool.contains("__") || is_long;
    (!server.is_empty() && !tool.is_empty()).then_some(SplitName { server, tool, is_guess })
}

/// What a text says that stands in place of a reply.
pub(super) fn failure<'a>(text: &'a str, bare: &'a str) -> Option<Reply<'a>> {
    if let Some((_, refuser)) = NOT_SENT.iter().find(|(words, _)| text.starts_with(words)) {
        return Some(Reply::Lost { fate: Fate::NotSent, refused_by: Some(*refuser), reason: text });
    }
    if text == "aborted" || text.starts_with("aborted by user") {
        return Some(Reply::Lost { fate: Fate::Cancelled, refused_by: None, reason: text });
    }
    if !text.starts_with("tool call error: ") {
        return None;
    }
    if TIMED_OUT.iter().any(|words| text.contains(words)) {
        return Some(Reply::Lost { fate: Fate::TimedOut, refused_by: None, reason: text });
    }
    Some(match code(text) {
        Some(code) => Reply::Error { code, message: text },
        None => Reply::WholeError(bare),
    })
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

/// Whether a value is a list of content blocks, as a server sends it.
fn is_content(value: &Raw<'_>) -> bool {
    value.elements().is_some_and(|blocks| {
        !blocks.is_empty() && blocks.iter().all(|block| block.member("type").is_some())
    })
}

/// A part of an output in the shape of the model's interface, as a block.
fn push_item(item: Raw<'_>, blocks: &mut String) {
    if let Some(text) = text_of(item, "text") {
        let text = if blocks.is_empty() { without_wall_time(&text) } else { &text };
        // The time stands in a part of its own.
        if !text.is_empty() || !blocks.is_empty() {
            push_text_block(text, blocks);
        }
        return;
    }
    let url = text_of(item, "image_url").unwrap_or_default();
    if let Some(image) = ImageUrl::of(&url) {
        image.push(blocks);
    }
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

fn millis(duration: Raw<'_>) -> Option<f64> {
    let part = |name| duration.member(name)?.text().parse::<f64>().ok();
    Some(part("secs")? * 1000.0 + part("nanos")? / 1e6)
}
