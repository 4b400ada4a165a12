//! Notes which record is at hand, so that a record which ends the process can be passed over when it is started again.

use crate::recording::LinePosition;
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// So many attempts have to end at a record before it is passed over: one may have ended for want of memory.
const ATTEMPTS: usize = 2;

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Stage {
        /// Reading the next piece of a file.
        Read = "read",
        Parse = "parse",
        Judge = "judge",
        /// Something that concerns no single record.
        Other = "other",
    }
}

/// So much of a journal is read.
const LONGEST: u64 = 1 << 26;

/// The file of notes: a line for each attempt that ended, and one that is written again and again.
#[derive(Debug)]
pub struct Journal {
    notes: Mutex<Notes>,
    /// What is passed over.
    lethal: HashSet<String>,
}

#[derive(Debug)]
struct Notes {
    file: File,
    /// Where the note of this attempt begins.
    start: u64,
    length: usize,
}

impl Journal {
    /// Takes up a journal, which is begun where there is none.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let mut text = String::new();
        (&mut file).take(LONGEST).read_to_string(&mut text)?;
        let starts = Stage::ALL.map(|stage| format!("{:5} 0", stage.name()));
        let is_note =
            |line: &str| starts.iter().any(|it| line.starts_with(it) || it.starts_with(line));
        if !text.lines().all(is_note) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "its lines are not those of a journal, so it is left unchanged",
            ));
        }
        // A line without its end was being written.
        let start = text.rfind('\n').map_or(0, |end| end + 1);
        let mut attempts: HashMap<&str, usize> = HashMap::new();
        let of_other = note(Stage::Other, "", LinePosition::default());
        for line in text[..start].split_inclusive('\n').filter(|line| **line != *of_other) {
            *attempts.entry(line).or_default() += 1;
        }
        let lethal = attempts.into_iter().filter(|(_, attempts)| *attempts >= ATTEMPTS);
        let lethal = lethal.map(|(line, _)| line.to_owned()).collect();
        let notes = Mutex::new(Notes { file, start: start as u64, length: usize::MAX });
        Ok(Self { notes, lethal })
    }

    /// Notes what is about to be done; `false` where that ended earlier attempts.
    pub fn may(&self, stage: Stage, file: &str, place: LinePosition) -> bool {
        let note = note(stage, file, place);
        if self.lethal.contains(&note) {
            return false;
        }
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        // A note that is not written costs a later attempt its knowledge, and this one nothing.
        let _ = notes.write(&note);
        true
    }

    /// Notes that no single record is at hand.
    pub fn rest(&self) {
        self.may(Stage::Other, "", LinePosition::default());
    }
}

impl Notes {
    fn write(&mut self, note: &str) -> io::Result<()> {
        if note.len() != self.length {
            self.file.set_len(self.start)?;
            self.length = note.len();
        }
        self.file.seek(SeekFrom::Start(self.start))?;
        self.file.write_all(note.as_bytes())
    }
}

/// Notes about one file are of equal length.
fn note(stage: Stage, file: &str, place: LinePosition) -> String {
    let file = serde_json::Value::from(file);
    format!("{:5} {:020} {:020} {file}\n", stage.name(), place.line, place.byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_two_attempts_is_passed_over_and_nothing_else_is() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("journal");
        let at = |line| LinePosition { line, byte: line * 100 };
        let attempt = |records: &[u64]| {
            let journal = Journal::open(&path).expect("a journal");
            let may = |line: &u64| journal.may(Stage::Parse, "a\nb.jsonl", at(*line));
            records.iter().filter(|line| may(line)).copied().collect::<Vec<_>>()
        };
        assert_eq!(attempt(&[1, 2, 3]), [1, 2, 3]);
        assert_eq!(attempt(&[1, 2, 3]), [1, 2, 3], "once may be chance");
        assert_eq!(attempt(&[1, 2, 3, 4]), [1, 2, 4], "the third line crashed two attempts");
        assert_eq!(attempt(&[1, 2, 3, 4, 5]), [1, 2, 4, 5]);
        let journal = Journal::open(&path).expect("a journal");
        assert!(journal.may(Stage::Judge, "a\nb.jsonl", at(3)), "it could be parsed");
        for _ in 0..3 {
            Journal::open(&path).expect("a journal").rest();
        }
        assert!(Journal::open(&path).expect("a journal").may(
            Stage::Other,
            "",
            LinePosition::default()
        ));
        for other in ["{\"a\":1}", "export B=2\n", "parse the line\n"] {
            std::fs::write(&path, other).expect("a file");
            assert!(Journal::open(&path).is_err(), "{other} is nobody's journal");
            assert_eq!(std::fs::read_to_string(&path).expect("a file"), other);
        }
        assert!(!cfg!(unix) || Journal::open(Path::new("/dev/zero")).is_err(), "it has no end");
    }
}
