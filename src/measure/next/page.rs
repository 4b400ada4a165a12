//! An exchange as somebody reads it who has to say what became of it.

use super::Sketch;
use crate::json::RawStr;
use crate::recording::{Exchange, Reply};
use crate::redact::{Redactor, Told};
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_64;

/// How much of a call and of a reply is kept, in bytes.
const LONGEST: usize = 16 << 10;

/// An exchange as somebody reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub id: Option<String>,
    pub input: Told,
    /// What came back, in words: texts as they are, other content as JSON.
    pub reply: Told,
    /// Hash of the whole reply and of its kind. The same for exchanges with equal replies.
    pub hash: u64,
    pub sketch: Sketch,
}

impl Page {
    pub fn of(exchange: &Exchange<'_>, redactor: &Redactor) -> Self {
        let mut reply = String::new();
        match &exchange.reply {
            Reply::Result(result) => {
                for block in result.content.blocks() {
                    let text = block.text.text().map(RawStr::decode);
                    let text = text.as_deref().unwrap_or_else(|| block.raw.text());
                    let _ = writeln!(reply, "{text}");
                }
                if reply.trim().is_empty() {
                    result.raw.text().clone_into(&mut reply);
                }
            }
            Reply::Error(error) => {
                let message = error.message.text().map(RawStr::decode);
                let message = message.as_deref().unwrap_or_else(|| error.raw.text());
                let _ = write!(reply, "{} {message}", error.code);
                if let Some(data) = error.raw.member("data") {
                    let _ = write!(reply, "\n{}", data.text());
                }
            }
            Reply::Document(document) => document.raw().text().clone_into(&mut reply),
            Reply::None => {}
        }
        let kind = exchange.reply.kind().name();
        let input = exchange.input.as_ref().map_or("", |input| input.raw().text());
        Self {
            id: exchange.id.as_deref().map(str::to_owned),
            input: redactor.tell_beginning(input, LONGEST),
            hash: xxh3_64(format!("{kind}\n{reply}").as_bytes()),
            sketch: Sketch::of(&reply),
            reply: redactor.tell_beginning(reply.trim_end(), LONGEST),
        }
    }
}
