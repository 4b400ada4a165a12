//! Logs of hooks of Claude Code: the records that it hands to a program of the user's before and after each call of a
//! tool, such as `logs/post_tool_use.json`. They stand in one array or one a line.

use super::chat::only_text;
use super::claude_code::{CLAUDE_CODE, Transcript, call_by_name};
use super::reader::Convert;
use super::texts::{
    array, compact, filled, fits, given, is_true, json_of, number_of, text_block, text_of,
};
use super::wire::{Answer, Call, Reply, hash_of};
use super::{Program, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Refuser};
use std::borrow::Cow;
use std::collections::HashMap;

/// The moments of a call, which records are named after.
const BEFORE: &str = "PreToolUse";
const AFTER: &str = "PostToolUse";
const FAILED: &str = "PostToolUseFailure";
const DENIED: &str = "PermissionDenied";

/// Calls without an id that are told apart by how often they were made.
const MOST_COUNTED: usize = 1_000_000;

pub(super) static CLAUDE_CODE_HOOKS: Program = Program {
    id: "claude-code-hooks",
    name: "Claude Code hook log",
    about: "What hooks of Claude Code logged before and after calls, such as logs/post_tool_use.json.",
    ids_of: "claude-code",
    signs: &[r#""hook_event_name""#],
    words: &[r#""mcp__"#],
    open_words: &[],
    // One record alone is an example of the layout.
    recognise: |head| {
        let record =
            "hook_event_name=PreToolUse|PostToolUse|PostToolUseFailure tool_name tool_input";
        head.has_entry(record).then_some("records with hook_event_name, tool_name and tool_input")
    },
    converter: |_| Box::new(Hooks::default()),
    ..CLAUDE_CODE
};

#[derive(Default)]
struct Hooks {
    replies: Transcript,
    /// How often a call without an id was met, before or after it was made.
    met: HashMap<(u128, bool), u64>,
    uncounted: u64,
}

impl Convert for Hooks {
    fn record(&mut self, record: Raw<'_>, wire: &mut Wire) {
        let name = text_of(record, "tool_name").unwrap_or_default();
        let event = text_of(record, "hook_event_name").unwrap_or_default();
        if !name.starts_with("mcp__") || ![BEFORE, AFTER, FAILED, DENIED].contains(&&*event) {
            return;
        }
        let session = text_of(record, "session_id").unwrap_or_default();
        let arguments = json_of(record, "tool_input");
        let own = filled(record, "tool_use_id");
        let is_unique = own.is_some() || !session.is_empty();
        let id = own.map_or_else(
            || self.numbered(hash_of(&[&session, &name, &compact(arguments)]), event == BEFORE),
            Cow::into_owned,
        );
        let at = filled(record, "timestamp").or_else(|| filled(record, "logged_at"));
        let at = at.as_deref();
        if event == BEFORE || !wire.is_open(&id) {
            let call =
                Call { id: &id, is_unique, session: &session, arguments, at, ..Call::default() };
            let server = filled(record, "mcp_server.name");
            call_by_name(&call, &name, server.as_slice(), wire);
        }
        if event == BEFORE || !wire.is_open(&id) {
            return;
        }
        let value = given(record, "error").filter(|_| event == FAILED);
        let value = value.or_else(|| record.member("tool_response"));
        let text = only_text(value).unwrap_or_default();
        let (reply, is_cut) = if event == DENIED {
            let reason = text_of(record, "reason").unwrap_or_default();
            (Reply::not_sent(Refuser::Policy, reason), false)
        } else if event == FAILED && is_true(record, "is_interrupt") {
            (Reply::lost(Fate::Cancelled, &*text), false)
        } else {
            self.reply(value, &text, event == FAILED)
        };
        let duration_ms = number_of(record, "duration_ms");
        wire.answer(&Answer { id: &id, at, duration_ms, reply, is_cut });
    }
}

impl Hooks {
    /// The id of a call that older builds gave none: how often the same call was made in its session. That is the same
    /// in the records before and after it.
    fn numbered(&mut self, call: u128, is_before: bool) -> String {
        let has_room = self.met.len() < MOST_COUNTED || self.met.contains_key(&(call, is_before));
        let count = if has_room {
            self.met.entry((call, is_before)).or_default()
        } else {
            &mut self.uncounted
        };
        *count += 1;
        let beyond = if has_room { "" } else { "beyond-" };
        format!("{call:x}/{beyond}{count}")
    }

    fn reply<'a>(
        &self,
        value: Option<Raw<'a>>,
        text: &'a str,
        is_error: bool,
    ) -> (Reply<'a>, bool) {
        let Some(value) = value else { return (Reply::default(), false) };
        match value.kind() {
            Kind::String | Kind::Array => self.replies.reply(Some(value), text, None, is_error),
            // Programs that took over the layout keep the result as it was sent.
            Kind::Object if fits(value, "content:[") => (Reply::Whole(value.text()), false),
            Kind::Object => {
                let json = compact(value.text());
                let blocks = array(&[text_block(&json)]).into();
                let is_error = Some(is_error);
                (Reply::Blocks { blocks, structured: Some(json), is_error }, false)
            }
            Kind::Null | Kind::Bool | Kind::Number => (Reply::default(), false),
        }
    }
}
