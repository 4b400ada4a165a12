//! Files of JSON records, whether they are lines, events or one document.

use super::texts::{Places, nested, read};
use super::{Convert, Why, Wire};
use crate::json::{Kind, Raw};
use crate::recording::Place;

/// So many bytes of a document are kept until it is whole.
const MOST_KEPT: usize = 256 << 20;

/// Turns the records of one file into wire lines.
pub(super) trait Records: Send {
    /// Takes a line, or the document that the file is.
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        let mut places = Places::of(value, wire);
        for record in records_in(value, &[]) {
            wire.at(places.of_part(record));
            self.record(record, wire);
        }
    }

    /// Takes one of several, at its place.
    fn record(&mut self, _record: Raw<'_>, wire: &mut Wire) {
        wire.other("(no MCP call)", 1);
    }

    fn end(&mut self, _wire: &mut Wire) {}
}

/// Reads a file of JSON. Its first line tells whether lines are values, or parts of one.
pub(super) struct JsonFile<R> {
    records: R,
    max_depth: usize,
    layout: Layout,
    /// The lines of a document, each at its place, with spaces for what was left out around them.
    document: String,
    first: Place,
    last: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Unknown,
    Lines,
    Document,
    /// Events of a stream, each with a record as its data.
    Events,
}

impl<R> JsonFile<R> {
    pub(super) fn new(records: R, max_depth: usize) -> Self {
        Self {
            records,
            max_depth,
            layout: Layout::Unknown,
            document: String::new(),
            first: Place::default(),
            last: Place::default(),
        }
    }
}

impl<R: Records> JsonFile<R> {
    fn line(&mut self, text: &str, wire: &mut Wire) {
        if let Some(value) = read(text, self.max_depth, wire) {
            self.records.value(value, wire);
        }
    }
}

impl<R: Records> Convert for JsonFile<R> {
    fn unit(&mut self, text: &str, wire: &mut Wire) {
        if self.layout == Layout::Unknown {
            let is_value = nested(text, self.max_depth).is_some();
            self.layout = match event_data(text) {
                Some(_) => Layout::Events,
                None if is_value => Layout::Lines,
                None => Layout::Document,
            };
        }
        match self.layout {
            Layout::Unknown | Layout::Lines => self.line(text, wire),
            Layout::Events => match nested(event_data(text).unwrap_or(text), self.max_depth) {
                Some(value) => self.records.value(value, wire),
                None => wire.other("(no MCP call)", 1),
            },
            Layout::Document if self.has_room(text, wire.place()) => {
                self.push(text, wire.place());
            }
            Layout::Document => {
                let detail = format!(
                    "the document is longer than {MOST_KEPT} bytes; write one record a line"
                );
                wire.unreadable(Why::Unrecognised, detail, text);
            }
        }
    }

    fn end(&mut self, wire: &mut Wire) {
        self.document(wire);
        self.records.end(wire);
    }
}

impl<R: Records> JsonFile<R> {
    fn has_room(&self, text: &str, place: Place) -> bool {
        let first = if self.document.is_empty() { place } else { self.first };
        let ends = [self.document.len() as u64, place.byte.saturating_sub(first.byte)];
        ends.iter().all(|end| end + (text.len() as u64) < MOST_KEPT as u64)
    }

    fn push(&mut self, text: &str, place: Place) {
        if self.document.is_empty() {
            self.first = place;
        } else {
            let lines = place.line.saturating_sub(self.last.line).max(1);
            let start = place.byte.saturating_sub(self.first.byte);
            let end = usize::try_from(start.saturating_sub(lines)).unwrap_or(usize::MAX);
            let gap = end.saturating_sub(self.document.len());
            self.document.extend(std::iter::repeat_n(' ', gap));
            self.document.extend((0..lines).map(|_| '\n'));
        }
        self.last = place;
        self.document.push_str(text);
    }

    /// Reads the document that the lines were.
    fn document(&mut self, wire: &mut Wire) {
        let document = std::mem::take(&mut self.document);
        if document.is_empty() {
            return;
        }
        wire.at(self.first);
        if nested(&document, self.max_depth).is_some() {
            self.line(&document, wire);
            return;
        }
        // A damaged first line among others that are whole.
        let is_whole = |line: &&str| line.len() > 1 && nested(line, self.max_depth).is_some();
        if document.lines().filter(|line| line.starts_with('{')).any(|line| is_whole(&line)) {
            document.lines().for_each(|line| self.line(line, wire));
        } else {
            self.line(&document, wire);
        }
    }
}

/// The data of a line of an event stream; empty, where the line says something else of an event.
pub(super) fn event_data(line: &str) -> Option<&str> {
    if let Some(data) = line.strip_prefix("data:") {
        return Some(data.trim());
    }
    ["event:", "id:", "retry:", ":"].iter().any(|field| line.starts_with(field)).then_some("")
}

/// The records in a value: the elements of an array, those of a list that a member holds, or the value itself.
pub(super) fn records_in<'a>(value: Raw<'a>, lists: &[&str]) -> Vec<Raw<'a>> {
    if value.kind() == Kind::Array {
        return value.elements().unwrap_or_default();
    }
    let list = lists.iter().find_map(|name| value.member(name)?.elements());
    list.unwrap_or_else(|| vec![value])
}
