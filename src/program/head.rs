//! What is seen of a file before it is decided what it is.

use super::reader::event_data;
use super::signs::may_be_preface;
use super::texts::{fits, nested, text_of};
use super::wire::records_in;
use crate::json::{Kind, Raw, scan_document};
use std::cell::OnceCell;

/// So many lines that say something are looked at.
pub(super) const LINES: usize = 32;

/// So many lines of a log are looked at, which may begin with what a server printed.
const PROBES: usize = 5_000;

/// The `type` of lines that programs write in front of a session, one for each earlier one, and that say nothing of it.
pub(super) const PREFACES: [&str; 9] = [
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "custom-title",
    "ai-title",
    "agent-name",
    "last-prompt",
    "pr-link",
    "mode",
];

/// The beginning of a file, as text and as JSON.
#[derive(Debug)]
pub struct Head<'a> {
    pub bytes: &'a [u8],
    /// As far as they are text, and the complete lines of that.
    valid: &'a str,
    complete: &'a str,
    max_depth: usize,
    lines: OnceCell<(Vec<&'a str>, Vec<Raw<'a>>)>,
    document: OnceCell<Option<String>>,
}

/// Whether the complete lines of a beginning say nothing of the session.
pub fn says_nothing(bytes: &[u8], max_depth: usize) -> bool {
    Head::of(bytes, false, max_depth).read().next().is_none()
}

impl<'a> Head<'a> {
    pub fn of(bytes: &'a [u8], is_whole: bool, max_depth: usize) -> Self {
        let valid = simdutf8::basic::from_utf8(bytes).unwrap_or_else(|_| {
            bytes.utf8_chunks().next().map_or("", |beginning| beginning.valid())
        });
        let complete =
            if is_whole { valid } else { valid.rsplit_once('\n').map_or("", |(lines, _)| lines) };
        let (lines, document) = (OnceCell::new(), OnceCell::new());
        Self { bytes, valid, complete, max_depth, lines, document }
    }

    /// The first complete lines that say something, each with its JSON if it is such.
    fn read(&self) -> impl Iterator<Item = (&'a str, Option<Raw<'a>>)> {
        let read = self.complete.lines().filter(|line| !line.trim().is_empty());
        let read = read.map(|line| (line, scan_document(line, self.max_depth).ok()));
        let is_preface =
            |it: Raw<'_>| text_of(it, "type").is_some_and(|kind| PREFACES.contains(&&*kind));
        let says_nothing = move |line: &str, record: &Option<Raw<'_>>| {
            may_be_preface(line.as_bytes()) && record.is_some_and(is_preface)
        };
        read.filter(move |(line, record)| !says_nothing(line, record)).take(LINES)
    }

    fn lines_and_records(&self) -> &(Vec<&'a str>, Vec<Raw<'a>>) {
        self.lines.get_or_init(|| {
            let (lines, records): (Vec<&str>, Vec<Option<Raw<'_>>>) = self.read().unzip();
            (lines, records.into_iter().flatten().collect())
        })
    }

    /// The first complete lines that say something.
    pub fn lines(&self) -> &[&'a str] {
        &self.lines_and_records().0
    }

    /// Those of them that are JSON.
    pub fn records(&self) -> &[Raw<'a>] {
        &self.lines_and_records().1
    }

    /// Whether lines are values of their own: they are no document, unless one line opened it.
    fn is_lines(&self) -> bool {
        let mut read = self.read().peekable();
        let is_opened = read.peek().is_some_and(|(line, _)| matches!(line.trim(), "{" | "["));
        !is_opened && read.filter_map(|(_, record)| record).nth(1).is_some()
    }

    /// Lines that say something, if all seem objects; a first that ends is no part of a document.
    pub(super) fn objects(&self) -> Option<impl Iterator<Item = &'a [u8]>> {
        let (bytes, mut start) = (self.bytes, 0);
        let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
        let lines = ends.map(move |end| &bytes[std::mem::replace(&mut start, end + 1)..end]);
        let begins = |line: &[u8]| matches!(line.first(), None | Some(b'{' | b'\r'));
        let is_whole = |line| scan_document(line, self.max_depth).is_ok();
        let speaking = lines.clone().filter(|line| !line.trim_ascii().is_empty());
        let first = speaking.clone().next().and_then(|line| std::str::from_utf8(line).ok());
        (lines.clone().all(begins) && first.is_some_and(is_whole)).then_some(speaking)
    }

    /// The one value that a file of JSON holds, as far as its beginning shows it, completed where that stops.
    pub fn document(&self) -> Option<Raw<'_>> {
        let document = self.document.get_or_init(|| {
            // Lines that are values of their own are no document.
            let document = (!self.is_lines()).then(|| completed(self.valid)).flatten();
            document.filter(|text| scan_document(text, self.max_depth).is_ok())
        });
        document.as_deref().map(|text| Raw::known(text, false))
    }

    /// Whether two lines are entries of a log that begin with one of these phrases, as `text_of` reads their texts.
    pub fn is_log(&self, phrases: &[&str], text_of: fn(&str) -> Option<&str>) -> bool {
        let lines = self.bytes.split(|byte| *byte == b'\n').take(PROBES);
        let texts = lines.filter_map(|line| text_of(std::str::from_utf8(line).ok()?));
        let is_known = |text: &&str| phrases.iter().any(|phrase| text.starts_with(phrase));
        texts.filter(is_known).nth(1).is_some()
    }

    /// The same, and the data of the events that its lines are.
    pub fn records_and_events(&self) -> impl Iterator<Item = Raw<'_>> {
        let events = self.lines().iter().filter_map(|line| nested(event_data(line)?));
        self.any_records().into_iter().chain(events)
    }

    /// Whether a line that says something has what a pattern names.
    pub(super) fn has_line(&self, pattern: &str) -> bool {
        self.records().iter().any(|record| fits(*record, pattern))
    }

    /// Whether such an element stands in the array that the file is, or such a line among several.
    pub(super) fn has_entry(&self, pattern: &str) -> bool {
        let has = |array: Raw<'_>| array.any_element(|element| fits(element, pattern));
        if let Some(document) = self.document() {
            return has(document);
        }
        let undamaged = self.undamaged_array();
        let has = undamaged.and_then(|text| scan_document(&text, self.max_depth).map(has).ok());
        has.unwrap_or_else(|| self.has_line(pattern))
    }

    /// The array that the file is, up to what is damaged in it, closed.
    fn undamaged_array(&self) -> Option<String> {
        let text = self.valid.trim_start_matches('\u{feff}').trim_start();
        let array = text.starts_with('[').then_some(text)?;
        let damage = scan_document(array, self.max_depth).err()?;
        completed(array.get(..damage.at)?)
    }

    /// Whether there is such a record, or one in a list that a record is or has.
    pub fn has_record(&self, lists: &[&str], is_one: impl Fn(Raw<'_>) -> bool) -> bool {
        let records = self.any_records();
        records.into_iter().any(|record| records_in(record, lists).into_iter().any(&is_one))
    }

    /// The records of the file: its lines, the elements of its array, or its one value.
    pub fn any_records(&self) -> Vec<Raw<'_>> {
        match self.document() {
            Some(document) if document.kind() == Kind::Array => {
                let mut first = Vec::new();
                document.each_element(|element| {
                    if first.len() < LINES {
                        first.push(element);
                    }
                });
                first
            }
            Some(document) => vec![document],
            None => self.records().to_vec(),
        }
    }
}

/// The beginning of a JSON value up to its last complete element or member, closed.
fn completed(text: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut open: Vec<u8> = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    // Where the last element ended, and how deep that was.
    let mut safe = (1, 1);
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    return None;
                }
                if open.is_empty() {
                    return text[at + 1..].trim().is_empty().then(|| text[..=at].to_owned());
                }
                safe = (at + 1, open.len());
            }
            b',' => safe = (at, open.len()),
            _ => {}
        }
        // Before its first element, a list can be closed as an empty one.
        if matches!(byte, b'{' | b'[') {
            safe = (at + 1, open.len());
        }
    }
    let (end, depth) = safe;
    let mut closed = text[..end].to_owned();
    closed.extend(open.iter().take(depth).rev().map(|byte| char::from(*byte)));
    Some(closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_document_is_completed_and_lines_are_records() {
        crate::cases::check("tests/cases/heads.txt", |case| {
            let head = Head::of(case.text.as_bytes(), false, 64);
            let records = || format!("{} records", head.records().len());
            head.document().map_or_else(records, |document| document.text().to_owned())
        });
    }

    #[test]
    fn lines_about_earlier_sessions_do_not_count() {
        let spelled = [r#"{"type":"TYPE","uuid":"u"}"#, r#"{"uuid": "u", "type": "TYPE"}"#];
        let prefaces = PREFACES.iter().flat_map(|name| spelled.map(|it| it.replace("TYPE", name)));
        let mut lines: Vec<String> = prefaces.flat_map(|line| vec![line; LINES]).collect();
        lines.push(r#"{"a":1}"#.to_owned());
        let head = Head::of(lines.join("\n").as_bytes(), true, 64).lines().join("");
        assert_eq!(head, r#"{"a":1}"#);
        let all = lines.join("\n");
        assert!(!says_nothing(format!("{all}\n").as_bytes(), 64));
        assert!(says_nothing(all.as_bytes(), 64), "the last line may go on");
    }
}
