//! A baseline in memory: a side that says of each exchange what was accepted.

use super::file::json;
use super::snapshot_path::Origin;
use crate::compare::{Entry, Side, Texts, WHOLE_KEY, shortened};
use crate::recording::{ExchangeKind, Key, ReplyKind};
use crate::store::{NamedSchema, NamedVerdict, ReportError, Table, TableReader};
use crate::verdict::{Classification, Outcome, harmless};
use indexmap::IndexMap;
use std::collections::HashSet;
use std::path::Path;

/// Accepted verdicts of one collection under one rulebook.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// What was accepted. Entries are sorted by server, tool, id, key and verdict.
    pub side: Side,
    /// In the order of the entries.
    pub(super) notes: Notes,
    /// The place that each entry had in the side it was made of.
    pub places: Vec<u32>,
    pub origin: Origin,
}

/// What people read about a call that did not plainly work; nothing is decided by it.
#[derive(Clone, Debug, Default)]
pub(super) struct Note {
    pub(super) id: Option<Box<str>>,
    /// The start of the masked reply, on one line.
    pub(super) text: Option<Box<str>>,
}

pub(super) type Notes = Vec<Note>;

impl Baseline {
    /// What a finished run says, as a baseline in which all of it is accepted. [`Baseline::places`] leads from it to the
    /// side, which tells more: where exchanges stand and which patterns hit.
    pub fn of_run(folder: &Path, side: Side) -> Result<Self, ReportError> {
        Ok(Self::of(side, read_notes(folder)?))
    }

    /// The baseline in which every verdict of a side is accepted.
    pub(super) fn of(mut side: Side, notes: Notes) -> Self {
        let mut kept: IndexMap<String, NamedVerdict> = IndexMap::new();
        let numbers = side.verdicts.into_iter().map(|named| {
            let known = kept.entry(verdict(&named));
            let number = known.index();
            known.or_insert_with(|| normalized(named));
            u32::try_from(number).unwrap_or(u32::MAX)
        });
        let numbers: Vec<u32> = numbers.collect();
        side.verdicts = kept.into_values().collect();
        for entry in &mut side.entries {
            entry.verdict = numbers.get(entry.verdict as usize).copied().unwrap_or(u32::MAX);
            (entry.file, entry.line) = (NO_FILE, 0);
        }
        Self::new(side, notes)
    }

    pub(super) fn new(side: Side, notes: Notes) -> Self {
        let origin = Origin::default();
        Self { side, notes, places: Vec::new(), origin }.sorted()
    }

    /// The same, made of what lies there.
    pub fn from(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }

    pub(super) fn verdict(&self, entry: &Entry) -> Option<&NamedVerdict> {
        self.side.verdicts.get(entry.verdict as usize)
    }

    /// The same without some of its entries, which are named by their places.
    pub fn without(&self, places: &HashSet<u32>) -> Self {
        let all = (0..).take(self.side.entries.len());
        let kept: Vec<u32> = all.filter(|at| !places.contains(at)).collect();
        let entries = kept.iter().map(|at| self.side.entries[*at as usize]).collect();
        let notes = kept.iter().map(|at| self.notes[*at as usize].clone()).collect();
        let Side { header, rulebook, verdicts, names, key_digits, .. } = self.side.clone();
        let texts = Texts::default();
        let side = Side { header, rulebook, verdicts, entries, names, texts, key_digits };
        Self::new(side, notes).from(self.origin.clone())
    }

    pub fn exchanges(&self) -> u64 {
        self.side.entries.len() as u64
    }

    /// Those that have a key and a verdict in common share their note, so that they are one line.
    fn sorted(mut self) -> Self {
        self.notes.resize(self.side.entries.len(), Note::default());
        for (entry, note) in self.side.entries.iter().zip(&mut self.notes) {
            if self.side.verdicts.get(entry.verdict as usize).is_some_and(is_plainly_fine) {
                *note = Note::default();
            }
        }
        share_notes(&self.side.entries, &mut self.notes);
        let (entries, notes, names) = (&self.side.entries, &self.notes, &self.side.names);
        let verdicts: Vec<String> = self.side.verdicts.iter().map(verdict).collect();
        let mut order: Vec<u32> = (0..u32::try_from(entries.len()).unwrap_or(u32::MAX)).collect();
        order.sort_by_cached_key(|at| {
            let at = *at as usize;
            let Entry { server, tool, key, request, verdict, .. } = entries[at];
            let (server, tool) = (names.get(server), names.get(tool));
            let said = verdicts.get(verdict as usize);
            (server, tool, notes[at].id.as_deref(), key, request, said)
        });
        let sorted = order.iter().map(|at| entries[*at as usize]).collect();
        self.notes = order.iter().map(|at| notes[*at as usize].clone()).collect();
        self.side.entries = sorted;
        // These would be the texts of other entries now.
        self.side.texts = Texts::default();
        self.places = order;
        self
    }

    /// How many digits of its keys tell all exchanges and all requests apart.
    pub(super) fn digits_needed(&self) -> u8 {
        let entries = &self.side.entries;
        let count = |digits: u8, key: fn(&Entry) -> Key| {
            entries.iter().map(|entry| shortened(key(entry), digits)).collect::<HashSet<_>>().len()
        };
        let whole = [count(WHOLE_KEY, |entry| entry.key), count(WHOLE_KEY, |entry| entry.request)];
        let enough = |digits: &u8| {
            [count(*digits, |entry| entry.key), count(*digits, |entry| entry.request)] == whole
        };
        let known = self.side.key_digits;
        DIGITS.into_iter().filter(|digits| *digits < known).find(enough).unwrap_or(known)
    }
}

/// The notes of a run's exchanges, in the order of its rows.
fn read_notes(folder: &Path) -> Result<Notes, ReportError> {
    let mut table = TableReader::open(folder, Table::Verdicts)?;
    let mut notes = Notes::new();
    for group in 0..table.groups() {
        let [ids, texts] = [table.texts(group, "id")?, table.texts(group, "reply_excerpt")?];
        notes.extend((0..ids.rows.len()).map(|row| Note {
            id: ids.get(row).map(Into::into),
            text: texts.get(row).map(start).filter(|text| !text.is_empty()).map(Into::into),
        }));
    }
    Ok(notes)
}

/// The first words of a text, of at most 60 characters.
fn start(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(30).collect();
    harmless(&words.join(" ")).chars().take(60).collect()
}

/// How many digits of keys lines show: the first of these that tells all of them apart.
const DIGITS: [u8; 2] = [12, 16];

/// A verdict as one text: equal where and only where equal things are said.
pub fn verdict(named: &NamedVerdict) -> String {
    json(named)
}

fn normalized(verdict: NamedVerdict) -> NamedVerdict {
    let schema = verdict.schema.map(|schema| NamedSchema { key: None, ..schema });
    let fate = verdict.outcome.fate();
    NamedVerdict { schema, fate, hits_left_out: None, ..verdict }
}

/// A result that is no error, got the best class and raised nothing.
pub(super) fn is_plainly_fine(verdict: &NamedVerdict) -> bool {
    // A request in an envelope may well stand alone.
    let is_answered = verdict.kind != ExchangeKind::ToolCall || verdict.reply == ReplyKind::Result;
    is_answered
        && verdict.outcome == Outcome::Worked
        && verdict.class == Classification::FullyWorking
        && verdict.issues.is_empty()
        && verdict.hidden_failure != Some(true)
}

/// Gives exchanges that have a key and a verdict in common the first of their ids and texts.
fn share_notes(entries: &[Entry], notes: &mut Notes) {
    let alike = |at: &usize| (entries[*at].key, entries[*at].verdict);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_unstable_by_key(alike);
    for several in order.chunk_by(|one, other| alike(one) == alike(other)) {
        if several.len() > 1 {
            let id = several.iter().filter_map(|at| notes[*at].id.clone()).min();
            let text = several.iter().filter_map(|at| notes[*at].text.clone()).min();
            let first = Note { id, text };
            for at in several {
                notes[*at].clone_from(&first);
            }
        }
    }
}

/// What entries of a baseline have in common: it does not name recordings.
pub(super) const UNRECORDED: Entry = Entry {
    key: Key(0),
    verdict: 0,
    request: Key(0),
    server: 0,
    tool: 0,
    file: NO_FILE,
    line: 0,
    is_error_case: false,
    took: None,
};

const NO_FILE: u32 = u32::MAX;
