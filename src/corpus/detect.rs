//! Reads as much of a file as shows what it is, and decides what it is.

use super::decode::{Broken, Decoded};
use super::file_names::STDIN;
use super::reader::BLOCK;
use super::sidecar::{is_label_line, scenario_line, tool_list_in};
use super::split::{Document, STEP, Splitter};
use super::unreadable::members_of;
use super::{Bounds, FileKind, Recognised};
use crate::format::{
    Context, Reading, Record, WIRE_LINES, is_call_with_reply, is_cut_short, read_any, records_in,
};
use crate::json::{Kind, scan_document};
use crate::program::{Head, has_sign, recognise, says_nothing};
use crate::recording::{ExchangeKind, LinePosition, Reply};
use std::borrow::Cow;
use std::cell::LazyCell;

/// How many records are looked at before a file is given up: a recording may lie under a long log.
const PROBES: usize = 5_000;

/// How a recording is cut into records.
#[derive(Clone, Copy, Debug)]
pub(super) enum Layout {
    Lines,
    Document(Document),
    /// What a program wrote, for its converter.
    Program(Recognised),
}

#[derive(Debug)]
pub(super) enum Detected {
    /// A recording, with the format that its first record has.
    Recording { layout: Layout, format: usize, prefixed: bool },
    /// Something else.
    Other(FileKind, String),
}

/// How much of a file was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    /// Its beginning: more follows, or may follow.
    Beginning,
    /// The same, of which the first line is a call with its reply in our own records.
    Calls,
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) struct Beginning {
    pub(super) head: Vec<u8>,
    /// Where it begins, behind what is blank.
    pub(super) place: LinePosition,
    pub(super) extent: Extent,
    pub(super) broken: Option<Broken>,
}

impl Beginning {
    /// Reads as much of a file as shows what it is.
    pub(super) fn of(source: &mut Decoded, mut head: Vec<u8>, bounds: &Bounds) -> Self {
        head.clear();
        let (mut ended, mut extent, mut broken) = (false, Extent::Whole, None);
        let (mut probed, mut prefaced) = (0, 0);
        let mut place = LinePosition { line: 1, byte: 0 };
        while !ended {
            if head.len() == BLOCK && is_blank(&head) {
                place.line += memchr::memchr_iter(b'\n', &head).count() as u64;
                place.byte += head.len() as u64;
                head.clear();
                (probed, prefaced) = (0, 0);
            }
            let seen = if head.len().is_multiple_of(BLOCK) {
                let says_nothing = says_nothing(&head[prefaced..], bounds.max_depth);
                prefaced = memchr::memrchr(b'\n', &head).map_or(0, |end| end + 1);
                (head.len() > bounds.max_line || !says_nothing).then_some(Extent::Beginning)
            } else {
                let begun = begun(&head, probed, bounds.max_depth);
                probed = memchr::memrchr(b'\n', &head).map_or(0, |end| end + 1);
                begun
            };
            if let Some(seen) = seen {
                extent = seen;
                break;
            }
            let room = BLOCK - head.len() % BLOCK;
            match source.fill(&mut head, room) {
                Ok(0) => ended = true,
                Ok(_) => {}
                Err(error) => {
                    broken = Some(error);
                    ended = true;
                }
            }
        }
        if place.byte == 0 && head.starts_with(MARK) {
            head.drain(..MARK.len());
            place.byte = MARK.len() as u64;
        }
        Self { head, place, extent, broken }
    }
}

fn is_blank(head: &[u8]) -> bool {
    head.strip_prefix(MARK).unwrap_or(head).trim_ascii_start().is_empty()
}

pub(super) fn detect(head: &[u8], extent: Extent, max_depth: usize, name: &str) -> Detected {
    let Some(first) = head.iter().find(|byte| !byte.is_ascii_whitespace()) else {
        return Detected::Other(FileKind::Empty, "no content".to_owned());
    };
    let seen = LazyCell::new(|| Head::of(head, extent == Extent::Whole, max_depth));
    let is_ours = extent == Extent::Calls || begins_with_calls(head, max_depth);
    let program = if is_ours { None } else { recognise(&seen) };
    if let Some((program, evidence)) = program {
        return of_program(Recognised { program, evidence });
    }
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return unknown("UTF-16 text; convert it to UTF-8");
    }
    // A tool list may stand in a recording as well; alone in its file it speaks of the recordings
    // beside it.
    if extent == Extent::Whole && is_tool_list(head, max_depth) {
        return Detected::Other(FileKind::ToolList, FileKind::ToolList.name().to_owned());
    }
    // `[info] {` begins like an array and is none.
    if *first == b'[' && !begins_as_json(head, max_depth) {
        let log = Log::of(head, extent, max_depth);
        if let Some(format) = log.format.filter(|_| log.is_certain()) {
            return Detected::Recording { layout: Layout::Lines, format, prefixed: true };
        }
    }
    let mut layout = match extent {
        Extent::Calls => Layout::Lines,
        Extent::Whole | Extent::Beginning => layout_of(head, *first, max_depth),
    };
    let mut context = Context::new(max_depth);
    let document = is_one_document(head, extent, layout).then(|| seen.document()).flatten();
    let around = document.and_then(|it| records_in(it, &mut context));
    if let Some((_, list)) = around {
        layout = Layout::Document(Document::List(list));
    }
    let units = || first_units(head, layout);
    let probe = Probe::of(units(), &mut context);
    let empty = probe.empty.or(around.map(|(format, _)| format));
    if let Some(format) = probe.format.or(empty.filter(|_| probe.stranger.is_none())) {
        let is_sample = extent == Extent::Whole || head.len() >= BLOCK;
        if probe.calls > 0 && !probe.is_answered() && probe.damaged == 0 && is_sample {
            let detail = "calls without a member `response`, `result` or `error`";
            return Detected::Other(FileKind::Expectations, detail.to_owned());
        }
        if !probe.is_recording() {
            let (records, all) = (probe.records, units().count());
            return unknown(&format!(
                "not a recording: {records} of the first {all} lines fit one"
            ));
        }
        let format = around.map_or(format, |(format, _)| format);
        return Detected::Recording { layout, format, prefixed: false };
    }
    if let Some(kind) = sidecar_kind(units(), max_depth) {
        return Detected::Other(kind, kind.name().to_owned());
    }
    let log =
        if probe.stranger.is_none() { Log::of(head, extent, max_depth) } else { Log::default() };
    if let Some(format) = log.format.filter(|_| log.is_certain()) {
        return Detected::Recording { layout: Layout::Lines, format, prefixed: true };
    }
    if probe.stranger.is_none() && claims_to_be_a_recording(name, *first, &seen) {
        return Detected::Recording { layout, format: 0, prefixed: false };
    }
    if let Some(stranger) = probe.stranger {
        let known = "JSON, but not a record of a known format: ".to_owned();
        let words = known + &members_of(stranger, max_depth);
        return unknown(words.trim_end_matches(": "));
    }
    if matches!(first, b'{' | b'[') && seen.document().is_some() {
        return unknown("JSON, but not a record of a known format");
    }
    if head.iter().take(4096).any(|byte| *byte == 0) {
        return unknown("binary data");
    }
    if log.records > 0 {
        return unknown(
            "text, with JSON records after a prefix on some lines; keep only the JSON: sed -n \
             's/^[^{]*//p'",
        );
    }
    unknown("no JSON records")
}

/// So many lines of a file in which other lines stand between records are looked at for each record.
const SHARE: usize = 10;

/// What the first units of a file are.
#[derive(Debug, Default)]
struct Probe<'h> {
    /// The format of the first record, and that of the first document around none.
    format: Option<usize>,
    empty: Option<usize>,
    records: usize,
    /// Calls without a reply among them, and tool lists.
    calls: usize,
    tools: usize,
    /// Units before and behind the first record that are none.
    before: usize,
    behind: usize,
    /// Units that are no JSON.
    damaged: usize,
    /// The first that is JSON and no record.
    stranger: Option<&'h str>,
}

impl<'h> Probe<'h> {
    /// Looks at units until it is certain what they are of.
    fn of(units: impl Iterator<Item = &'h [u8]>, context: &mut Context) -> Self {
        let mut probe = Self::default();
        for unit in units {
            let text = std::str::from_utf8(unit).unwrap_or_default();
            let (format, reading) = read_any(text, probe.format.unwrap_or(0), context);
            let is_record = match Part::of(text, &reading, context) {
                Part::Nothing => {
                    probe.empty.get_or_insert(format);
                    continue;
                }
                Part::Other => false,
                part => {
                    probe.format.get_or_insert(format);
                    probe.records += 1;
                    probe.calls += usize::from(part == Part::Call);
                    probe.tools += usize::from(part == Part::Tools);
                    true
                }
            };
            match reading {
                Err(_) => probe.damaged += 1,
                _ if !is_record => _ = probe.stranger.get_or_insert(text),
                _ => {}
            }
            probe.before += usize::from(!is_record && probe.format.is_none());
            probe.behind += usize::from(!is_record && probe.format.is_some());
            let is_dense = probe.records >= SHARE && probe.records >= probe.behind;
            if probe.is_answered() && (probe.before == 0 || is_dense) {
                break;
            }
        }
        probe
    }

    /// Whether there is a record other than calls without a reply.
    fn is_answered(&self) -> bool {
        self.records > self.calls + self.tools
    }

    /// Whether records make up a share of what follows the first of them.
    fn is_recording(&self) -> bool {
        self.before == 0 || self.records * SHARE > self.behind
    }
}

/// What a unit is, for a file to be told by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Record,
    /// A call with nothing in place of its reply.
    Call,
    Tools,
    /// A document around no records.
    Nothing,
    Other,
}

impl Part {
    fn of(text: &str, reading: &Reading<'_>, context: &mut Context) -> Self {
        match reading {
            Err(_) | Ok(None) => Self::Other,
            Ok(Some(Record::Tools { .. })) => Self::Tools,
            Ok(Some(Record::Many { records, .. })) if records.is_empty() => Self::Nothing,
            Ok(Some(Record::Many { records, .. })) => {
                let mut parts = records.iter().take(PROBES).map(|record| {
                    match read_any(record.text(), 0, context).1 {
                        Ok(Some(Record::Many { .. })) => Self::Record,
                        reading => Self::of(record.text(), &reading, context),
                    }
                });
                parts.find(|part| *part != Self::Other).unwrap_or(Self::Other)
            }
            Ok(Some(Record::Exchange(record))) => {
                let is_bare = record.kind == ExchangeKind::ToolCall
                    && matches!(record.reply, Reply::None)
                    && !has_reply(text, context);
                if is_bare { Self::Call } else { Self::Record }
            }
            Ok(Some(Record::Messages(_) | Record::Gap { .. } | Record::Traffic(_))) => Self::Record,
        }
    }
}

/// Whether a record has a member for a reply, whatever it holds.
fn has_reply(text: &str, context: &Context) -> bool {
    let record = scan_document(text, context.max_depth).ok();
    let has = |name| record.is_some_and(|record| record.member(name).is_some());
    ["response", "result", "error"].into_iter().any(has)
}

/// Whether a damaged file looks like what is left of a recording: it mentions what only records have.
fn may_be_one(seen: &Head<'_>) -> bool {
    match seen.document() {
        Some(document) if document.kind() == Kind::Object => {
            OF_RECORDS.iter().any(|name| document.member(name).is_some())
        }
        _ => OF_RECORDS.iter().any(|name| {
            let mention = format!("\"{name}\"");
            memchr::memmem::find(seen.bytes, mention.as_bytes()).is_some()
        }),
    }
}

/// Members of records and of documents around them.
const OF_RECORDS: [&str; 9] =
    ["tool", "tool_name", "input", "response", "jsonrpc", "msg", "query", "exchanges", "records"];

/// A recording that a program wrote: its converter makes wire lines of it.
pub(super) fn of_program(recognised: Recognised) -> Detected {
    Detected::Recording { layout: Layout::Program(recognised), format: WIRE_LINES, prefixed: false }
}

/// A text in which records may stand behind what a logger wrote before them.
#[derive(Debug, Default)]
struct Log {
    lines: usize,
    /// Lines that are a record behind a prefix.
    records: usize,
    /// The format of the first.
    format: Option<usize>,
}

impl Log {
    fn of(head: &[u8], extent: Extent, max_depth: usize) -> Self {
        let mut log = Self::default();
        let mut context = Context::new(max_depth);
        // The last line of a beginning may go on.
        let end = match extent {
            Extent::Whole => head.len(),
            Extent::Beginning | Extent::Calls => {
                memchr::memrchr(b'\n', head).map_or(0, |end| end + 1)
            }
        };
        for line in lines(&head[..end]).take(PROBES) {
            log.lines += 1;
            let text = std::str::from_utf8(line).ok();
            if let Some((_, format, _)) = text.and_then(|text| behind_prefix(text, 0, &mut context))
            {
                log.records += 1;
                log.format.get_or_insert(format);
            }
        }
        log
    }

    /// Most lines are records behind a prefix.
    fn is_certain(&self) -> bool {
        self.records * 2 > self.lines
    }
}

/// Whether the first line is JSON, as far as it goes.
fn begins_as_json(head: &[u8], max_depth: usize) -> bool {
    let Some(line) = lines(head).next() else { return false };
    match scan_document(&String::from_utf8_lossy(line), max_depth) {
        Ok(_) => true,
        Err(error) => is_cut_short(&error),
    }
}

/// So many braces of a line are tried as the beginning of its record.
const BEGINNINGS: usize = 8;

/// The record behind a logger's prefix, its first byte and format. What begins as JSON has none.
pub(super) fn behind_prefix<'a>(
    line: &'a str,
    expected: usize,
    context: &mut Context,
) -> Option<(usize, usize, Record<'a>)> {
    if line.trim_ascii_start().starts_with('{') {
        return None;
    }
    memchr::memchr_iter(b'{', line.as_bytes()).take(BEGINNINGS).find_map(|at| {
        let (format, read) = read_any(line[at..].trim_ascii_end(), expected, context);
        Some((at, format, read.ok()??))
    })
}

/// Whether the first line of a file is a call with its reply in our own records, and has no program's sign: it tells of the
/// whole file.
fn begins_with_calls(head: &[u8], max_depth: usize) -> bool {
    let is_call = |line: &str| is_call_with_reply(line, max_depth) && !has_sign(line.as_bytes());
    lines(head).next().and_then(|line| std::str::from_utf8(line).ok()).is_some_and(is_call)
}

/// What is seen of a file in which a recording has begun, whatever follows; nothing where none has. So many bytes were
/// looked at before, in vain.
pub(super) fn begun(head: &[u8], probed: usize, max_depth: usize) -> Option<Extent> {
    let head = &head[..=memchr::memrchr(b'\n', head)?];
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace())?;
    if begins_with_calls(head, max_depth) {
        return Some(Extent::Calls);
    }
    // The second line tells what the first is a part of, unless that is whole or none.
    let shows_layout = match first {
        b'[' => lines(head).nth(1).is_some(),
        b'{' if lines(head).nth(1).is_none() => {
            let whole = |text| scan_document(text, max_depth).is_ok();
            std::str::from_utf8(head).is_ok_and(whole) && !is_tool_list(head, max_depth)
        }
        _ => true,
    };
    let is_record = |line: &[u8]| {
        std::str::from_utf8(line).is_ok_and(|text| {
            let mut context = Context::new(max_depth);
            let (_, reading) = read_any(text, 0, &mut context);
            // Calls without a reply may be all there is, and tools need calls.
            Part::of(text, &reading, &mut context) == Part::Record
        })
    };
    let is_own = shows_layout
        && matches!(layout_of(head, *first, max_depth), Layout::Lines)
        && lines(&head[probed.min(head.len())..]).any(is_record);
    (is_own || recognise(&Head::of(head, false, max_depth)).is_some()).then_some(Extent::Beginning)
}

fn unknown(detail: &str) -> Detected {
    Detected::Other(FileKind::Unknown, detail.to_owned())
}

/// A damaged recording should be read for what is left, and its damage reported line by line.
fn claims_to_be_a_recording(name: &str, first: u8, seen: &Head<'_>) -> bool {
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "jsonl" | "ndjson")
        || (matches!(first, b'{' | b'[') && extension == "json" && may_be_one(seen))
        || (name == STDIN && first == b'{')
}

fn layout_of(head: &[u8], first: u8, max_depth: usize) -> Layout {
    let mut lines = lines(head);
    let Some(line) = lines.next() else { return Layout::Lines };
    let text = simdutf8::basic::from_utf8(line)
        .map_or_else(|_| String::from_utf8_lossy(line), Cow::Borrowed);
    let alone = scan_document(&text, max_depth);
    let next =
        lines.next().and_then(|line| line.iter().copied().find(|byte| !byte.is_ascii_whitespace()));
    match (first, alone) {
        (b'[', Ok(_)) if matches!(next, Some(b'[' | b'{')) => Layout::Lines,
        (b'[', _) => Layout::Document(Document::Array),
        // The second line of a document goes on where the first stopped; one that begins a record
        // after a line that was cut short is a record of its own, unless a list was just opened.
        (b'{', Err(error))
            if is_cut_short(&error)
                && (next.is_some_and(|byte| byte != b'{') || text.trim_end().ends_with('['))
                && !shows_lines(head, max_depth) =>
        {
            Layout::Document(Document::Values)
        }
        _ => Layout::Lines,
    }
}

/// Whether the first line is a damaged one among lines that are records: it begins no value that ends, and a
/// record stands alone on a line.
fn shows_lines(head: &[u8], max_depth: usize) -> bool {
    let mut context = Context::new(max_depth);
    let mut is_record = |text: &str| matches!(read_any(text, 0, &mut context).1, Ok(Some(_)));
    let stands_alone = lines(head)
        .skip(1)
        .take(PROBES)
        .any(|line| line.starts_with(b"{") && std::str::from_utf8(line).is_ok_and(&mut is_record));
    stands_alone && {
        let mut values = first_units(head, Layout::Document(Document::Values));
        let first = values.next().map(String::from_utf8_lossy);
        first.is_none_or(|text| scan_document(&text, max_depth).is_err())
    }
}

/// Whether a file is one document as far as it was looked at, or begins with one.
fn is_one_document(head: &[u8], extent: Extent, layout: Layout) -> bool {
    match layout {
        Layout::Document(document) => document == Document::Values,
        Layout::Lines => extent == Extent::Whole || !head.trim_ascii_start().contains(&b'\n'),
        Layout::Program(_) => false,
    }
}

fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = memchr::memchr_iter(b'\n', head).chain([head.len()]);
    let lines = ends.scan(0, |start, end| head.get(std::mem::replace(start, end + 1)..end));
    lines.filter(|line| !line.trim_ascii().is_empty())
}

fn first_units(head: &[u8], layout: Layout) -> Box<dyn Iterator<Item = &[u8]> + '_> {
    match layout {
        Layout::Lines | Layout::Program(_) => Box::new(lines(head).take(PROBES)),
        Layout::Document(document) => {
            let mut splitter = Splitter::new(document);
            let mut found = Vec::new();
            let mut end = 0;
            while end < head.len() && found.len() < PROBES {
                let start = end;
                end = head.len().min(start + STEP);
                splitter.feed(&head[..end], start, 0, &mut found);
            }
            splitter.flush(end, 0, &mut found);
            Box::new(found.into_iter().take(PROBES).map(|unit| &head[unit.start..unit.end]))
        }
    }
}

fn sidecar_kind<'h>(
    mut units: impl Iterator<Item = &'h [u8]>,
    max_depth: usize,
) -> Option<FileKind> {
    let first = units.find_map(|unit| std::str::from_utf8(unit).ok())?;
    if scenario_line(first, max_depth).is_some() {
        return Some(FileKind::Scenarios);
    }
    is_label_line(first, max_depth).then_some(FileKind::Labels)
}

/// Whether a file holds a tool list and no records beside it.
fn is_tool_list(whole: &[u8], max_depth: usize) -> bool {
    let Ok(text) = std::str::from_utf8(whole) else { return false };
    let lists = scan_document(text, max_depth).is_ok_and(|found| tool_list_in(found).is_some());
    // Exchanges may bring their tools along.
    lists && {
        let (_, reading) = read_any(text.trim_ascii(), 0, &mut Context::new(max_depth));
        !matches!(reading, Ok(Some(Record::Exchange(_) | Record::Many { .. })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    fn told(text: &str, extent: Extent, name: &str) -> String {
        match detect(text.as_bytes(), extent, 64, name) {
            Detected::Recording { layout: Layout::Program(it), .. } => it.program.id.to_owned(),
            Detected::Recording { layout: Layout::Document(Document::List(list)), .. } => {
                format!("list at {}", list.members.join("."))
            }
            Detected::Recording { layout, .. } => format!("{layout:?}"),
            Detected::Other(kind, _) => kind.name().to_owned(),
        }
    }

    #[test]
    fn what_a_file_is_is_seen_from_its_content() {
        cases::check("tests/cases/files.txt", |case| {
            let (name, text) = case.text.split_once('\n').unwrap_or((&case.text, ""));
            match name.strip_suffix(", more to come") {
                Some(name) => told(&format!("{text}\n"), Extent::Beginning, name),
                None => told(text, Extent::Whole, name),
            }
        });
        assert_eq!(told("PK\u{3}\u{4}\0\0", Extent::Whole, "notes.txt"), "unknown file");
    }
}
