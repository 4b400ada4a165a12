//! Documents that hold records: an object with a list of exchanges or messages, or a recording as one
//! JSON array.

use super::{Context, Format, Reading, Record, reading};
use crate::json::{Kind, Raw, Scan, scan_document};

/// Members that hold records.
pub(super) const LISTS: [&str; 3] = ["exchanges", "records", "messages"];

/// The format of documents around records.
pub(super) struct Wrapped;

impl Format for Wrapped {
    fn name(&self) -> &'static str {
        "JSON document"
    }

    fn about(&self) -> &'static str {
        "A document with a list of records, such as `exchanges`."
    }

    fn read<'a>(&self, text: &'a str, context: &mut Context) -> Reading<'a> {
        reading(read_document(text, context.max_depth))
    }
}

fn read_document(text: &str, max_depth: usize) -> Scan<Option<Record<'_>>> {
    let document = scan_document(text, max_depth)?;
    // A record may have members of these names itself.
    if ["tool", "request", "response"].iter().any(|name| document.member(name).is_some()) {
        return Ok(None);
    }
    // What browsers save keeps its records a level further down.
    let saved = || document.member("log").and_then(|log| list(log, "entries"));
    let inner = LISTS.into_iter().find_map(|name| list(document, name)).or_else(saved);
    let Some(records) = inner.and_then(Raw::elements) else { return Ok(None) };
    let tools = document.member("tools").filter(|tools| tools.kind() == Kind::Array);
    Ok(Some(Record::Many { tools, records }))
}

fn list<'a>(holder: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    holder.member(name).filter(|list| list.kind() == Kind::Array)
}
