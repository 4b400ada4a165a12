//! Documents that hold records: an object with a list of exchanges or messages, or a recording as one
//! JSON array.

use super::{Context, Reading, Record};
use crate::json::{Kind, ListPath, Raw, scan_document};

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

/// Where a document keeps its records, if it is one around records.
pub(super) fn records_in(document: Raw<'_>) -> Option<&'static ListPath> {
    // A record may have members of these names itself.
    let is_record =
        ["tool", "request", "response"].iter().any(|name| document.member(name).is_some());
    PLACES.iter().find(|place| !is_record && place.find(document).is_some())
}

pub(super) fn read<'a>(text: &'a str, context: &mut Context) -> Reading<'a> {
    let document = scan_document(text, context.max_depth)?;
    let list = records_in(document).and_then(|place| place.find(document));
    let Some(records) = list.and_then(Raw::elements) else { return Ok(None) };
    let tools = document.member("tools").filter(|tools| tools.kind() == Kind::Array);
    Ok(Some(Record::Many { tools, records }))
}
