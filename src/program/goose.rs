//! Sessions of goose: what `goose session export --format json` writes, and the lines of older builds,
//! `~/.local/share/goose/sessions/*.jsonl`.

use super::records::{JsonFile, Records};
use super::texts::{Places, bare_error, elements_of, is_text, text_of};
use super::wire::{Answer, Call, Reply};
use super::{Convert, FileFacts, Head, Program, Units, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Fidelity, Refuser};

const HOST_OWNED: [&str; 10] = [
    "developer",
    "computercontroller",
    "autovisualiser",
    "tutorial",
    "platform",
    "extensionmanager",
    "todo",
    "chatrecall",
    "skills",
    "code_execution",
];

/// Ids of models that are shorter, such as `call_1`, return in other sessions.
const SHORTEST_UNIQUE: usize = 8;

const DECLINED: &str = "The user has declined to run this tool";
/// What goose writes in place of a text that it moved to a file.
const MOVED: &str = "The response returned from the tool call was larger (";
const TIMED_OUT: &str = "request timeout after ";

pub(super) static GOOSE: Program = Program {
    id: "goose",
    name: "goose session",
    about: "A session of goose: what `goose session export --format json` writes, or the .jsonl file of an older build.",
    fidelity: Fidelity::Derived,
    units: Units::Lines,
    signs: &[r#""working_dir""#, r#""toolRequest""#, r#""toolResponse""#],
    recognise,
    converter,
};

fn recognise(head: &Head<'_>) -> Option<&'static str> {
    let is_tool = |message: &Raw<'_>| {
        elements_of(*message, "content").iter().any(|block| {
            (is_text(*block, "type", "toolRequest") && block.member("toolCall").is_some())
                || (is_text(*block, "type", "toolResponse") && block.member("toolResult").is_some())
        })
    };
    let is_session = |record: &Raw<'_>| {
        record.member("working_dir").is_some()
            && ["conversation", "description", "message_count"]
                .iter()
                .any(|name| record.member(name).is_some())
    };
    if let Some(document) = head.document() {
        let is_export = is_session(&document) && document.member("conversation").is_some();
        return is_export.then_some("working_dir and a conversation");
    }
    if head.records().first().is_some_and(is_session) {
        return Some("a first line with working_dir and description");
    }
    head.records().iter().any(is_tool).then_some("messages with toolRequest or toolResponse")
}

fn converter(file: &FileFacts<'_>) -> Box<dyn Convert> {
    let session = Session { id: file.stem.to_owned() };
    Box::new(JsonFile::new(session, file.max_depth))
}

struct Session {
    id: String,
}

impl Records for Session {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        let Some(conversation) = value.member("conversation").and_then(Raw::elements) else {
            self.message(value, wire);
            return;
        };
        if let Some(id) = text_of(value, "id") {
            self.id = id.into_owned();
        }
        let mut places = Places::of(value, wire);
        for message in conversation {
            wire.at(places.of_part(message));
            self.message(message, wire);
        }
    }
}

impl Session {
    fn message(&self, message: Raw<'_>, wire: &mut Wire) {
        let created = message.member("created").and_then(|created| created.text().parse().ok());
        let at = created.and_then(|created| jiff::Timestamp::from_second(created).ok());
        let at = at.map(|at| at.to_string());
        let mut found = false;
        for block in elements_of(message, "content") {
            found |= match text_of(block, "type").as_deref() {
                Some("toolRequest") => self.call(block, at.as_deref(), wire),
                Some("toolResponse") => answer(block, at.as_deref(), wire),
                _ => false,
            };
        }
        if !found {
            wire.other("(no MCP call)", 1);
        }
    }

    fn call(&self, block: Raw<'_>, at: Option<&str>, wire: &mut Wire) -> bool {
        let call = block.member("toolCall").and_then(|call| call.member("value"));
        let name = call.and_then(|call| text_of(call, "name"));
        let Some((id, name)) = text_of(block, "id").zip(name) else { return false };
        let meta = ["_meta", "metadata"].iter().find_map(|name| block.member(name));
        let extension = meta.and_then(|meta| text_of(meta, "goose_extension"));
        let (server, tool, name_is_guess) = match (&extension, name.split_once("__")) {
            (Some(server), _) => {
                let tool = name.strip_prefix(&**server).and_then(|rest| rest.strip_prefix("__"));
                (&**server, tool.unwrap_or(&name), false)
            }
            (None, Some((server, tool))) if !server.is_empty() && !tool.is_empty() => {
                (server, tool, tool.contains("__"))
            }
            (None, _) => return false,
        };
        let arguments = call.and_then(|call| call.member("arguments"));
        let arguments = arguments.filter(|arguments| arguments.kind() != Kind::Null);
        wire.call(&Call {
            id: &id,
            is_unique: id.len() >= SHORTEST_UNIQUE,
            server,
            session: &self.id,
            tool,
            arguments: arguments.map_or("", Raw::text),
            at,
            name_is_guess,
            host_owned: HOST_OWNED.contains(&server),
        });
        true
    }
}

fn answer(block: Raw<'_>, at: Option<&str>, wire: &mut Wire) -> bool {
    let Some(id) = text_of(block, "id").filter(|id| wire.is_open(id)) else { return false };
    let result = block.member("toolResult");
    let value = result.and_then(|result| result.member("value"));
    let error = result.and_then(|result| text_of(result, "error"));
    let bare = error.as_deref().map(bare_error).unwrap_or_default();
    let content = value.map(|value| value.member("content").unwrap_or(value));
    let blocks = content.and_then(Raw::elements).unwrap_or_default();
    let texts: Vec<_> = blocks.iter().filter_map(|block| text_of(*block, "text")).collect();
    let declined = texts.iter().find(|text| text.starts_with(DECLINED));
    let reply = match (value, declined, error.as_deref()) {
        (Some(_), Some(text), _) => {
            Reply::Lost { fate: Fate::NotSent, refused_by: Some(Refuser::User), reason: text }
        }
        (Some(value), None, _) => match value.kind() {
            Kind::Object => Reply::Whole(value.text()),
            // Older builds kept the content alone.
            Kind::Array => Reply::Blocks { blocks: value.text(), structured: None, is_error: None },
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => {
                Reply::Lost { fate: Fate::NotRecorded, refused_by: None, reason: "" }
            }
        },
        (None, _, Some(error)) => failure(error, &bare),
        (None, _, None) => Reply::Lost { fate: Fate::NotRecorded, refused_by: None, reason: "" },
    };
    let is_cut = texts.iter().any(|text| text.starts_with(MOVED));
    wire.answer(&Answer { id: &id, at, duration_ms: None, reply, is_cut });
    true
}

/// What the words of an error say: `-32602: …` if the server sent it.
fn failure<'a>(error: &'a str, bare: &'a str) -> Reply<'a> {
    if error.starts_with(DECLINED) {
        return Reply::Lost { fate: Fate::NotSent, refused_by: Some(Refuser::User), reason: error };
    }
    if error.contains(TIMED_OUT) {
        return Reply::Lost { fate: Fate::TimedOut, refused_by: None, reason: error };
    }
    let code = error.split_once(": ").map(|(code, _)| code).filter(|code| {
        code.strip_prefix('-').is_some_and(|digits| {
            (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    });
    match code {
        Some(code) => Reply::Error { code, message: error },
        None => Reply::WholeError(bare),
    }
}
