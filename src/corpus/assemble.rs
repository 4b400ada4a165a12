//! From a block's bytes to exchanges: first record by record, which any thread can do alone, then
//! in the tape's order, which ties requests to answers and names to tools.

use super::reject::head_of;
use super::session::{Heard, Session, Surroundings};
use super::{Block, Bounds, Reject, RejectReason, Tape, TapeContext, UNKNOWN_SERVER, UnitSpan};
use crate::format::{
    Context, ExchangeRecord, Message, Reading, Record, ToolCache, ToolMention, read_any,
    read_tool_list,
};
use crate::json::ScanErrorKind;
use crate::tape::{Exchange, JsonText, Place, Tool};
use hashbrown::HashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Distinct names of traffic that are counted one by one; hostile tapes could invent any number.
const MAX_TRAFFIC_NAMES: usize = 1_000;
/// Sessions of one tape that are kept apart at a time; beyond, an old one ends.
const MAX_SESSIONS: usize = 10_000;

/// The exchanges of a block and an account of everything else in it.
#[derive(Debug, Default)]
pub struct Assembled<'a> {
    /// The exchanges that were completed.
    pub exchanges: Vec<Exchange<'a>>,
    /// Records read: exchanges begun, other traffic and rejects.
    pub lines: u64,
    /// Traffic that is no exchange, by name.
    pub traffic: BTreeMap<Cow<'static, str>, u64>,
    /// What could not be judged.
    pub rejects: Vec<Reject>,
    /// The tools that records list, called or not.
    pub listed: Vec<ListedTools>,
}

/// A list of tools in a tape.
#[derive(Clone, Debug)]
pub struct ListedTools {
    /// The server that has them, where the recording says so.
    pub server: Option<String>,
    /// The tools.
    pub tools: Vec<Arc<Tool>>,
}

/// The records of a block, before they know of each other.
#[derive(Debug, Default)]
pub struct Parsed<'a> {
    records: Vec<(Record<'a>, Place)>,
    lines: u64,
    blank: u64,
    rejects: Vec<Reject>,
}

impl<'a> Parsed<'a> {
    /// Reads every record of a block.
    #[must_use]
    pub fn read(block: &'a Block, tape: &Tape, bounds: &Bounds, context: &mut Context) -> Self {
        let mut parsed = Self::default();
        let whole = simdutf8::basic::from_utf8(block.bytes()).ok();
        let mut format = tape.format;
        block.for_each_unit(|bytes, span| {
            let text = match whole {
                Some(whole) => Some(&whole[span.start..span.end]),
                None => std::str::from_utf8(bytes).ok(),
            };
            parsed.lines += 1;
            let Some(text) = text else {
                parsed.reject(tape, span, bytes, (RejectReason::NotUtf8, String::new()));
                return;
            };
            let mut reader =
                Reader { tape, bounds, format: &mut format, context, within: Within::Tape };
            let read = AssertUnwindSafe(|| parsed.unit(text, span, &mut reader));
            if catch_unwind(read).is_err() {
                parsed.reject(tape, span, bytes, (RejectReason::Panicked, String::new()));
            }
        });
        parsed
    }

    fn unit(&mut self, text: &'a str, span: UnitSpan, reader: &mut Reader<'_>) {
        // Files that were put together bring their byte order marks into the middle.
        let text = text.trim_ascii().trim_start_matches('\u{feff}').trim_ascii();
        if text.is_empty() {
            self.blank += 1;
            return;
        }
        if text.len() > reader.bounds.max_line {
            let detail = format!(
                "{} bytes; the bound is {} (--max-line)",
                text.len(),
                reader.bounds.max_line
            );
            self.reject(reader.tape, span, text.as_bytes(), (RejectReason::TooLong, detail));
            return;
        }
        let place = Place { line: span.line, byte: span.byte };
        let (format, reading) = read_any(text, *reader.format, reader.context);
        match reading {
            Reading::Record(Record::Many { .. }) if reader.within == Within::Document => {
                let why = "a document inside a document is not opened".to_owned();
                self.reject(reader.tape, span, text.as_bytes(), (RejectReason::Unrecognised, why));
            }
            Reading::Record(Record::Many { tools, records }) => {
                self.lines -= 1;
                if let Some(tools) = tools {
                    self.lines += 1;
                    let tools = read_tool_list(tools);
                    self.records.push((Record::Tools { server: None, tools }, place));
                }
                reader.within = Within::Document;
                for raw in records {
                    self.lines += 1;
                    self.unit(raw.text(), span, reader);
                }
                reader.within = Within::Tape;
            }
            Reading::Record(record) => {
                *reader.format = format;
                self.records.push((record, place));
            }
            Reading::NotMine => {
                let why = (RejectReason::Unrecognised, String::new());
                self.reject(reader.tape, span, text.as_bytes(), why);
            }
            Reading::Malformed(error) => {
                let reason = match error.kind {
                    ScanErrorKind::Depth => RejectReason::TooDeep,
                    ScanErrorKind::End
                    | ScanErrorKind::Unexpected
                    | ScanErrorKind::Control
                    | ScanErrorKind::Escape
                    | ScanErrorKind::Number
                    | ScanErrorKind::Trailing => RejectReason::NotJson,
                };
                self.reject(reader.tape, span, text.as_bytes(), (reason, error.to_string()));
            }
        }
    }

    fn reject(&mut self, tape: &Tape, span: UnitSpan, bytes: &[u8], why: (RejectReason, String)) {
        self.rejects.push(Reject {
            file: tape.name.clone(),
            line: span.line,
            byte: span.byte,
            reason: why.0,
            detail: why.1,
            head: head_of(bytes),
        });
    }
}

struct Reader<'r> {
    tape: &'r Tape,
    bounds: &'r Bounds,
    format: &'r mut usize,
    context: &'r mut Context,
    within: Within,
}

/// What a record stands in. Documents are opened once: each further level would mean reading all
/// that is inside it once more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Tape,
    Document,
}

/// Ties the records of one tape together, block after block.
#[derive(Debug, Default)]
pub struct Assembler {
    /// Tools listed in the tape, by server (empty: any) and name.
    listed: HashMap<String, HashMap<String, Arc<Tool>>>,
    sessions: HashMap<(String, String), Session>,
    order: Vec<(String, String)>,
}

impl Assembler {
    /// Assembles a block's records. The caller sees to it that blocks come in their order.
    pub fn assemble<'a>(
        &mut self,
        parsed: Parsed<'a>,
        block: &Block,
        bounds: &Bounds,
        cache: &mut ToolCache,
    ) -> Assembled<'a> {
        let mut out =
            Assembled { lines: parsed.lines, rejects: parsed.rejects, ..Assembled::default() };
        out.exchanges.reserve(parsed.records.len());
        if parsed.blank > 0 {
            out.traffic.insert("(blank line)".into(), parsed.blank);
        }
        let Some(tape) = &block.tape else { return out };
        for (record, place) in parsed.records {
            match record {
                Record::Exchange(record) => {
                    let exchange = self.exchange(*record, place, &tape.context, cache);
                    out.exchanges.push(exchange);
                }
                Record::Messages(messages) => {
                    out.lines += messages.len() as u64 - 1;
                    for message in messages {
                        self.hear(message, place, (&tape.context, bounds), &mut out);
                    }
                }
                Record::Tools { server, tools } => {
                    let server = server.map(Cow::into_owned);
                    out.listed.push(ListedTools { server: server.clone(), tools: tools.clone() });
                    let server = server.unwrap_or_default();
                    let listed = self.listed.entry(server).or_default();
                    for tool in tools {
                        listed.insert(tool.name.clone(), tool);
                    }
                    count(&mut out.traffic, "(tool list)".into());
                }
                Record::Traffic(name) => count(&mut out.traffic, name),
                // Documents were opened when the block was read.
                Record::Many { .. } => {}
            }
        }
        if block.last {
            self.finish(&tape.context, &mut out);
        }
        out
    }

    fn exchange<'a>(
        &self,
        record: ExchangeRecord<'a>,
        place: Place,
        context: &TapeContext,
        cache: &mut ToolCache,
    ) -> Exchange<'a> {
        let server = record.server.unwrap_or(Cow::Borrowed(UNKNOWN_SERVER));
        let tool = match record.tool {
            ToolMention::Definition(tool) => tool,
            ToolMention::Name(name) => {
                self.resolve(&server, &name, context).unwrap_or_else(|| cache.named(&name))
            }
            ToolMention::Absent => cache.named(""),
        };
        Exchange {
            id: record.id,
            server,
            session: record.session.unwrap_or_else(|| Cow::Owned(context.stem.clone())),
            tool,
            input: record.input.map(JsonText::from),
            reply: record.reply,
            scenario: record.scenario,
            recorded_at: record.recorded_at,
            duration_ms: record.duration_ms,
            label: record.label,
            place,
            answered: None,
        }
    }

    fn resolve(&self, server: &str, name: &str, context: &TapeContext) -> Option<Arc<Tool>> {
        let listed = |server: &str| self.listed.get(server)?.get(name);
        listed(server).or_else(|| listed("")).or_else(|| context.tools.get(name)).map(Arc::clone)
    }

    fn hear<'a>(
        &mut self,
        message: Message<'a>,
        place: Place,
        (context, bounds): (&TapeContext, &Bounds),
        out: &mut Assembled<'a>,
    ) {
        let server = message.server.clone().map(Cow::into_owned).unwrap_or_default();
        let session = message.session.clone().map(Cow::into_owned).unwrap_or_default();
        let key = (server, session);
        if !self.sessions.contains_key(&key) {
            if self.sessions.len() >= MAX_SESSIONS {
                self.end_one_session(context, out);
            }
            self.order.push(key.clone());
        }
        let around = surroundings(&key, context);
        let state = self.sessions.entry(key.clone()).or_default();
        match state.hear(message, place, &around, &mut out.exchanges) {
            Heard::Call => {}
            Heard::Traffic(name) => count(&mut out.traffic, name),
            Heard::Tools(listed) => {
                count(&mut out.traffic, "tools/list (answer)".into());
                out.listed.push(listed);
            }
        }
        state.enforce(bounds, &around, &mut out.exchanges);
    }

    /// Makes room for a session: the oldest one that waits for nothing ends, or else the oldest.
    fn end_one_session(&mut self, context: &TapeContext, out: &mut Assembled<'_>) {
        let is_idle = |key: &(String, String)| self.sessions.get(key).is_none_or(Session::is_idle);
        let at = self.order.iter().position(is_idle).unwrap_or(0);
        let key = self.order.remove(at);
        if let Some(mut session) = self.sessions.remove(&key) {
            session.finish(&surroundings(&key, context), &mut out.exchanges);
        }
    }

    fn finish(&mut self, context: &TapeContext, out: &mut Assembled<'_>) {
        for key in std::mem::take(&mut self.order) {
            if let Some(mut session) = self.sessions.remove(&key) {
                session.finish(&surroundings(&key, context), &mut out.exchanges);
            }
        }
    }
}

fn surroundings<'t>(key: &'t (String, String), context: &'t TapeContext) -> Surroundings<'t> {
    let (server, session) = key;
    Surroundings {
        name: if session.is_empty() { &context.stem } else { session },
        server: (!server.is_empty()).then_some(server),
        scenarios: &context.scenarios,
        folder_tools: &context.tools,
    }
}

/// Counts one message under its name, or under a common one when there are too many names.
fn count(traffic: &mut BTreeMap<Cow<'static, str>, u64>, name: Cow<'static, str>) {
    let name = if name.chars().nth(100).is_some() { "(long method name)".into() } else { name };
    if traffic.len() >= MAX_TRAFFIC_NAMES && !traffic.contains_key(&name) {
        *traffic.entry("(other methods)".into()).or_default() += 1;
    } else {
        *traffic.entry(name).or_default() += 1;
    }
}

/// Reads one exchange line on its own, outside of any tape.
pub fn read_exchange<'a>(line: &'a str, bounds: &Bounds) -> Result<Exchange<'a>, String> {
    let mut reader = Context::new(bounds.max_depth);
    match read_any(line, 0, &mut reader).1 {
        Reading::Record(Record::Exchange(record)) => {
            let context = TapeContext::default();
            let place = Place { line: 1, byte: 0 };
            Ok(Assembler::default().exchange(*record, place, &context, &mut reader.tools))
        }
        Reading::Record(_) | Reading::NotMine => Err("not an exchange line".to_owned()),
        Reading::Malformed(error) => Err(error.to_string()),
    }
}
