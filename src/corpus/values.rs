//! Cuts documents into blocks of the values that are their records.

use super::block::{UnitKind, UnitSpan};
use super::decode::Pace;
use super::reader::{BLOCK, OpenRecording};
use super::split::{Document, STEP, Splitter};
use super::{Block, Bounds, Unreadable, UnreadableReason};
use crate::recording::LinePosition;
use std::sync::Arc;

/// How many values of a document a block aims at: each costs more than its bytes.
const MOST_VALUES: usize = 1 << 14;

/// What stands beside the list that a document holds.
pub(super) struct OtherMembers {
    text: Vec<u8>,
    span: UnitSpan,
    is_read: bool,
}

/// The longest value that is read at once.
#[derive(Clone, Copy)]
pub(super) struct Longest {
    pub(super) bytes: usize,
    setting: &'static str,
}

impl Longest {
    pub(super) fn line(bounds: &Bounds) -> Self {
        Self { bytes: bounds.max_line, setting: "bounds.max_line" }
    }

    pub(super) fn document(bounds: &Bounds) -> Self {
        Self { bytes: bounds.max_document, setting: "bounds.max_document" }
    }

    pub(super) fn exceeded_by(self, length: u64) -> String {
        format!("{length} bytes; the bound is {} ({})", self.bytes, self.setting)
    }
}

impl std::fmt::Display for Longest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "longer than the bound of {} bytes ({})", self.bytes, self.setting)
    }
}

impl OpenRecording {
    pub(super) fn begin_document(&mut self, document: Document) {
        self.source.pace = Pace::Blocks;
        self.splitter = Some(Splitter::new(document));
        self.ahead = Arc::new(std::mem::take(&mut self.carry));
        self.source_has_ended = std::mem::take(&mut self.ended);
    }

    /// Reads a document on, up to a bound. Says whether that is all of it.
    pub(super) fn read_ahead(&mut self, most: usize) -> bool {
        let mut ahead = Arc::unwrap_or_clone(std::mem::take(&mut self.ahead));
        while !self.source_has_ended && ahead.len() <= most {
            self.fill(&mut ahead);
            self.source_has_ended = std::mem::take(&mut self.ended);
        }
        self.ahead = Arc::new(ahead);
        self.source_has_ended && self.ahead.len() <= most
    }

    /// Looks for what stands beside the list of a document, to read it first.
    pub(super) fn find_beside(&mut self, document: Document, bounds: &Bounds) {
        if !matches!(document, Document::List(_)) {
            return;
        }
        self.read_ahead(bounds.max_line);
        let mut splitter = Splitter::new(document);
        let mut units = Vec::new();
        let mut end = 0;
        while end < self.ahead.len() && self.beside.is_none() {
            let start = end;
            end = self.ahead.len().min(start + STEP);
            splitter.feed(&self.ahead[..end], start, self.place.byte, &mut units);
            let is_beside =
                |unit: &UnitSpan| matches!(unit.kind, UnitKind::Before | UnitKind::After);
            self.beside = units.drain(..).find(is_beside).map(|span| OtherMembers {
                text: self.ahead[span.start..span.end].to_owned(),
                span,
                is_read: false,
            });
        }
    }

    /// The block that holds what stands beside a document's list.
    fn take_beside(&mut self, block: &mut Block) -> bool {
        let Some(beside) = self.beside.as_mut().filter(|beside| !beside.is_read) else {
            return false;
        };
        beside.is_read = true;
        block.data = std::mem::take(&mut beside.text);
        let (start, end, kind) = (0, block.data.len(), UnitKind::Before);
        block.units = Some(vec![UnitSpan { start, end, kind, ..beside.span }]);
        true
    }

    /// Fills a block with whole values of a document.
    pub(super) fn cut_values(&mut self, block: &mut Block, longest: Longest) {
        if self.take_beside(block) {
            return;
        }
        let Some(mut splitter) = self.splitter.take() else { return };
        let mut data = std::mem::take(&mut block.data);
        data.append(&mut self.carry);
        let mut units = Vec::new();
        let mut seen = std::mem::take(&mut self.scanned);
        let mut overlong: Option<Unreadable> = None;
        // The recording ends inside an element that was too long.
        let mut torn = false;
        loop {
            let upto = data.len().min(seen + STEP);
            splitter.feed(&data[..upto], seen, self.place.byte, &mut units);
            seen = upto;
            if let Some(unreadable) = overlong.take() {
                if units.is_empty() && !self.ended {
                    overlong = Some(unreadable);
                } else {
                    torn = units.is_empty();
                    units.drain(..units.len().min(1));
                    block.unreadable.push(unreadable);
                }
            }
            if seen < data.len() {
                if units.len() < MOST_VALUES {
                    continue;
                }
                break;
            }
            if self.ended {
                if splitter.is_inside() && !torn {
                    let place = LinePosition {
                        line: splitter.pending_line(),
                        byte: self.place.byte + data.len() as u64,
                    };
                    let (reason, why) =
                        (UnreadableReason::CutShort, "the data ends inside the list");
                    block.unreadable.push(self.unreadable(place, reason, why, b""));
                }
                if !torn {
                    splitter.flush(data.len(), self.place.byte, &mut units);
                }
                break;
            }
            let pending = splitter.pending().map_or(0, |start| data.len() - start);
            if units.is_empty() && pending > longest.bytes && overlong.is_none() {
                let start = data.len() - pending;
                let place = LinePosition {
                    line: splitter.pending_line(),
                    byte: self.place.byte + start as u64,
                };
                let (reason, why) = (UnreadableReason::TooLong, longest.to_string());
                let unreadable = self.unreadable(place, reason, why, &data[start..]);
                if splitter.pass_beginning() {
                    block.unreadable.push(unreadable);
                    self.place.byte += data.len() as u64;
                    data.clear();
                    seen = 0;
                } else {
                    overlong = Some(unreadable);
                }
            }
            if overlong.is_some() {
                let start = splitter.pending().unwrap_or(0);
                self.place.byte += data.len() as u64;
                data.clear();
                seen = 0;
                splitter.shift(start);
            } else if !units.is_empty() && data.len() >= BLOCK {
                break;
            }
            self.fill(&mut data);
        }
        let keep = splitter.pending().unwrap_or(seen);
        if !self.ended || seen < data.len() {
            self.carry.extend_from_slice(&data[keep..]);
            self.scanned = seen - keep;
        }
        splitter.shift(keep);
        self.place.byte += keep as u64;
        data.truncate(keep);
        if let Some(beside) = &self.beside {
            units.retain(|unit| unit.place != beside.span.place);
        }
        self.splitter = Some(splitter);
        block.data = data;
        block.units = Some(units);
    }
}
