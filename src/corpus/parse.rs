//! From a block's bytes to records: what any thread can do alone.

use super::detect::behind_prefix;
use super::unreadable::members_of;
use super::values::Longest;
use super::{
    Block, Bounds, Recording, Stage, UNKNOWN_SERVER, UnitKind, UnitSpan, Unreadable,
    UnreadableReason,
};
use crate::format::{
    Context, ExchangeRecord, Record, ToolMention, read_any, read_reply, read_tool, read_tool_list,
};
use crate::json::{Kind, ScanError, ScanErrorKind, Scanner, scan_document};
use crate::recording::{Exchange, JsonText, LinePosition, Tool};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

/// Room is made for as many exchanges as lines of this length would be.
const SHORT_LINE: usize = 512;

/// Counts HTTP requests that carry no envelope by their path.
pub const OTHER_PATH: &str = "(HTTP to other paths than envelope_paths)";

/// The records of a block, before they know of each other.
#[derive(Debug, Default)]
pub struct Parsed<'a> {
    pub(super) exchanges: Vec<Exchange<'a>>,
    /// Those of them that only name their tool, which the recording may have listed.
    pub(super) named: Vec<usize>,
    /// What else there is, in order.
    pub(super) others: Vec<Other<'a>>,
    /// Records read.
    pub(super) lines: u64,
    /// Blank lines among them.
    pub(super) blank: u64,
    /// Records read behind a prefix.
    pub(super) stripped: u64,
    pub(super) unreadable: Vec<Unreadable>,
}

/// A record that is no exchange line.
#[derive(Debug)]
pub(super) struct Other<'a> {
    /// How many exchange lines stand before it in its block.
    pub(super) after: usize,
    pub(super) place: LinePosition,
    pub(super) record: Record<'a>,
}

impl<'a> Parsed<'a> {
    pub fn read(
        block: &'a Block,
        recording: &'a Recording,
        bounds: &Bounds,
        context: &mut Context,
    ) -> Self {
        let mut parsed = Self::default();
        // Lines of recordings are rarely shorter on average; a block of them is grown into.
        parsed.exchanges.reserve(block.bytes().len() / SHORT_LINE);
        let whole = simdutf8::basic::from_utf8(block.bytes()).ok();
        let is_within = false;
        let mut reader = Reader { recording, bounds, format: recording.format, context, is_within };
        block.for_each_unit(|bytes, span| {
            let text = match whole {
                Some(whole) => Some(&whole[span.start..span.end]),
                None => std::str::from_utf8(bytes).ok(),
            };
            parsed.lines += 1;
            let Some(text) = text else {
                return parsed.unreadable(recording, span, bytes, UnreadableReason::NotUtf8, "");
            };
            reader.is_within = span.kind == UnitKind::Element;
            let ended = if recording.may(Stage::Parse, span.place) {
                let read = AssertUnwindSafe(|| parsed.unit(text, span, &mut reader));
                catch_unwind(read).is_err().then_some("")
            } else {
                Some(Unreadable::ENDED)
            };
            if let Some(why) = ended {
                parsed.unreadable(recording, span, bytes, UnreadableReason::Panicked, why);
            }
        });
        parsed
    }

    fn unit(&mut self, text: &'a str, span: UnitSpan, reader: &mut Reader<'a, '_>) {
        // Files that were put together bring their byte order marks into the middle.
        let text = text.trim_ascii().trim_start_matches('\u{feff}').trim_ascii();
        if text.is_empty() {
            self.blank += 1;
            return;
        }
        let (recording, place) = (reader.recording, span.place);
        let mut unreadable = |reason, why: &str| {
            self.unreadable(recording, span, text.as_bytes(), reason, why);
        };
        if text.len() > reader.bounds.max_line {
            let why = Longest::line(reader.bounds).exceeded_by(text.len() as u64);
            return unreadable(UnreadableReason::TooLong, &why);
        }
        if span.kind == UnitKind::After {
            let why = "the tools stand after the calls; put them before";
            return unreadable(UnreadableReason::Unrecognised, why);
        }
        if span.kind == UnitKind::Before {
            return match scan_document(text, reader.bounds.max_depth).map(read_tool_list) {
                Ok(tools) => self.other(Record::Tools { server: None, tools }, place),
                Err(error) => unreadable(reason_of(&error), &error.to_string()),
            };
        }
        let is_log = recording.prefixed && !reader.is_within;
        let found = if is_log { behind_prefix(text, reader.format, reader.context) } else { None };
        let (format, reading) = match found {
            Some((_, format, record)) => {
                self.stripped += 1;
                (format, Ok(Some(record)))
            }
            None if is_log && !text.contains('{') => {
                return self.other(Record::Traffic("(log text)".into()), place);
            }
            None => read_any(text, reader.format, reader.context),
        };
        match reading {
            Ok(Some(Record::Many { .. })) if reader.is_within => {
                let why = "a document inside a document is not opened";
                self.unreadable(
                    recording,
                    span,
                    text.as_bytes(),
                    UnreadableReason::Unrecognised,
                    why,
                );
            }
            Ok(Some(Record::Many { tools: None, records })) if records.is_empty() => {
                self.other(Record::Traffic("(empty document)".into()), place);
            }
            Ok(Some(Record::Many { tools, records })) => {
                self.lines -= 1;
                if let Some(tools) = tools {
                    self.lines += 1;
                    let tools = read_tool_list(tools);
                    self.other(Record::Tools { server: None, tools }, place);
                }
                reader.is_within = true;
                for raw in records {
                    self.lines += 1;
                    self.unit(raw.text(), span, reader);
                }
                reader.is_within = false;
            }
            Ok(Some(record)) => {
                reader.format = format;
                match record {
                    Record::Exchange(record) => self.exchange(record, place, reader),
                    other => self.other(other, place),
                }
            }
            Ok(None) => {
                let members = members_of(text, reader.bounds.max_depth);
                let reason = UnreadableReason::Unrecognised;
                self.unreadable(recording, span, text.as_bytes(), reason, members);
            }
            Err(error) => {
                let (reason, why) = (reason_of(&error), error.to_string());
                self.unreadable(recording, span, text.as_bytes(), reason, why);
            }
        }
    }

    fn other(&mut self, record: Record<'a>, place: LinePosition) {
        self.others.push(Other { after: self.exchanges.len(), place, record });
    }

    fn exchange(
        &mut self,
        record: Box<ExchangeRecord<'a>>,
        place: LinePosition,
        reader: &mut Reader<'a, '_>,
    ) {
        let paths = reader.recording.context.envelope_paths.as_ref();
        if let (Some(paths), Some(url)) = (paths, &record.sent_to)
            && !paths.have(url)
        {
            self.other(Record::Traffic(OTHER_PATH.into()), place);
            return;
        }
        let cache = &mut reader.context.tools;
        let tool = match record.tool {
            ToolMention::Definition(tool) => tool,
            ToolMention::Name(name) => {
                self.named.push(self.exchanges.len());
                cache.named(&name)
            }
            ToolMention::Absent => cache.named(""),
        };
        let (fate, reply) = record.reply.of_server();
        self.exchanges.push(Exchange {
            kind: record.kind,
            fate,
            id: record.id,
            server: record.server.unwrap_or(Cow::Borrowed(UNKNOWN_SERVER)),
            session: record.session.unwrap_or(Cow::Borrowed(&reader.recording.context.stem)),
            tool,
            input: record.input,
            reply,
            original: record.original.map(JsonText::from),
            scenario: record.scenario,
            recorded_at: record.recorded_at,
            duration_ms: record.duration_ms,
            waited_ms: None,
            label: record.label,
            place,
            answered: None,
            origin: None,
        });
    }

    fn unreadable(
        &mut self,
        recording: &Recording,
        span: UnitSpan,
        text: &[u8],
        reason: UnreadableReason,
        why: impl Into<String>,
    ) {
        self.unreadable.push(Unreadable::at(&recording.name, span.place, reason, why, text));
    }
}

fn reason_of(error: &ScanError) -> UnreadableReason {
    if error.kind == ScanErrorKind::Depth {
        UnreadableReason::TooDeep
    } else {
        UnreadableReason::NotJson
    }
}

struct Reader<'a, 'r> {
    recording: &'a Recording,
    bounds: &'r Bounds,
    format: usize,
    context: &'r mut Context,
    /// Whether records stand in a document. Documents are opened once: each level more would be read over again.
    is_within: bool,
}

/// Reads one exchange line on its own, outside of any recording.
pub fn read_exchange<'a>(line: &'a str, bounds: &Bounds) -> Result<Exchange<'a>, String> {
    let mut context = Context::new(bounds.max_depth);
    match read_any(line, 0, &mut context).1 {
        Ok(Some(Record::Exchange(record))) => alone(record, &mut context, bounds),
        Ok(_) => Err(NO_CALL.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Puts a call together from its parts, each a JSON text of its own: the arguments, and the reply, which is a result,
/// a whole JSON-RPC response, or `null` where none came.
pub fn read_call<'a>(
    tool: &Arc<Tool>,
    arguments: Option<&'a str>,
    reply: &'a str,
    bounds: &Bounds,
) -> Result<Exchange<'a>, String> {
    let not_json = |what, error: &ScanError| format!("the {what} cannot be read: {error}");
    let input = arguments.map(|text| scan_document(text, bounds.max_depth)).transpose();
    let input = input.map_err(|error| not_json("arguments", &error))?.map(JsonText::from);
    let mut scanner = Scanner::new(reply, bounds.max_depth);
    let read = read_reply(&mut scanner).and_then(|read| scanner.end().map(|()| read));
    let reply = read.map_err(|error| not_json("reply", &error))?;
    let tool = ToolMention::Definition(Arc::clone(tool));
    let record = Box::new(ExchangeRecord { tool, input, reply, ..ExchangeRecord::default() });
    alone(record, &mut Context::new(bounds.max_depth), bounds)
}

/// Reads the definition of a tool, as servers list it: a JSON object with its `name`.
pub fn read_definition(definition: &str, bounds: &Bounds) -> Result<Tool, String> {
    let read = scan_document(definition, bounds.max_depth);
    match read.map_err(|error| format!("the tool cannot be read: {error}"))? {
        raw if raw.kind() == Kind::Object => Ok(read_tool(raw)),
        _ => Err("the tool is no JSON object; give its definition, or its name alone".to_owned()),
    }
}

const NO_CALL: &str = "not a call line";

fn alone<'a>(
    record: Box<ExchangeRecord<'a>>,
    context: &mut Context,
    bounds: &Bounds,
) -> Result<Exchange<'a>, String> {
    static NOWHERE: LazyLock<Recording> = LazyLock::new(Recording::default);
    let mut reader = Reader { recording: &NOWHERE, bounds, format: 0, context, is_within: false };
    let mut parsed = Parsed::default();
    parsed.exchange(record, LinePosition { line: 1, byte: 0 }, &mut reader);
    parsed.exchanges.pop().ok_or_else(|| NO_CALL.to_owned())
}
