//! The recording formats: what one line (or one element of a document) can be.

mod body;
mod document;
mod exchange;
mod message;
mod raw_rpc;
mod record;
mod reply;
mod result_types;
mod tools;
mod wire;
mod wrapped;

pub use exchange::is_call_with_reply;
pub use record::{Beside, Direction, ExchangeRecord, Message, Outcome, Record, ToolMention};
pub use reply::{read_error, read_value, shapeless};
pub use result_types::brings_unknown_types;
pub use tools::{ToolCache, read_tool_list};

use crate::json::{ListPath, Raw, Scan, ScanError, ScanErrorKind};
use crate::recording::ExchangeKind;
use document::read_document;

/// What a format makes of a text: nothing where it is well-formed JSON that it does not know.
pub type Reading<'a> = Scan<Option<Record<'a>>>;

/// One way in which people write recordings down.
pub struct Format {
    /// The name that counts and messages use.
    pub name: &'static str,
    /// What the files hold, in a sentence.
    pub about: &'static str,
    read: for<'a> fn(&'a str, &mut Context) -> Reading<'a>,
}

/// What a reader keeps from record to record.
#[derive(Debug)]
pub struct Context {
    /// The deepest nesting of JSON that is read.
    pub max_depth: usize,
    pub tools: ToolCache,
}

impl Context {
    pub fn new(max_depth: usize) -> Self {
        Self { max_depth, tools: ToolCache::default() }
    }
}

/// The table of formats. The order is the order in which they are tried.
pub static FORMATS: [Format; 7] = [
    Format {
        name: "call lines",
        about: "One call with its reply on each line: `{tool, input, response, …}`.",
        read: exchange::read,
    },
    Format {
        name: "wire lines",
        about: "One message with its direction on each line: `{ts, dir, msg}`.",
        read: wire::read,
    },
    Format {
        name: "judge results",
        about: "Results of judges, alone or with what they judged.",
        read: |text, context| read_document(text, ExchangeKind::JudgeResult, context),
    },
    Format {
        name: "session reports",
        about: "Responses that report on a session's validation, alone or with their request.",
        read: |text, context| read_document(text, ExchangeKind::SessionReport, context),
    },
    Format {
        name: "envelopes",
        about: "Requests and responses in envelopes: in pairs, alone, or as HTTP bodies.",
        read: |text, context| read_document(text, ExchangeKind::Envelope, context),
    },
    Format {
        name: "JSON-RPC lines",
        about: "One JSON-RPC message on each line, as sent over the wire.",
        read: raw_rpc::read,
    },
    Format {
        name: "JSON document",
        about: "A document with a list of records, such as `exchanges`.",
        read: wrapped::read,
    },
];

/// The place of wire lines in the table.
pub const WIRE_LINES: usize = 1;

/// The place of documents around records: the last, since they are what no other format knows.
const WRAPPED: usize = FORMATS.len() - 1;

/// Reads a record in whichever format fits, trying the expected one first.
pub fn read_any<'a>(text: &'a str, expected: usize, context: &mut Context) -> (usize, Reading<'a>) {
    let order = std::iter::once(expected).chain((0..FORMATS.len()).filter(|at| *at != expected));
    for at in order {
        match (FORMATS[at].read)(text, context) {
            Ok(None) => {}
            found => return (at, found),
        }
    }
    (expected, Ok(None))
}

/// Where a document keeps its records, with the place of its format in the table, if it is one around records.
pub fn records_in(document: Raw<'_>, context: &mut Context) -> Option<(usize, &'static ListPath)> {
    let list = wrapped::records_in(document)?;
    let is_others = |format: &Format| !matches!((format.read)(document.text(), context), Ok(None));
    (!FORMATS[..WRAPPED].iter().any(is_others)).then_some((WRAPPED, list))
}

/// Whether an error says that the text merely stops too early.
pub fn is_cut_short(error: &ScanError) -> bool {
    error.kind == ScanErrorKind::End
}
