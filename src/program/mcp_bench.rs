//! Results of MCP-Bench: tasks with a list of the calls that were made for them.

use super::chat::Arguments;
use super::kept::{self, CallResult, Kept};
use super::records::{JsonFile, Records};
use super::texts::{elements_of, is_true, text_of, time_of_millis};
use super::wire::{Answer, Call};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity};

/// So deep in a file tasks may lie: results are grouped by model and by file of tasks.
const MOST_NESTED: usize = 6;

pub(super) static MCP_BENCH: Program = Program {
    id: "mcp-bench",
    name: "MCP-Bench result",
    about: "Tasks of MCP-Bench with their calls: benchmark_results_TIME.json.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""execution_results""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let mut tasks = Vec::new();
    head.any_records().iter().for_each(|record| tasks_in(*record, 0, &mut tasks));
    let is_call = |call: &Raw<'_>| {
        ["tool", "server", "parameters", "success"].iter().all(|name| call.member(name).is_some())
    };
    let mut calls = tasks.iter().flat_map(|task| elements_of(*task, "execution_results"));
    calls
        .any(|call| is_call(&call))
        .then_some("execution_results with tool, server, parameters and success")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    Box::new(JsonFile::new(Tasks { max_depth: file.max_depth, count: 0 }, file.max_depth))
}

/// The tasks in a value, wherever they lie.
fn tasks_in<'a>(value: Raw<'a>, depth: usize, found: &mut Vec<Raw<'a>>) {
    if depth > MOST_NESTED {
        return;
    }
    if let Some(elements) = value.elements() {
        for element in elements {
            tasks_in(element, depth + 1, found);
        }
        return;
    }
    let members = value.members().unwrap_or_default();
    if members
        .iter()
        .any(|(key, member)| key.is("execution_results") && member.kind() == Kind::Array)
    {
        found.push(value);
        return;
    }
    for (_, member) in members {
        tasks_in(member, depth + 1, found);
    }
}

struct Tasks {
    max_depth: usize,
    count: u64,
}

impl Records for Tasks {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        let mut tasks = Vec::new();
        tasks_in(value, 0, &mut tasks);
        if tasks.is_empty() {
            wire.other("(no MCP call)", 1);
        }
        for task in tasks {
            self.count += 1;
            let session = text_of(task, "task_id").unwrap_or_default();
            let calls = elements_of(task, "execution_results");
            if calls.is_empty() {
                wire.other("(no MCP call)", 1);
            }
            for (at, call) in calls.into_iter().enumerate() {
                self.call(&session, at, call, wire);
            }
        }
    }
}

impl Tasks {
    fn call(&self, session: &str, at: usize, call: Raw<'_>, wire: &mut Wire) {
        let Some(name) = text_of(call, "tool") else {
            return wire.other("(no MCP call)", 1);
        };
        let server = text_of(call, "server").unwrap_or_default();
        // Tools are named after their servers, which may hold colons themselves.
        let own = name.strip_prefix(&*server).and_then(|rest| rest.strip_prefix(':'));
        let split = name.split_once(':').filter(|_| server.is_empty());
        let (server, tool) = split.unwrap_or((&server, own.unwrap_or(&name)));
        let arguments = Arguments::of(call.member("parameters"), self.max_depth);
        let seconds = call.member("timestamp").and_then(|time| time.text().parse::<f64>().ok());
        #[expect(
            clippy::cast_possible_truncation,
            reason = "no time of a recording is out of range"
        )]
        let time = seconds.and_then(|seconds| time_of_millis((seconds * 1000.0).round() as i64));
        let id = format!("{}.{at}", self.count);
        wire.call(&Call {
            id: &id,
            server,
            session,
            tool,
            arguments: &arguments.json,
            at: time.as_deref(),
            name_is_guess: split.is_some(),
            ..Call::default()
        });
        let kept = self.kept(call);
        let is_cut = is_true(call, "compressed")
            || matches!(&kept, Kept::Result(CallResult { is_cut: true, .. }));
        wire.answer(&Answer { id: &id, at: None, duration_ms: None, reply: kept.reply(), is_cut });
    }

    /// Results with an error, exceptions and tools that do not exist are told alike.
    fn kept(&self, call: Raw<'_>) -> Kept {
        let has_failed = call.member("success").is_some_and(|success| success.text() == "false");
        let told = |names: &[&str]| {
            let mut values = names.iter().filter_map(|name| call.member(name));
            values.find(|value| value.kind() != Kind::Null)
        };
        let value = if has_failed {
            told(&["error", "response", "result"])
        } else {
            told(&["result", "response"])
        };
        let Some(value) = value else { return Kept::lost(Fate::NotRecorded, "") };
        let is_error = has_failed.then_some(true);
        match kept::result_in(value, self.max_depth).or_else(|| kept::blocks_in(value)) {
            Some(result) => Kept::Result(result.with_error(is_error)),
            None => Kept::text(super::chat::text_in(value), is_error),
        }
    }
}
