//! Transcripts of Claude Code: `~/.claude/projects/FOLDER/SESSION.jsonl`, or their lines in one array. What `claude -p
//! --output-format stream-json` prints holds the same messages.

use super::chat::only_text;
use super::reader::Convert;
use super::texts::{
    SplitName, array, count_of_blocks, elements_of, fits, get, is_text, is_true, media_block,
    nested, number_of, protocol_code, split_name, text_block, text_of,
};
use super::wire::{Answer, Call, Reply};
use super::{FileFacts, PLAIN, Program, Units, Wire};
use crate::json::{Raw, RawStr};
use crate::recording::{Fate, Refuser};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

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
pub(super) const NO_OUTPUT: &str = " completed with no output)";
/// What stands in place of a reply that was moved to a file, or in front of its beginning.
const PERSISTED: &str = "<persisted-output>";
const MOVED: &str = "Error: result (";
/// What comes before the name of that file.
const SAVED: [&str; 2] = ["Full output saved to: ", "Output has been saved to "];
const MESSAGE: &str = "sessionId uuid|parentUuid type=user|assistant message.role";
const MOST_DURATIONS: usize = 100_000;
const MOST_SERVERS: usize = 1_000;
/// The folder to which replies are moved.
pub(super) const REPLIES: &str = "tool-results";
/// The largest reply that is read from the file it was moved to.
const MOST_PERSISTED: u64 = 16 << 20;

pub(super) static CLAUDE_CODE: Program = Program {
    id: "claude-code",
    name: "Claude Code transcript",
    about: "A session of Claude Code: ~/.claude/projects/FOLDER/SESSION.jsonl, or its lines in one array.",
    units: Units::Records,
    signs: &[r#""sessionId""#],
    words: &[r#""mcp__"#, r#""mcp_servers""#],
    open_words: &["tool_use_id", r#""mcp_progress""#],
    host_owned: &["ide", "workspace", "claude-in-chrome"],
    recognise: |head| {
        let is_any = head.has_line(MESSAGE) || head.has_entry(MESSAGE);
        is_any.then_some("messages with sessionId, uuid and message.role")
    },
    converter: |file| Box::new(Transcript::of(file)),
    ..PLAIN
};

pub(super) static CLAUDE_CODE_STREAM: Program = Program {
    id: "claude-code-stream",
    name: "Claude Code stream-json",
    about: "What `claude -p --output-format stream-json` printed.",
    ids_of: "claude-code",
    signs: &[r#""session_id""#],
    recognise: |head| {
        let has = |pattern| head.any_records().into_iter().any(|it| fits(it, pattern));
        if has("type=system subtype=init session_id") {
            return Some("a line system/init with session_id");
        }
        has("session_id parent_tool_use_id message.role")
            .then_some("lines with session_id, parent_tool_use_id and message.role")
    },
    ..CLAUDE_CODE
};

#[derive(Default)]
pub(super) struct Transcript {
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
        Self { beside, ..Self::default() }
    }
}

impl Convert for Transcript {
    /// `--output-format json --verbose` prints the lines of a stream as one array of such records.
    fn record(&mut self, line: Raw<'_>, wire: &mut Wire) {
        if is_text(line, "type", "progress") {
            self.progress(line, wire);
        } else if fits(line, "type=system subtype=init") {
            let servers = elements_of(line, "mcp_servers").into_iter();
            let names = servers.filter_map(|server| text_of(server, "name"));
            self.servers = names.map(Cow::into_owned).take(MOST_SERVERS).collect();
        }
        let kind = text_of(line, "type").unwrap_or_default();
        for block in elements_of(line, "message.content") {
            match (&*kind, text_of(block, "type").as_deref()) {
                ("assistant", Some("tool_use")) => self.call(line, block, wire),
                ("user", Some("tool_result")) => self.answer(line, block, wire),
                _ => {}
            }
        }
    }
}

impl Transcript {
    /// Takes what older builds noted while a call was made: the true names, and how long it took.
    fn progress(&mut self, line: Raw<'_>, wire: &mut Wire) {
        let data = line.member("data").filter(|data| is_text(*data, "type", "mcp_progress"));
        let id = text_of(line, "toolUseID").filter(|id| wire.is_open(id));
        let Some((data, id)) = data.zip(id) else { return };
        let names = text_of(data, "serverName").zip(text_of(data, "toolName"));
        if let Some((server, tool)) = names {
            wire.rename(&id, &server, &tool);
        }
        let elapsed = number_of(data, "elapsedTimeMs");
        if let Some(elapsed) = elapsed.filter(|_| self.durations.len() < MOST_DURATIONS) {
            self.durations.insert(id.into_owned(), elapsed);
        }
    }

    fn call(&self, line: Raw<'_>, block: Raw<'_>, wire: &mut Wire) {
        let Some((id, name)) = text_of(block, "id").zip(text_of(block, "name")) else { return };
        let session = text_of(line, "sessionId").or_else(|| text_of(line, "session_id"));
        let at = text_of(line, "timestamp");
        let call = Call {
            id: &id,
            is_unique: true,
            session: &session.unwrap_or_default(),
            arguments: block.member("input").map_or("", Raw::text),
            at: at.as_deref(),
            ..Call::default()
        };
        call_by_name(&call, &name, &self.servers, wire);
    }

    fn answer(&mut self, line: Raw<'_>, block: Raw<'_>, wire: &mut Wire) {
        let Some(id) = text_of(block, "tool_use_id").filter(|id| wire.is_open(id)) else { return };
        let content = block.member("content");
        let text = only_text(content).unwrap_or_default();
        let is_error = is_true(block, "is_error");
        let (reply, is_cut) = if text.ends_with(NO_OUTPUT) && is_empty_reply(line) {
            (Reply::text("", Some(is_error)), false)
        } else {
            let structured = get(line, "mcpMeta.structuredContent");
            self.reply(content, &text, structured, is_error)
        };
        wire.answer(&Answer {
            id: &id,
            at: text_of(line, "timestamp").as_deref(),
            // The two times of a call hold the wait for a person's permission; only the notes of older builds do not.
            duration_ms: self.durations.remove(&*id),
            is_cut,
            reply,
        });
    }

    /// What was kept of a reply whose only text is given, and whether the program left out a part of it.
    pub(super) fn reply<'a>(
        &self,
        content: Option<Raw<'_>>,
        text: &'a str,
        structured: Option<Raw<'a>>,
        is_error: bool,
    ) -> (Reply<'a>, bool) {
        if let Some(reply) = not_kept(text, is_error).or_else(|| self.moved(text, is_error)) {
            return (reply, false);
        }
        if text.starts_with(PERSISTED) {
            return (Reply::text(text, Some(is_error)), true);
        }
        let blocks = match content.and_then(Raw::as_str) {
            Some(_) => array(&[text_block(text)]),
            None => blocks_of(content),
        };
        let structured = structured.map(|it| it.text().into());
        (Reply::Blocks { blocks: blocks.into(), structured, is_error: Some(is_error) }, false)
    }

    /// A reply that was moved to a file, which may be gone.
    fn moved<'a>(&self, text: &'a str, is_error: bool) -> Option<Reply<'a>> {
        // Nothing of it stayed in the transcript.
        let is_moved =
            text.starts_with(MOVED) && text.contains(" exceeds maximum allowed tokens. ");
        if !is_moved && !text.starts_with(PERSISTED) {
            return None;
        }
        let Some(kept) = self.beside.iter().find_map(|folder| persisted_reply(folder, text)) else {
            return is_moved.then(|| Reply::lost(Fate::NotRecorded, text));
        };
        let blocks = nested(&kept).filter(|value| count_of_blocks(*value) > Some(0));
        let blocks = blocks.map(|value| blocks_of(Some(value)));
        let text = || Reply::text(&kept, Some(is_error));
        Some(blocks.map_or_else(text, |blocks| Reply::blocks(blocks, Some(is_error))))
    }
}

/// Takes a call of the tool `mcp__SERVER__TOOL`. In names of servers, an underscore stands for what functions must not
/// hold; those that are listed are the true ones.
pub(super) fn call_by_name(
    call: &Call<'_>,
    name: &str,
    servers: &[impl AsRef<str>],
    wire: &mut Wire,
) {
    let Some(split) = split_name(name, "mcp__", "__") else { return };
    let SplitName { server, tool, is_guess } = split;
    wire.call(&Call { server, tool, name_is_guess: is_guess, ..*call });
    let is_kept = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let tool = |server: &str| {
        let written: String = server.chars().map(|c| if is_kept(c) { c } else { '_' }).collect();
        let rest = name.strip_prefix("mcp__")?.strip_prefix(&written)?.strip_prefix("__");
        rest.filter(|tool| !tool.is_empty())
    };
    let listed =
        servers.iter().filter_map(|server| Some((server.as_ref(), tool(server.as_ref())?)));
    if let Some((server, tool)) = listed.min_by_key(|(_, tool)| tool.len()) {
        wire.rename(call.id, server, tool);
    }
}

/// What the program says of a call whose reply it never had, or did not keep.
fn not_kept(text: &str, is_error: bool) -> Option<Reply<'_>> {
    let is_too_large = text.contains(" exceeds maximum allowed tokens (");
    if is_error && let Some(refused) = Reply::refused(&NOT_SENT, text) {
        return Some(refused);
    }
    if if is_error { is_too_large } else { is_in_background(text) } {
        return Some(Reply::lost(Fate::NotRecorded, text));
    }
    (is_error && protocol_code(text).is_some()).then(|| Reply::error(text))
}

/// Blocks as the protocol has them: the program keeps images in another shape.
fn blocks_of(list: Option<Raw<'_>>) -> String {
    let block = |block: Raw<'_>| {
        let data = get(block, "source.data").filter(|_| is_text(block, "type", "image"));
        let Some(data) = data else { return block.text().to_owned() };
        let kind = get(block, "source.media_type").map_or("\"image/png\"", Raw::text);
        media_block("image", data.text(), kind)
    };
    let blocks = list.and_then(Raw::elements).unwrap_or_default();
    array(&blocks.into_iter().map(block).collect::<Vec<_>>())
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
