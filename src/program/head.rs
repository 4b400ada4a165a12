//! What is seen of a file before it is decided what it is.

use crate::json::{Kind, Raw, scan_document};
use aho_corasick::packed;
use std::cell::OnceCell;
use std::sync::LazyLock;

/// So many lines that say something are looked at.
const LINES: usize = 32;

/// A file of fewer bytes is short.
const SHORT: usize = 1 << 15;

/// So many lines of a log are looked at, which may begin with what a server printed.
const PROBES: usize = 5_000;

/// The `type` of lines that programs write in front of a session, one for each earlier one, and that say nothing of it.
const PREFACES: [&str; 9] = [
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

/// Whether a line names one of those, wherever in it.
fn may_be_preface(line: &[u8]) -> bool {
    static NAMES: LazyLock<Option<packed::Searcher>> =
        LazyLock::new(|| packed::Searcher::new(PREFACES.map(|name| format!("\"{name}\""))));
    NAMES.as_ref().is_none_or(|names| names.find(line).is_some())
}

/// The beginning of a file, as text and as JSON.
#[derive(Debug)]
pub struct Head<'a> {
    /// The bytes themselves.
    pub bytes: &'a [u8],
    /// As far as they are text, and the complete lines of that.
    valid: &'a str,
    complete: &'a str,
    max_depth: usize,
    lines: OnceCell<(Vec<&'a str>, Vec<Raw<'a>>)>,
    document: OnceCell<Option<String>>,
}

/// Whether a line is one that programs write in front of a session.
fn is_preface(record: &Raw<'_>) -> bool {
    let kind = record.member("type").and_then(Raw::as_str);
    kind.is_some_and(|kind| PREFACES.iter().any(|name| kind.is(name)))
}

/// Whether the complete lines of a beginning say nothing of the session.
pub fn says_nothing(bytes: &[u8], max_depth: usize) -> bool {
    let complete = memchr::memrchr(b'\n', bytes).map_or(&[][..], |end| &bytes[..end]);
    let mut lines =
        complete.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.all(|line| {
        let record =
            std::str::from_utf8(line).ok().and_then(|it| scan_document(it, max_depth).ok());
        record.as_ref().is_some_and(is_preface)
    })
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
        read.filter(|(_, record)| !record.as_ref().is_some_and(is_preface)).take(LINES)
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

    /// Where a program's sign has to stand: in one of the first lines, if all lines seem to be objects, or anywhere.
    /// To tell the lines of a short file apart costs more than it saves.
    pub fn telling(&self) -> &'a [u8] {
        if self.bytes.len() < SHORT {
            return self.bytes;
        }
        let begins = |at| matches!(self.bytes.get(at), None | Some(b'{' | b'\n' | b'\r'));
        let ends = memchr::memchr_iter(b'\n', self.bytes);
        if !begins(0) || !ends.clone().all(|end| begins(end + 1)) || !self.is_lines() {
            return self.bytes;
        }
        let mut start = 0;
        let speaks = |end: &usize| {
            let line = &self.bytes[std::mem::replace(&mut start, end + 1)..*end];
            !line.trim_ascii().is_empty() && !may_be_preface(line)
        };
        let last = ends.filter(speaks).nth(LINES - 1);
        &self.bytes[..last.unwrap_or(self.bytes.len())]
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
    fn the_beginning_of_a_document_is_completed() {
        for (beginning, expected) in [
            (r#"{"log":{"entries":[{"a":1},{"b":"#, r#"{"log":{"entries":[{"a":1},{}]}}"#),
            (r#"[{"id":1,"x":[1,2"#, r#"[{"id":1,"x":[1]}]"#),
            (r#"{"a":"tr\"u,"#, "{}"),
            (r#"[{"a":1}] "#, r#"[{"a":1}]"#),
        ] {
            assert_eq!(completed(beginning).as_deref(), Some(expected), "{beginning}");
        }
        assert_eq!(completed("{}{}"), None, "two values are no document");
        assert_eq!(completed("[info] started"), None, "a log is no list");
        assert_eq!(completed("text"), None);
    }

    #[test]
    fn lines_are_records_and_a_document_is_one() {
        let lines = Head::of(b"{\"a\":1}\n{\"b\":2}\n{\"c\":", false, 64);
        assert_eq!((lines.records().len(), lines.document().is_none()), (2, true));
        let pretty = Head::of(b"{\n \"a\": [\n  1,\n  2", false, 64);
        assert_eq!(pretty.document().map(Raw::text), Some("{\n \"a\": [\n  1]}"));
        let elements = Head::of(b"{\n \"a\": [\n  1\n ],\n \"b\": [\n  2\n ]\n}", true, 64);
        assert!(elements.document().is_some(), "elements that stand alone on their lines are none");
    }

    #[test]
    fn signs_are_looked_for_among_the_first_lines_where_all_are_objects() {
        let told = |lines: &[&str]| {
            let text = lines.join("\n");
            Head::of(text.as_bytes(), true, 64).telling().len() == text.len()
        };
        let object = format!(r#"{{"a":"{}"}}"#, "a".repeat(SHORT / LINES));
        let objects = [&*object; LINES + 1];
        assert!(!told(&objects) && told(&objects[..LINES]));
        let prefaces = [r#"{"type":"mode"}"#; LINES];
        assert!(told(&[&objects[1..], &prefaces, &objects[..1]].concat()[1..]));
        for other in ["", "2026-03-01 [info] {", "[1]", "  {}"] {
            let lines = [&objects[..], &[other, "{}"]].concat();
            assert_eq!(told(&lines), !other.is_empty(), "`{other}`");
        }
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
