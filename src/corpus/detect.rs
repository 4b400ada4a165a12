//! Decides what a file is from its first bytes.

use super::FileKind;
use super::Recognised;
use super::names::STDIN;
use super::sidecar::{is_label_line, scenario_line, tool_list_in};
use super::split::{Document, STEP, Splitter};
use crate::format::{Context, Reading, Record, WIRE_LINES, is_cut_short, read_any, records_in};
use crate::json::scan_document;
use crate::program::{Head, recognise};

/// How many records are looked at before a file is given up: a recording may lie under a long log.
const PROBES: usize = 5_000;

/// How a recording is cut into records.
#[derive(Clone, Copy, Debug)]
pub(super) enum Layout {
    /// One record a line.
    Lines,
    /// Records inside a document.
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
}

/// Looks at the beginning of a file.
pub(super) fn detect(head: &[u8], extent: Extent, max_depth: usize, name: &str) -> Detected {
    let Some(first) = head.iter().find(|byte| !byte.is_ascii_whitespace()) else {
        return Detected::Other(FileKind::Empty, "no content".to_owned());
    };
    let seen = Head::of(head, extent == Extent::Whole, max_depth);
    if let Some((program, evidence)) = recognise(&seen) {
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
    let layout = layout_of(head, *first, max_depth);
    let mut context = Context::new(max_depth);
    let document = seen.document().filter(|_| is_one_document(head, extent, layout));
    if let Some((format, list)) = document.and_then(|it| records_in(it, &mut context)) {
        let layout = Layout::Document(Document::List(list));
        return Detected::Recording { layout, format, prefixed: false };
    }
    drop(seen);
    let units = first_units(head, layout);
    let mut well_formed = 0;
    for unit in &units {
        let Ok(text) = std::str::from_utf8(unit) else { continue };
        match read_any(text, 0, &mut context) {
            (format, Reading::Record(_)) => {
                return Detected::Recording { layout, format, prefixed: false };
            }
            (_, Reading::NotMine) => well_formed += 1,
            (_, Reading::Malformed(_)) => {}
        }
    }
    if let Some(kind) = sidecar_kind(&units, max_depth) {
        return Detected::Other(kind, kind.name().to_owned());
    }
    let log = if well_formed == 0 { Log::of(head, extent, max_depth) } else { Log::default() };
    if let Some(format) = log.format.filter(|_| log.is_certain()) {
        return Detected::Recording { layout: Layout::Lines, format, prefixed: true };
    }
    if well_formed == 0 && claims_to_be_a_recording(name, *first) {
        return Detected::Recording { layout, format: 0, prefixed: false };
    }
    if well_formed > 0 {
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
            Extent::Beginning => memchr::memrchr(b'\n', head).map_or(0, |end| end + 1),
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

/// The record behind what a logger wrote before it, with its first byte and format. A line that begins as JSON
/// has no such prefix.
pub(super) fn behind_prefix<'a>(
    line: &'a str,
    expected: usize,
    context: &mut Context,
) -> Option<(usize, usize, Record<'a>)> {
    if line.trim_ascii_start().starts_with('{') {
        return None;
    }
    memchr::memchr_iter(b'{', line.as_bytes()).take(BEGINNINGS).find_map(|at| {
        match read_any(line[at..].trim_ascii_end(), expected, context) {
            (format, Reading::Record(record)) => Some((at, format, record)),
            (_, Reading::NotMine | Reading::Malformed(_)) => None,
        }
    })
}

/// Whether a recording of lines has begun, whatever follows; `probed` bytes were looked at before, in vain.
pub(super) fn has_begun(head: &[u8], probed: usize, max_depth: usize) -> bool {
    let Some(end) = memchr::memrchr(b'\n', head) else { return false };
    let head = &head[..=end];
    let Some(first) = head.iter().find(|byte| !byte.is_ascii_whitespace()) else { return false };
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
            let (_, reading) = read_any(text, 0, &mut Context::new(max_depth));
            matches!(reading, Reading::Record(_))
        })
    };
    if recognise(&Head::of(head, false, max_depth)).is_some() {
        return true;
    }
    shows_layout
        && matches!(layout_of(head, *first, max_depth), Layout::Lines)
        && lines(&head[probed.min(head.len())..]).any(is_record)
}

fn unknown(detail: &str) -> Detected {
    Detected::Other(FileKind::Unknown, detail.to_owned())
}

/// A damaged recording should still be read for what is left of it, and its damage reported line by
/// line.
fn claims_to_be_a_recording(name: &str, first: u8) -> bool {
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "jsonl" | "ndjson")
        || (matches!(first, b'{' | b'[') && extension == "json")
        || (name == STDIN && first == b'{')
}

fn layout_of(head: &[u8], first: u8, max_depth: usize) -> Layout {
    let mut lines = lines(head);
    let Some(line) = lines.next() else { return Layout::Lines };
    let text = String::from_utf8_lossy(line);
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
    let mut is_record =
        |text: &str| matches!(read_any(text, 0, &mut context).1, Reading::Record(_));
    let stands_alone = lines(head)
        .skip(1)
        .take(PROBES)
        .any(|line| line.starts_with(b"{") && std::str::from_utf8(line).is_ok_and(&mut is_record));
    stands_alone && {
        let values = first_units(head, Layout::Document(Document::Values));
        let first = values.first().map(|value| String::from_utf8_lossy(value));
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
    head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
}

fn first_units(head: &[u8], layout: Layout) -> Vec<&[u8]> {
    match layout {
        Layout::Lines | Layout::Program(_) => lines(head).take(PROBES).collect(),
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
            found.iter().take(PROBES).map(|unit| &head[unit.start..unit.end]).collect()
        }
    }
}

fn sidecar_kind(units: &[&[u8]], max_depth: usize) -> Option<FileKind> {
    let first = units.iter().find_map(|unit| std::str::from_utf8(unit).ok())?;
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
        !matches!(reading, Reading::Record(Record::Exchange(_) | Record::Many { .. }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    enum Cut {
        Lines,
        Document(Document),
        Program(&'static str),
    }

    fn layout(text: &str) -> Option<Cut> {
        match detect(text.as_bytes(), Extent::Whole, 64, "x.json") {
            Detected::Recording { layout: Layout::Lines, .. } => Some(Cut::Lines),
            Detected::Recording { layout: Layout::Document(document), .. } => {
                Some(Cut::Document(document))
            }
            Detected::Recording { layout: Layout::Program(recognised), .. } => {
                Some(Cut::Program(recognised.program.id()))
            }
            Detected::Other(..) => None,
        }
    }

    fn other(text: &str) -> Option<FileKind> {
        match detect(text.as_bytes(), Extent::Whole, 64, "notes.txt") {
            Detected::Recording { .. } => None,
            Detected::Other(kind, _) => Some(kind),
        }
    }

    #[test]
    fn the_layout_is_seen_from_the_content() {
        let line = r#"{"tool":"a","input":{},"response":{}}"#;
        assert_eq!(layout(&format!("{line}\n{line}\n")), Some(Cut::Lines));
        assert_eq!(layout(&format!("[{line},\n{line}]")), Some(Cut::Document(Document::Array)));
        let pretty = "{\n  \"tool\": \"a\",\n  \"input\": {},\n  \"response\": {}\n}\n";
        assert_eq!(layout(pretty), Some(Cut::Document(Document::Values)));
        assert_eq!(layout(&format!("not json\n{line}")), Some(Cut::Lines));
        let values = format!("{pretty}{line}\n");
        assert_eq!(layout(&values), Some(Cut::Document(Document::Values)));
        let damaged = format!("{}\nstarted\n{line}\n{line}\n", &line[..9]);
        assert_eq!(layout(&damaged), Some(Cut::Lines));
    }

    #[test]
    fn a_tool_list_with_more_to_come_begins_a_recording() {
        let list = "{\"tools\":[{\"name\":\"get\"}]}\n";
        let begun = detect(list.as_bytes(), Extent::Beginning, 64, "x.jsonl");
        assert!(matches!(begun, Detected::Recording { .. }), "{begun:?}");
        let line = r#"{"tool":"get","input":{},"response":{}}"#;
        assert_eq!(layout(&format!("{list}{line}\n")), Some(Cut::Lines));
        let document = format!("{{\"tools\":[{{\"name\":\"get\"}}],\"exchanges\":[{line}]}}");
        let cut = layout(&document);
        assert!(matches!(cut, Some(Cut::Document(Document::List(_)))), "{cut:?}");
        assert_eq!(layout(&format!("{document}\n{document}\n")), Some(Cut::Lines));
    }

    #[test]
    fn what_is_no_recording_is_named() {
        assert_eq!(other(""), Some(FileKind::Empty));
        assert_eq!(other("# Notes\n"), Some(FileKind::Unknown));
        assert_eq!(other("{\"id\":3,\"scenario\":\"edge_case\"}\n"), Some(FileKind::Scenarios));
        assert_eq!(other("{\"file\":\"a\",\"id\":3,\"label\":\"ok\"}\n"), Some(FileKind::Labels));
        assert_eq!(other("[{\"name\":\"get\",\"inputSchema\":{}}]"), Some(FileKind::ToolList));
        assert_eq!(other("{\"tools\":[{\"name\":\"get\"}]}"), Some(FileKind::ToolList));
        assert_eq!(other("{\"dependencies\":{}}"), Some(FileKind::Unknown));
        assert_eq!(other("PK\u{3}\u{4}\0\0"), Some(FileKind::Unknown));
    }
}
