//! One run: every exchange of a corpus judged, counted and written down.

use super::drive::{Work, drive, exchanges};
use super::folder::{FolderError, RunFolder};
use super::totals::Totals;
use crate::check::schema::Schemas;
use crate::check::{Judge, VerdictLine};
use crate::corpus::{
    Assembled, Block, Bounds, CorpusError, CorpusReader, FileNote, Input, Reject, RejectReason,
    ToolCache,
};
use crate::report::{
    EncodedRows, Legend, ParquetFile, RejectWriter, Row, Table, TableFormat, VerdictBatch,
    VerdictTables,
};
use crate::rulebook::Rulebook;
use crate::tally::{Repeats, SpillError, SpillSpace, Tally};
use crate::tape::{Exchange, Key, KeyMaker, Keys, Moment};
use polars_error::PolarsError;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Rows of a row group.
const ROW_GROUP: usize = 1 << 15;
/// Memory for rows that wait for their row group.
const ROW_BYTES: usize = 24 << 20;
/// Memory for the counts of a run before they spill to disk.
const TALLY_BYTES: usize = 24 << 20;

/// What to judge and how.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The corpus.
    pub inputs: Vec<Input>,
    /// The bounds within which it is read.
    pub bounds: Bounds,
    /// How many threads work.
    pub threads: usize,
    /// Whether every verdict is also written as a line of JSON.
    pub emit: Emit,
}

/// What is written besides the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// Nothing.
    Tables,
    /// `verdicts.jsonl` too.
    JsonLines,
}

/// Why a run could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An input cannot be opened.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// The threads cannot be started.
    #[error(transparent)]
    Drive(#[from] super::DriveError),
    /// The run folder cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Temporary space cannot be used.
    #[error(transparent)]
    Spill(#[from] SpillError),
    /// A table cannot be written.
    #[error("cannot write the tables: {0}")]
    Table(#[from] PolarsError),
    /// The lines do not add up: a defect of this program.
    #[error("{lines} lines were read, but {exchanges} exchanges, {other} lines of other traffic and {rejects} rejects do not add up to them; please report this defect")]
    Unaccounted {
        /// Lines read.
        lines: u64,
        /// Exchanges.
        exchanges: u64,
        /// Other traffic.
        other: u64,
        /// Rejected lines.
        rejects: u64,
    },
}

/// Hears how far a run has come. It never decides anything.
pub trait Observer: Sync {
    /// The run begins: `total` bytes lie on the disk, and `taken` says how many were read so far.
    fn begin(&self, total: u64, taken: Arc<AtomicU64>);
    /// The run has ended.
    fn end(&self);
}

/// What a run has judged, before the tables of counts are written.
pub(super) struct Judged {
    pub(super) totals: Totals,
    pub(super) tally: Tally,
}

/// Judges a corpus and writes the tables that have a row per exchange, issue or reject.
pub(super) fn judge_all(
    plan: &RunPlan,
    rulebook: &Rulebook,
    folder: &RunFolder,
    observer: &dyn Observer,
) -> Result<Judged, RunError> {
    let reader = CorpusReader::new(&plan.inputs, plan.bounds)?;
    observer.begin(reader.total_bytes(), reader.progress());
    let tables = VerdictTables::new(Legend::of(rulebook))?;
    let start = |table: Table| folder.file(&table.file_name(TableFormat::Parquet));
    let files = Files {
        verdicts: tables.verdicts().start(start(Table::Verdicts)?)?,
        issues: tables.issues().start(start(Table::Issues)?)?,
        waiting: BTreeMap::new(),
        next: 0,
    };
    let engine = Engine {
        plan,
        rulebook,
        schemas: Schemas::new(rulebook.schema.clone()),
        tables,
        files: Mutex::new(files),
        failure: Mutex::new(None),
        over: AtomicBool::new(false),
    };
    let space = SpillSpace::new(folder.building(), TALLY_BYTES);
    let ledger = Ledger {
        totals: Totals::default(),
        tally: Tally::new(&space),
        repeats: Repeats::new(space, Repeats::DEFAULT_LIMIT),
        rows: VerdictBatch::default(),
        group: 0,
        rejects: RejectWriter::new(folder.file(&Table::Rejects.file_name(TableFormat::Csv))?, folder)?,
        lines: match plan.emit {
            Emit::Tables => None,
            Emit::JsonLines => Some(folder.file("verdicts.jsonl")?),
        },
    };
    let ledger = drive(reader, plan.threads, &engine, ledger);
    observer.end();
    let mut ledger = ledger?;
    if !engine.is_over() {
        let rows = std::mem::take(&mut ledger.rows);
        engine.rest((ledger.group, rows));
    }
    engine.finish(ledger, folder)
}

struct Engine<'r> {
    plan: &'r RunPlan,
    rulebook: &'r Rulebook,
    schemas: Schemas,
    tables: VerdictTables,
    files: Mutex<Files>,
    failure: Mutex<Option<RunError>>,
    over: AtomicBool,
}

/// The Parquet files, which take row groups in their order.
struct Files {
    verdicts: ParquetFile<BufWriter<File>>,
    issues: ParquetFile<BufWriter<File>>,
    waiting: BTreeMap<u64, EncodedRows>,
    next: u64,
}

/// What is kept in the corpus's order.
struct Ledger {
    totals: Totals,
    tally: Tally,
    repeats: Repeats,
    rows: VerdictBatch,
    group: u64,
    rejects: RejectWriter<BufWriter<File>>,
    lines: Option<BufWriter<File>>,
}

/// What a thread keeps for itself.
struct Worker<'r> {
    judge: Judge<'r>,
    cache: ToolCache,
    keys: KeyMaker,
    day: Day,
}

/// What comes out of one block.
struct BlockOutcome {
    format: Option<usize>,
    lines: u64,
    traffic: BTreeMap<Cow<'static, str>, u64>,
    rejects: Vec<Reject>,
    notes: Vec<FileNote>,
    batch: VerdictBatch,
    /// The verdicts as JSON, each without its key, which is not final yet.
    texts: Vec<String>,
}

impl<'r> Work for Engine<'r> {
    type Worker = Worker<'r>;
    type Outcome = BlockOutcome;
    type Taker = Ledger;
    type Rest = (u64, VerdictBatch);

    fn worker(&self) -> Worker<'r> {
        // The schemas live as long as the engine; a worker's judge borrows them through it.
        unreachable!("workers are made by `Engine::with_worker`")
    }

    fn block(&self, _worker: &mut Worker<'r>, _block: &Block) -> BlockOutcome {
        unreachable!()
    }

    fn take(&self, _taker: &mut Ledger, _outcome: BlockOutcome) -> Option<(u64, VerdictBatch)> {
        unreachable!()
    }

    fn rest(&self, _rest: (u64, VerdictBatch)) {}

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}
