//! Gives the converter of a program what it reads at a time.

use super::decode::Pace;
use super::reader::{BLOCK, OpenRecording};
use super::unreadable::head_of;
use super::{Block, Bounds, Unreadable, UnreadableReason};
use crate::program::{Units, Wire};
use crate::recording::Place;

/// So many bytes are read for a block at most, however little becomes of them.
const READ: usize = 8 << 20;

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
            Units::Lines => {
                self.convert_lines(&mut *converter, block, bounds, wire);
            }
            Units::Document | Units::Archive => {
                self.convert_document(units, &mut *converter, block, bounds, wire);
            }
        }
        if self.ended && self.carry.is_empty() {
            converter.end(wire);
        }
        self.converter = Some(converter);
    }

    fn convert_lines(
        &mut self,
        converter: &mut dyn crate::program::Convert,
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
                if content.is_empty() {
                    wire.other("(blank line)", 1);
                } else if content.len() > bounds.max_line {
                    block.unreadable.push(self.overlong(content, bounds));
                } else if !converter.wants(content, wire) {
                    wire.other("(no MCP call)", 1);
                } else if let Ok(text) = std::str::from_utf8(content) {
                    converter.unit(text.trim_start_matches('\u{feff}'), wire);
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
            if data.len() > bounds.max_line {
                self.skip_line(&mut data, block, bounds);
            } else {
                self.fill(&mut data);
            }
        }
        self.carry = data;
    }

    fn overlong(&self, content: &[u8], bounds: &Bounds) -> Unreadable {
        Unreadable {
            file: self.recording.name.clone(),
            line: self.line - 1,
            byte: self.byte - content.len() as u64,
            reason: UnreadableReason::TooLong,
            detail: format!(
                "{} bytes; the bound is {} (bounds.max_line)",
                content.len(),
                bounds.max_line
            ),
            head: head_of(content),
        }
    }

    fn convert_document(
        &mut self,
        units: Units,
        converter: &mut dyn crate::program::Convert,
        block: &mut Block,
        bounds: &Bounds,
        wire: &mut Wire,
    ) {
        let mut data = std::mem::take(&mut self.carry);
        while !self.ended && data.len() <= bounds.max_document {
            self.fill(&mut data);
        }
        let mut refuse = |reason, detail: String| {
            block.unreadable.push(Unreadable {
                file: self.recording.name.clone(),
                line: 1,
                byte: 0,
                reason,
                detail,
                head: head_of(&data),
            });
        };
        wire.at(Place { line: 1, byte: 0 });
        if data.len() > bounds.max_document {
            let bound = bounds.max_document;
            refuse(
                UnreadableReason::TooLong,
                format!("longer than the bound of {bound} bytes (bounds.max_document)"),
            );
        } else if units == Units::Archive {
            converter.archive(&data, wire);
        } else {
            match std::str::from_utf8(&data) {
                Ok(text) => converter.unit(text, wire),
                Err(_) => refuse(UnreadableReason::NotUtf8, String::new()),
            }
        }
        self.ended = true;
    }
}
