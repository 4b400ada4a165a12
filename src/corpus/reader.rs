//! Hands out a corpus in numbered blocks, so that any number of threads can work on it while its
//! order is never lost.

use super::block::{Block, Recording, RecordingContext};
use super::convert::Target;
use super::decode::{Broken, Decoded, Pace};
use super::detect::{Beginning, Detected, Extent, Layout, detect, of_program};
use super::file_names::STDIN;
use super::part::{Part, Share};
use super::sidecar::{TooLong, ToolsByName, scenarios_of, tools_beside, tools_in};
use super::split::Splitter;
use super::values::{Longest, OtherMembers};
use super::walk::{FileFound, Walk};
use super::{
    Bounds, CorpusError, FileKind, FileNote, HEAD_CHARS, Input, Journal, Recall, Recognised, Stage,
    Unreadable, UnreadableReason,
};
use crate::program::{FileFacts, Reader, Tally, Unanswered, Wire, by_id};
use crate::recording::{EnvelopePaths, LinePosition, Tool};
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// How many bytes a block aims at.
pub(super) const BLOCK: usize = 1 << 20;

/// Reads a corpus block by block.
pub struct CorpusReader {
    walk: Walk,
    bounds: Bounds,
    pace: Pace,
    open: Option<OpenRecording>,
    number: u64,
    taken: Arc<AtomicU64>,
    inputs: Vec<Input>,
    spare: Vec<Vec<u8>>,
    folder_tools: Option<(PathBuf, Arc<ToolsByName>)>,
    too_long: TooLong,
    /// Files that are no recordings.
    pub(crate) passed_by: HashSet<PathBuf>,
    /// Completes calls by earlier ones.
    pub(crate) recall: Option<Arc<dyn Recall>>,
    /// The only paths at which an HTTP request is taken for an envelope.
    pub(crate) envelope_paths: Option<EnvelopePaths>,
    wire: Wire,
    unfinished: VecDeque<Unfinished>,
    /// What is read, where that is not all.
    share: Option<Share>,
    /// How many files were met.
    met: u64,
    /// Where the file and the record at hand are noted.
    pub(crate) journal: Option<Arc<Journal>>,
}

pub(super) struct OpenRecording {
    pub(super) recording: Arc<Recording>,
    pub(super) source: Decoded,
    pub(super) layout: Layout,
    pub(super) source_has_ended: bool,
    /// The beginning of a document, as far as it was read to see what it is, and how much of it was taken.
    pub(super) ahead: Arc<Vec<u8>>,
    taken: usize,
    /// What stands beside a document's list, to be read before it.
    pub(super) beside: Option<OtherMembers>,
    /// Bytes that were read and belong to the next block.
    pub(super) carry: Vec<u8>,
    /// How many of them the splitter has seen.
    pub(super) scanned: usize,
    /// Where what comes next begins.
    pub(super) place: LinePosition,
    index: u64,
    pub(super) ended: bool,
    broken: Option<Broken>,
    pub(super) splitter: Option<Splitter>,
    pub(super) converter: Option<Reader>,
}

/// A recording whose last calls may be answered in another file.
struct Unfinished {
    recording: Arc<Recording>,
    calls: Vec<Unanswered>,
}

impl CorpusReader {
    /// Prepares to read these inputs.
    pub fn new(inputs: &[Input], bounds: Bounds) -> Result<Self, CorpusError> {
        Ok(Self {
            walk: Walk::new(inputs, &bounds)?,
            bounds,
            pace: Pace::default(),
            open: None,
            number: 0,
            taken: Arc::new(AtomicU64::new(0)),
            inputs: inputs.to_vec(),
            spare: Vec::new(),
            folder_tools: None,
            too_long: TooLong::default(),
            passed_by: HashSet::new(),
            recall: None,
            envelope_paths: None,
            wire: Wire::default(),
            unfinished: VecDeque::new(),
            share: None,
            met: 0,
            journal: None,
        })
    }

    /// The same reader, which reads one of several parts of the corpus.
    pub fn only(self, part: Part) -> Result<Self, CorpusError> {
        let share = Share::of(&self.inputs, &self.bounds, part)?;
        Ok(Self { share: Some(share), ..self })
    }

    /// What is read, where that is not all.
    pub fn share(&self) -> Option<&Share> {
        self.share.as_ref()
    }

    /// The same reader, which hands out the lines of a pipe as they come.
    pub fn live(self) -> Self {
        Self { pace: Pace::Pieces, ..self }
    }

    /// The bytes taken from the disk so far, for whoever shows progress.
    pub fn progress(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.taken)
    }

    /// The bytes there are on the disk, as far as can be known. It takes a walk of its own to find out.
    pub fn total_bytes(&self) -> u64 {
        let whole = || Walk::total_bytes(&self.inputs, &self.bounds);
        self.share.as_ref().map_or_else(whole, |share| share.bytes)
    }

    /// Takes back a block's memory.
    pub fn recycle(&mut self, block: Block) {
        if self.spare.len() < 16 && block.data.capacity() <= 4 * BLOCK {
            self.spare.push(block.data);
        }
    }

    /// The next block, in the corpus's order.
    pub fn next_block(&mut self) -> Option<Block> {
        loop {
            if let Some(mut open) = self.open.take() {
                self.may_read(&open.recording.name);
                let block = self.next_of_recording(&mut open);
                if !block.last {
                    self.open = Some(open);
                }
                return Some(block);
            }
            // The last part tells of calls that no file answers.
            let end = self.share.as_ref().and_then(|share| share.end);
            if end.is_some_and(|end| self.met >= end) {
                return None;
            }
            let Some(found) = self.walk.next() else { return self.next_unfinished() };
            self.met += 1;
            if self.share.as_ref().is_some_and(|share| self.met <= share.start) {
                self.pass_over(found);
                continue;
            }
            if let Some(block) = self.enter(found) {
                return Some(block);
            }
        }
    }

    /// Passes over a file that another part reads. A call that two files of a program hold counts in the first, so that such
    /// files are converted here too.
    fn pass_over(&mut self, found: FileFound) {
        let _ = self.enter(found);
        if let Some(mut open) = self.open.take_if(|open| open.converter.is_some()) {
            loop {
                let block = self.next_of_recording(&mut open);
                let is_last = block.last;
                self.recycle(block);
                if is_last {
                    break;
                }
            }
        }
        self.open = None;
        self.too_long.unreadable.clear();
        self.number = 0;
    }

    /// The calls of files that ended before their answers, which no other file held.
    fn next_unfinished(&mut self) -> Option<Block> {
        loop {
            let Unfinished { recording, calls } = self.unfinished.pop_front()?;
            for call in &calls {
                self.wire.give_up(call);
            }
            if !self.wire.is_empty() {
                let mut block = self.numbered();
                block.recording = Some(recording);
                block.take_written(self.wire.take());
                return Some(block);
            }
        }
    }

    fn numbered(&mut self) -> Block {
        self.number += 1;
        Block::news(self.number - 1)
    }

    /// Opens a file, unless there is no more than a word to say of it.
    fn enter(&mut self, found: FileFound) -> Option<Block> {
        let news = match found {
            FileFound::Unreadable(unreadable) => Some(News::Unreadable(unreadable)),
            FileFound::Note(note) => Some(News::Note(note)),
            FileFound::File { name, path } if self.passed_by.contains(&path) => {
                let kind = FileKind::Setting;
                Some(News::Note(FileNote { file: name, kind, detail: kind.name().to_owned() }))
            }
            FileFound::File { name, path } => self.open(&name, Some(&path)),
            FileFound::Stdin => self.open(STDIN, None),
        };
        let news = news?;
        let mut block = self.numbered();
        match news {
            News::Note(note) => block.notes.push(note),
            News::Tools(note, tools) => {
                block.notes.push(note);
                block.tools = tools;
            }
            News::Unreadable(unreadable) => block.unreadable.push(unreadable),
        }
        Some(block)
    }

    fn open(&mut self, name: &str, path: Option<&Path>) -> Option<News> {
        if !self.may_read(name) {
            let reason = UnreadableReason::Panicked;
            return Some(News::Unreadable(Unreadable::of_file(name, reason, Unreadable::ENDED)));
        }
        let opened = match path {
            Some(path) => Decoded::open(path, self.bounds.max_ratio, &self.taken, self.pace),
            None => Decoded::stdin(self.bounds.max_ratio, &self.taken, self.pace),
        };
        match opened {
            Ok(source) => self.begin(source, name, path),
            Err(Broken { reason, detail }) => {
                Some(News::Unreadable(Unreadable::of_file(name, reason, detail)))
            }
        }
    }

    /// Reads a file's beginning and opens it as a recording if it is one.
    fn begin(&mut self, mut source: Decoded, name: &str, path: Option<&Path>) -> Option<News> {
        let spare = self.spare.pop().unwrap_or_default();
        let Beginning { head, place, extent, broken } =
            Beginning::of(&mut source, spare, &self.bounds);
        let ended = extent == Extent::Whole;
        let read_as = self.bounds.read_as.and_then(by_id);
        let detected = match read_as {
            Some(program) => of_program(Recognised { program, evidence: "named by read_as" }),
            None => detect(&head, extent, self.bounds.max_depth, name),
        };
        match (detected, broken) {
            (Detected::Recording { layout, format, prefixed }, broken) => {
                let mut context = path.map_or_else(
                    || RecordingContext { stem: "stdin".to_owned(), ..RecordingContext::default() },
                    |path| self.context(path, name),
                );
                context.recall.clone_from(&self.recall);
                context.envelope_paths.clone_from(&self.envelope_paths);
                let program = match layout {
                    Layout::Program(recognised) => Some(recognised),
                    Layout::Lines | Layout::Document(_) => None,
                };
                let converter = program.map(|Recognised { program, .. }| {
                    self.wire.begin(program, self.bounds.max_depth);
                    let facts = FileFacts {
                        name: name.rsplit('/').next().unwrap_or(name),
                        stem: &context.stem,
                        folder: path.map(|path| path.parent().unwrap_or(Path::new(""))),
                        is_named: read_as.is_some(),
                        max_document: self.bounds.max_document,
                    };
                    Reader::new(program, &facts)
                });
                let recording = Recording {
                    name: name.to_owned(),
                    format,
                    prefixed,
                    program,
                    journal: self.journal.clone(),
                    context,
                    ..Recording::default()
                };
                let mut open = OpenRecording {
                    carry: head,
                    place,
                    ended,
                    broken,
                    converter,
                    ..OpenRecording::new(Arc::new(recording), source, layout)
                };
                if let Layout::Document(document) = layout {
                    open.begin_document(document);
                    open.find_beside(document, &self.bounds);
                }
                self.open = Some(open);
                None
            }
            (Detected::Other(..), Some(broken)) => {
                Some(News::Unreadable(Unreadable::of_file(name, broken.reason, broken.detail)))
            }
            (Detected::Other(kind, detail), None) => {
                let note = FileNote { file: name.to_owned(), kind, detail };
                Some(if kind == FileKind::ToolList {
                    News::Tools(note, tools_in(&head, self.bounds.max_depth))
                } else {
                    News::Note(note)
                })
            }
        }
    }

    fn may_read(&self, name: &str) -> bool {
        let may = |journal: &Arc<Journal>| journal.may(Stage::Read, name, LinePosition::default());
        self.journal.as_ref().is_none_or(may)
    }

    fn context(&mut self, path: &Path, name: &str) -> RecordingContext {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let tools = match &self.folder_tools {
            Some((known, tools)) if *known == folder => Arc::clone(tools),
            _ => {
                let (tools, too_long) = tools_beside(path, self.bounds.max_depth);
                self.too_long.note(too_long, path, name);
                let tools = Arc::new(tools);
                self.folder_tools = Some((folder, Arc::clone(&tools)));
                tools
            }
        };
        let last = name.rsplit_once('/').map_or(name, |(_, last)| last);
        let last = last.strip_suffix(".gz").or_else(|| last.strip_suffix(".zst")).unwrap_or(last);
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem).to_owned();
        let (scenarios, too_long) = scenarios_of(path, self.bounds.max_depth);
        self.too_long.note(too_long, path, name);
        RecordingContext { stem, scenarios, tools, ..RecordingContext::default() }
    }

    fn next_of_recording(&mut self, open: &mut OpenRecording) -> Block {
        let mut block = self.numbered();
        block.recording = Some(Arc::clone(&open.recording));
        block.index = open.index;
        block.unreadable.append(&mut self.too_long.unreadable);
        if let (Layout::Lines, 0) = (open.layout, open.index) {
            // What was read to see what the file is.
            block.data = std::mem::take(&mut open.carry);
        } else {
            block.data = self.spare.pop().unwrap_or_default();
            block.data.clear();
        }
        open.index += 1;
        match open.layout {
            Layout::Lines => open.cut_lines(&mut block, &self.bounds),
            Layout::Document(_) => open.cut_values(&mut block, Longest::line(&self.bounds)),
            Layout::Program(Recognised { program, .. }) => {
                let (bounds, wire) = (&self.bounds, &mut self.wire);
                open.convert(program.units, &mut Target { block: &mut block, bounds, wire });
                if open.has_ended() {
                    let calls = self.wire.end();
                    // One that is too long is unreadable when its turn comes.
                    let short = calls.iter().filter(|it| it.line.len() <= self.bounds.max_line);
                    block.tally =
                        Some(Tally { waiting: short.count() as u64, ..self.wire.tally() });
                    if !calls.is_empty() {
                        self.unfinished
                            .push_back(Unfinished { recording: open.recording.rest(), calls });
                    }
                }
                block.take_written(self.wire.take());
            }
        }
        block.last = open.has_ended();
        block.may_end_row_group |= block.last;
        if block.last
            && let Some(broken) = open.broken.take()
        {
            block.unreadable.push(Unreadable::of_file(
                &open.recording.name,
                broken.reason,
                broken.detail,
            ));
        }
        block
    }
}

enum News {
    Note(FileNote),
    Tools(FileNote, Vec<Arc<Tool>>),
    Unreadable(Unreadable),
}

impl OpenRecording {
    pub(super) fn new(recording: Arc<Recording>, source: Decoded, layout: Layout) -> Self {
        Self {
            recording,
            source,
            layout,
            source_has_ended: false,
            ahead: Arc::default(),
            taken: 0,
            beside: None,
            carry: Vec::new(),
            scanned: 0,
            place: LinePosition { line: 1, byte: 0 },
            index: 0,
            ended: false,
            broken: None,
            splitter: None,
            converter: None,
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended && self.carry.is_empty()
    }

    pub(super) fn unreadable(
        &self,
        place: LinePosition,
        reason: UnreadableReason,
        detail: impl Into<String>,
        text: &[u8],
    ) -> Unreadable {
        Unreadable::at(&self.recording.name, place, reason, detail, text)
    }

    pub(super) fn fill(&mut self, buffer: &mut Vec<u8>) {
        let ahead = &self.ahead[self.taken..];
        if !ahead.is_empty() {
            let taken = ahead.len().min(BLOCK);
            buffer.extend_from_slice(&ahead[..taken]);
            self.taken += taken;
            return;
        }
        self.ahead = Arc::default();
        self.taken = 0;
        if self.source_has_ended {
            self.ended = true;
            return;
        }
        match self.source.fill(buffer, BLOCK) {
            Ok(0) => self.ended = true,
            Ok(_) => {}
            Err(broken) => {
                self.broken = Some(broken);
                self.ended = true;
            }
        }
    }

    /// Fills a block with whole lines.
    fn cut_lines(&mut self, block: &mut Block, bounds: &Bounds) {
        let mut data = std::mem::take(&mut block.data);
        data.append(&mut self.carry);
        if !self.ended {
            data.reserve((2 * BLOCK).saturating_sub(data.len()));
        }
        block.first = self.place;
        loop {
            let wants_more = match self.source.pace {
                Pace::Blocks => data.len() < BLOCK,
                Pace::Pieces => memchr::memchr(b'\n', &data).is_none(),
            };
            if wants_more && !self.ended {
                self.fill(&mut data);
            }
            let cut = match self.source.pace {
                Pace::Blocks => memchr::memrchr(b'\n', &data),
                Pace::Pieces => self.cut_of_pieces(&data, block),
            };
            if let Some(end) = cut {
                self.carry.extend_from_slice(&data[end + 1..]);
                data.truncate(end + 1);
                break;
            }
            if self.ended {
                break;
            }
            if data.len() > bounds.max_line {
                self.skip_line(&mut data, block, Longest::line(bounds));
            } else if data.len() >= BLOCK && self.source.pace == Pace::Blocks {
                self.fill(&mut data);
            }
        }
        let is_rest = match self.source.pace {
            Pace::Blocks => self.carry.len() <= BLOCK,
            Pace::Pieces => memchr::memchr(b'\n', &self.carry).is_none(),
        };
        if self.ended && is_rest {
            data.append(&mut self.carry);
        }
        if self.broken.is_some() && self.carry.is_empty() {
            self.note_torn_line(&mut data, block);
        }
        self.place.line += memchr::memchr_iter(b'\n', &data).count() as u64;
        self.place.byte += data.len() as u64;
        block.data = data;
    }

    /// Where whole lines end that came in pieces. Row groups end with the line that reaches a multiple of
    /// [`BLOCK`], however the pieces came.
    fn cut_of_pieces(&self, data: &[u8], block: &mut Block) -> Option<usize> {
        #[expect(clippy::cast_possible_truncation, reason = "less than a block")]
        let last = BLOCK - 1 - (self.place.byte % BLOCK as u64) as usize;
        let reaches = data.get(last..).and_then(|rest| memchr::memchr(b'\n', rest));
        block.may_end_row_group = reaches.is_some();
        reaches.map(|at| last + at).or_else(|| memchr::memrchr(b'\n', data))
    }

    /// The damage of the source tore the last line apart: what is left of it cannot be judged.
    fn note_torn_line(&self, data: &mut Vec<u8>, block: &mut Block) {
        let start = memchr::memrchr(b'\n', data).map_or(0, |end| end + 1);
        if start == data.len() {
            return;
        }
        let lines_before = memchr::memchr_iter(b'\n', data).count() as u64;
        let place = LinePosition {
            line: self.place.line + lines_before,
            byte: self.place.byte + start as u64,
        };
        let (reason, why) = (UnreadableReason::CutShort, "the data ends inside this line");
        block.unreadable.push(self.unreadable(place, reason, why, &data[start..]));
        data.truncate(start);
    }

    /// Passes over the rest of a line that is too long to keep; `data` keeps what follows it.
    pub(super) fn skip_line(&mut self, data: &mut Vec<u8>, block: &mut Block, longest: Longest) {
        let head = data[..data.len().min(4 * HEAD_CHARS + 4)].to_vec();
        let mut length = 0;
        let end = loop {
            if let Some(end) = memchr::memchr(b'\n', data) {
                break Some(end);
            }
            length += data.len() as u64;
            data.clear();
            if self.ended {
                break None;
            }
            self.fill(data);
        };
        let rest = end.map_or(0, |end| end + 1);
        length += end.unwrap_or(0) as u64;
        let (reason, why) = (UnreadableReason::TooLong, longest.exceeded_by(length));
        block.unreadable.push(self.unreadable(self.place, reason, why, &head));
        data.drain(..rest);
        self.place.line += 1;
        self.place.byte += length + u64::from(end.is_some());
        block.first = self.place;
    }
}

impl FileKind {
    /// Whether the summary should warn about files of this kind.
    pub fn is_suspicious(self) -> bool {
        matches!(self, Self::Unknown | Self::Expectations | Self::Empty | Self::Skipped)
    }
}
