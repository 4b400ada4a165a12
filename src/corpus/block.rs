//! The blocks that a corpus is handed out in, and the recordings they are of.

use super::sidecar::{Scenarios, ToolsByName};
use super::{Assembler, FileNote, Journal, Recall, Stage, Unreadable, UnreadableReason};
use crate::program::{Broken, Program, Tally, Unit, Why, Written};
use crate::recording::{EnvelopePaths, LinePosition, Tool};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

#[derive(Debug, Default)]
pub struct Recording {
    /// Its name in tables: the path below the corpus's root.
    pub name: String,
    /// The format that its first record has, by its place in the table.
    pub format: usize,
    /// Whether its records stand behind what a logger wrote before them.
    pub prefixed: bool,
    /// The program whose file it is, and by what that is certain.
    pub program: Option<Recognised>,
    /// Whether it was read before, and only calls follow whose answers no other file held.
    pub is_rest: bool,
    pub journal: Option<Arc<Journal>>,
    pub context: RecordingContext,
    pub(super) turn: Mutex<Turn>,
    pub(super) ready: Condvar,
}

/// The program that wrote a recording.
#[derive(Clone, Copy, Debug)]
pub struct Recognised {
    pub program: &'static Program,
    pub evidence: &'static str,
}

/// What the files beside a recording say.
#[derive(Debug, Default)]
pub struct RecordingContext {
    /// The recording's name without folders and extension.
    pub stem: String,
    pub(super) scenarios: Scenarios,
    pub(super) tools: Arc<ToolsByName>,
    pub(super) recall: Option<Arc<dyn Recall>>,
    /// The paths of HTTP requests that carry envelopes; without them, those to any path do.
    pub(super) envelope_paths: Option<EnvelopePaths>,
}

#[derive(Debug, Default)]
pub(super) struct Turn {
    next: u64,
    assembler: Assembler,
}

impl Recording {
    /// The same recording, read again for what was left of it.
    pub(super) fn rest(&self) -> Arc<Self> {
        let context = RecordingContext {
            stem: self.context.stem.clone(),
            tools: Arc::clone(&self.context.tools),
            ..RecordingContext::default()
        };
        let name = self.name.clone();
        Arc::new(Self {
            name,
            format: self.format,
            program: self.program,
            is_rest: true,
            journal: self.journal.clone(),
            context,
            ..Self::default()
        })
    }

    /// Notes what is about to be done with a record; `false` where that ended earlier attempts.
    pub fn may(&self, stage: Stage, place: LinePosition) -> bool {
        self.journal.as_ref().is_none_or(|journal| journal.may(stage, &self.name, place))
    }

    /// Runs `work` on the recording's assembler when all earlier blocks had their turn.
    pub fn in_turn<T>(&self, block: u64, work: impl FnOnce(&mut Assembler) -> T) -> T {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        while turn.next != block {
            turn = self.ready.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        // A defect in one block must not keep the blocks after it waiting.
        let result = catch_unwind(AssertUnwindSafe(|| work(&mut turn.assembler)));
        turn.next += 1;
        drop(turn);
        self.ready.notify_all();
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// A piece of a recording that holds whole records, or news about a file.
#[derive(Debug)]
pub struct Block {
    /// The block's place in the corpus.
    pub number: u64,
    /// The recording, unless the block only carries news.
    pub recording: Option<Arc<Recording>>,
    /// The block's place in its recording.
    pub index: u64,
    /// Whether the recording ends here.
    pub last: bool,
    /// Whether rows may be written down up to here: the pieces in which a pipe is read change no file.
    pub may_end_row_group: bool,
    pub unreadable: Vec<Unreadable>,
    pub notes: Vec<FileNote>,
    /// The tools of a file that is a tool list.
    pub tools: Vec<Arc<Tool>>,
    /// Records of a program's file that hold no call, by name.
    pub passed: BTreeMap<&'static str, u64>,
    /// What was found in a program's file, where it ends.
    pub tally: Option<Tally>,
    pub(super) data: Vec<u8>,
    /// Where it begins in its recording.
    pub(super) first: LinePosition,
    pub(super) units: Option<Vec<UnitSpan>>,
}

/// Where one record stands in a block and in its recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitSpan {
    /// First byte in the block.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    pub place: LinePosition,
    pub kind: UnitKind,
}

/// What a unit is to its document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnitKind {
    #[default]
    Record,
    /// An element of the list that a document holds.
    Element,
    /// What stands beside that list, and before it or read before it.
    Before,
    /// The same behind the list.
    After,
}

impl Block {
    pub(super) fn news(number: u64) -> Self {
        Self {
            number,
            recording: None,
            index: 0,
            last: true,
            may_end_row_group: true,
            unreadable: Vec::new(),
            notes: Vec::new(),
            tools: Vec::new(),
            passed: BTreeMap::new(),
            tally: None,
            data: Vec::new(),
            first: LinePosition::default(),
            units: None,
        }
    }

    pub(super) fn take_written(&mut self, written: Written) {
        let file = self.recording.as_ref().map_or("", |recording| &recording.name);
        let unreadable = written.broken.into_iter().map(|Broken { place, why, detail, head }| {
            let reason = match why {
                Why::NotUtf8 => UnreadableReason::NotUtf8,
                Why::NotJson => UnreadableReason::NotJson,
                Why::CutShort => UnreadableReason::CutShort,
                Why::TooDeep => UnreadableReason::TooDeep,
                Why::TooLong => UnreadableReason::TooLong,
                Why::Unrecognised => UnreadableReason::Unrecognised,
            };
            Unreadable::at(file, place, reason, detail, head.as_bytes())
        });
        self.unreadable.extend(unreadable);
        self.passed = written.passed;
        self.data = written.text.into_bytes();
        let kind = UnitKind::Record;
        let span = |Unit { start, end, place }| UnitSpan { start, end, place, kind };
        self.units = Some(written.units.into_iter().map(span).collect());
    }

    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    pub fn for_each_unit<'a>(&'a self, mut each: impl FnMut(&'a [u8], UnitSpan)) {
        if let Some(units) = &self.units {
            for unit in units {
                each(&self.data[unit.start..unit.end], *unit);
            }
            return;
        }
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', &self.data);
        let tail = (!self.data.ends_with(b"\n")).then_some(self.data.len());
        for (line, end) in (self.first.line..).zip(ends.chain(tail)) {
            if end > start || end < self.data.len() {
                let place = LinePosition { line, byte: self.first.byte + start as u64 };
                let kind = UnitKind::Record;
                each(&self.data[start..end], UnitSpan { start, end, place, kind });
            }
            start = end + 1;
        }
    }
}
