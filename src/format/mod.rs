//! The recording formats: what one line (or one element of a document) can be.

mod body;
mod document;
mod exchange;
mod record;
mod reply;
mod tools;
mod wire;

pub use exchange::is_call_with_reply;
pub use record::{CallNotes, ExchangeRecord, Message, Outcome, Record, ToolMention};
pub use reply::{brings_unknown_types, read_error, read_reply, read_value, shapeless};
pub use tools::{ToolCache, read_tool, read_tool_list};

use crate::json::{Kind, ListPath, Raw, Scan, ScanError, ScanErrorKind, scan_document};
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
        read: wire::read_bare,
    },
    Format {
        name: "JSON document",
        about: "A document with a list of records, such as `exchanges`.",
        read: read_wrapped,
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

/// Members that hold records.
const LISTS: [&str; 3] = ["exchanges", "records", "messages"];

/// Where documents keep records, in the order of looking; browsers save them a level further down.
static PLACES: [ListPath; 4] = [
    list_at(&[LISTS[0]]),
    list_at(&[LISTS[1]]),
    list_at(&[LISTS[2]]),
    list_at(&["log", "entries"]),
];

const fn list_at(members: &'static [&'static str]) -> ListPath {
    ListPath { members, beside: &["tools"], beside_kind: Kind::Array }
}

/// Where a document keeps its records, if it may be one around records.
fn place_of_records(document: Raw<'_>) -> Option<&'static ListPath> {
    // A record may have members of these names itself.
    let is_record =
        ["tool", "request", "response"].iter().any(|name| document.member(name).is_some());
    PLACES.iter().find(|place| !is_record && place.find(document).is_some())
}

/// The same with the place of its format in the table, where no other format knows the document.
pub fn records_in(document: Raw<'_>, context: &mut Context) -> Option<(usize, &'static ListPath)> {
    let list = place_of_records(document)?;
    let is_others = |format: &Format| !matches!((format.read)(document.text(), context), Ok(None));
    (!FORMATS[..WRAPPED].iter().any(is_others)).then_some((WRAPPED, list))
}

fn read_wrapped<'a>(text: &'a str, context: &mut Context) -> Reading<'a> {
    let document = scan_document(text, context.max_depth)?;
    let list = place_of_records(document).and_then(|place| place.find(document));
    let Some(records) = list.and_then(Raw::elements) else { return Ok(None) };
    let tools = document.member("tools").filter(|tools| tools.kind() == Kind::Array);
    Ok(Some(Record::Many { tools, records }))
}

/// Whether an error says that the text merely stops too early.
pub fn is_cut_short(error: &ScanError) -> bool {
    error.kind == ScanErrorKind::End
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::RawStr;
    use crate::recording::{CallResult, Reply};

    fn exchange(record: &ExchangeRecord<'_>) -> String {
        let tool = match &record.tool {
            ToolMention::Definition(tool) => {
                format!(" {} {}", tool.name, tool.definition.as_deref().unwrap_or_default())
            }
            ToolMention::Name(name) => format!(" {name}"),
            ToolMention::Absent => String::new(),
        };
        let input = record.input.as_ref().map_or("-", |input| input.raw().text());
        let reply = match &record.reply {
            Reply::Document(document) => document.raw().text().to_owned(),
            Reply::Result(CallResult { content, structured, has_meta, .. }) => {
                let blocks = content.blocks().iter();
                let texts = blocks.map(|it| {
                    it.text.text().map_or(it.raw.text().into(), RawStr::decode).into_owned()
                });
                let meta = has_meta.then(|| "_meta".to_owned());
                let parts = texts.chain(structured.map(|it| it.text().to_owned())).chain(meta);
                let name = std::iter::once(record.reply.kind().name().to_owned());
                name.chain(parts).collect::<Vec<String>>().join(" | ")
            }
            Reply::Error(_) | Reply::None => record.reply.kind().name().to_owned(),
        };
        let known = [("at", &record.recorded_at), ("id", &record.id), ("of", &record.scenario)];
        let known = known.into_iter().filter_map(|(word, it)| it.as_ref().map(|it| (word, it)));
        let known = known.map(|(word, it)| format!(" {word} {it}")).collect::<Vec<_>>().concat();
        let duration = record.duration_ms.map_or(String::new(), |it| format!(" in {it} ms"));
        format!("{}{tool} {input} -> {reply}{known}{duration}", record.kind.name())
    }

    fn message(message: &Message<'_>) -> String {
        let Message { direction, server, id, method, outcome, .. } = message;
        let what = method.as_deref().unwrap_or(if outcome.is_some() { "answer" } else { "none" });
        format!("{direction:?} {id:?} {what} of {server:?}")
    }

    /// What is read from a line.
    fn told(reading: Reading<'_>) -> String {
        match reading {
            Ok(Some(Record::Exchange(record))) => exchange(&record),
            Ok(Some(Record::Messages(all))) => {
                all.iter().map(message).collect::<Vec<_>>().join(", ")
            }
            Ok(Some(Record::Gap { session })) => format!("a gap in {session:?}"),
            Ok(Some(Record::Traffic(name))) => name.into_owned(),
            Ok(Some(Record::Tools { tools, .. })) => format!("{} tools", tools.len()),
            Ok(Some(Record::Many { records, .. })) => format!("{} records", records.len()),
            Ok(None) => "not read".to_owned(),
            Err(why) => format!("malformed: {why:?}"),
        }
    }

    #[test]
    fn lines_are_read_as_their_cases_list_whatever_format_is_asked_first() {
        crate::cases::check("tests/cases/documents.txt", |case| {
            let mut all = Vec::new();
            for text in case.text.lines() {
                let read = |first| told(read_any(text, first, &mut Context::new(64)).1);
                let mut found: Vec<String> = (0..FORMATS.len()).map(read).collect();
                found.dedup();
                all.push(found.join(" or "));
            }
            all.join("\n")
        });
    }

    #[test]
    fn call_lines_are_read_and_others_are_left_to_other_formats() {
        crate::cases::check("tests/cases/call-lines.txt", |case| {
            let read = |line: &str| told((FORMATS[0].read)(line, &mut Context::new(64)));
            case.text.lines().map(read).collect::<Vec<_>>().join("\n")
        });
    }
}
