//! The account of a run: every line, every file, every unreadable.

use super::masking::Masking;
use crate::corpus::{FileNote, Unreadable, UnreadableReason};
use crate::count::tally::{AllSessions, Sessions};
use crate::count::{Cube, CubeCells};
use crate::program::Tally;
use crate::recording::{Fidelity, Key};
use crate::store::{Lists, OfProgram, OtherFile, Outcomes};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Files that are no recordings and are named one by one; the others are only counted.
const MAX_NOTES: usize = 1_000;
/// Files that could not be read and are named one by one.
const MAX_BROKEN: usize = 10;
/// So many kinds of traffic are counted one by one: those whose names are the first, whatever order they come in.
const MAX_TRAFFIC: usize = 1_000;
const OTHER_METHODS: &str = "(other methods)";

/// What a run read and made of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    pub recordings: u64,
    /// Recordings by the format of their first record.
    pub formats: BTreeMap<Cow<'static, str>, u64>,
    /// Records read.
    pub lines: u64,
    /// Records that were read behind what a logger wrote before them.
    pub stripped: u64,
    pub exchanges: u64,
    /// Traffic that is no exchange, by name.
    pub traffic: BTreeMap<Cow<'static, str>, u64>,
    pub unreadable_lines: BTreeMap<UnreadableReason, u64>,
    /// Files that could not be read, or not to their end, by reason.
    pub unreadable_files: BTreeMap<UnreadableReason, u64>,
    /// The first of them, with their reasons.
    pub broken_files: Vec<OtherFile>,
    /// Files that are no recordings, by kind and reason.
    pub other_files: BTreeMap<String, BTreeMap<String, u64>>,
    /// The first of them by name.
    pub notes: Vec<OtherFile>,
    /// What the files of programs hold, by format.
    pub programs: BTreeMap<Cow<'static, str>, OfProgram>,
    /// A hash of the exchanges that does not depend on their order or on their recordings' names.
    pub corpus_digest: CorpusDigest,
}

/// What was read of a block besides its exchanges.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub(super) lines: u64,
    pub(super) stripped: u64,
    /// The recording that begins here.
    pub(super) recording: Option<ReadAs>,
    /// What was found in the file of a program that ends here.
    pub(super) tally: Option<Tally>,
    /// Replies of which the result inside was judged.
    pub(super) unwrapped: u64,
    /// Whether the recording ends here.
    pub(super) ends: bool,
    pub(super) traffic: BTreeMap<Cow<'static, str>, u64>,
    pub(super) notes: Vec<FileNote>,
    pub(super) unreadable: Vec<Unreadable>,
}

impl Account {
    pub(super) fn mask(&mut self, masking: &Masking<'_>) {
        self.notes.iter_mut().for_each(|note| masking.note(note));
        self.unreadable.iter_mut().for_each(|unreadable| masking.unreadable(unreadable));
        if let Some(recording) = &mut self.recording {
            masking.mask(&mut recording.file);
        }
        let has_secret = |name: &Cow<'static, str>| matches!(name, Cow::Owned(name) if *masking.text(name) != **name);
        if self.traffic.keys().any(has_secret) {
            for (name, count) in std::mem::take(&mut self.traffic) {
                let name = masking.text(&name).into_owned().into();
                *self.traffic.entry(name).or_default() += count;
            }
        }
    }
}

/// A recording, and what it was taken for.
#[derive(Clone, Debug)]
pub(super) struct ReadAs {
    pub(super) file: String,
    pub(super) format: &'static str,
    pub(super) evidence: Option<&'static str>,
    pub(super) fidelity: Fidelity,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusDigest(u128);

impl CorpusDigest {
    /// Adds an exchange. Keys are hashes, so their sum tells sets of them apart, in whatever order.
    pub fn add(&mut self, Key(key): Key) {
        self.0 = self.0.wrapping_add(key);
    }

    fn merge(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl std::fmt::Display for CorpusDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

fn add_counts<K: Ord + Clone>(counts: &mut BTreeMap<K, u64>, more: &BTreeMap<K, u64>) {
    for (name, count) in more {
        *counts.entry(name.clone()).or_default() += count;
    }
}

fn other_file(file: &str, kind: &str, detail: &str) -> OtherFile {
    OtherFile { file: file.to_owned(), kind: kind.to_owned(), detail: detail.to_owned() }
}

impl Totals {
    pub fn unreadable(&self) -> u64 {
        self.unreadable_lines.values().sum()
    }

    pub fn other_traffic(&self) -> u64 {
        self.traffic.values().sum()
    }

    /// Whether every line is accounted for.
    pub fn adds_up(&self) -> bool {
        self.lines == self.exchanges + self.other_traffic() + self.unreadable()
    }

    pub(super) fn add(&mut self, account: &Account, exchanges: usize) {
        self.lines += account.lines;
        self.stripped += account.stripped;
        self.exchanges += exchanges as u64;
        if let Some(ReadAs { format, .. }) = account.recording {
            self.recordings += 1;
            *self.formats.entry(format.into()).or_default() += 1;
        }
        for unreadable in &account.unreadable {
            let is_line = unreadable.is_line();
            let counts =
                if is_line { &mut self.unreadable_lines } else { &mut self.unreadable_files };
            *counts.entry(unreadable.reason).or_default() += 1;
            if !is_line && self.broken_files.len() < MAX_BROKEN {
                let Unreadable { file, reason, detail, .. } = unreadable;
                self.broken_files.push(other_file(file, reason.name(), detail));
            }
        }
        for note in &account.notes {
            let kind = note.kind.name();
            let reasons = self.other_files.entry(kind.to_owned()).or_default();
            *reasons.entry(note.reason().to_owned()).or_default() += 1;
            if self.notes.len() < MAX_NOTES {
                self.notes.push(other_file(&note.file, kind, &note.detail));
            }
        }
        add_counts(&mut self.traffic, &account.traffic);
        self.bound_traffic();
    }

    /// Counts the last kinds of traffic together where there are too many. One that is beyond the bound stays so, since
    /// names before it only become more.
    fn bound_traffic(&mut self) {
        while self.traffic.len()
            > MAX_TRAFFIC + usize::from(self.traffic.contains_key(OTHER_METHODS))
        {
            let last = self.traffic.keys().rev().find(|name| *name != OTHER_METHODS).cloned();
            let Some(count) = last.and_then(|last| self.traffic.remove(&last)) else { return };
            *self.traffic.entry(OTHER_METHODS.into()).or_default() += count;
        }
    }

    pub(super) fn merge(&mut self, next: Self) {
        // All of it, so that a new count cannot be forgotten here.
        let Self {
            recordings,
            formats,
            lines,
            stripped,
            exchanges,
            traffic,
            unreadable_lines,
            unreadable_files,
            broken_files,
            other_files,
            notes,
            programs,
            corpus_digest,
        } = next;
        self.recordings += recordings;
        self.lines += lines;
        self.stripped += stripped;
        self.exchanges += exchanges;
        add_counts(&mut self.formats, &formats);
        add_counts(&mut self.traffic, &traffic);
        self.bound_traffic();
        add_counts(&mut self.unreadable_lines, &unreadable_lines);
        add_counts(&mut self.unreadable_files, &unreadable_files);
        for (kind, reasons) in &other_files {
            add_counts(self.other_files.entry(kind.clone()).or_default(), reasons);
        }
        let room = MAX_BROKEN.saturating_sub(self.broken_files.len());
        self.broken_files.extend(broken_files.into_iter().take(room));
        let room = MAX_NOTES.saturating_sub(self.notes.len());
        self.notes.extend(notes.into_iter().take(room));
        for (name, of) in programs {
            self.programs.entry(name).or_default().merge(&of);
        }
        self.corpus_digest.merge(corpus_digest);
    }
}

/// All that a run counted, and what a part of one keeps of it in a file, to be added up.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Counted<C = Cube, S = Sessions> {
    pub(super) totals: Totals,
    pub(super) cube: C,
    pub(super) sessions: S,
    pub(super) outcomes: Outcomes,
    /// What is on them is counted in the cube; their rows are read from all parts together.
    #[serde(skip)]
    pub(super) lists: Lists,
}

/// As it is kept in a file.
pub(super) type Stored = Counted<CubeCells, AllSessions>;
/// All of a run.
pub(super) type Whole = Counted<Cube, AllSessions>;

impl Counted {
    pub(super) fn add(&mut self, next: Stored) {
        self.totals.merge(next.totals);
        self.cube.add(next.cube);
        self.sessions.add_all(&next.sessions);
        self.outcomes.merge(&next.outcomes);
    }

    pub(super) fn finish(self) -> Whole {
        let Self { totals, cube, sessions, outcomes, lists } = self;
        Counted { totals, cube, sessions: sessions.finish(), outcomes, lists }
    }
}

impl Whole {
    pub(super) fn stored(&self) -> Stored {
        Counted {
            totals: self.totals.clone(),
            cube: self.cube.cells(),
            sessions: self.sessions.clone(),
            outcomes: self.outcomes.clone(),
            lists: Lists::default(),
        }
    }
}
