//! Results of benchmarks: those of MCP-Bench list the calls that were made for each task, those of `LiveMCPBench` hold the
//! chat in which a model solved it.

use super::chat::{self, Arguments, ChatCall};
use super::host_replies;
use super::reader::{Convert, Values};
use super::texts::{elements_of, fits, given, is_true, nested, number_of, text_of, time_of};
use super::wire::{Answer, Call, NO_CALL, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Refuser};
use xxhash_rust::xxh3::xxh3_64;

/// So deep in a file tasks may lie: results are grouped by model and by file of tasks.
const MOST_NESTED: usize = 6;

pub(super) static MCP_BENCH: Program = Program {
    id: "mcp-bench",
    name: "MCP-Bench result",
    about: "Tasks of MCP-Bench with their calls: benchmark_results_TIME.json.",
    signs: &[r#""execution_results""#],
    recognise: |head| {
        let mut tasks = Vec::new();
        head.any_records().iter().for_each(|record| tasks_in(*record, 0, &mut tasks));
        let mut calls = tasks.iter().flat_map(|task| elements_of(*task, "execution_results"));
        calls
            .any(|call| fits(call, "tool server parameters success"))
            .then_some("execution_results with tool, server, parameters and success")
    },
    converter: |_| Box::new(Tasks { count: 0 }),
    ..PLAIN
};

/// The tasks in a value, wherever they lie.
fn tasks_in<'a>(value: Raw<'a>, depth: usize, found: &mut Vec<Raw<'a>>) {
    if fits(value, "execution_results:[") {
        found.push(value);
    } else if depth < MOST_NESTED {
        let members = value.members().unwrap_or_default().into_iter().map(|(_, member)| member);
        let inner = value.elements().unwrap_or_default().into_iter().chain(members);
        inner.for_each(|inner| tasks_in(inner, depth + 1, found));
    }
}

struct Tasks {
    count: u64,
}

impl Convert for Tasks {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        let mut tasks = Vec::new();
        tasks_in(value, 0, &mut tasks);
        for task in tasks {
            self.count += 1;
            let session = text_of(task, "task_id").unwrap_or_default();
            let calls = elements_of(task, "execution_results");
            if calls.is_empty() {
                wire.other(NO_CALL, 1);
            }
            for (at, it) in calls.into_iter().enumerate() {
                call(&format!("{}.{at}", self.count), &session, it, wire);
            }
        }
    }
}

fn call(id: &str, session: &str, call: Raw<'_>, wire: &mut Wire) {
    let Some(name) = text_of(call, "tool") else { return wire.other(NO_CALL, 1) };
    let server = text_of(call, "server").unwrap_or_default();
    // Tools are named after their servers, which may hold colons themselves.
    let own = name.strip_prefix(&*server).and_then(|rest| rest.strip_prefix(':'));
    let split = name.split_once(':').filter(|_| server.is_empty());
    let (server, tool) = split.unwrap_or((&server, own.unwrap_or(&name)));
    let seconds: Option<f64> = number_of(call, "timestamp");
    wire.call(&Call {
        id,
        server,
        session,
        tool,
        arguments: &Arguments::of(call.member("parameters")).json,
        at: seconds.and_then(|seconds| time_of(seconds * 1000.0)).as_deref(),
        name_is_guess: split.is_some(),
        ..Call::default()
    });
    // Results with an error, exceptions and tools that do not exist are told alike.
    let has_failed = call.member("success").is_some_and(|success| success.text() == "false");
    let names =
        if has_failed { ["error", "response", "result"] } else { ["", "result", "response"] };
    let value = names.iter().find_map(|name| given(call, name));
    let is_error = has_failed.then_some(true);
    let answer = value.map_or_else(Answer::default, |value| {
        let told = || Answer { reply: host_replies::content(value, None), ..Answer::default() };
        host_replies::result_in(value).unwrap_or_else(told)
    });
    let is_cut = answer.is_cut || is_true(call, "compressed");
    let reply = answer.reply.with_error(is_error);
    wire.answer(&Answer { id, reply, is_cut, ..Answer::default() });
}

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
            _ if host_replies::is_time_out(&text) => Reply::lost(Fate::TimedOut, text.clone()),
            Some(_) if call.arguments.is_broken => Reply::not_sent(Refuser::Host, text.clone()),
            Some(error) => host_replies::failure(error),
            None => Reply::text(&text, None),
        };
        let is_cut = text.chars().nth(MOST_KEPT - 1).is_some();
        Answer { reply, is_cut, ..Answer::default() }
    };
    wire.answer(&Answer { id, ..host_replies::result_in_text(&text).unwrap_or_else(told) });
}
