//! Gives the converter of a program what it reads at a time.

use super::block::UnitKind;
use super::decode::{Decoded, Pace};
use super::reader::{BLOCK, OpenRecording};
use super::split::Document;
use super::values::Longest;
use super::{Block, Bounds, Unreadable, UnreadableReason};
use crate::json::ListPath;
use crate::program::{Reader, Units, Wire};
use crate::recording::LinePosition;
use std::sync::Arc;

/// So many bytes are read for a block at most, however little becomes of them.
const READ: usize = 8 << 20;

/// The longest line of a file of a program: the first may be the document that the file is, others a part of that.
fn longest(line: u64, converter: &Reader, bounds: &Bounds) -> Longest {
    let is_document = line == 1 || converter.is_document();
    if is_document { Longest::document(bounds) } else { Longest::line(bounds) }
}

/// Where the converted file is written to.
pub(super) struct Target<'a> {
    pub(super) block: &'a mut Block,
    pub(super) bounds: &'a Bounds,
    pub(super) wire: &'a mut Wire,
}

impl OpenRecording {
    /// Fills `wire` with what the next part of the file becomes.
    pub(super) fn convert(&mut self, units: Units, to: &mut Target<'_>) {
        let Some(mut converter) = self.converter.take() else { return };
        match units {
            Units::Records if self.is_array(to.block) => {
                self.convert_elements(&mut converter, to);
            }
            Units::Lines | Units::Json | Units::Records => {
                self.convert_lines(&mut converter, to);
            }
            Units::Elements(list) => {
                if self.splitter.is_none() {
                    self.look_ahead(list, &mut converter, to);
                }
                self.convert_elements(&mut converter, to);
            }
            Units::Archive => self.convert_archive(&mut converter, to),
        }
        if self.has_ended() {
            converter.end(to.wire);
        }
        self.converter = Some(converter);
    }

    /// Whether the file is one array: its first byte that is no space tells.
    fn is_array(&mut self, first: &Block) -> bool {
        if first.index == 0 && self.carry.trim_ascii_start().starts_with(b"[") {
            self.begin_document(Document::Array);
        }
        self.splitter.is_some()
    }

    fn convert_lines(&mut self, converter: &mut Reader, to: &mut Target<'_>) {
        let Target { block, bounds, wire } = to;
        let mut data = std::mem::take(&mut self.carry);
        let mut read = 0;
        loop {
            let whole = if self.ended {
                data.len()
            } else {
                memchr::memrchr(b'\n', &data).map_or(0, |end| end + 1)
            };
            for line in data[..whole].split_inclusive(|byte| *byte == b'\n') {
                let place = self.place;
                wire.at(place);
                self.place.line += 1;
                self.place.byte += line.len() as u64;
                let content = line.trim_ascii();
                let longest = longest(place.line, converter, bounds);
                if content.is_empty() {
                    wire.other("(blank line)", 1);
                } else if content.len() > longest.bytes {
                    let why = longest.exceeded_by(content.len() as u64);
                    let reason = UnreadableReason::TooLong;
                    block.unreadable.push(self.unreadable(place, reason, why, content));
                } else if !converter.wants(content, wire) {
                    wire.other("(no MCP call)", 1);
                } else if let Ok(text) = std::str::from_utf8(content) {
                    converter.line(text.trim_start_matches('\u{feff}'), wire);
                } else {
                    converter.leave_out_line();
                    let reason = UnreadableReason::NotUtf8;
                    block.unreadable.push(self.unreadable(place, reason, "", content));
                }
            }
            data.drain(..whole);
            read += whole;
            let is_piece = self.source.pace == Pace::Pieces && read > 0;
            if (self.ended && data.is_empty()) || wire.len() >= BLOCK || read >= READ || is_piece {
                break;
            }
            let longest = longest(self.place.line, converter, bounds);
            if data.len() > longest.bytes {
                self.skip_line(&mut data, block, longest);
            } else {
                self.fill(&mut data);
            }
        }
        self.carry = data;
    }

    /// Shows all elements of a list to a converter. A file is read for that once more; anything else is kept, within
    /// the bound of documents.
    fn look_ahead(&mut self, list: &'static ListPath, converter: &mut Reader, to: &mut Target<'_>) {
        let Target { block, bounds, .. } = to;
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
                    converter.look_ahead(text, bounds.max_depth);
                }
            });
        }
    }

    fn convert_elements(&mut self, converter: &mut Reader, to: &mut Target<'_>) {
        let Target { block, bounds, wire } = to;
        let mut read = 0;
        while !self.has_ended() && wire.len() < BLOCK && read < READ {
            let mut cut = Block::news(0);
            self.cut_values(&mut cut, Longest::document(bounds));
            read += cut.bytes().len();
            block.unreadable.append(&mut cut.unreadable);
            cut.for_each_unit(|bytes, unit| {
                wire.at(unit.place);
                let Ok(text) = std::str::from_utf8(bytes) else {
                    let reason = UnreadableReason::NotUtf8;
                    block.unreadable.push(self.unreadable(unit.place, reason, "", bytes));
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
        let (reason, why) = (UnreadableReason::TooLong, Longest::document(bounds).to_string());
        self.unreadable(LinePosition { line: 1, byte: 0 }, reason, why, text)
    }

    fn convert_archive(&mut self, converter: &mut Reader, to: &mut Target<'_>) {
        let Target { block, bounds, wire } = to;
        let mut data = std::mem::take(&mut self.carry);
        while !self.ended && data.len() <= bounds.max_document {
            self.fill(&mut data);
        }
        wire.at(LinePosition { line: 1, byte: 0 });
        if data.len() > bounds.max_document {
            block.unreadable.push(self.longer_than_documents(bounds, &data));
        } else {
            converter.archive(&data, wire);
        }
        self.ended = true;
    }
}
