//! From files to exchanges: walk, decompress, split, pair, with bounded memory.

mod assemble;
mod block;
mod convert;
mod decode;
mod detect;
mod journal;
mod listed;
mod names;
mod objects;
mod parse;
mod part;
mod reader;
mod rounds;
mod session;
mod setup;
mod sidecar;
mod split;
mod unreadable;
mod values;
mod walk;

pub use assemble::{Assembled, Assembler, ListedTools};
pub use block::{Block, Recognised, Recording, RecordingContext, UnitKind, UnitSpan};
pub use journal::{Journal, Stage};
pub use names::{locate, locate_by};
pub use objects::{Objects, Recall};
pub use parse::{OTHER_PATH, Parsed, read_exchange};
pub use part::{Part, Share, files_of};
pub use reader::CorpusReader;
pub use rounds::goes_on;
pub use sidecar::is_label_line;
pub use unreadable::{FileKind, FileNote, HEAD_CHARS, Unreadable, UnreadableReason};
pub use walk::{CorpusError, Input};

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
