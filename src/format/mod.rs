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

use crate::json::{ListPath, Raw, ScanError, ScanErrorKind};

/// One way in which people write recordings down.
pub trait Format: Sync {
    /// The name that counts and messages use.
    fn name(&self) -> &'static str;

    /// What the files hold, in a sentence.
    fn about(&self) -> &'static str;

    fn read<'a>(&self, text: &'a str, context: &mut Context) -> Reading<'a>;
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

/// What a format makes of a text.
#[derive(Debug)]
pub enum Reading<'a> {
    Record(Record<'a>),
    /// Well-formed JSON, but nothing that this format knows.
    NotMine,
    Malformed(ScanError),
}

/// The table of formats. The order is the order in which they are tried.
pub static FORMATS: [&dyn Format; 7] = [
    &exchange::ExchangeLines,
    &wire::WireLines,
    &document::JUDGE_RESULTS,
    &document::SESSION_REPORTS,
    &document::ENVELOPES,
    &raw_rpc::RawRpcLines,
    &wrapped::Wrapped,
];

/// The place of wire lines in the table.
pub const WIRE_LINES: usize = 1;

/// The place of documents around records: the last, since they are what no other format knows.
const WRAPPED: usize = FORMATS.len() - 1;

/// Reads a record in whichever format fits, trying the expected one first.
pub fn read_any<'a>(text: &'a str, expected: usize, context: &mut Context) -> (usize, Reading<'a>) {
    let order = std::iter::once(expected).chain((0..FORMATS.len()).filter(|at| *at != expected));
    for at in order {
        match FORMATS[at].read(text, context) {
            Reading::NotMine => {}
            found => return (at, found),
        }
    }
    (expected, Reading::NotMine)
}

/// Where a document keeps its records, with the place of its format in the table, if it is one around records.
pub fn records_in(document: Raw<'_>, context: &mut Context) -> Option<(usize, &'static ListPath)> {
    let list = wrapped::records_in(document)?;
    let others = &FORMATS[..WRAPPED];
    let is_others =
        |format: &&dyn Format| !matches!(format.read(document.text(), context), Reading::NotMine);
    (!others.iter().any(is_others)).then_some((WRAPPED, list))
}

fn reading(scanned: Result<Option<Record<'_>>, ScanError>) -> Reading<'_> {
    match scanned {
        Ok(Some(record)) => Reading::Record(record),
        Ok(None) => Reading::NotMine,
        Err(error) => Reading::Malformed(error),
    }
}

/// Whether an error says that the text merely stops too early.
pub fn is_cut_short(error: &ScanError) -> bool {
    error.kind == ScanErrorKind::End
}
