//! Results of `LiveMCPBench`: tasks with the chat in which a model solved them.

use super::chat::{self, ChatCall};
use super::kept;
use super::reader::Values;
use super::texts::{elements_of, fits, nested, text_of};
use super::wire::{Answer, Call, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Refuser};
use xxhash_rust::xxh3::xxh3_64;

/// The server that the benchmark puts before all others.
const ROUTER: &str = "mcp-copilot";
/// The tool of it that calls others.
const EXECUTE: &str = "execute-tool";
/// So many characters of a reply are kept.
const MOST_KEPT: usize = 10_000;

pub(super) static LIVE_MCP_BENCH: Program = Program {
    id: "livemcpbench",
    name: "LiveMCPBench result",
    about: "Tasks of LiveMCPBench with their chats: baseline/output/MODEL.json and evaluator/output/JUDGE/MODEL.json.",
    signs: &[r#""task_id""#],
    host_owned: &[ROUTER],
    recognise: |head| {
        let is_task = |task: &Raw<'_>| {
            let messages = elements_of(*task, "messages").into_iter();
            let mut calls = messages.flat_map(|message| elements_of(message, "tool_calls"));
            task.member("task_id").is_some()
                && calls.any(|call| fits(call, "function.name=route|execute-tool"))
        };
        let is_any = head.any_records().iter().any(is_task);
        is_any.then_some("tasks with task_id and calls of route or execute-tool")
    },
    converter: |_| Box::new(Values(|value, wire| wire.each(value, &[], task))),
    ..PLAIN
};

fn task(task: Raw<'_>, wire: &mut Wire) {
    let session = text_of(task, "task_id").unwrap_or_default();
    // Judges repeat the chats, and not all models draw ids for their calls.
    let text = task.member("messages").map_or("", Raw::text);
    let chat = format!("{session}.{:x}", xxh3_64(text.as_bytes()));
    for (at, call) in chat::calls(&elements_of(task, "messages")).iter().enumerate() {
        let is_drawn = chat::is_random(&call.id);
        let id = if is_drawn { call.id.clone() } else { format!("{chat}.{at}") };
        write(&id, &session, call, wire);
    }
}

fn write(id: &str, session: &str, call: &ChatCall<'_>, wire: &mut Wire) {
    let hidden = nested(&call.arguments.json).filter(|_| call.name == EXECUTE);
    let hidden =
        hidden.and_then(|it| Some((text_of(it, "server_name")?, text_of(it, "tool_name")?, it)));
    let (server, tool, arguments) = match &hidden {
        Some((server, tool, it)) => (&**server, &**tool, it.member("params").map_or("", Raw::text)),
        None => (ROUTER, &*call.name, &*call.arguments.json),
    };
    wire.call(&Call { id, is_unique: true, server, session, tool, arguments, ..Call::default() });
    let Some(reply) = call.reply.filter(|reply| reply.kind() == Kind::String) else { return };
    let text = chat::text_in(reply);
    let told = || {
        let reply = match text.strip_prefix("Error: ") {
            _ if kept::is_time_out(&text) => Reply::lost(Fate::TimedOut, text.clone()),
            Some(_) if call.arguments.is_broken => Reply::not_sent(Refuser::Host, text.clone()),
            Some(error) => kept::failure(error),
            None => Reply::text(&text, None),
        };
        let is_cut = text.chars().nth(MOST_KEPT - 1).is_some();
        Answer { reply, is_cut, ..Answer::default() }
    };
    wire.answer(&Answer { id, ..kept::result_in_text(&text).unwrap_or_else(told) });
}
