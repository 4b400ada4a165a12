//! What was read of a stretch of the corpus, besides its exchanges.

use crate::corpus::{FileKind, FileNote, Reject, RejectReason};
use crate::format::FORMATS;
use crate::tally::wire::{read_many, read_number, read_text, write_number, write_text};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// So many rejects wait at most to be written.
const MOST_REJECTS: usize = 1 << 12;

/// What is kept of the beginning of a run tells of no more than so many rejects, files and kinds of traffic.
const MOST_TOLD: usize = 900;
/// And of so many tapes.
const MOST_TAPES: usize = 1 << 18;

/// The account of a stretch: its lines, files and rejects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) lines: u64,
    /// The formats of the tapes that begin here.
    pub(super) tapes: Vec<usize>,
    pub(super) traffic: BTreeMap<Cow<'static, str>, u64>,
    pub(super) notes: Vec<FileNote>,
    pub(super) rejects: Vec<Reject>,
}

impl Account {
    /// Adds the account of what follows.
    pub(super) fn add(&mut self, mut later: Self) {
        self.lines += later.lines;
        self.tapes.append(&mut later.tapes);
        for (name, count) in later.traffic {
            *self.traffic.entry(name).or_default() += count;
        }
        self.notes.append(&mut later.notes);
        self.rejects.append(&mut later.rejects);
    }

    /// Whether it is little enough to be kept of a whole run.
    pub(super) fn is_short(&self) -> bool {
        let told = self.rejects.len() + self.notes.len() + self.traffic.len();
        // A defect may be one of the moment, so what it left is not kept.
        let is_whole = self.rejects.iter().all(|lost| lost.reason != RejectReason::Panicked);
        is_whole && told < MOST_TOLD && self.tapes.len() < MOST_TAPES
    }

    /// Whether it is time to close it, whatever the rows say.
    pub(super) fn is_long(&self) -> bool {
        self.rejects.len() + self.notes.len() >= MOST_REJECTS
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        write_number(self.lines, out);
        write_number(self.tapes.len() as u64, out);
        self.tapes.iter().for_each(|format| write_number(*format as u64, out));
        write_number(self.traffic.len() as u64, out);
        for (name, count) in &self.traffic {
            write_text(name, out);
            write_number(*count, out);
        }
        write_number(self.notes.len() as u64, out);
        for FileNote { file, kind, detail } in &self.notes {
            write_text(file, out);
            write_number(*kind as u64, out);
            write_text(detail, out);
        }
        write_number(self.rejects.len() as u64, out);
        for Reject { file, line, byte, reason, detail, head } in &self.rejects {
            write_text(file, out);
            write_number(*line, out);
            write_number(*byte, out);
            write_number(*reason as u64, out);
            write_text(detail, out);
            write_text(head, out);
        }
    }

    pub(super) fn read(bytes: &mut &[u8]) -> Option<Self> {
        let text = |bytes: &mut &[u8]| read_text(bytes).map(str::to_owned);
        let lines = read_number(bytes)?;
        let tapes = read_many(bytes, |bytes| {
            usize::try_from(read_number(bytes)?).ok().filter(|format| *format < FORMATS.len())
        })?;
        let traffic =
            read_many(bytes, |bytes| Some((Cow::Owned(text(bytes)?), read_number(bytes)?)))?;
        let notes = read_many(bytes, |bytes| {
            let file = text(bytes)?;
            let kind = *FileKind::ALL.get(usize::try_from(read_number(bytes)?).ok()?)?;
            Some(FileNote { file, kind, detail: text(bytes)? })
        })?;
        let rejects = read_many(bytes, |bytes| {
            let (file, line, byte) = (text(bytes)?, read_number(bytes)?, read_number(bytes)?);
            let reason = *RejectReason::ALL.get(usize::try_from(read_number(bytes)?).ok()?)?;
            Some(Reject { file, line, byte, reason, detail: text(bytes)?, head: text(bytes)? })
        })?;
        Some(Self { lines, tapes, traffic: traffic.into_iter().collect(), notes, rejects })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_back_and_nothing_else() {
        let account = Account {
            lines: 300,
            tapes: vec![0, 2],
            traffic: [("ping".into(), 3), (Cow::Owned("\0é".to_owned()), 4)].into(),
            notes: vec![FileNote {
                file: "a/notes.txt".to_owned(),
                kind: FileKind::Unknown,
                detail: "no JSON".to_owned(),
            }],
            rejects: vec![Reject {
                file: "a/b.jsonl".to_owned(),
                line: 7,
                byte: 900,
                reason: RejectReason::CutShort,
                detail: String::new(),
                head: "{\"id\":".to_owned(),
            }],
        };
        let mut bytes = Vec::new();
        account.write(&mut bytes);
        assert_eq!(Account::read(&mut bytes.as_slice()), Some(account));
        for end in 0..bytes.len() {
            assert_eq!(Account::read(&mut &bytes[..end]), None, "cut to {end} bytes");
        }
    }
}
