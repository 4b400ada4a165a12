//! From files to exchanges: walk, decompress, split, pair, with bounded memory.

mod assemble;
mod block;
mod continued_calls;
mod convert;
mod decode;
mod detect;
mod file_names;
mod journal;
mod listed_tools;
mod parse;
mod part;
mod reader;
mod session;
mod session_setup;
mod sidecar;
mod split;
mod unreadable;
mod values;
mod walk;

pub use assemble::{Assembled, Assembler, ListedTools};
pub use block::{Block, Recognised, Recording, RecordingContext, UnitKind, UnitSpan};
pub use continued_calls::goes_on;
pub use file_names::{locate, locate_by};
pub use journal::{Journal, Stage};
pub use parse::{OTHER_PATH, Parsed, read_call, read_definition, read_exchange};
pub use part::{Part, Share, files_of};
pub use reader::CorpusReader;
pub use sidecar::is_label_line;
pub use unreadable::{FileKind, FileNote, HEAD_CHARS, Unreadable, UnreadableReason};
pub use walk::{CorpusError, Input};

use crate::json::Raw;
use crate::recording::{Exchange, JsonText};
use hashbrown::HashMap;
use std::fmt::Debug;

/// Who answered, where none says. Not the recording's name: renaming it must not rename exchanges.
pub(crate) const UNKNOWN_SERVER: &str = "unknown";

/// The bounds within which a corpus is read. Each is a flag of `tapecheck run`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The longest line (or element of a document), in bytes.
    pub max_line: usize,
    /// The deepest nesting of JSON.
    pub max_depth: usize,
    /// How many times larger a compressed recording may become.
    pub max_ratio: u64,
    /// The largest file of a program that is one document, in bytes.
    pub max_document: usize,
    /// How many calls of one session may wait for their answer at a time.
    pub max_waiting: usize,
    /// Whether symbolic links are followed.
    pub follow_links: bool,
    /// The program that every file is taken to be of; otherwise the beginning of each shows what it is.
    pub read_as: Option<&'static str>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            max_line: 16 << 20,
            max_depth: 4_200,
            max_ratio: 250,
            max_document: 256 << 20,
            max_waiting: 10_000,
            follow_links: true,
            read_as: None,
        }
    }
}

/// Bytes of objects that are kept for a recording; beyond, they are forgotten and gathered anew.
const MAX_KEPT: usize = 16 << 20;

/// Completes calls by what is known from earlier ones.
pub trait Recall: Debug + Send + Sync {
    /// Sees each call of a recording, in order.
    fn recall(&self, objects: &mut Objects, exchange: &mut Exchange<'_>);
}

/// Objects as they were shown last, by server, session and id.
#[derive(Debug, Default)]
pub struct Objects {
    kept: HashMap<(String, String, String), JsonText<'static>>,
    bytes: usize,
}

impl Objects {
    pub fn get(&self, exchange: &Exchange<'_>, id: &str) -> Option<&JsonText<'static>> {
        self.kept.get(&place(exchange, id))
    }

    pub fn keep(&mut self, exchange: &Exchange<'_>, id: &str, object: Raw<'_>) {
        let place = place(exchange, id);
        let names = place.0.len() + place.1.len() + id.len();
        self.bytes += names + object.text().len();
        if let Some(before) = self.kept.insert(place, JsonText::from(object).into_owned()) {
            self.bytes -= names + before.raw().text().len();
        }
        if self.bytes > MAX_KEPT && self.kept.len() > 1 {
            *self = Self::default();
            self.keep(exchange, id, object);
        }
    }
}

fn place(exchange: &Exchange<'_>, id: &str) -> (String, String, String) {
    (exchange.server.to_string(), exchange.session.to_string(), id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Bounds, read_exchange};
    use crate::json::scan_document;

    #[test]
    fn objects_are_forgotten_where_there_is_no_more_room() {
        let line = r#"{"tool":"t","input":{},"response":{}}"#;
        let exchange = read_exchange(line, &Bounds::default()).expect("a call");
        let large = format!("{{\"text\":\"{}\"}}", "x".repeat(MAX_KEPT / 2));
        let large = scan_document(&large, 9).expect("an object");
        let mut objects = Objects::default();
        objects.keep(&exchange, "first", large);
        assert!(objects.get(&exchange, "first").is_some());
        objects.keep(&exchange, "second", large);
        assert!(objects.get(&exchange, "first").is_none());
        assert!(objects.get(&exchange, "second").is_some());
        let small = scan_document("{}", 9).expect("an object");
        objects.keep(&exchange, "first", small);
        (0..3).for_each(|_| objects.keep(&exchange, "second", large));
        assert!(objects.get(&exchange, "first").is_some(), "shown again, it takes no more room");
    }
}
