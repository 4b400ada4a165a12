//! What is kept of a run in the corpus's order: counts, unreadable, and the row group that is being gathered.

use super::engine::{Lines, RunError, RunPlan};
use super::totals::{Account, Counted, ReadAs};
use crate::corpus::Unreadable;
use crate::recording::Fidelity;
use crate::store::{
    NamedRows, OfProgram, RecordingRow, RunFolder, Table, TableFile, UnreadableRow, VerdictBatch,
    VerdictTables,
};

/// What recordings give nothing to that are not of the wire.
const NOT_APPLIED: &str = "schema, protocol, timing";

const ROW_GROUP: usize = 1 << 14;
/// Memory for rows that wait for their row group.
const ROW_BYTES: usize = 5 << 20;

#[derive(Default)]
pub(super) struct JudgedBlock {
    pub(super) account: Account,
    pub(super) batch: VerdictBatch,
    /// The verdicts as lines of JSON.
    pub(super) lines: Vec<u8>,
    pub(super) may_end_row_group: bool,
}

/// What is kept in the corpus's order.
pub(super) struct Ledger {
    pub(super) counted: Counted,
    rows: VerdictBatch,
    row_groups: u64,
    pub(super) unreadable: TableFile,
    pub(super) recordings: TableFile,
    /// The recording whose blocks come, and the calls and the unwrapped replies in it so far.
    open: Option<(ReadAs, u64, u64)>,
    lines: Option<Lines>,
}

/// Rows that were counted and have yet to be encoded and written.
pub(super) struct RowGroup {
    /// Its place in the files, from 0.
    pub(super) number: u64,
    pub(super) rows: NamedRows,
}

impl Ledger {
    pub(super) fn start(plan: &RunPlan, folder: &RunFolder) -> Result<Self, RunError> {
        Ok(Self {
            counted: Counted::default(),
            rows: VerdictBatch::default(),
            row_groups: 0,
            unreadable: TableFile::create(folder, Table::Unreadable)?,
            recordings: TableFile::create(folder, Table::Recordings)?,
            open: None,
            lines: plan.lines.clone(),
        })
    }

    /// Takes in a block; returns a row group when there are rows enough for one.
    pub(super) fn take(
        &mut self,
        block: JudgedBlock,
        tables: &VerdictTables,
    ) -> Result<Option<RowGroup>, RunError> {
        let JudgedBlock { account, batch, lines, may_end_row_group } = block;
        self.counted.totals.add(&account, batch.len());
        for unreadable in &account.unreadable {
            self.unreadable.push_unreadable(&unreadable_row(unreadable))?;
        }
        self.note_recording(&account, batch.len() as u64)?;
        for key in batch.keys() {
            self.counted.totals.corpus_digest.add(key);
        }
        if let Some(sink) = self.lines.as_ref().filter(|_| !lines.is_empty()) {
            sink.write(&lines)?;
        }
        self.rows.append(&batch);
        let is_full = self.rows.len() >= ROW_GROUP || self.rows.bytes() >= ROW_BYTES;
        Ok((is_full && may_end_row_group).then(|| self.next_row_group(tables)))
    }

    /// Writes the row of a recording when it ends.
    fn note_recording(&mut self, account: &Account, calls: u64) -> Result<(), RunError> {
        if let Some(recording) = &account.recording {
            self.open = Some((recording.clone(), 0, 0));
        }
        let Some((_, counted, unwrapped)) = &mut self.open else { return Ok(()) };
        *counted += calls;
        *unwrapped += account.unwrapped;
        if !account.ends {
            return Ok(());
        }
        let Some((recording, calls, unwrapped)) = self.open.take() else { return Ok(()) };
        let tally = account.tally.unwrap_or_default();
        // Calls that wait are judged after all files, and belong to the first that holds them.
        let calls = (calls + tally.waiting).saturating_sub(tally.resumed);
        let is_derived = recording.fidelity == Fidelity::Derived;
        if recording.evidence.is_some() {
            self.counted.totals.programs.entry(recording.format.into()).or_default().merge(
                &OfProgram {
                    recordings: 1,
                    calls,
                    not_sent: tally.not_sent,
                    reply_cut: tally.reply_cut,
                    reply_not_kept: tally.reply_not_kept,
                    duplicates: tally.duplicates,
                    names_guessed: tally.names_guessed,
                    is_derived,
                },
            );
        }
        self.recordings.push_recording(&RecordingRow {
            file: &recording.file,
            format: recording.format,
            evidence: recording.evidence,
            not_applied: is_derived.then_some(NOT_APPLIED),
            calls,
            unwrapped,
            tally,
        })?;
        Ok(())
    }

    /// Counts the rows that wait and hands them over.
    pub(super) fn next_row_group(&mut self, tables: &VerdictTables) -> RowGroup {
        let rows = std::mem::take(&mut self.rows);
        rows.count_into(&mut self.counted.cube, tables.legend());
        rows.gather_sessions(&mut self.counted.sessions);
        rows.count_outcomes(&mut self.counted.outcomes, tables.legend());
        self.row_groups += 1;
        let rows = NamedRows::of(rows, tables.legend());
        self.counted.lists.see(&rows, &mut self.counted.cube);
        RowGroup { number: self.row_groups - 1, rows }
    }
}

fn unreadable_row(unreadable: &Unreadable) -> UnreadableRow<'_> {
    let is_line = unreadable.is_line();
    UnreadableRow {
        file: &unreadable.file,
        line: is_line.then_some(unreadable.line),
        byte: is_line.then_some(unreadable.byte),
        reason: unreadable.reason.name(),
        detail: (!unreadable.detail.is_empty()).then_some(&unreadable.detail),
        head: is_line.then_some(&unreadable.head),
    }
}
