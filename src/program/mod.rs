//! The files in which programs keep MCP calls in layouts of their own. Each becomes wire lines while it is read, so that
//! everything after the reading knows one layout only.

mod ahead;
mod anthropic;
mod chat;
mod claude_code;
mod claude_desktop;
mod cline;
mod codex;
mod codex_exec;
mod continue_dev;
mod copilot_cli;
mod gemini_cli;
mod goose;
mod har;
mod head;
mod http;
mod inspect_ai;
mod inspector;
mod kept;
mod langfuse;
mod langsmith;
mod livemcpbench;
mod mcp_bench;
mod mcpsnoop;
mod openai;
mod opencode;
mod otlp;
mod phoenix;
mod python;
mod records;
mod sessions;
mod signs;
mod spans;
mod texts;
mod vscode;
mod wire;
mod zip;

pub use head::{Head, says_nothing};
pub use signs::has_sign;
pub use spans::NOT_OF_MCP;
pub use wire::{Tally, Unanswered, Unit, Why, Wire, Written};

use crate::json::ListPath;
use crate::recording::Fidelity;
use std::path::Path;

/// A program, and how its files are read.
pub struct Program {
    /// What tables and `recorded_by` call it, and what `--read-as` takes.
    pub id: &'static str,
    /// What people call its files.
    pub name: &'static str,
    /// What the files hold, in a sentence.
    pub about: &'static str,
    pub fidelity: Fidelity,
    /// What is read at a time.
    pub units: Units,
    /// One of these stands in every file of the program; where all its lines are objects, one behind a quotation mark
    /// stands among the first.
    signs: &'static [&'static str],
    /// By what a file is certain to be one of the program's; nothing where it is not.
    recognise: fn(&Head<'_>) -> Option<&'static str>,
    pub converter: fn(&FileFacts<'_>) -> Box<dyn Convert>,
}

/// What a converter is given at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    Lines,
    /// The complete file, within a bound.
    Document,
    /// The elements of a list in the document that the file is, each within a bound. The converter sees all of them
    /// before it is given the first.
    Elements(&'static ListPath),
    /// The same, of a file that is no text.
    Archive,
}

/// Turns the units of one file into wire lines.
pub trait Convert: Send {
    /// Whether a line may matter. It must not be wrong about a line that does, and is asked about every line of a file.
    fn wants(&self, _line: &[u8], _wire: &Wire) -> bool {
        true
    }

    /// Sees an element of a list that it will be given later.
    fn look_ahead(&mut self, _element: &str) {}

    /// Takes a line, an element of a list, or a complete document.
    fn unit(&mut self, text: &str, wire: &mut Wire);

    /// Takes what stands beside the list.
    fn beside(&mut self, _text: &str, _wire: &mut Wire) {}

    /// Takes a file that is no text.
    fn archive(&mut self, _bytes: &[u8], _wire: &mut Wire) {}

    /// The file has ended.
    fn end(&mut self, _wire: &mut Wire) {}
}

/// What is known of a file before it is read.
#[derive(Clone, Copy, Debug)]
pub struct FileFacts<'a> {
    /// Its name without folders.
    pub name: &'a str,
    /// The same without its extension.
    pub stem: &'a str,
    /// The folder it lies in; standard input has none.
    pub folder: Option<&'a Path>,
    /// Whether the user named the format, and so vouches that all tools in the file are MCP's.
    pub is_named: bool,
    pub max_depth: usize,
}

/// The table of programs, in the order in which they are tried.
pub static PROGRAMS: [&Program; 25] = [
    &inspect_ai::INSPECT_AI,
    &claude_desktop::CLAUDE_DESKTOP_LOG,
    &vscode::VSCODE_MCP_LOG,
    &har::HAR,
    &otlp::OTLP,
    &inspector::INSPECTOR,
    &mcpsnoop::MCPSNOOP,
    &codex::CODEX,
    &claude_code::CLAUDE_CODE,
    &claude_code::CLAUDE_CODE_STREAM,
    &gemini_cli::GEMINI_CLI,
    &copilot_cli::COPILOT_CLI,
    &codex_exec::CODEX_EXEC,
    &cline::ROO_CODE,
    &cline::CLINE,
    &goose::GOOSE,
    &continue_dev::CONTINUE,
    &opencode::OPENCODE,
    &openai::OPENAI_RESPONSES,
    &anthropic::ANTHROPIC_MESSAGES,
    &langsmith::LANGSMITH,
    &langfuse::LANGFUSE,
    &phoenix::PHOENIX,
    &mcp_bench::MCP_BENCH,
    &livemcpbench::LIVE_MCP_BENCH,
];

/// The program whose file begins like this, with the evidence.
pub fn recognise(head: &Head<'_>) -> Option<(&'static Program, &'static str)> {
    let signed = signs::in_file(head);
    let mut programs = PROGRAMS.iter().zip(0..).filter(|(_, bit)| signed >> bit & 1 == 1);
    programs.find_map(|(program, _)| Some((*program, (program.recognise)(head)?)))
}

/// Whether a file may hold a reply that is too large for the file with its call.
pub fn may_hold_a_reply(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with(claude_code::REPLIES))
}

pub fn by_id(id: &str) -> Option<&'static Program> {
    PROGRAMS.iter().copied().find(|program| program.id == id)
}

/// The ids of all programs, as a sentence lists them.
pub fn known_ids() -> String {
    PROGRAMS.map(|program| program.id).join(", ")
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::scan_document;
    use serde_json::Value;

    /// The calls of a file, each as `SERVER/TOOL ARGUMENTS: WHAT CAME BACK`, with what the program says beside them.
    pub(super) fn calls(program: &Program, text: &str) -> Vec<String> {
        calls_of_files(program, &[("session.jsonl", text)])
    }

    /// The same of a file whose format the user named.
    pub(super) fn calls_when_named(program: &Program, text: &str) -> Vec<String> {
        calls_in(program, &[("session.jsonl", text)], true)
    }

    /// The same of several files, each with its name.
    pub(super) fn calls_of_files(program: &Program, files: &[(&str, &str)]) -> Vec<String> {
        calls_in(program, files, false)
    }

    fn calls_in(program: &Program, files: &[(&str, &str)], is_named: bool) -> Vec<String> {
        listed(&converted(program, files, is_named))
    }

    /// The wire lines that files become.
    fn converted(program: &Program, files: &[(&str, &str)], is_named: bool) -> String {
        let mut wire = Wire::default();
        let mut unanswered = Vec::new();
        for (name, text) in files {
            let stem = name.rsplit_once('.').map_or(*name, |(stem, _)| stem);
            let facts = FileFacts { name, stem, folder: None, is_named, max_depth: 64 };
            let mut converter = (program.converter)(&facts);
            wire.begin(program.id, program.fidelity);
            match program.units {
                Units::Lines => {
                    for line in text.lines() {
                        if converter.wants(line.as_bytes(), &wire) {
                            converter.unit(line, &mut wire);
                        }
                    }
                }
                Units::Elements(list) => {
                    let document = scan_document(text, 64).ok();
                    let elements = document.and_then(|it| list.find(it)?.elements());
                    let elements = elements.unwrap_or_default();
                    for element in &elements {
                        converter.look_ahead(element.text());
                    }
                    for element in &elements {
                        converter.unit(element.text(), &mut wire);
                    }
                }
                Units::Document | Units::Archive => converter.unit(text, &mut wire),
            }
            converter.end(&mut wire);
            unanswered.extend(wire.end());
        }
        for call in &unanswered {
            wire.give_up(call);
        }
        wire.take().text
    }

    fn listed(lines: &str) -> Vec<String> {
        let lines: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("wire lines are JSON"))
            .collect();
        let mut found = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let message = &line["msg"];
            if message["method"] != "tools/call" {
                continue;
            }
            let is_answer = |answer: &&Value| {
                answer["server"] == line["server"]
                    && [&answer["msg"]["id"], &answer["msg"]["params"]["requestId"]]
                        .contains(&&message["id"])
                    && answer["msg"]["method"] != "tools/call"
            };
            let answer = lines[at + 1..].iter().find(is_answer);
            let flags = ["name_is_guess", "host_owned"].map(|flag| told_flag(flag, &line[flag]));
            found.push(format!(
                "{}/{} {}: {}{}",
                line["server"].as_str().unwrap_or_default(),
                message["params"]["name"].as_str().unwrap_or_default(),
                message["params"]["arguments"],
                answer.map_or_else(|| "no answer".to_owned(), told),
                flags.concat()
            ));
        }
        found
    }

    fn told(answer: &Value) -> String {
        let message = &answer["msg"];
        let told = if let Some(fate) = answer["fate"].as_str() {
            format!("{fate} by {}", answer["refused_by"].as_str().unwrap_or("nobody"))
        } else if let Some(error) = message.get("error") {
            format!("error {} {}", error["code"], error["message"].as_str().unwrap_or_default())
        } else {
            let result = &message["result"];
            let kind = if result["isError"] == true { "tool error" } else { "result" };
            let blocks = result["content"].as_array().into_iter().flatten();
            let texts: Vec<&str> = blocks
                .map(|block| block["text"].as_str().or(block["type"].as_str()).unwrap_or("?"))
                .collect();
            format!("{kind} {}", texts.join(" | "))
        };
        let flags = ["reply_cut", "error_unknown", "duration_ms"];
        told + &flags.map(|flag| told_flag(flag, &answer[flag])).concat()
    }

    fn told_flag(flag: &str, value: &Value) -> String {
        match value {
            Value::Null => String::new(),
            Value::Bool(_) => format!(" [{flag}]"),
            value => format!(" [{flag} {value}]"),
        }
    }

    /// The programs whose files the recordings in a folder are taken for.
    fn recognised(folder: &Path) -> Vec<(String, Option<&'static str>)> {
        let entries = std::fs::read_dir(folder).expect("the folder is there");
        let files =
            entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
        let texts = files.filter_map(|path| Some((path.clone(), std::fs::read(path).ok()?)));
        texts
            .map(|(path, bytes)| {
                let head = Head::of(&bytes, true, 256);
                let found = recognise(&head).map(|(program, _)| program.id);
                let by_any = PROGRAMS.iter().find(|program| (program.recognise)(&head).is_some());
                assert_eq!(found, by_any.map(|program| program.id), "{}", path.display());
                (path.display().to_string(), found)
            })
            .collect()
    }

    #[test]
    fn samples_are_taken_for_files_of_their_program_and_nothing_else_is() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
        for folder in
            ["formats", "odd", "recorded", "envelopes", "judge-results", "session-reports"]
        {
            for (file, found) in recognised(&corpus.join(folder)) {
                assert_eq!(found, None, "{file} is of no program");
            }
        }
        for program in PROGRAMS {
            let mut folders = vec![corpus.join("formats").join(program.id)];
            while let Some(folder) = folders.pop().filter(|folder| folder.is_dir()) {
                for (file, found) in recognised(&folder) {
                    let is_text = [".json", ".jsonl"].iter().any(|end| file.ends_with(end));
                    let is_own = found == Some(program.id);
                    assert!(is_own || !is_text, "{file} is taken for {found:?}");
                }
                let entries = std::fs::read_dir(&folder).expect("the folder is there");
                let paths = entries.map(|entry| entry.expect("an entry").path());
                folders.extend(paths.filter(|path| path.is_dir()));
            }
        }
    }

    #[test]
    fn no_sign_hides_another() {
        let signs: Vec<&str> = PROGRAMS.iter().flat_map(|program| program.signs).copied().collect();
        for sign in &signs {
            let others = signs.iter().filter(|other| *other != sign && other.contains(sign));
            assert_eq!(others.collect::<Vec<_>>(), Vec::<&&str>::new(), "{sign}");
        }
    }

    /// All values inside a value, as addresses.
    fn addresses(value: &Value, address: &str, found: &mut Vec<String>) {
        found.push(address.to_owned());
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    addresses(member, &format!("{address}/{name}"), found);
                }
            }
            Value::Array(elements) => {
                for (at, element) in elements.iter().enumerate() {
                    addresses(element, &format!("{address}/{at}"), found);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn values_of_any_kind_anywhere_are_read_without_a_panic() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/formats");
        let odd = [Value::Null, true.into(), (-1).into(), "é\"".into(), Vec::<Value>::new().into()];
        for program in PROGRAMS {
            let Ok(entries) = std::fs::read_dir(corpus.join(program.id)) else { continue };
            let texts = entries
                .filter_map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).ok());
            for text in texts {
                let whole: Option<Value> = serde_json::from_str(&text).ok();
                let lines: Vec<Value> =
                    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
                let records = whole.map_or(lines, |whole| vec![whole]);
                let mut texts: Vec<String> = records.iter().map(Value::to_string).collect();
                for (at, record) in records.iter().enumerate() {
                    let mut found = Vec::new();
                    addresses(record, "", &mut found);
                    let own = texts[at].clone();
                    for (address, odd) in found.iter().zip(odd.iter().cycle()) {
                        let mut record = record.clone();
                        *record.pointer_mut(address).expect("it is there") = odd.clone();
                        texts[at] = record.to_string();
                        converted(program, &[("a.json", &texts.join("\n"))], false);
                    }
                    texts[at] = own;
                }
                for end in (0..text.len()).step_by(97).filter(|end| text.is_char_boundary(*end)) {
                    converted(program, &[("a.json", &text[..end])], false);
                }
            }
        }
    }
}
