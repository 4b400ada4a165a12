//! From a block's bytes to records: what any thread can do alone.

use super::detect::behind_prefix;
use super::unreadable::{head_of, members_of};
use super::values::Longest;
use super::{
    Block, Bounds, Recording, Stage, UNKNOWN_SERVER, UnitKind, UnitSpan, Unreadable,
    UnreadableReason,
};
use crate::format::{
    Context, ExchangeRecord, Reading, Record, ToolMention, read_any, read_tool_list,
};
use crate::json::{ScanError, ScanErrorKind, scan_document};
use crate::recording::{Exchange, JsonText, Place};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

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
    pub(super) place: Place,
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
        let mut format = recording.format;
        block.for_each_unit(|bytes, span| {
            let text = match whole {
                Some(whole) => Some(&whole[span.start..span.end]),
                None => std::str::from_utf8(bytes).ok(),
            };
            parsed.lines += 1;
            let Some(text) = text else {
                parsed.unreadable(
                    recording,
                    span,
                    bytes,
                    (UnreadableReason::NotUtf8, String::new()),
                );
                return;
            };
            let mut reader = Reader {
                recording,
                bounds,
                format: &mut format,
                context,
                within: match span.kind {
                    UnitKind::Element => Within::Document,
                    UnitKind::Record | UnitKind::Before | UnitKind::After => Within::Recording,
                },
            };
            if !recording.may(Stage::Parse, Place { line: span.line, byte: span.byte }) {
                let ended = (UnreadableReason::Panicked, Unreadable::ENDED.to_owned());
                parsed.unreadable(recording, span, bytes, ended);
                return;
            }
            let read = AssertUnwindSafe(|| parsed.unit(text, span, &mut reader));
            if catch_unwind(read).is_err() {
                parsed.unreadable(
                    recording,
                    span,
                    bytes,
                    (UnreadableReason::Panicked, String::new()),
                );
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
        if text.len() > reader.bounds.max_line {
            let detail = Longest::line(reader.bounds).exceeded_by(text.len() as u64);
            self.unreadable(
                reader.recording,
                span,
                text.as_bytes(),
                (UnreadableReason::TooLong, detail),
            );
            return;
        }
        let place = Place { line: span.line, byte: span.byte };
        if span.kind == UnitKind::Before {
            match scan_document(text, reader.bounds.max_depth).map(read_tool_list) {
                Ok(tools) => self.other(Record::Tools { server: None, tools }, place),
                Err(error) => self.malformed(reader.recording, span, text, &error),
            }
            return;
        }
        if span.kind == UnitKind::After {
            let why = "the tools stand after the calls; put them before".to_owned();
            let why = (UnreadableReason::Unrecognised, why);
            self.unreadable(reader.recording, span, text.as_bytes(), why);
            return;
        }
        let is_log = reader.recording.prefixed && reader.within == Within::Recording;
        let found = if is_log { behind_prefix(text, *reader.format, reader.context) } else { None };
        let (format, reading) = match found {
            Some((_, format, record)) => {
                self.stripped += 1;
                (format, Reading::Record(record))
            }
            None if is_log && !text.contains('{') => {
                self.other(Record::Traffic("(log text)".into()), place);
                return;
            }
            None => read_any(text, *reader.format, reader.context),
        };
        match reading {
            Reading::Record(Record::Many { .. }) if reader.within == Within::Document => {
                let why = "a document inside a document is not opened".to_owned();
                self.unreadable(
                    reader.recording,
                    span,
                    text.as_bytes(),
                    (UnreadableReason::Unrecognised, why),
                );
            }
            Reading::Record(Record::Many { tools, records }) => {
                if records.is_empty() && tools.is_none() {
                    self.other(Record::Traffic("(empty document)".into()), place);
                    return;
                }
                self.lines -= 1;
                if let Some(tools) = tools {
                    self.lines += 1;
                    let tools = read_tool_list(tools);
                    self.other(Record::Tools { server: None, tools }, place);
                }
                reader.within = Within::Document;
                for raw in records {
                    self.lines += 1;
                    self.unit(raw.text(), span, reader);
                }
                reader.within = Within::Recording;
            }
            Reading::Record(Record::Exchange(record)) => {
                *reader.format = format;
                self.exchange(record, place, reader);
            }
            Reading::Record(record) => {
                *reader.format = format;
                self.other(record, place);
            }
            Reading::NotMine => {
                let members = members_of(text, reader.bounds.max_depth);
                let why = (UnreadableReason::Unrecognised, members);
                self.unreadable(reader.recording, span, text.as_bytes(), why);
            }
            Reading::Malformed(error) => self.malformed(reader.recording, span, text, &error),
        }
    }

    fn malformed(&mut self, recording: &Recording, span: UnitSpan, text: &str, error: &ScanError) {
        let reason = match error.kind {
            ScanErrorKind::Depth => UnreadableReason::TooDeep,
            ScanErrorKind::End
            | ScanErrorKind::Unexpected
            | ScanErrorKind::Control
            | ScanErrorKind::Escape
            | ScanErrorKind::Number
            | ScanErrorKind::Trailing => UnreadableReason::NotJson,
        };
        self.unreadable(recording, span, text.as_bytes(), (reason, error.to_string()));
    }

    fn other(&mut self, record: Record<'a>, place: Place) {
        self.others.push(Other { after: self.exchanges.len(), place, record });
    }

    fn exchange(
        &mut self,
        record: Box<ExchangeRecord<'a>>,
        place: Place,
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
        bytes: &[u8],
        why: (UnreadableReason, String),
    ) {
        self.unreadable.push(Unreadable {
            file: recording.name.clone(),
            line: span.line,
            byte: span.byte,
            reason: why.0,
            detail: why.1,
            head: head_of(bytes),
        });
    }
}

struct Reader<'a, 'r> {
    recording: &'a Recording,
    bounds: &'r Bounds,
    format: &'r mut usize,
    context: &'r mut Context,
    within: Within,
}

/// What a record stands in. Documents are opened once: each level more would be read over again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Recording,
    Document,
}

/// Reads one exchange line on its own, outside of any recording.
pub fn read_exchange<'a>(line: &'a str, bounds: &Bounds) -> Result<Exchange<'a>, String> {
    static NOWHERE: LazyLock<Recording> = LazyLock::new(Recording::default);
    let mut context = Context::new(bounds.max_depth);
    match read_any(line, 0, &mut context).1 {
        Reading::Record(Record::Exchange(record)) => {
            let mut format = 0;
            let mut reader = Reader {
                recording: &NOWHERE,
                bounds,
                format: &mut format,
                context: &mut context,
                within: Within::Recording,
            };
            let mut parsed = Parsed::default();
            parsed.exchange(record, Place { line: 1, byte: 0 }, &mut reader);
            parsed.exchanges.pop().ok_or_else(|| "not a call line".to_owned())
        }
        Reading::Record(_) | Reading::NotMine => Err("not a call line".to_owned()),
        Reading::Malformed(error) => Err(error.to_string()),
    }
}
