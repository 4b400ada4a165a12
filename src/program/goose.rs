//! Sessions of goose: what `goose session export --format json` writes, and the lines of older builds,
//! `~/.local/share/goose/sessions/*.jsonl`.

use super::reader::Convert;
use super::texts::{
    SplitName, elements_of, fits, get, is_code, json_of, number_of, split_name, text_of,
};
use super::wire::{Answer, Call, Reply};
use super::{PLAIN, Program, Wire};
use crate::json::{Kind, Raw};
use crate::recording::{Fate, Refuser};

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
    signs: &[r#""working_dir""#, r#""toolRequest""#, r#""toolResponse""#],
    host_owned: &[
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
    ],
    recognise: |head| {
        if let Some(document) = head.document() {
            let is_export = fits(document, "working_dir conversation");
            return is_export.then_some("working_dir and a conversation");
        }
        let session = "working_dir conversation|description|message_count";
        if head.records().first().is_some_and(|first| fits(*first, session)) {
            return Some("a first line with working_dir and description");
        }
        let is_tool = |block: &Raw<'_>| {
            fits(*block, "type=toolRequest toolCall")
                || fits(*block, "type=toolResponse toolResult")
        };
        let messages = head.records().iter();
        let mut blocks = messages.flat_map(|message| elements_of(*message, "content"));
        blocks.any(|block| is_tool(&block)).then_some("messages with toolRequest or toolResponse")
    },
    converter: |file| Box::new(Session { stem: file.stem.to_owned() }),
    ..PLAIN
};

struct Session {
    stem: String,
}

impl Convert for Session {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        let id = text_of(value, "id").filter(|_| fits(value, "conversation:["));
        wire.session = id.unwrap_or((&*self.stem).into()).into_owned();
        wire.each(value, &["conversation"], message);
    }
}

fn message(message: Raw<'_>, wire: &mut Wire) {
    let created = number_of(message, "created");
    let at = created.and_then(|created| jiff::Timestamp::from_second(created).ok());
    let at = at.map(|at| at.to_string());
    for block in elements_of(message, "content") {
        match text_of(block, "type").as_deref() {
            Some("toolRequest") => call(block, at.as_deref(), wire),
            Some("toolResponse") => answer(block, at.as_deref(), wire),
            _ => {}
        }
    }
}

fn call(block: Raw<'_>, at: Option<&str>, wire: &mut Wire) {
    let names = text_of(block, "id").zip(text_of(block, "toolCall.value.name"));
    let Some((id, name)) = names else { return };
    let meta = block.member("_meta").or_else(|| block.member("metadata"));
    let extension = text_of(meta, "goose_extension");
    let split = extension.as_deref().map(|server| {
        let tool = name.strip_prefix(server).and_then(|rest| rest.strip_prefix("__"));
        SplitName { server, tool: tool.unwrap_or(&name), is_guess: false }
    });
    let split = split.or_else(|| split_name(&name, "", "__"));
    let Some(SplitName { server, tool, is_guess }) = split else { return };
    wire.call(&Call {
        id: &id,
        is_unique: id.len() >= SHORTEST_UNIQUE,
        server,
        tool,
        arguments: json_of(block, "toolCall.value.arguments"),
        at,
        name_is_guess: is_guess,
        ..Call::default()
    });
}

fn answer(block: Raw<'_>, at: Option<&str>, wire: &mut Wire) {
    let Some(id) = text_of(block, "id").filter(|id| wire.is_open(id)) else { return };
    let value = get(block, "toolResult.value");
    let content = get(value, "content").or(value).and_then(Raw::elements).unwrap_or_default();
    let texts: Vec<_> = content.iter().filter_map(|block| text_of(*block, "text")).collect();
    let declined = texts.iter().find(|text| text.starts_with(DECLINED));
    let error = text_of(block, "toolResult.error").filter(|_| value.is_none());
    let reply = match (declined, error.as_deref(), value) {
        (Some(text), ..) => Reply::not_sent(Refuser::User, &**text),
        (None, Some(error), _) => failure(error),
        (None, None, Some(value)) => match value.kind() {
            Kind::Object => Reply::Whole(value.text()),
            // Older builds kept the content alone.
            Kind::Array => Reply::blocks(value.text(), None),
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => Reply::default(),
        },
        (None, None, None) => Reply::default(),
    };
    let is_cut = texts.iter().any(|text| text.starts_with(MOVED));
    wire.answer(&Answer { id: &id, at, reply, is_cut, ..Answer::default() });
}

/// What the words of an error say: `-32602: …` if the server sent it.
fn failure(error: &str) -> Reply<'_> {
    if error.starts_with(DECLINED) {
        return Reply::not_sent(Refuser::User, error);
    }
    if error.contains(TIMED_OUT) {
        return Reply::lost(Fate::TimedOut, error);
    }
    let code = error.split_once(": ").map(|(code, _)| code);
    let is_own = |code: &&str| code.starts_with('-') && code.len() <= 10 && is_code(code);
    Reply::coded(code.filter(is_own), error)
}
