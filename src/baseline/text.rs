//! The text of a baseline: digests and counts first, then a line for each exchange that is not
//! plainly fine, then the keys of those that are. It is a snapshot as `insta` keeps them.

use super::counts::Counts;
use super::model::{Baseline, Version, around, is_plainly_fine, verdict};
use super::seal::{Seal, sealed};
use super::spell::{Within, spell};
use super::verdict_text::{rest, write_count};
use crate::compare::{Entry, Header, RejectedFiles, Said, shortened};
use crate::tape::Key;
use std::fmt::Write as _;

/// Marks a text as a baseline of ours; the version of its grammar follows.
pub(super) const FORMAT: &str = "tapecheck-baseline/";
/// Before the path of the tapes.
pub(super) const COLLECTION: &str = "collection ";
/// Before the path of the rulebook's file.
pub(super) const RULEBOOK_FILE: &str = "rulebook file ";
/// What stands before the text in a file, for `insta`: it names who makes the snapshot.
pub(super) const PREAMBLE: &str = "---\nsource: tapecheck snapshot\n---\n";
/// Stands between an exchange and the request it answers.
pub(super) const ANSWERS: char = '<';

impl Baseline {
    /// The whole file.
    #[must_use]
    pub fn file_text(&self) -> String {
        PREAMBLE.to_owned() + &self.text()
    }

    /// The text that people read, without what stands before it for `insta`.
    #[must_use]
    pub fn text(&self) -> String {
        let digits = self.digits_needed();
        let mut text = self.header_text(digits);
        let fine: Vec<bool> = self.side.said.iter().map(is_plainly_fine).collect();
        let (fine, other): (Vec<usize>, Vec<usize>) = (0..self.side.entries.len())
            .partition(|at| fine.get(self.side.entries[*at].said as usize) == Some(&true));
        let _ = writeln!(text, "not plainly fine {}", other.len());
        self.write_lines(&other, digits, &mut text);
        let _ = writeln!(text, "plainly fine {}", fine.len());
        self.write_fine(fine, digits, &mut text);
        sealed(&text, &Seal::of_text(&text).digest())
    }

    /// Everything before the exchanges apart from the digest, which is the same in all forms of a
    /// baseline.
    pub(super) fn header_text(&self, digits: u8) -> String {
        let Header { corpus_digest, rulebook, checks, version, .. } = &self.side.header;
        let Header { rejects, rejected_files, overall_confidence, .. } = &self.side.header;
        let mut text = format!("{FORMAT}{}\n", Version::NEWEST.number());
        let _ = writeln!(text, "corpus {corpus_digest}");
        let path = |word: &str, path: &Option<String>, text: &mut String| {
            if let Some(path) = path {
                text.push_str(word);
                spell(path, Within::Id, text);
                text.push('\n');
            }
        };
        path(COLLECTION, &self.origin.collection, &mut text);
        text.push_str("rulebook ");
        spell(&rulebook.name, Within::Who, &mut text);
        let _ = writeln!(text, " {}", rulebook.digest);
        path(RULEBOOK_FILE, &self.origin.rulebook_file, &mut text);
        if let Some(checks) = checks {
            let _ = writeln!(text, "checks {checks}");
        }
        if let Some(version) = version {
            let _ = writeln!(text, "version {version}");
        }
        if let Some(rejects) = rejects {
            let _ = writeln!(text, "rejects {rejects}");
        }
        if let Some(RejectedFiles { damaged, unreadable, .. }) = rejected_files {
            let _ = writeln!(text, "damaged files {damaged}\nunreadable files {unreadable}");
        }
        if let Some(confidence) = overall_confidence {
            let _ = writeln!(text, "overall confidence {confidence}");
        }
        let _ = writeln!(text, "key digits {digits}");
        let _ = writeln!(text, "exchanges {}", self.side.entries.len());
        for (name, count) in self.counts().iter() {
            let _ = writeln!(text, "  {name} {count}");
        }
        text
    }

    /// The exchanges it lists, counted.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts::of(self.side.entries.iter().filter_map(|entry| self.said(entry)))
    }

    pub(super) fn said(&self, entry: &Entry) -> Option<&Said> {
        self.side.said.get(entry.said as usize)
    }

    fn write_lines(&self, places: &[usize], digits: u8, text: &mut String) {
        let around: Vec<[String; 2]> = self.side.said.iter().map(around).collect();
        let lines = places.chunk_by(|a, b| self.is_written_alike(*a, *b));
        for line in lines {
            let entry = self.side.entries[line[0]];
            let [before, after] = &around[entry.said as usize];
            text.push_str(before);
            self.write_who(&entry, text);
            if let Some(id) = self.id(line[0]) {
                text.push_str(" [");
                spell(id, Within::Id, text);
                text.push(']');
            }
            text.push(' ');
            write_keys(&entry, digits, text);
            write_count(line.len() as u64, text);
            text.push_str(after);
            text.push('\n');
        }
    }

    fn is_written_alike(&self, a: usize, b: usize) -> bool {
        let (one, other) = (self.side.entries[a], self.side.entries[b]);
        Entry { before: 0, ..one } == Entry { before: 0, ..other } && self.id(a) == self.id(b)
    }

    /// One line as it would stand in the text, for showing.
    #[must_use]
    pub fn line(&self, entry: usize) -> String {
        let mut line = String::new();
        self.write_lines(&[entry], self.side.key_digits.min(SHOWN_DIGITS), &mut line);
        line.truncate(line.trim_end().len());
        line
    }

    fn write_who(&self, entry: &Entry, text: &mut String) {
        spell(self.side.names.get(entry.server), Within::Who, text);
        text.push('/');
        spell(self.side.names.get(entry.tool), Within::Who, text);
    }

    /// Those that are plainly fine: for each tool and verdict a line, and their keys below it. Ids
    /// are left out.
    fn write_fine(&self, mut places: Vec<usize>, digits: u8, text: &mut String) {
        let entry = |at: &usize| self.side.entries[*at];
        let verdicts: Vec<String> = self.side.said.iter().map(verdict).collect();
        let order = |at: &usize| {
            let Entry { server, tool, said, key, request, .. } = entry(at);
            let names = &self.side.names;
            (names.get(server), names.get(tool), &verdicts[said as usize], key, request)
        };
        places.sort_by_cached_key(order);
        let alike = |a: &usize, b: &usize| {
            let (a, b) = (entry(a), entry(b));
            (a.server, a.tool, a.said) == (b.server, b.tool, b.said)
        };
        for group in places.chunk_by(alike) {
            let first = entry(&group[0]);
            let said = &self.side.said[first.said as usize];
            let [before, _] = around(said);
            text.push_str(&before);
            self.write_who(&first, text);
            text.push_str(&rest(said));
            text.push('\n');
            self.write_keys_of(group, digits, text);
        }
    }

    /// A few keys a line. Where lines break depends on the keys, so that one that is added changes
    /// one line.
    fn write_keys_of(&self, group: &[usize], digits: u8, text: &mut String) {
        let shared = (0..u8::MAX).find(|digits| 16_usize.pow((*digits).into()) * 4 >= group.len());
        let line = |at: &usize| shortened(self.side.entries[*at].key, shared.unwrap_or(0));
        for line in group.chunk_by(|a, b| line(a) == line(b)) {
            text.push(' ');
            for alike in line.chunk_by(|a, b| self.is_one_key(*a, *b)) {
                text.push(' ');
                write_keys(&self.side.entries[alike[0]], digits, text);
                write_count(alike.len() as u64, text);
            }
            text.push('\n');
        }
    }

    fn is_one_key(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.side.entries[a], self.side.entries[b]);
        (a.key, a.request) == (b.key, b.request)
    }
}

/// Digits of keys in lines that are only shown.
const SHOWN_DIGITS: u8 = 12;

fn write_keys(entry: &Entry, digits: u8, text: &mut String) {
    write_key(entry.key, digits, text);
    // A request that was never answered is its own exchange; so are those of the first version,
    // which told no requests.
    if entry.request != entry.key {
        text.push(ANSWERS);
        write_key(entry.request, digits, text);
    }
}

fn write_key(key: Key, digits: u8, text: &mut String) {
    let hex = key.to_string();
    text.push_str(hex.get(..usize::from(digits)).unwrap_or(&hex));
}
