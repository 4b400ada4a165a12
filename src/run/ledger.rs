//! What is kept of a run in the corpus's order: counts, rejects, and the stretch that is being gathered.

use super::account::Account;
use super::cache::{End, KeptStretch, StretchName};
use super::engine::{Emit, RunError, RunPlan};
use super::stretch::Stretch;
use super::totals::Totals;
use crate::corpus::{InSegment, Reject, RejectReason};
use crate::report::{
    Counted, EncodedRows, FolderError, KeptTables, KeyColumns, Outcomes, RejectRow, RejectsFile,
    RunFolder, ShapeCounts, VerdictBatch, VerdictTables,
};
use crate::tally::{Repeats, Sessions, SpillSpace, Tally};
use crate::tape::{Key, KeyName};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// Rows of a row group.
const ROW_GROUP: usize = 1 << 15;
/// Memory for rows that wait for their row group.
const ROW_BYTES: usize = 24 << 20;
/// Memory for the counts of a run before they spill to disk.
const TALLY_BYTES: usize = 24 << 20;
/// Memory for the issues of sessions before they spill to disk.
const SESSION_BYTES: usize = 16 << 20;
/// Memory for the different verdicts of a run before they spill to disk.
const SHAPE_BYTES: usize = 16 << 20;
/// The file of verdicts as JSON, one a line.
pub(super) const JSON_LINES: &str = "verdicts.jsonl";

/// What was judged of one block.
#[derive(Default)]
pub(super) struct JudgedBlock {
    pub(super) account: Account,
    pub(super) batch: VerdictBatch,
    /// The verdicts as JSON, without their keys, which are not settled yet.
    pub(super) texts: Vec<String>,
}

/// What is kept in the corpus's order.
pub(super) struct Ledger {
    pub(super) totals: Totals,
    pub(super) tally: Tally,
    pub(super) sessions: Sessions,
    pub(super) outcomes: Outcomes,
    pub(super) shapes: ShapeCounts,
    pub(super) repeats: Repeats,
    /// What was read of the whole run, as long as it is little enough to be kept.
    pub(super) whole: Option<Account>,
    /// Exchanges that an earlier run kept as its beginning.
    pub(super) kept: u64,
    /// Exchanges that were read and judged.
    pub(super) judged: u64,
    /// Exchanges that were judged by what was observed of them.
    pub(super) rescored: u64,
    pub(super) account: Account,
    pub(super) rows: VerdictBatch,
    pub(super) ordinals: Vec<u32>,
    /// The number of the stretch that is being gathered: in the run and in its segment.
    pub(super) stretch: u64,
    pub(super) in_segment: u32,
    pub(super) rejects: RejectsFile,
    pub(super) lines: Option<BufWriter<File>>,
}

/// A stretch whose turn is over: its rows have yet to be written.
pub(super) struct Left {
    pub(super) stretch: u64,
    pub(super) ordinals: Vec<u32>,
    pub(super) rows: LeftRows,
}

pub(super) enum LeftRows {
    /// They were judged, and are kept under a name where there is one.
    Judged(Box<VerdictBatch>, Option<Box<ToKeep>>),
    /// They were kept, with these names.
    Kept(Box<EncodedRows>, KeyColumns),
    /// They are the beginning of another run.
    Beginning(Box<KeptTables>),
}

/// What is kept of a stretch besides its rows.
pub(super) struct ToKeep {
    pub(super) name: StretchName,
    pub(super) account: Account,
    pub(super) counted: Counted,
    pub(super) observing: Observing,
}

/// Whether what was observed of a stretch is kept already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Observing {
    Kept,
    New,
}

impl Ledger {
    pub(super) fn start(plan: &RunPlan, folder: &RunFolder) -> Result<Self, RunError> {
        let space = SpillSpace::new(folder.building(), TALLY_BYTES);
        Ok(Self {
            totals: Totals::default(),
            tally: Tally::new(&space),
            sessions: Sessions::new(SpillSpace::new(folder.building(), SESSION_BYTES)),
            outcomes: Outcomes::default(),
            shapes: ShapeCounts::new(SpillSpace::new(folder.building(), SHAPE_BYTES)),
            repeats: Repeats::new(space, Repeats::DEFAULT_LIMIT),
            whole: plan.cache.as_ref().map(|_| Account::default()),
            kept: 0,
            judged: 0,
            rescored: 0,
            account: Account::default(),
            rows: VerdictBatch::default(),
            ordinals: Vec::new(),
            stretch: 0,
            in_segment: 0,
            rejects: RejectsFile::create(folder)?,
            lines: match plan.emit {
                Emit::Tables => None,
                Emit::JsonLines => Some(folder.file(JSON_LINES)?),
            },
        })
    }

    /// Takes in a block; returns a stretch when it is long enough or its segment ends.
    pub(super) fn take(
        &mut self,
        outcome: JudgedBlock,
        segment: InSegment,
        tables: &VerdictTables,
    ) -> Result<Option<Left>, RunError> {
        self.account.add(outcome.account);
        self.judged += outcome.batch.len() as u64;
        let ordinals = self.number(outcome.batch.keys())?;
        if let Some(lines) = &mut self.lines {
            for ((text, key), before) in
                outcome.texts.iter().zip(outcome.batch.keys()).zip(&ordinals)
            {
                let name = KeyName { key: *key, before: *before };
                writeln!(lines, "{{\"key\":\"{name}\",{}", &text[1..])
                    .map_err(|error| FolderError::io(Path::new(JSON_LINES), error))?;
            }
        }
        self.rows.append(&outcome.batch);
        self.ordinals.extend(ordinals);
        let is_full = self.rows.len() >= ROW_GROUP
            || self.rows.bytes() >= ROW_BYTES
            || self.account.is_long();
        if segment.is_last || is_full {
            self.next_stretch(segment, tables).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Takes in the stretches of a segment that was kept.
    pub(super) fn take_kept(
        &mut self,
        kept: Vec<KeptStretch>,
        segment: InSegment,
        tables: &VerdictTables,
    ) -> Result<Vec<Left>, RunError> {
        let mut left = Vec::with_capacity(kept.len());
        // What is judged again is kept as a part of the run's beginning, unless there is none.
        let is_part = self.whole.is_some() && segment.behind.is_none();
        let name = segment.name.filter(|_| !is_part);
        let last = kept.len().saturating_sub(1);
        for (at, kept) in kept.into_iter().enumerate() {
            left.push(match kept {
                KeptStretch::Judged(stretch) => self.take_judged(*stretch)?,
                KeptStretch::Rescored(account, rows) => {
                    self.ordinals = self.number(rows.keys())?;
                    self.rescored += rows.len() as u64;
                    (self.account, self.rows) = (account, *rows);
                    let segment = InSegment { name, is_last: at == last, behind: None };
                    let mut left = self.next_stretch(segment, tables)?;
                    if let LeftRows::Judged(_, Some(to_keep)) = &mut left.rows {
                        to_keep.observing = Observing::Kept;
                    }
                    left
                }
            });
        }
        Ok(left)
    }

    fn take_judged(&mut self, stretch: Stretch) -> Result<Left, RunError> {
        let Stretch { account, counted, rows, names } = stretch;
        let ordinals = self.number(rows.keys())?;
        self.book(&account, rows.keys().len())?;
        self.count(&counted, (rows.keys(), &ordinals))?;
        self.stretch += 1;
        let rows = LeftRows::Kept(Box::new(rows), names);
        Ok(Left { stretch: self.stretch - 1, ordinals, rows })
    }

    /// How often each key occurred before.
    fn number(&mut self, keys: &[Key]) -> Result<Vec<u32>, RunError> {
        let ordinals = self.repeats.count_all(keys)?;
        for (key, before) in keys.iter().zip(&ordinals) {
            self.totals.corpus_digest.add(*key, *before);
        }
        Ok(ordinals)
    }

    /// Adds what was read.
    pub(super) fn book(&mut self, account: &Account, exchanges: usize) -> Result<(), RunError> {
        self.totals.add(account, exchanges);
        self.whole = self.whole.take().and_then(|mut whole| {
            whole.add(account.clone());
            whole.is_short().then_some(whole)
        });
        for reject in &account.rejects {
            self.rejects.push(&reject_row(reject))?;
        }
        Ok(())
    }

    /// Adds what was found.
    pub(super) fn count(
        &mut self,
        counted: &Counted,
        (keys, ordinals): (&[Key], &[u32]),
    ) -> Result<(), RunError> {
        self.shapes.add(&counted.shapes, |row| name_of(row, keys, ordinals))?;
        self.tally.add(&counted.tally)?;
        self.sessions.join(&counted.sessions)?;
        self.outcomes.merge(&counted.outcomes);
        Ok(())
    }

    /// Adds what was found, where it is of no use to anybody else.
    fn count_rows(
        &mut self,
        rows: &VerdictBatch,
        tables: &VerdictTables,
        (keys, ordinals): (&[Key], &[u32]),
    ) -> Result<(), RunError> {
        self.shapes.add_rows(rows, tables, |row| name_of(row, keys, ordinals))?;
        rows.tally_into(&mut self.tally, tables.legend())?;
        rows.gather_sessions(&mut self.sessions)?;
        rows.count_outcomes(&mut self.outcomes, tables.legend());
        Ok(())
    }

    /// Counts the rows that wait and hands them over.
    pub(super) fn next_stretch(
        &mut self,
        segment: InSegment,
        tables: &VerdictTables,
    ) -> Result<Left, RunError> {
        let rows = std::mem::take(&mut self.rows);
        let account = std::mem::take(&mut self.account);
        let ordinals = std::mem::take(&mut self.ordinals);
        let names = (rows.keys(), ordinals.as_slice());
        self.book(&account, rows.len())?;
        let (number, end) =
            (self.in_segment, if segment.is_last { End::Last } else { End::GoesOn });
        self.in_segment = if segment.is_last { 0 } else { number + 1 };
        // A defect may be one of the moment, so what it left is not kept.
        let is_whole = account.rejects.iter().all(|lost| lost.reason != RejectReason::Panicked);
        let to_keep = match segment.name {
            Some(name) if is_whole => {
                let counted = Counted::of(&rows, tables)?;
                self.count(&counted, names)?;
                let (name, observing) = ((name, number, end), Observing::New);
                Some(Box::new(ToKeep { name, account, counted, observing }))
            }
            Some(_) | None => {
                self.count_rows(&rows, tables, names)?;
                None
            }
        };
        let rows = LeftRows::Judged(Box::new(rows), to_keep);
        self.stretch += 1;
        Ok(Left { stretch: self.stretch - 1, ordinals, rows })
    }
}

/// What the exchange in a row is called.
fn name_of(row: usize, keys: &[Key], ordinals: &[u32]) -> KeyName {
    let before = ordinals.get(row).copied().unwrap_or_default();
    KeyName { key: keys.get(row).copied().unwrap_or_default(), before }
}

fn reject_row(reject: &Reject) -> RejectRow<'_> {
    let is_line = reject.is_line();
    RejectRow {
        file: &reject.file,
        line: is_line.then_some(reject.line),
        byte: is_line.then_some(reject.byte),
        reason: reject.reason.name(),
        detail: (!reject.detail.is_empty()).then_some(&reject.detail),
        head: is_line.then_some(&reject.head),
    }
}
