//! Gives the converter of a program the values of a file, whether they are lines, events or one document.

use super::texts::nested;
use super::wire::{Why, Wire};
use super::{FileFacts, Program, Units};
use crate::json::{Raw, scan_document};
use crate::recording::LinePosition;
use memchr::memmem::Finder;

/// Turns the values of one file into wire lines.
pub(super) trait Convert: Send {
    /// Takes a line of a log, or one that is a value.
    fn line(&mut self, text: &str, wire: &mut Wire) {
        if let Some(value) = wire.read(text) {
            self.value(value, wire);
        }
    }

    /// Takes a line, an element of a list, or the document that the file is.
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        wire.each(value, &[], |record, wire| self.record(record, wire));
    }

    /// Takes one of several, at its place.
    fn record(&mut self, _record: Raw<'_>, _wire: &mut Wire) {}

    /// Sees an element of a list that it will be given later.
    fn look_ahead(&mut self, _element: Raw<'_>) {}

    /// Takes what stands beside the list.
    fn beside(&mut self, _value: Raw<'_>) {}

    /// Takes a file that is no text.
    fn archive(&mut self, _bytes: &[u8], _wire: &mut Wire) {}

    fn end(&mut self, _wire: &mut Wire) {}
}

/// Converts values one by one.
pub(super) struct Values(pub(super) fn(Raw<'_>, &mut Wire));

impl Convert for Values {
    fn value(&mut self, value: Raw<'_>, wire: &mut Wire) {
        self.0(value, wire);
    }
}

/// Reads a file of a program. Where it is JSON, its first line tells whether lines are values, or parts of one.
pub struct Reader {
    converter: Box<dyn Convert>,
    words: Vec<Finder<'static>>,
    open_words: Vec<Finder<'static>>,
    layout: Layout,
    /// The lines of a document, each at its place, with spaces for what was left out around them.
    document: String,
    /// Whether lines are missing in it, so that it would be another document.
    is_damaged: bool,
    max_document: usize,
    first: LinePosition,
    last: LinePosition,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Unknown,
    Lines,
    Document,
    /// Events of a stream, each with a record as its data.
    Events,
}

impl Reader {
    pub fn new(program: &Program, file: &FileFacts<'_>) -> Self {
        let finders =
            |words: &'static [&'static str]| words.iter().map(|word| Finder::new(*word)).collect();
        Self {
            converter: (program.converter)(file),
            words: finders(program.words),
            open_words: finders(program.open_words),
            layout: if program.units == Units::Json { Layout::Unknown } else { Layout::Lines },
            document: String::new(),
            is_damaged: false,
            max_document: file.max_document,
            first: LinePosition::default(),
            last: LinePosition::default(),
        }
    }

    /// Whether a line may matter.
    pub fn wants(&self, line: &[u8], wire: &Wire) -> bool {
        let has = |words: &[Finder<'_>]| words.iter().any(|word| word.find(line).is_some());
        self.words.is_empty() || has(&self.words) || (wire.has_open() && has(&self.open_words))
    }

    /// Whether lines are parts of a document.
    pub fn is_document(&self) -> bool {
        self.layout == Layout::Document
    }

    pub fn line(&mut self, text: &str, wire: &mut Wire) {
        if self.layout == Layout::Unknown {
            self.layout = match event_data(text) {
                Some(_) => Layout::Events,
                None if nested(text).is_some() => Layout::Lines,
                None => Layout::Document,
            };
        }
        match self.layout {
            Layout::Unknown | Layout::Lines => {
                wire.once(|wire| self.converter.line(text, wire));
            }
            Layout::Events => wire.once(|wire| {
                if let Some(value) = nested(event_data(text).unwrap_or(text)) {
                    self.converter.value(value, wire);
                }
            }),
            Layout::Document if self.has_room(text, wire.place()) => {
                self.push(text, wire.place());
            }
            Layout::Document if self.is_damaged => {}
            Layout::Document => {
                self.is_damaged = true;
                let most = self.max_document;
                let detail = format!("longer than the bound of {most} bytes (bounds.max_document)");
                wire.unreadable(Why::TooLong, detail, text);
            }
        }
    }

    /// Leaves out a line that is no text: nothing is read of the document that it is a part of.
    pub fn leave_out_line(&mut self) {
        self.is_damaged |= self.is_document();
    }

    /// Shows an element that is handed out later, unless it will be unreadable then.
    pub fn look_ahead(&mut self, element: &str, max_depth: usize) {
        if let Ok(element) = scan_document(element, max_depth) {
            self.converter.look_ahead(element);
        }
    }

    pub fn beside(&mut self, text: &str) {
        if let Some(value) = nested(text) {
            self.converter.beside(value);
        }
    }

    pub fn archive(&mut self, bytes: &[u8], wire: &mut Wire) {
        self.converter.archive(bytes, wire);
    }

    pub fn end(&mut self, wire: &mut Wire) {
        let document = std::mem::take(&mut self.document);
        if !document.is_empty() {
            wire.at(self.first);
            // A damaged first line among others that are whole.
            let is_whole = |line: &str| line.len() > 1 && nested(line).is_some();
            let mut begun = document.lines().filter(|line| line.starts_with('{'));
            if nested(&document).is_none() && begun.any(is_whole) {
                let lines = document.lines();
                lines.for_each(|line| wire.once(|wire| self.converter.line(line, wire)));
            } else if !self.is_damaged {
                wire.once(|wire| self.converter.line(&document, wire));
            }
        }
        self.converter.end(wire);
    }

    fn has_room(&self, text: &str, place: LinePosition) -> bool {
        let first = if self.document.is_empty() { place } else { self.first };
        let ends = [self.document.len() as u64, place.byte.saturating_sub(first.byte)];
        ends.iter().all(|end| end + text.len() as u64 <= self.max_document as u64)
    }

    fn push(&mut self, text: &str, place: LinePosition) {
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
}

/// The data of a line of an event stream; empty, where the line says something else of an event.
pub(super) fn event_data(line: &str) -> Option<&str> {
    if let Some(data) = line.strip_prefix("data:") {
        return Some(data.trim());
    }
    ["event:", "id:", "retry:", ":"].iter().any(|field| line.starts_with(field)).then_some("")
}
