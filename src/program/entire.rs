//! What Entire keeps of the sessions of agents, in one layout for all of them: `transcript.jsonl`.

use super::claude_code::{NO_OUTPUT, Transcript, call_by_name};
use super::codex;
use super::reader::Convert;
use super::texts::{elements_of, filled, get, is_text, json_of, text_of};
use super::wire::{Answer, Call, Reply};
use super::{FileFacts, PLAIN, Program, Units, Wire};
use crate::json::Raw;
use std::path::Path;

/// Agents whose successes are no errors of a tool. For others, nothing says so.
const WITH_FLAG: [&str; 5] = ["claude-code", "copilot-cli", "factoryai-droid", "gemini", "pi"];

pub(super) static ENTIRE: Program = Program {
    id: "entire",
    name: "Entire transcript",
    about: "A session of any agent as Entire keeps it: transcript.jsonl.",
    units: Units::Lines,
    signs: &[r#""cli_version""#],
    words: &[r#""mcp__"#],
    host_owned: &[
        "ide",
        "workspace",
        "claude-in-chrome",
        "node_repl",
        "codex_apps",
        "computer-use",
    ],
    recognise: |head| {
        head.has_line("v:1 agent cli_version type=user|assistant content")
            .then_some("lines with v, agent, cli_version and content")
    },
    converter: |file| Box::new(Session { checkpoint: checkpoint(file) }),
    ..PLAIN
};

struct Session {
    checkpoint: String,
}

impl Convert for Session {
    fn record(&mut self, record: Raw<'_>, wire: &mut Wire) {
        wire.session.clone_from(&self.checkpoint);
        line(record, wire);
    }
}

/// The folder of a checkpoint's session, such as `7c/2f90aa11de/0`; empty where the file lies in none. All files have the
/// same name.
fn checkpoint(file: &FileFacts<'_>) -> String {
    let is_part = |name: &&str| name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts = file.folder.into_iter().flat_map(Path::components).rev();
    let parts = parts.map_while(|part| part.as_os_str().to_str().filter(is_part)).take(3);
    let parts: Vec<&str> = parts.collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("/")
}

fn line(line: Raw<'_>, wire: &mut Wire) {
    let agent = text_of(line, "agent").unwrap_or_default();
    wire.calls_are_of(&agent);
    let at = filled(line, "ts");
    for block in elements_of(line, "content") {
        let names = text_of(block, "id").zip(text_of(block, "name"));
        let Some((id, name)) = names.filter(|_| is_text(block, "type", "tool_use")) else {
            continue;
        };
        let call = Call {
            id: &id,
            is_unique: true,
            arguments: json_of(block, "input"),
            at: at.as_deref(),
            ..Call::default()
        };
        call_by_name(&call, &name, &[""; 0], wire);
        if let Some(result) = block.member("result").filter(|_| wire.is_open(&id)) {
            let output = text_of(result, "output").unwrap_or_default();
            let (reply, is_cut) = if output == format!("({name}{NO_OUTPUT}") {
                (Reply::text("", Some(false)), false)
            } else {
                reply(&agent, result, &output)
            };
            wire.answer(&Answer { id: &id, reply, is_cut, ..Answer::default() });
        }
    }
}

/// What was kept of a reply: texts alone, and nothing of one that is a list of blocks.
fn reply<'a>(agent: &str, result: Raw<'_>, output: &'a str) -> (Reply<'a>, bool) {
    let is_error = is_text(result, "status", "error");
    match agent {
        _ if output.is_empty() => (Reply::default(), false),
        "codex" if !is_error => codex::shown(output),
        _ if is_error || WITH_FLAG.contains(&agent) => {
            Transcript::default().reply(get(result, "output"), output, None, is_error)
        }
        _ => (Reply::text(output, None), false),
    }
}
