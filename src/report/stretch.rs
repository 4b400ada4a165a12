//! What a stretch of the corpus leaves in a run: its rows, encoded, and what they count.
//!
//! Both depend on the stretch alone, so they can be kept and used again. The one thing that also
//! depends on what stands before the stretch is how often each key occurred already; keys are columns
//! of their own for that reason.

use super::chunk::{ChunkNote, EncodedColumns};
use super::encode::VerdictTables;
use super::outcomes::Outcomes;
use super::rows::VerdictBatch;
use super::shape_counts::ShapesPart;
use crate::tally::wire::{read_bytes, read_many, read_number, write_bytes, write_number};
use crate::tally::{Section, Sessions, SessionsPart, SpillError, Tally, TallyPart};
use crate::tape::Key;
use std::fs::File;
use std::io;
use std::sync::Arc;

/// A stretch's rows of the tables `verdicts` and `issues`.
#[derive(Debug)]
pub struct EncodedRows {
    pub(super) keys: Vec<Key>,
    /// What each issue belongs to.
    pub(super) owners: Vec<u32>,
    /// The column of keys as it was kept, and how often they occurred before then.
    pub(super) names: Option<(Vec<(u32, u32)>, EncodedColumns)>,
    /// The columns of exchanges, whatever is made of them, but for the key.
    pub(super) place: EncodedColumns,
    /// The columns of what is made of them.
    pub(super) verdicts: EncodedColumns,
    /// By what each of these can be known to be as it was, of rows that were encoded just now.
    pub(super) prints: Vec<u128>,
    /// All columns but the key.
    pub(super) issues: EncodedColumns,
}

/// The columns of a stretch's exchanges as an earlier run encoded them: those that are the same whatever
/// is made of the exchanges, and those of what was made of them, with their prints.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) columns: EncodedColumns,
    pub(super) verdicts: EncodedColumns,
    pub(super) prints: Vec<u128>,
    /// The column of keys, and how often they occurred before, of those that did, by their row.
    pub(super) repeats: Vec<(u32, u32)>,
    pub(super) names: EncodedColumns,
}

/// The keys of a stretch's rows, each with how often it occurred before.
#[derive(Debug)]
pub struct KeyColumns {
    /// How often keys occurred before, of those that did, by their row.
    pub(super) repeats: Vec<(u32, u32)>,
    pub(super) verdicts: EncodedColumns,
    pub(super) issues: EncodedColumns,
}

/// What a stretch's rows count.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// What is counted by group and tool.
    pub tally: TallyPart,
    /// The sessions.
    pub sessions: SessionsPart,
    /// What verdicts amount to.
    pub outcomes: Outcomes,
    /// The different verdicts.
    pub shapes: ShapesPart,
}

impl Counted {
    /// Counts the rows of a batch.
    pub fn of(batch: &VerdictBatch, tables: &VerdictTables) -> Result<Self, SpillError> {
        let legend = tables.legend();
        let (mut tally, mut sessions) = (Tally::of_stretch(), Sessions::of_stretch());
        let mut outcomes = Outcomes::default();
        batch.tally_into(&mut tally, legend)?;
        batch.gather_sessions(&mut sessions)?;
        batch.count_outcomes(&mut outcomes, legend);
        let shapes = batch.count_shapes(tables);
        Ok(Self { tally: tally.into_part(), sessions: sessions.into_part(), outcomes, shapes })
    }

    /// Appends the counts.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.tally.write(out);
        self.sessions.write(out);
        self.outcomes.write(out);
        write_bytes(&self.shapes.0, out);
    }

    /// Takes counts off the front.
    #[must_use]
    pub fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self {
            tally: TallyPart::read(bytes)?,
            sessions: SessionsPart::read(bytes)?,
            outcomes: Outcomes::read(bytes)?,
            shapes: ShapesPart(read_bytes(bytes)?.to_vec()),
        })
    }
}

impl EncodedRows {
    /// The exchanges' keys, in order.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Appends all that there is to say about the rows, and says which bytes of columns go behind it.
    pub fn write<'r>(&'r self, names: &'r KeyColumns, out: &mut Vec<u8>) -> [&'r [u8]; 5] {
        write_number(self.keys.len() as u64, out);
        self.keys.iter().for_each(|key| out.extend_from_slice(&key.0.to_le_bytes()));
        write_number(self.owners.len() as u64, out);
        self.owners.iter().for_each(|owner| out.extend_from_slice(&owner.to_le_bytes()));
        write_repeats(&names.repeats, out);
        let [of_names, place] = [&names.verdicts, &self.place];
        [of_names, place, &self.verdicts, &names.issues, &self.issues].map(|columns| {
            write_notes((columns.rows, &columns.notes), out);
            columns.bytes.as_slice()
        })
    }

    /// Appends what there is to say about the columns of exchanges, and says which bytes go behind it.
    pub fn write_known<'r>(&'r self, names: &'r KeyColumns, out: &mut Vec<u8>) -> [&'r [u8]; 3] {
        write_repeats(&names.repeats, out);
        write_number(self.prints.len() as u64, out);
        self.prints.iter().for_each(|print| out.extend_from_slice(&print.to_le_bytes()));
        [&names.verdicts, &self.place, &self.verdicts].map(|columns| {
            write_notes((columns.rows, &columns.notes), out);
            columns.bytes.as_slice()
        })
    }

    /// Reads the columns that are in files, for whoever keeps them elsewhere.
    pub fn load(&mut self) -> io::Result<()> {
        self.place.load()
    }

    /// Takes what there is to say about rows and their keys off the front; the columns are in a file,
    /// all of it from this place on.
    #[must_use]
    pub fn read(
        bytes: &mut &[u8],
        (file, mut start): (&Arc<File>, u64),
    ) -> Option<(Self, KeyColumns)> {
        let keys = read_fixed(bytes, |key| Key(u128::from_le_bytes(key)))?;
        let owners = read_fixed(bytes, u32::from_le_bytes)?;
        let repeats = read_repeats(bytes)?;
        let mut next = |rows: usize| {
            let columns = read_columns(bytes, (file, start))?;
            start = start.checked_add(columns.kept.as_ref().map_or(0, |kept| kept.length))?;
            (columns.rows == rows).then_some(columns)
        };
        let (names, place) = (next(keys.len())?, next(keys.len())?);
        let verdicts = next(keys.len())?;
        let names = KeyColumns { repeats, verdicts: names, issues: next(owners.len())? };
        let issues = next(owners.len())?;
        let (names_before, prints) = (None, Vec::new());
        let rows = Self { keys, owners, names: names_before, place, verdicts, prints, issues };
        Some((rows, names))
    }
}

impl KeyColumns {
    /// Reads the columns that are in files, for whoever keeps them elsewhere.
    pub fn load(&mut self) -> io::Result<()> {
        self.verdicts.load()
    }

    /// Whether these are the columns for keys that occurred so often before.
    #[must_use]
    pub fn are_for(&self, ordinals: &[u32]) -> bool {
        repeats(ordinals).eq(self.repeats.iter().copied())
    }
}

/// Which rows have a key that occurred before, and how often it did.
pub(super) fn repeats(ordinals: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    (0..).zip(ordinals.iter().copied()).filter(|(_, before)| *before > 0)
}

impl Known {
    /// Takes what there is to say about so many rows off the front; the columns are in a file, all of it
    /// from this place on.
    pub(super) fn read(
        bytes: &mut &[u8],
        (file, mut start): (&Arc<File>, u64),
        rows: usize,
    ) -> Option<Self> {
        let repeats = read_repeats(bytes)?;
        let prints = read_fixed(bytes, u128::from_le_bytes)?;
        let mut next = || {
            let columns = read_columns(bytes, (file, start))?;
            start = start.checked_add(columns.kept.as_ref().map_or(0, |kept| kept.length))?;
            (columns.rows == rows).then_some(columns)
        };
        Some(Self { names: next()?, columns: next()?, verdicts: next()?, repeats, prints })
    }
}

fn write_repeats(repeats: &[(u32, u32)], out: &mut Vec<u8>) {
    write_number(repeats.len() as u64, out);
    for (row, before) in repeats {
        write_number(u64::from(*row), out);
        write_number(u64::from(*before), out);
    }
}

fn read_repeats(bytes: &mut &[u8]) -> Option<Vec<(u32, u32)>> {
    let small = |bytes: &mut &[u8]| u32::try_from(read_number(bytes)?).ok();
    read_many(bytes, |bytes| Some((small(bytes)?, small(bytes)?)))
}

fn read_fixed<T, const N: usize>(bytes: &mut &[u8], of: fn([u8; N]) -> T) -> Option<Vec<T>> {
    let count = usize::try_from(read_number(bytes)?).ok()?;
    let (all, rest) = bytes.split_at_checked(count.checked_mul(N)?)?;
    *bytes = rest;
    Some(all.as_chunks().0.iter().map(|one| of(*one)).collect())
}

/// Appends how many rows there are and what a footer says of their columns.
pub(super) fn write_notes((rows, notes): (usize, &[ChunkNote]), out: &mut Vec<u8>) {
    write_number(rows as u64, out);
    write_number(notes.len() as u64, out);
    for note in notes {
        note.numbers().iter().for_each(|number| write_number(*number, out));
    }
}

/// Takes what was said of rows and their columns off the front.
pub(super) fn read_notes(bytes: &mut &[u8]) -> Option<(usize, Vec<ChunkNote>)> {
    let rows = usize::try_from(read_number(bytes)?).ok()?;
    let notes = read_many(bytes, |bytes| {
        let mut numbers = [0; 5];
        for number in &mut numbers {
            *number = read_number(bytes)?;
        }
        ChunkNote::of_numbers(numbers)
    })?;
    Some((rows, notes))
}

/// How long columns are together.
pub(super) fn length_of(notes: &[ChunkNote]) -> Option<u64> {
    notes.iter().try_fold(0_u64, |sum, note| sum.checked_add(note.length))
}

fn read_columns(bytes: &mut &[u8], (file, start): (&Arc<File>, u64)) -> Option<EncodedColumns> {
    let (rows, notes) = read_notes(bytes)?;
    let length = length_of(&notes)?;
    let kept = Some(Section { file: Arc::clone(file), start, length });
    Some(EncodedColumns { rows, notes, bytes: Vec::new(), kept })
}
