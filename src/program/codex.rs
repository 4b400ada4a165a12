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

/// Servers that come with the program.
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

/// Whether a result is the copy that stands for one that was too large: one text, which is the beginning and the end
/// of the JSON of that.
fn is_cut_copy(result: Raw<'_>) -> bool {
    let blocks = elements_of(result, "content");
    let [block] = blocks[..] else { return false };
    text_of(block, "text").is_some_and(|text| text.starts_with('{') && is_cut(&text))
}

fn millis(duration: Raw<'_>) -> Option<f64> {
    let part = |name| duration.member(name)?.text().parse::<f64>().ok();
    Some(part("secs")? * 1000.0 + part("nanos")? / 1e6)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{calls, calls_of_files};
    use super::*;

    const META: &str =
        r#"{"timestamp":"2026-03-01T08:00:00.000Z","type":"session_meta","payload":{"id":"s1"}}"#;

    /// A rollout with these payloads, in lines of their kinds.
    fn rollout(payloads: &[&str]) -> String {
        let mut text = META.to_owned();
        for payload in payloads {
            let is_event = payload.contains(r#""type":"mcp_tool_call_end""#)
                || payload.contains("item_completed");
            let kind = if is_event { "event_msg" } else { "response_item" };
            text = format!(
                "{text}\n{{\"timestamp\":\"2026-03-01T08:00:01.000Z\",\"type\":\"{kind}\",\"payload\":{payload}}}"
            );
        }
        text
    }

    fn of(payloads: &[&str]) -> Vec<String> {
        calls(&CODEX, &rollout(payloads))
    }

    const CALL: &str = r#"{"type":"function_call","name":"find","namespace":"mcp__my_books__","arguments":"{\"q\":1}","call_id":"c1"}"#;
    const OUTPUT: &str = r#"{"type":"function_call_output","call_id":"c1","output":"[{\"type\":\"text\",\"text\":\"two\"}]"}"#;
    const EVENT: &str = r#"{"type":"mcp_tool_call_end","call_id":"c1","invocation":{"server":"my books","tool":"find","arguments":{"q":1}},"duration":{"secs":1,"nanos":500000000},"result":{"Ok":{"content":[{"type":"text","text":"two"}],"isError":true}}}"#;

    #[test]
    fn the_event_wins_over_what_the_model_was_shown() {
        let expected = r#"my books/find {"q":1}: tool error two [duration_ms 1500]"#;
        for order in [&[CALL, EVENT, OUTPUT][..], &[CALL, EVENT], &[EVENT, OUTPUT], &[EVENT]] {
            assert_eq!(of(order), [expected], "{order:?}");
        }
        let shown = r#"my_books/find {"q":1}: result two [error_unknown]"#;
        assert_eq!(of(&[CALL, OUTPUT]), [shown]);
        assert_eq!(of(&[CALL, OUTPUT, EVENT]), [shown], "a late event is about the same call");
    }

    #[test]
    fn items_of_turns_are_events_too() {
        let item = r#"{"type":"item_completed","item":{"type":"McpToolCall","id":"c1","server":"books","tool":"find","arguments":null,"status":"completed","result":{"content":[{"type":"text","text":"two"}]},"duration":{"secs":0,"nanos":2000000}}}"#;
        assert_eq!(of(&[item]), ["books/find null: result two [duration_ms 2]"]);
        let failed = r#"{"type":"item_completed","item":{"type":"McpToolCall","id":"c1","server":"books","tool":"find","arguments":{},"status":"failed","error":{"message":"user cancelled MCP tool call"}}}"#;
        assert_eq!(of(&[failed]), ["books/find {}: not_sent by user"]);
    }

    #[test]
    fn names_are_read_as_each_build_wrote_them() {
        for (namespace, name, expected) in [
            ("mcp__books__", "find", Some(("books", "find", false))),
            ("mcp__my__books__", "find__all", Some(("my__books", "find__all", false))),
            ("mcp__codex_apps__calendar", "_list", Some(("codex_apps", "calendar_list", true))),
            ("", "mcp__books__find", Some(("books", "find", false))),
            ("", "mcp__books__find__all", Some(("books", "find__all", true))),
            ("", "books__find", Some(("books", "find", false))),
            ("", "shell", None),
            ("", "mcp__books", None),
            ("collaboration", "spawn__agent", None),
        ] {
            let full = format!("{namespace}{name}");
            let found = names(namespace, name, &full).map(|it| (it.server, it.tool, it.is_guess));
            assert_eq!(found, expected, "{namespace} {name}");
        }
    }

    #[test]
    fn errors_are_told_apart_by_their_words() {
        for (words, expected) in [
            ("user rejected MCP tool call", "not_sent by user"),
            ("Command blocked by PreToolUse hook: no", "not_sent by hook"),
            ("MCP tool call blocked by app configuration", "not_sent by policy"),
            (
                "tool call error: tool call failed for `b/f`\n\nCaused by:\n    timed out awaiting tools/call after 60s",
                "timed_out by nobody",
            ),
            (
                "tool call error: failed to get client",
                "error null tool call error: failed to get client",
            ),
            (
                "tool call error: x\n\nCaused by:\n    Mcp error: -32602: no title",
                "error -32602 tool call error: x\n\nCaused by:\n    Mcp error: -32602: no title",
            ),
            (
                "tool call error: tools/call failed: code -32601, none",
                "error -32601 tool call error: tools/call failed: code -32601, none",
            ),
        ] {
            let event = EVENT.replace(
                r#"{"Ok":{"content":[{"type":"text","text":"two"}],"isError":true}}"#,
                &serde_json::json!({ "Err": words }).to_string(),
            );
            let found = of(&[CALL, &event]);
            assert!(found[0].contains(expected), "{words}: {found:?}");
            assert_eq!(found.len(), 1, "{words}");
            let output =
                serde_json::json!({"type":"function_call_output","call_id":"c1","output":words});
            assert!(
                of(&[CALL, &output.to_string()])[0].contains(expected),
                "{words}, as the model was shown"
            );
        }
    }

    #[test]
    fn outputs_of_all_builds_are_read() {
        for (output, expected) in [
            (
                r#""Wall time: 0.2 seconds\nOutput:\n[{\"type\":\"text\",\"text\":\"two\"}]""#,
                "result two [error_unknown]",
            ),
            (
                r#"[{"type":"input_text","text":"Wall time: 0.2 seconds\nOutput:\n"},{"type":"input_text","text":"two"},{"type":"input_image","image_url":"data:image/png;base64,AA=="}]"#,
                "result two | image [error_unknown]",
            ),
            (
                r#"{"content":"[{\"type\":\"text\",\"text\":\"two\"}]","success":true}"#,
                "result two [error_unknown]",
            ),
            (r#""{\"total\":2}""#, r#"result {"total":2} [error_unknown]"#),
            (
                r#""ab…120 chars truncated…yz""#,
                "result ab…120 chars truncated…yz [reply_cut] [error_unknown]",
            ),
            (r#""[] chars truncated…""#, "result [] chars truncated… [error_unknown]"),
            (r#""aborted by user after 3.1s""#, "cancelled by nobody"),
        ] {
            let output =
                format!(r#"{{"type":"function_call_output","call_id":"c1","output":{output}}}"#);
            assert_eq!(
                of(&[CALL, &output]),
                [format!(r#"my_books/find {{"q":1}}: {expected}"#)],
                "{output}"
            );
        }
    }

    #[test]
    fn a_copy_that_stands_for_a_large_result_is_cut() {
        let event = EVENT
            .replace(r#""text":"two""#, r#""text":"{\"content\":[{\"te…9 chars truncated…\"}]}""#);
        assert!(of(&[CALL, &event])[0].ends_with("[reply_cut] [duration_ms 1500]"));
    }

    #[test]
    fn what_forks_and_compacted_histories_repeat_counts_once() {
        let first = rollout(&[CALL, EVENT, OUTPUT]);
        let nested = format!(
            "{first}\n{{\"timestamp\":\"t\",\"type\":\"compacted\",\"payload\":{{\"replacement_history\":[{CALL}]}}}}"
        );
        assert_eq!(calls(&CODEX, &nested).len(), 1);
        let fork = format!("{first}\n{}", rollout(&[&EVENT.replace("c1", "exec-2")]));
        let found = calls_of_files(&CODEX, &[("a.jsonl", &first), ("b.jsonl", &fork)]);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn reading_resources_is_no_call() {
        let event = EVENT.replace(r#""tool":"find""#, r#""tool":"read_mcp_resource""#);
        assert!(of(&[&event]).is_empty());
    }

    #[test]
    fn the_first_builds_wrote_items_alone() {
        let text = format!(
            "{{\"id\":\"s0\",\"timestamp\":\"t\",\"instructions\":null}}\n{{\"record_type\":\"state\"}}\n{CALL}\n{OUTPUT}"
        );
        let head = Head::of(text.as_bytes(), true, 64);
        assert!((CODEX.recognise)(&head).is_some());
        assert_eq!(calls(&CODEX, &text), [r#"my_books/find {"q":1}: result two [error_unknown]"#]);
    }

    #[test]
    fn arguments_that_are_no_json_are_kept_as_text() {
        let call = CALL.replace(r#"{\"q\":1}"#, "q=1");
        assert_eq!(of(&[&call]), [r#"my_books/find "q=1": no answer"#]);
    }
}
