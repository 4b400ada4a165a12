//! Gives the converter of a program what it reads at a time.

use super::block::UnitKind;
use super::decode::{Decoded, Pace};
use super::reader::{BLOCK, OpenRecording};
use super::split::Document;
use super::unreadable::head_of;
use super::values::Longest;
use super::{Block, Bounds, Unreadable, UnreadableReason};
use crate::json::ListPath;
use crate::program::{Units, Wire};
use crate::recording::Place;
use std::sync::Arc;

/// So many bytes are read for a block at most, however little becomes of them.
const READ: usize = 8 << 20;

/// The longest line of a file of a program: the first may be the document that the file is.
fn longest(line: u64, bounds: &Bounds) -> Longest {
    if line == 1 { Longest::document(bounds) } else { Longest::line(bounds) }
}

impl OpenRecording {
    /// Fills `wire` with what the next part of the file becomes.
    pub(super) fn convert(
        &mut self,
        units: Units,
        block: &mut Block,
        bounds: &Bounds,
        wire: &mut Wire,
    ) {
        let Some(mut converter) = self.converter.take() else { return };
        match units {
            Units::Lines | Units::Json => {
                self.convert_lines(&mut converter, block, bounds, wire);
            }
            Units::Elements(list) => {
                if self.splitter.is_none() {
                    self.look_ahead(list, &mut converter, block, bounds);
                }
                self.convert_elements(&mut converter, block, bounds, wire);
            }
            Units::Archive => self.convert_archive(&mut converter, block, bounds, wire),
        }
        if self.has_ended() {
            converter.end(wire);
        }
        self.converter = Some(converter);
    }

    fn convert_lines(
        &mut self,
        converter: &mut crate::program::Reader,
        block: &mut Block,
        bounds: &Bounds,
        wire: &mut Wire,
    ) {
        let mut data = std::mem::take(&mut self.carry);
        let mut read = 0;
        loop {
            let whole = if self.ended {
                data.len()
            } else {
                memchr::memrchr(b'\n', &data).map_or(0, |end| end + 1)
            };
            for line in data[..whole].split_inclusive(|byte| *byte == b'\n') {
                wire.at(Place { line: self.line, byte: self.byte });
                self.line += 1;
                self.byte += line.len() as u64;
                let content = line.trim_ascii();
                let longest = longest(self.line - 1, bounds);
                if content.is_empty() {
                    wire.other("(blank line)", 1);
                } else if content.len() > longest.bytes {
                    block.unreadable.push(self.overlong(content, longest));
                } else if !converter.wants(content, wire) {
                    wire.other("(no MCP call)", 1);
                } else if let Ok(text) = std::str::from_utf8(content) {
                    converter.line(text.trim_start_matches('\u{feff}'), wire);
                } else {
                    block.unreadable.push(Unreadable {
                        file: self.recording.name.clone(),
                        line: self.line - 1,
                        byte: self.byte - line.len() as u64,
                        reason: UnreadableReason::NotUtf8,
                        detail: String::new(),
                        head: head_of(content),
                    });
                }
            }
            data.drain(..whole);
            read += whole;
            let is_piece = self.source.pace == Pace::Pieces && read > 0;
            if (self.ended && data.is_empty()) || wire.len() >= BLOCK || read >= READ || is_piece {
                break;
            }
            let longest = longest(self.line, bounds);
            if data.len() > longest.bytes {
                self.skip_line(&mut data, block, longest);
            } else {
                self.fill(&mut data);
            }
        }
        self.carry = data;
    }

    fn overlong(&self, content: &[u8], longest: Longest) -> Unreadable {
        Unreadable {
            file: self.recording.name.clone(),
            line: self.line - 1,
            byte: self.byte - content.len() as u64,
            reason: UnreadableReason::TooLong,
            detail: longest.exceeded_by(content.len() as u64),
            head: head_of(content),
        }
    }

    /// Shows all elements of a list to a converter. A file is read for that once more; anything else is kept, within
    /// the bound of documents.
    fn look_ahead(
        &mut self,
        list: &'static ListPath,
        converter: &mut crate::program::Reader,
        block: &mut Block,
        bounds: &Bounds,
    ) {
        let document = if list.members.is_empty() { Document::Array } else { Document::List(list) };
        self.begin_document(document);
        let again = if self.source_has_ended { None } else { self.source.again() };
        let is_again = again.is_some();
        let is_whole = is_again || self.source_has_ended || self.read_ahead(bounds.max_document);
        if !is_whole {
            block.unreadable.push(self.longer_than_documents(bounds, &self.ahead));
            self.ended = true;
            return;
        }
        let mut first = Self::new(
            Arc::clone(&self.recording),
            again.unwrap_or_else(Decoded::nothing),
            self.layout,
        );
        first.begin_document(document);
        if !is_again {
            first.ahead = Arc::clone(&self.ahead);
        }
        while !first.has_ended() {
            let mut cut = Block::news(0);
            first.cut_values(&mut cut, Longest::document(bounds));
            cut.for_each_unit(|bytes, unit| {
                let is_element = matches!(unit.kind, UnitKind::Record | UnitKind::Element);
                if let Some(text) = std::str::from_utf8(bytes).ok().filter(|_| is_element) {
                    converter.look_ahead(text);
                }
            });
        }
    }

    fn convert_elements(
        &mut self,
        converter: &mut crate::program::Reader,
        block: &mut Block,
        bounds: &Bounds,
        wire: &mut Wire,
    ) {
        let mut read = 0;
        while !self.has_ended() && wire.len() < BLOCK && read < READ {
            let mut cut = Block::news(0);
            self.cut_values(&mut cut, Longest::document(bounds));
            read += cut.bytes().len();
            block.unreadable.append(&mut cut.unreadable);
            cut.for_each_unit(|bytes, unit| {
                wire.at(Place { line: unit.line, byte: unit.byte });
                let Ok(text) = std::str::from_utf8(bytes) else {
                    block.unreadable.push(Unreadable {
                        file: self.recording.name.clone(),
                        line: unit.line,
                        byte: unit.byte,
                        reason: UnreadableReason::NotUtf8,
                        detail: String::new(),
                        head: head_of(bytes),
                    });
                    return;
                };
                match unit.kind {
                    UnitKind::Before | UnitKind::After => converter.beside(text),
                    UnitKind::Record | UnitKind::Element => converter.line(text, wire),
                }
            });
        }
    }

    fn longer_than_documents(&self, bounds: &Bounds, text: &[u8]) -> Unreadable {
        Unreadable {
            file: self.recording.name.clone(),
            line: 1,
            byte: 0,
            reason: UnreadableReason::TooLong,
            detail: Longest::document(bounds).to_string(),
            head: head_of(text),
        }
    }

    fn convert_archive(
        &mut self,
        converter: &mut crate::program::Reader,
        block: &mut Block,
        bounds: &Bounds,
        wire: &mut Wire,
    ) {
        let mut data = std::mem::take(&mut self.carry);
        while !self.ended && data.len() <= bounds.max_document {
            self.fill(&mut data);
        }
        wire.at(Place { line: 1, byte: 0 });
        if data.len() > bounds.max_document {
            block.unreadable.push(self.longer_than_documents(bounds, &data));
        } else {
            converter.archive(&data, wire);
        }
        self.ended = true;
    }
}
