//! Documents that hold records: an object with a list of exchanges or messages, or a recording as one
//! JSON array.

use super::{Context, Format, Reading, Record, reading};
use crate::json::{Kind, ListPath, Raw, Scan, scan_document};

/// Members that hold records.
pub(super) const LISTS: [&str; 3] = ["exchanges", "records", "messages"];

/// Where documents keep records, in the order of looking; browsers save them a level further down.
static PLACES: [ListPath; 4] = [
    list_at(&["exchanges"]),
    list_at(&["records"]),
    list_at(&["messages"]),
    list_at(&["log", "entries"]),
];

const fn list_at(members: &'static [&'static str]) -> ListPath {
    ListPath { members, beside: &["tools"], beside_kind: Kind::Array }
}

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

/// Where a document keeps its records, if it is one around records.
pub(super) fn records_in(document: Raw<'_>) -> Option<&'static ListPath> {
    // A record may have members of these names itself.
    let is_record =
        ["tool", "request", "response"].iter().any(|name| document.member(name).is_some());
    PLACES.iter().find(|place| !is_record && place.find(document).is_some())
}

fn read_document(text: &str, max_depth: usize) -> Scan<Option<Record<'_>>> {
    let document = scan_document(text, max_depth)?;
    let list = records_in(document).and_then(|place| place.find(document));
    let Some(records) = list.and_then(Raw::elements) else { return Ok(None) };
    let tools = document.member("tools").filter(|tools| tools.kind() == Kind::Array);
    Ok(Some(Record::Many { tools, records }))
}
