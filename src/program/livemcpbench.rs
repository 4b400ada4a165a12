//! Results of `LiveMCPBench`: tasks with the chat in which a model solved them.

use super::chat::{self, ChatCall};
use super::kept::{self, Kept};
use super::records::{JsonFile, Records, records_in};
use super::texts::{elements_of, nested, text_of};
use super::wire::{Answer, Call};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity, Refuser};
use xxhash_rust::xxh3::xxh3_64;

/// The server that the benchmark puts before all others.
const ROUTER: &str = "mcp-copilot";
/// Its tools: one finds tools, the other calls them.
const FIND: &str = "route";
const EXECUTE: &str = "execute-tool";
/// So many characters of a reply are kept.
const MOST_KEPT: usize = 10_000;

pub(super) static LIVE_MCP_BENCH: Program = Program {
    id: "livemcpbench",
    name: "LiveMCPBench result",
    about: "Tasks of LiveMCPBench with their chats: baseline/output/MODEL.json and evaluator/output/JUDGE/MODEL.json.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""task_id""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let is_own = |call: &Raw<'_>| {
        let name = call.member("function").and_then(|function| text_of(function, "name"));
        name.is_some_and(|name| [FIND, EXECUTE].contains(&&*name))
    };
    let is_task = |task: &Raw<'_>| {
        let messages = elements_of(*task, "messages").into_iter();
        let mut calls = messages.flat_map(|message| elements_of(message, "tool_calls"));
        task.member("task_id").is_some() && calls.any(|call| is_own(&call))
    };
    head.any_records()
        .iter()
        .any(is_task)
        .then_some("tasks with task_id and calls of route or execute-tool")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(JsonFile::new(Tasks { max_depth: file.max_depth }, file.max_depth))
}

struct Tasks {
    max_depth: usize,
}

impl Records for Tasks {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        for task in records_in(value, &[]) {
            let messages = elements_of(task, "messages");
            let calls = chat::calls(&messages, self.max_depth);
            if calls.is_empty() {
                wire.other("(no MCP call)", 1);
            }
            let session = text_of(task, "task_id").unwrap_or_default();
            // Judges repeat the chats, and not all models draw ids for their calls.
            let text = task.member("messages").map_or("", Raw::text);
            let chat = format!("{session}.{:x}", xxh3_64(text.as_bytes()));
            for (at, call) in calls.iter().enumerate() {
                let id = if chat::is_random(&call.id) {
                    call.id.clone()
                } else {
                    format!("{chat}.{at}")
                };
                self.call(&id, &session, call, wire);
            }
        }
    }
}

impl Tasks {
    fn call(&self, id: &str, session: &str, call: &ChatCall<'_>, wire: &mut Wire) {
        let hidden = nested(&call.arguments.json, self.max_depth).filter(|_| call.name == EXECUTE);
        let hidden = hidden
            .and_then(|it| Some((text_of(it, "server_name")?, text_of(it, "tool_name")?, it)));
        let (server, tool, arguments) = match &hidden {
            Some((server, tool, it)) => {
                (&**server, &**tool, it.member("params").map_or("", Raw::text))
            }
            None => (ROUTER, &*call.name, &*call.arguments.json),
        };
        wire.call(&Call {
            id,
            is_unique: true,
            server,
            session,
            tool,
            arguments,
            host_owned: server == ROUTER,
            ..Call::default()
        });
        let Some(reply) = call.reply.filter(|reply| reply.kind() == Kind::String) else { return };
        let text = chat::text_in(reply);
        let is_full = text.chars().nth(MOST_KEPT - 1).is_some();
        let result = kept::result_in_text(&text, self.max_depth);
        let is_cut = result.as_ref().map_or(is_full, |result| result.is_cut);
        let kept = match result {
            Some(result) => Kept::Result(result),
            None if kept::is_time_out(&text) => Kept::lost(Fate::TimedOut, text),
            None => match text.strip_prefix("Error: ") {
                Some(_) if call.arguments.is_broken => Kept::not_sent(Refuser::Host, text),
                Some(error) => kept::failure(error),
                None => Kept::text(text, None),
            },
        };
        wire.answer(&Answer { id, at: None, duration_ms: None, reply: kept.reply(), is_cut });
    }
}
