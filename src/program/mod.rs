//! The files in which programs keep MCP calls in layouts of their own. Each becomes wire lines while it is read, so that
//! everything after the reading knows one layout only.

mod apis;
mod benchmarks;
mod chat;
mod claude_code;
mod claude_hooks;
mod cline;
mod codex;
mod continue_dev;
mod copilot_cli;
mod entire;
mod gemini_cli;
mod goose;
mod har;
mod head;
mod host_replies;
mod http;
mod inspect_ai;
mod inspector;
mod logs;
mod opencode;
mod otlp;
mod python;
mod reader;
mod signs;
mod spans;
mod texts;
mod wire;
mod zip;

pub use head::{Head, says_nothing};
pub use reader::Reader;
pub use signs::has_sign;
pub use spans::NOT_OF_MCP;
pub use wire::{Broken, Tally, Unanswered, Unit, Why, Wire, Written};

use crate::json::ListPath;
use crate::recording::Fidelity;
use reader::{Convert, Values};
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
    pub units: Units,
    /// The program with whose calls its own share their ids, so that a call that both wrote down counts once; itself
    /// where empty.
    ids_of: &'static str,
    /// One of these stands in every file of the program; where all its lines are objects, one behind a quotation mark
    /// stands among the first.
    signs: &'static [&'static str],
    /// Lines matter that have one of these, and all where there are none.
    words: &'static [&'static str],
    /// Lines that matter while calls wait for answers.
    open_words: &'static [&'static str],
    /// Servers that the program brings itself.
    host_owned: &'static [&'static str],
    /// By what a file is certain to be one of the program's; nothing where it is not.
    recognise: fn(&Head<'_>) -> Option<&'static str>,
    converter: fn(&FileFacts<'_>) -> Box<dyn Convert>,
}

/// What most programs have in common.
const PLAIN: Program = Program {
    id: "",
    name: "",
    about: "",
    fidelity: Fidelity::Derived,
    units: Units::Json,
    ids_of: "",
    signs: &[],
    words: &[],
    open_words: &[],
    host_owned: &[],
    recognise: |_| None,
    converter: |_| Box::new(Values(|_, _| ())),
};

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    Lines,
    /// The same, or the elements of the array that the file is.
    Records,
    /// Lines that are JSON, the events of a stream, or one document.
    Json,
    /// The elements of a list in the document that the file is, each within a bound. The converter sees all of them
    /// before it is given the first.
    Elements(&'static ListPath),
    /// The complete file, within a bound, which may be no text.
    Archive,
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
    pub max_document: usize,
}

/// The table of programs, in the order in which they are tried.
pub static PROGRAMS: [&Program; 28] = [
    &inspect_ai::INSPECT_AI,
    &logs::CLAUDE_DESKTOP_LOG,
    &logs::VSCODE_MCP_LOG,
    &har::HAR,
    &otlp::OTLP,
    &inspector::INSPECTOR,
    &logs::MCPSNOOP,
    &codex::CODEX,
    &claude_code::CLAUDE_CODE,
    &claude_code::CLAUDE_CODE_STREAM,
    &claude_hooks::CLAUDE_CODE_HOOKS,
    &entire::ENTIRE,
    &gemini_cli::GEMINI_CLI,
    &gemini_cli::GEMINI_CLI_STREAM,
    &copilot_cli::COPILOT_CLI,
    &codex::CODEX_EXEC,
    &cline::ROO_CODE,
    &cline::CLINE,
    &goose::GOOSE,
    &continue_dev::CONTINUE,
    &opencode::OPENCODE,
    &apis::OPENAI_RESPONSES,
    &apis::ANTHROPIC_MESSAGES,
    &spans::LANGSMITH,
    &spans::LANGFUSE,
    &spans::PHOENIX,
    &benchmarks::MCP_BENCH,
    &benchmarks::LIVE_MCP_BENCH,
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

impl Program {
    fn ids(&self) -> &'static str {
        if self.ids_of.is_empty() { self.id } else { self.ids_of }
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Bounds, CorpusReader, Input};
    use serde_json::Value;

    /// Reads a file as the program's.
    fn read(file: &Path, bytes: &[u8], program: &Program) {
        std::fs::write(file, bytes).expect("a file is written");
        let bounds = Bounds { read_as: Some(program.id), ..Bounds::default() };
        let mut reader =
            CorpusReader::new(&[Input::Path(file.to_owned())], bounds).expect("a file");
        while reader.next_block().is_some() {}
    }

    /// The bundled files in these folders, with the folder of each.
    fn files(folder: &str) -> impl Iterator<Item = (std::path::PathBuf, Vec<u8>)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
        let files = walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.expect("an entry"));
        files.filter(|entry| entry.file_type().is_file()).map(|entry| {
            let bytes = std::fs::read(entry.path()).expect("readable");
            (entry.into_path(), bytes)
        })
    }

    #[test]
    fn signs_hide_no_file_from_its_program_and_other_files_are_of_none() {
        let folders =
            ["formats", "odd", "recorded", "envelopes", "judge-results", "session-reports"];
        for (path, bytes) in folders.into_iter().flat_map(files) {
            let head = Head::of(&bytes, true, 256);
            let found = recognise(&head).map(|(program, _)| program.id);
            let by_any = PROGRAMS.iter().find(|program| (program.recognise)(&head).is_some());
            assert_eq!(found, by_any.map(|program| program.id), "{}", path.display());
            let is_of = |id: &str| path.components().any(|part| part.as_os_str() == id);
            let is_text = path.extension().is_some_and(|it| it == "json" || it == "jsonl");
            let own = PROGRAMS.iter().map(|program| program.id).find(|id| is_of(id));
            assert!(found == own || (found.is_none() && !is_text), "{} {found:?}", path.display());
        }
    }

    /// Puts an odd value in the place of the value that comes after so many others, counted from the outside.
    fn replace(value: &mut Value, left: &mut usize, odd: &Value) -> bool {
        if *left == 0 {
            value.clone_from(odd);
            return true;
        }
        *left -= 1;
        match value {
            Value::Object(members) => members.values_mut().any(|it| replace(it, left, odd)),
            Value::Array(elements) => elements.iter_mut().any(|it| replace(it, left, odd)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }

    #[test]
    fn values_of_any_kind_anywhere_are_read_without_a_panic() {
        let odd = [Value::Null, true.into(), (-1).into(), "é\"".into(), Vec::<Value>::new().into()];
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.json");
        for program in PROGRAMS {
            let of_program = format!("formats/{}", program.id);
            for text in files(&of_program).filter_map(|(_, bytes)| String::from_utf8(bytes).ok()) {
                let whole = serde_json::from_str::<Value>(&text).map(|whole| vec![whole]);
                let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
                let records: Vec<Value> = whole.unwrap_or_else(|_| lines.collect());
                let mut texts: Vec<String> = records.iter().map(Value::to_string).collect();
                for (at, record) in records.iter().enumerate() {
                    for (number, odd) in (0..).zip(odd.iter().cycle()) {
                        let (mut record, mut left) = (record.clone(), number);
                        if !replace(&mut record, &mut left, odd) {
                            break;
                        }
                        texts[at] = record.to_string();
                        read(&file, texts.join("\n").as_bytes(), program);
                    }
                    texts[at] = record.to_string();
                }
                for end in (0..text.len()).step_by(97) {
                    read(&file, &text.as_bytes()[..end], program);
                }
            }
        }
    }
}
