//! The beginning of a run: what its first segments amount to together, with which another run of the same
//! segments can begin.
//!
//! Most of it stands in sections of files, in order, so that beginning with it costs one look at it.

use super::account::Account;
use super::ledger::Ledger;
use super::totals::{CorpusDigest, Totals};
use crate::report::{Counted, FolderError, KeptTables, RunFolder, ShapesPart, VerdictWriter};
use crate::tally::wire::{read_number, write_number};
use crate::tally::{KnownKeys, Section, SpillError};
use std::fs::File;
use std::io::{self, Read as _, Write};
use xxhash_rust::xxh3::Xxh3;

/// The file's version: it changes with anything that is written in it.
const VERSION: &[u8; 8] = b"tbegin01";
/// Groups, tools, sessions, shapes and keys; then the rows of both tables of verdicts.
const SECTIONS: usize = 7;
/// Bytes at the end: how long sections and the rest are, the hash and the version.
const TRAILER: usize = (SECTIONS + 1) * 8 + 16 + VERSION.len();
/// A file is read in pieces of so many bytes.
const PIECE: usize = 1 << 18;

/// What a run amounts to up to a place, all but the rows.
pub(super) struct SoFar {
    /// The number of the first stretch behind it.
    pub(super) stretch: u64,
    about: Vec<u8>,
    sections: [Section; 5],
}

/// What was kept of a beginning.
pub(super) struct KeptBeginning {
    pub(super) exchanges: u64,
    account: Account,
    digest: CorpusDigest,
    counted: Counted,
    runs: [Section; 4],
    keys: KnownKeys,
    /// The rows.
    pub(super) tables: KeptTables,
}

impl Ledger {
    /// What the run amounts to so far, if it is worth keeping.
    pub(super) fn so_far(&mut self) -> Result<Option<SoFar>, SpillError> {
        let Some(account) = self.whole.take().filter(|_| self.is_worth_keeping()) else {
            return Ok(None);
        };
        let (tally, [groups, tools]) = self.tally.on_disk()?;
        let (all_sessions, sessions) = self.sessions.on_disk()?;
        let shapes = self.shapes.on_disk()?;
        let (keys, of_keys) = self.repeats.on_disk()?;
        let mut about = Vec::new();
        write_number(self.totals.exchanges, &mut about);
        about.extend_from_slice(&self.totals.corpus_digest.number().to_le_bytes());
        account.write(&mut about);
        let outcomes = self.outcomes.clone();
        let shapes_part = ShapesPart::default();
        let counted = Counted { tally, sessions: all_sessions, outcomes, shapes: shapes_part };
        counted.write(&mut about);
        about.extend_from_slice(&of_keys);
        let sections = [groups, tools, sessions, shapes, keys];
        Ok(Some(SoFar { stretch: self.stretch, about, sections }))
    }

    /// A good part of it was not kept as a beginning yet, and it is likely to come again: it is mostly new, or
    /// as it was in earlier runs. Where a little is new in the midst of much, there may be more of that.
    fn is_worth_keeping(&self) -> bool {
        let Self { kept, judged, totals: Totals { exchanges, .. }, .. } = self;
        let is_likely = *judged == 0 || judged * 2 > *exchanges;
        is_likely && (exchanges - kept) * 8 > *exchanges
    }

    /// Whether it may be kept, and most of it was judged by what was observed of it earlier.
    pub(super) fn is_rescored(&self) -> bool {
        self.whole.is_some() && self.rescored * 2 > self.totals.exchanges
    }

    /// Begins with what was kept; returns the rows.
    pub(super) fn begin_with(
        &mut self,
        kept: KeptBeginning,
    ) -> Result<KeptTables, super::RunError> {
        let KeptBeginning { exchanges, account, digest, counted, runs, keys, tables } = kept;
        let [groups, tools, sessions, shapes] = runs;
        self.tally.go_on_from([groups, tools]);
        self.sessions.go_on_from(sessions);
        self.shapes.go_on_from(shapes);
        self.repeats.go_on_from(keys);
        self.count(&counted, (&[], &[]))?;
        self.book(&account, usize::try_from(exchanges).unwrap_or(usize::MAX))?;
        self.totals.corpus_digest = digest;
        self.kept = exchanges;
        self.stretch += 1;
        Ok(tables)
    }
}

/// Writes what a run amounted to up to a place, with the rows that it had written then.
pub(super) fn write(
    out: &mut dyn Write,
    name: u128,
    (about, sections): (&[u8], &[Section]),
) -> io::Result<()> {
    let mut hasher = Xxh3::new();
    hasher.update(&name.to_le_bytes());
    let mut piece = vec![0; PIECE];
    for section in sections {
        let mut reader = section.reader();
        loop {
            let read = reader.read(&mut piece)?;
            if read == 0 {
                break;
            }
            hasher.update(&piece[..read]);
            out.write_all(&piece[..read])?;
        }
    }
    let lengths = sections.iter().map(|section| section.length).chain([about.len() as u64]);
    let lengths: Vec<u8> = lengths.flat_map(u64::to_le_bytes).collect();
    for part in [about, &lengths] {
        hasher.update(part);
        out.write_all(part)?;
    }
    out.write_all(&hasher.digest128().to_le_bytes())?;
    out.write_all(VERSION)
}

impl SoFar {
    /// All that is kept of it, with the rows of a finished run, and how long that is.
    pub(super) fn whole(
        self,
        folder: &RunFolder,
        (of_rows, lengths): (Vec<u8>, [u64; 2]),
    ) -> Result<(Vec<u8>, Vec<Section>, u64), FolderError> {
        let rows = VerdictWriter::rows_of(folder, lengths)
            .map_err(|source| FolderError::io(folder.building(), source))?;
        let about = [self.about, of_rows].concat();
        let sections: Vec<Section> = self.sections.into_iter().chain(rows).collect();
        let length = sections.iter().map(|section| section.length).sum::<u64>();
        let length = length + (about.len() + TRAILER) as u64;
        Ok((about, sections, length))
    }
}

impl KeptBeginning {
    /// Reads a file; `None` where it is torn, altered, or not the one that is asked for.
    pub(super) fn read(name: u128, file: File) -> Option<Self> {
        let mut whole = Section::whole(file).ok()?;
        whole.length = whole.length.checked_sub(TRAILER as u64)?;
        let mut trailer = [0; TRAILER];
        let end = Section { start: whole.length, length: TRAILER as u64, ..whole.clone() };
        end.read_exact_at(&mut trailer, 0).ok()?;
        let (lengths, sum) = trailer.split_first_chunk::<{ (SECTIONS + 1) * 8 }>()?;
        let (sum, version) = sum.split_first_chunk()?;
        let mut hasher = Xxh3::new();
        hasher.update(&name.to_le_bytes());
        let mut piece = vec![0; PIECE];
        let mut reader = whole.reader();
        loop {
            match reader.read(&mut piece).ok()? {
                0 => break,
                read => hasher.update(&piece[..read]),
            }
        }
        hasher.update(lengths);
        if version != VERSION || u128::from_le_bytes(*sum) != hasher.digest128() {
            return None;
        }
        let mut start = 0_u64;
        let sections = lengths.as_chunks().0.iter().map(|length| {
            let section = Section { start, length: u64::from_le_bytes(*length), ..whole.clone() };
            start = start.checked_add(section.length).filter(|end| *end <= whole.length)?;
            Some(section)
        });
        let sections: Vec<Section> = sections.collect::<Option<_>>()?;
        let [groups, tools, sessions, shapes, keys, rows, issues, about] =
            sections.try_into().ok()?;
        let mut bytes = vec![0; usize::try_from(about.length).ok()?];
        about.read_exact_at(&mut bytes, 0).ok()?;
        let bytes = &mut bytes.as_slice();
        let exchanges = read_number(bytes)?;
        let (digest, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(Self {
            exchanges,
            digest: CorpusDigest::of_number(u128::from_le_bytes(*digest)),
            account: Account::read(bytes)?,
            counted: Counted::read(bytes)?,
            runs: [groups, tools, sessions, shapes],
            keys: KnownKeys::read(keys, bytes)?,
            tables: KeptTables::read(bytes, [rows, issues])?,
        })
    }
}
