//! Transcripts of Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`. What `claude -p --output-format stream-json`
//! prints holds the same messages.

use super::texts::{
    SplitName, elements_of, is_text, is_true, nested, protocol_code, push_media_block,
    push_text_block, read, split_double_underscore, text_of,
};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw, RawStr};
use crate::recording::{Fate, Fidelity, Refuser};
use memchr::memmem;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

const HOST_OWNED: [&str; 3] = ["ide", "workspace", "claude-in-chrome"];

/// What stands in place of a reply when the server never saw the call.
const NOT_SENT: [(&str, Refuser); 14] = [
    ("The user doesn't want to proceed with this tool use", Refuser::User),
    ("The user doesn't want to take this action", Refuser::User),
    ("[Request interrupted by user", Refuser::User),
    ("Permission for this action was denied", Refuser::Policy),
    ("Permission to use ", Refuser::Policy),
    ("Claude requested permissions to use ", Refuser::Policy),
    ("PreToolUse:", Refuser::Hook),
    ("Error: PreToolUse:", Refuser::Hook),
    ("Hook PreToolUse:", Refuser::Hook),
    ("<tool_use_error>", Refuser::Host),
    ("Error: No such tool available", Refuser::Host),
    ("Tool permission request failed", Refuser::Host),
    ("Streaming fallback - tool execution discarded", Refuser::Host),
    ("Error: Streaming fallback - tool execution discarded", Refuser::Host),
];

/// The whole of what a tool without output is made to say.
const NO_OUTPUT: &str = " completed with no output)";
/// What stands in place of a reply that was moved to a file, or in front of its beginning.
const PERSISTED: &str = "<persisted-output>";
const MOVED: &str = "Error: result (";
/// What comes before the name of that file.
const SAVED: [&str; 2] = ["Full output saved to: ", "Output has been saved to "];
const MOST_DURATIONS: usize = 100_000;
const MOST_SERVERS: usize = 1_000;
/// The folder to which replies are moved.
pub(super) const REPLIES: &str = "tool-results";
/// The largest reply that is read from the file it was moved to.
const MOST_PERSISTED: u64 = 16 << 20;

pub(super) static CLAUDE_CODE: Program = Program {
    id: "claude-code",
    name: "Claude Code transcript",
    about: "A session of Claude Code: ~/.claude/projects/FOLDER/SESSION.jsonl.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""sessionId""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let is_message = |line: &Raw<'_>| {
        line.member("sessionId").is_some()
            && (line.member("uuid").is_some() || line.member("parentUuid").is_some())
            && (is_text(*line, "type", "user") || is_text(*line, "type", "assistant"))
            && line.member("message").is_some_and(|message| message.member("role").is_some())
    };
    head.records().iter().any(is_message).then_some("lines with sessionId, uuid and message.role")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(Transcript::of(file))
}

pub(super) static CLAUDE_CODE_STREAM: Program = Program {
    id: "claude-code-stream",
    name: "Claude Code stream-json",
    about: "What `claude -p --output-format stream-json` printed.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""session_id""#],
    recognise: recognise_stream,
    converter,
};

fn recognise_stream(head: &Head<'_>) -> Option<&'static str> {
    let has = |line: &Raw<'_>, name: &str| line.member(name).is_some();
    let is_init = |line: &Raw<'_>| {
        is_text(*line, "type", "system")
            && is_text(*line, "subtype", "init")
            && has(line, "session_id")
    };
    let is_message = |line: &Raw<'_>| {
        has(line, "session_id")
            && has(line, "parent_tool_use_id")
            && line.member("message").is_some_and(|message| message.member("role").is_some())
    };
    let records = head.any_records();
    if records.iter().any(is_init) {
        return Some("a line system/init with session_id");
    }
    let is_any = records.iter().any(is_message);
    is_any.then_some("lines with session_id, parent_tool_use_id and message.role")
}

struct Transcript {
    max_depth: usize,
    calls: memmem::Finder<'static>,
    results: memmem::Finder<'static>,
    progress: memmem::Finder<'static>,
    init: memmem::Finder<'static>,
    /// Folders to which replies are moved that are too large for a transcript.
    beside: Vec<PathBuf>,
    /// The servers of a session, where it lists them.
    servers: Vec<String>,
    /// How long open calls took, by their ids.
    durations: HashMap<String, f64>,
}

impl Transcript {
    fn of(file: &FileFacts<'_>) -> Self {
        let mut beside: Vec<PathBuf> = Vec::new();
        if let Some(folder) = file.folder {
            beside.push(folder.join(file.stem).join(REPLIES));
            // Transcripts of sub-agents lie in a folder of their session.
            let session = folder.parent().filter(|_| folder.ends_with("subagents"));
            beside.extend(session.map(|session| session.join(REPLIES)));
        }
        Self {
            max_depth: file.max_depth,
            calls: memmem::Finder::new("\"mcp__"),
            results: memmem::Finder::new("tool_use_id"),
            progress: memmem::Finder::new("\"mcp_progress\""),
            init: memmem::Finder::new("\"mcp_servers\""),
            beside,
            servers: Vec::new(),
            durations: HashMap::new(),
        }
    }
}

impl Convert for Transcript {
    fn wants(&self, line: &[u8], wire: &Wire) -> bool {
        let has = |word: &memmem::Finder<'_>| word.find(line).is_some();
        has(&self.calls)
            || (wire.has_open() && (has(&self.results) || has(&self.progress)))
            || has(&self.init)
    }

    fn unit(&mut self, text: &str, wire: &mut Wire) {
        let Some(line) = read(text, self.max_depth, wire) else { return };
        // `--output-format json --verbose` prints the lines of a stream as one array.
        match line.elements() {
            Some(records) => {
                for record in records {
                    self.record(record, wire);
                }
            }
            None => self.record(line, wire),
        }
    }
}

impl Transcript {
    fn record(&mut self, line: Raw<'_>, wire: &mut Wire) {
        let content = line.member("message").and_then(|message| message.member("content"));
        let blocks = content.and_then(Raw::elements).unwrap_or_default();
        let mut found = false;
        if is_text(line, "type", "progress") {
            self.progress(line, wire);
        } else if is_text(line, "subtype", "init") && is_text(line, "type", "system") {
            let servers = elements_of(line, "mcp_servers");
            let names = servers.iter().filter_map(|server| text_of(*server, "name"));
            self.servers = names.map(Cow::into_owned).take(MOST_SERVERS).collect();
        }
        for block in blocks {
            if is_text(line, "type", "assistant") && is_text(block, "type", "tool_use") {
                found |= self.call(line, block, wire);
            } else if is_text(line, "type", "user") && is_text(block, "type", "tool_result") {
                found |= self.answer(line, block, wire);
            }
        }
        if !found {
            wire.other("(no MCP call)", 1);
        }
    }

    /// Takes what older builds noted while a call was made: the true names, and how long it took.
    fn progress(&mut self, line: Raw<'_>, wire: &mut Wire) {
        let data = line.member("data").filter(|data| is_text(*data, "type", "mcp_progress"));
        let id = text_of(line, "toolUseID").filter(|id| wire.is_open(id));
        let Some((data, id)) = data.zip(id) else { return };
        if let (Some(server), Some(tool)) = (text_of(data, "serverName"), text_of(data, "toolName"))
        {
            wire.rename(&id, &server, &tool, HOST_OWNED.contains(&&*server));
        }
        let elapsed = data.member("elapsedTimeMs").and_then(|ms| ms.text().parse().ok());
        if let Some(elapsed) = elapsed.filter(|_| self.durations.len() < MOST_DURATIONS) {
            self.durations.insert(id.into_owned(), elapsed);
        }
    }

    /// Server and tool. In names of servers, an underscore stands for what functions must not hold.
    fn names<'a>(&'a self, name: &'a str) -> Option<SplitName<'a>> {
        let split = split_double_underscore(name)?;
        let rest = name.strip_prefix("mcp__")?;
        let tool = |server: &str| {
            let written: String = server.chars().map(as_written).collect();
            let tool = rest.strip_prefix(&written)?.strip_prefix("__")?;
            (!tool.is_empty()).then_some(tool)
        };
        let listed = self.servers.iter().filter_map(|server| Some((&**server, tool(server)?)));
        match listed.min_by_key(|(_, tool)| tool.len()) {
            Some((server, tool)) => Some(SplitName { server, tool, is_guess: false }),
            None => Some(split),
        }
    }

    fn call(&self, line: Raw<'_>, block: Raw<'_>, wire: &mut Wire) -> bool {
        let (Some(id), Some(name)) = (text_of(block, "id"), text_of(block, "name")) else {
            return false;
        };
        let Some(SplitName { server, tool, is_guess }) = self.names(&name) else { return false };
        let at = text_of(line, "timestamp");
        let session = text_of(line, "sessionId").or_else(|| text_of(line, "session_id"));
        wire.call(&Call {
            id: &id,
            is_unique: true,
            server,
            session: session.as_deref().unwrap_or_default(),
            tool,
            arguments: block.member("input").map_or("", Raw::text),
            at: at.as_deref(),
            name_is_guess: is_guess,
            host_owned: HOST_OWNED.contains(&server),
        });
        true
    }

    fn answer(&mut self, line: Raw<'_>, block: Raw<'_>, wire: &mut Wire) -> bool {
        let Some(id) = text_of(block, "tool_use_id") else { return false };
        if !wire.is_open(&id) {
            return false;
        }
        let at = text_of(line, "timestamp");
        let is_error = is_true(block, "is_error");
        let content = block.member("content");
        let structured = line.member("mcpMeta").and_then(|meta| meta.member("structuredContent"));
        let mut blocks = String::new();
        let mut only_text = None;
        match content.map(|content| (content, content.kind())) {
            Some((content, Kind::String)) => {
                let text = content.as_str().map(RawStr::decode).unwrap_or_default();
                push_text_block(&text, &mut blocks);
                only_text = Some(text.into_owned());
            }
            Some((content, Kind::Array)) => {
                let elements = content.elements().unwrap_or_default();
                if let [one] = elements[..] {
                    only_text = text_of(one, "text").map(Cow::into_owned);
                }
                for element in elements {
                    push_block(element, &mut blocks);
                }
            }
            _ => {}
        }
        let text = only_text.as_deref().unwrap_or_default();
        // The two times of a call hold the wait for a person's permission; only the notes of older builds do not.
        let mut answer = Answer {
            id: &id,
            at: at.as_deref(),
            duration_ms: self.durations.remove(&*id),
            is_cut: false,
            reply: Reply::Whole("{}"),
        };
        let refusal = NOT_SENT.iter().find(|(words, _)| is_error && text.starts_with(words));
        let (persisted, moved_blocks);
        let blocks = format!("[{blocks}]");
        answer.reply = if let Some((_, refuser)) = refusal {
            Reply::Lost { fate: Fate::NotSent, refused_by: Some(*refuser), reason: text }
        } else if is_error && is_too_large(text) || !is_error && is_in_background(text) {
            Reply::Lost { fate: Fate::NotRecorded, refused_by: None, reason: text }
        } else if let Some(code) = protocol_code(text).filter(|_| is_error) {
            Reply::Error { code, message: text }
        } else if text.starts_with(PERSISTED) || is_moved(text) {
            persisted = self.beside.iter().find_map(|folder| persisted_reply(folder, text));
            let moved = persisted.as_deref().and_then(|kept| nested(kept, self.max_depth));
            moved_blocks = moved.map(as_blocks).filter(|blocks| !blocks.is_empty());
            match (&persisted, &moved_blocks) {
                (Some(_), Some(blocks)) => {
                    Reply::Blocks { blocks, structured: None, is_error: Some(is_error) }
                }
                (Some(text), None) => Reply::Text { text, is_error: Some(is_error) },
                (None, _) if is_moved(text) => {
                    Reply::Lost { fate: Fate::NotRecorded, refused_by: None, reason: text }
                }
                (None, _) => {
                    answer.is_cut = true;
                    Reply::Text { text, is_error: Some(is_error) }
                }
            }
        } else if text.ends_with(NO_OUTPUT) && is_empty_reply(line) {
            Reply::Text { text: "", is_error: Some(is_error) }
        } else {
            Reply::Blocks {
                blocks: &blocks,
                structured: structured.map(Raw::text),
                is_error: Some(is_error),
            }
        };
        wire.answer(&answer);
        true
    }
}

/// A block as the protocol has it: the program keeps images in another shape.
fn push_block(block: Raw<'_>, blocks: &mut String) {
    let image = block.member("source").filter(|_| is_text(block, "type", "image"));
    let data = image.and_then(|source| source.member("data"));
    let Some((source, data)) = image.zip(data) else {
        if !blocks.is_empty() {
            blocks.push(',');
        }
        blocks.push_str(block.text());
        return;
    };
    let kind = source.member("media_type").map_or("\"image/png\"", Raw::text);
    push_media_block("image", data.text(), kind, blocks);
}

/// The character that stands for another in the names of functions.
fn as_written(character: char) -> char {
    if character.is_ascii_alphanumeric() || "_-".contains(character) { character } else { '_' }
}

/// The blocks of a reply that was moved to a file as JSON; empty where it is something else.
fn as_blocks(value: Raw<'_>) -> String {
    let elements = value.elements().unwrap_or_default();
    let mut blocks = String::new();
    if elements.iter().all(|element| element.member("type").is_some()) {
        for element in elements {
            push_block(element, &mut blocks);
        }
    }
    if blocks.is_empty() { blocks } else { format!("[{blocks}]") }
}

/// Whether nothing of a reply stayed in the transcript.
fn is_moved(text: &str) -> bool {
    text.starts_with(MOVED) && text.contains(" exceeds maximum allowed tokens. ")
}

fn is_too_large(text: &str) -> bool {
    text.contains(" exceeds maximum allowed tokens (")
}

/// Before what the program says of a call stands its name, in so many bytes.
const LONGEST_NAME: usize = 256;

/// Whether the program waited no longer for the reply, which comes later, and not as one of the call.
fn is_in_background(text: &str) -> bool {
    let Some((before, after)) = text.split_once(" is still running after ") else { return false };
    before.len() < LONGEST_NAME
        && !before.contains('\n')
        && after.contains(" moved to the background")
}

/// Whether the server sent an empty text, which the program shows its model as a sentence.
fn is_empty_reply(line: Raw<'_>) -> bool {
    let kept = elements_of(line, "toolUseResult");
    kept.iter()
        .all(|block| block.member("text").and_then(Raw::as_str).is_some_and(RawStr::is_empty))
}

/// A reply moved to a file; only its name counts, as a recording must not name files elsewhere.
fn persisted_reply(folder: &Path, text: &str) -> Option<String> {
    let (_, rest) = SAVED.iter().find_map(|words| text.split_once(words))?;
    let path = rest.lines().next()?.trim().trim_end_matches('.');
    let name = path
        .rsplit(['/', '\\'])
        .next()
        .filter(|name| !name.is_empty() && !name.starts_with('.'))?;
    let file = folder.join(name);
    // Links may lead elsewhere.
    let is_beside = folder.ancestors().take(2).all(|it| !it.is_symlink());
    let is_small = std::fs::symlink_metadata(&file)
        .is_ok_and(|it| is_beside && it.is_file() && it.len() <= MOST_PERSISTED);
    is_small.then(|| std::fs::read_to_string(&file).ok()).flatten()
}
