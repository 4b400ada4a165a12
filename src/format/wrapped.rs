//! Documents that hold records: an object with a list of exchanges or messages, or a tape as one
//! JSON array.

use super::{Format, Reading, Record, reading};
use crate::json::{Kind, Raw, Scan, scan_document};

/// The format of documents around records.
pub(super) struct Wrapped;

impl Format for Wrapped {
    fn name(&self) -> &'static str {
        "JSON document"
    }

    fn read<'a>(&self, text: &'a str, max_depth: usize) -> Reading<'a> {
        reading(read_document(text, max_depth))
    }
}

fn read_document(text: &str, max_depth: usize) -> Scan<Option<Record<'_>>> {
    let document = scan_document(text, max_depth)?;
    let inner = ["exchanges", "records", "messages"].iter().find_map(|name| {
        document.member(name).filter(|list| list.kind() == Kind::Array).and_then(Raw::elements)
    });
    let Some(records) = inner else { return Ok(None) };
    let tools = document.member("tools").filter(|tools| tools.kind() == Kind::Array);
    Ok(Some(Record::Many { tools, records }))
}
