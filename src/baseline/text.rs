//! The text of a baseline: digests and counts first, then a line for each exchange that is not
//! plainly fine, then the keys of those that are. It is a snapshot as `insta` keeps them.

use super::counts::Counts;
use super::model::{Baseline, around, is_plainly_fine, verdict};
use super::seal::{DIGEST, Seal};
use super::spell::{Within, spell};
use super::verdict_text::{rest, write_count};
use super::wrap::wrapped;
use crate::compare::{Entry, Header, UnreadableFiles, shortened};
use crate::recording::Key;
use crate::store::NamedVerdict;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

/// Marks a text as a baseline of ours; the number of its grammar follows.
pub(super) const FORMAT: &str = "tapecheck-baseline/";
pub const GRAMMAR: &str = "4";
/// Before the path of the recordings.
pub(super) const COLLECTION: &str = "collection ";
/// Before the path of the rulebook's file.
pub(super) const RULEBOOK_FILE: &str = "rulebook file ";
/// Before the number of exchanges that are listed one by one; it ends the header.
pub(super) const NOT_FINE: &str = "not plainly fine ";
/// Before the number of the others, of which only the keys are listed.
pub(super) const FINE: &str = "plainly fine ";
/// What stands before the text in a file, for `insta`: it names who makes the snapshot.
pub(super) const PREAMBLE: &str = "---\nsource: tapecheck snapshot\n---\n";
/// Begins the lines that hold keys and nothing else.
pub(super) const KEYS: &str = "  ";
/// Stands between an exchange and the request it answers.
pub(super) const ANSWERS: char = '<';

impl Baseline {
    /// The text that people read, without what stands before it for `insta`.
    pub fn text(&self) -> String {
        let mut text = Vec::new();
        // Memory takes whatever is written.
        let _ = self.write_text(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Writes the whole file.
    pub(super) fn write_file(&self, out: &mut impl io::Write) -> io::Result<()> {
        out.write_all(PREAMBLE.as_bytes())?;
        self.write_text(out)
    }

    /// Writes the text line by line: once for the digest, which stands at its head, and once to `out`.
    fn write_text(&self, out: &mut impl io::Write) -> io::Result<()> {
        let digits = self.digits_needed();
        let mut seal = Seal::default();
        self.each_line(digits, &mut |line| {
            seal.line(line);
            Ok(())
        })?;
        let mut digest = Some(seal.digest());
        let mut is_header = true;
        self.each_line(digits, &mut |line| {
            is_header &= !line.starts_with(NOT_FINE);
            let is_whole = is_header || line.starts_with(KEYS);
            let line = if is_whole { Cow::Borrowed(line) } else { wrapped(line) };
            writeln!(out, "{line}")?;
            digest.take().map_or(Ok(()), |digest| writeln!(out, "{DIGEST}{digest}"))
        })
    }

    /// Every line but that of the digest.
    fn each_line(&self, digits: u8, take: Take<'_>) -> io::Result<()> {
        let fine: Vec<bool> = self.side.verdicts.iter().map(is_plainly_fine).collect();
        let (fine, other): (Vec<usize>, Vec<usize>) = (0..self.side.entries.len())
            .partition(|at| fine.get(self.side.entries[*at].verdict as usize) == Some(&true));
        self.header_text(digits).lines().try_for_each(&mut *take)?;
        take(&format!("{NOT_FINE}{}", other.len()))?;
        self.each_line_of(&other, digits, take)?;
        take(&format!("{FINE}{}", fine.len()))?;
        self.each_line_of_fine(fine, digits, take)
    }

    /// Everything before the exchanges apart from the digest.
    fn header_text(&self, digits: u8) -> String {
        let Header { corpus_digest, rulebook, checks, version, .. } = &self.side.header;
        let Header { unreadable, unreadable_files, overall_confidence, .. } = &self.side.header;
        let mut text = format!("{FORMAT}{GRAMMAR}\n");
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
        if let Some(unreadable) = unreadable {
            let _ = writeln!(text, "unreadable lines {unreadable}");
        }
        if let Some(UnreadableFiles { damaged, read_errors, .. }) = unreadable_files {
            let _ = writeln!(text, "damaged files {damaged}\nunreadable files {read_errors}");
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
    pub fn counts(&self) -> Counts {
        Counts::of(self.side.entries.iter().filter_map(|entry| self.said(entry)))
    }

    fn said(&self, entry: &Entry) -> Option<&NamedVerdict> {
        self.side.verdicts.get(entry.verdict as usize)
    }

    fn each_line_of(&self, places: &[usize], digits: u8, take: Take<'_>) -> io::Result<()> {
        let around: Vec<[String; 2]> = self.side.verdicts.iter().map(around).collect();
        let mut line = String::new();
        for alike in places.chunk_by(|a, b| self.is_written_alike(*a, *b)) {
            let said = self.side.entries[alike[0]].verdict as usize;
            line.clear();
            self.write_line(alike, &around[said], digits, &mut line);
            take(&line)?;
        }
        Ok(())
    }

    /// A line of exchanges that are written alike, between the two parts of their verdict.
    fn write_line(
        &self,
        alike: &[usize],
        [before, after]: &[String; 2],
        digits: u8,
        line: &mut String,
    ) {
        let entry = self.side.entries[alike[0]];
        line.push_str(before);
        self.write_who(&entry, line);
        if let Some(id) = self.id(alike[0]) {
            line.push_str(" [");
            spell(id, Within::Id, line);
            line.push(']');
        }
        line.push(' ');
        write_keys(&entry, digits, line);
        write_count(alike.len() as u64, line);
        line.push_str(after);
    }

    fn is_written_alike(&self, a: usize, b: usize) -> bool {
        let (one, other) = (self.side.entries[a], self.side.entries[b]);
        let written =
            |entry: Entry| (entry.server, entry.tool, entry.verdict, entry.key, entry.request);
        written(one) == written(other) && self.id(a) == self.id(b)
    }

    /// One line as it would stand in the text, for showing.
    pub fn line(&self, entry: usize) -> String {
        let said = self.side.entries.get(entry).and_then(|entry| self.said(entry));
        let mut line = String::new();
        if let Some(said) = said {
            let digits = self.side.key_digits.min(SHOWN_DIGITS);
            self.write_line(&[entry], &around(said), digits, &mut line);
        }
        line
    }

    fn write_who(&self, entry: &Entry, text: &mut String) {
        spell(self.side.names.get(entry.server), Within::Who, text);
        text.push('/');
        spell(self.side.names.get(entry.tool), Within::Who, text);
    }

    /// Those that are plainly fine: for each tool and verdict a line, and their keys below it. Ids
    /// are left out.
    fn each_line_of_fine(
        &self,
        mut places: Vec<usize>,
        digits: u8,
        take: Take<'_>,
    ) -> io::Result<()> {
        let entry = |at: &usize| self.side.entries[*at];
        let verdicts: Vec<String> = self.side.verdicts.iter().map(verdict).collect();
        let order = |at: &usize| {
            let Entry { server, tool, verdict: said, key, request, .. } = entry(at);
            let names = &self.side.names;
            (names.get(server), names.get(tool), &verdicts[said as usize], key, request)
        };
        places.sort_by_cached_key(order);
        let alike = |a: &usize, b: &usize| {
            let (a, b) = (entry(a), entry(b));
            (a.server, a.tool, a.verdict) == (b.server, b.tool, b.verdict)
        };
        for group in places.chunk_by(alike) {
            let first = entry(&group[0]);
            let said = &self.side.verdicts[first.verdict as usize];
            let [mut line, _] = around(said);
            self.write_who(&first, &mut line);
            line.push_str(&rest(said));
            take(&line)?;
            self.each_line_of_keys(group, digits, take)?;
        }
        Ok(())
    }

    /// A few keys a line. Where lines break depends on the keys, so that one that is added changes
    /// one line.
    fn each_line_of_keys(&self, group: &[usize], digits: u8, take: Take<'_>) -> io::Result<()> {
        let shared = (0..u8::MAX).find(|digits| 16_usize.pow((*digits).into()) * 4 >= group.len());
        let beginning = |at: &usize| shortened(self.side.entries[*at].key, shared.unwrap_or(0));
        let mut line = String::new();
        for keys in group.chunk_by(|a, b| beginning(a) == beginning(b)) {
            line.clear();
            line.push(' ');
            for alike in keys.chunk_by(|a, b| self.is_one_key(*a, *b)) {
                line.push(' ');
                write_keys(&self.side.entries[alike[0]], digits, &mut line);
                write_count(alike.len() as u64, &mut line);
            }
            take(&line)?;
        }
        Ok(())
    }

    fn is_one_key(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.side.entries[a], self.side.entries[b]);
        (a.key, a.request) == (b.key, b.request)
    }
}

/// Takes one line after the other, without their ends.
type Take<'t> = &'t mut dyn FnMut(&str) -> io::Result<()>;

/// Digits of keys in lines that are only shown.
const SHOWN_DIGITS: u8 = 12;

fn write_keys(entry: &Entry, digits: u8, text: &mut String) {
    write_key(entry.key, digits, text);
    // A request that was never answered is its own exchange.
    if entry.request != entry.key {
        text.push(ANSWERS);
        write_key(entry.request, digits, text);
    }
}

fn write_key(key: Key, digits: u8, text: &mut String) {
    let hex = key.to_string();
    text.push_str(hex.get(..usize::from(digits)).unwrap_or(&hex));
}
