//! One run: every exchange of a corpus judged, counted and written down.

use super::account::Account;
use super::cache::{Cache, CachePlan, End, KeptStretch, StretchName};
use super::drive::{Work, drive, exchanges};
use super::settings::{Settings, SettingsError};
use super::stretch::Stretch;
use super::totals::Totals;
use crate::check::schema::Schemas;
use crate::check::{
    CheckFiles, ChecksError, Judge, VerdictLine, judged_text, session_issues, task_of,
};
use crate::corpus::{
    Block, Bounds, CorpusError, CorpusReader, InSegment, Input, Reject, RejectReason, SegmentName,
};
use crate::format::Context;
use crate::report::{
    Counted, EncodedRows, FolderError, KeyColumns, Legend, Outcomes, RejectRow, RejectsFile,
    ReportError, Row, RunFolder, SessionRow, ShapeCounts, Showing, VerdictBatch, VerdictTables,
    VerdictWriter,
};
use crate::rulebook::{Field, Rulebook};
use crate::tally::{Repeats, Sessions, SpillError, SpillSpace, Tally};
use crate::tape::{Exchange, Key, KeyMaker, KeyName, Moment, SessionEvent};
use crate::verdict::{Ground, Severity, Verdict};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The file of verdicts as JSON, one a line.
const JSON_LINES: &str = "verdicts.jsonl";
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

/// What to judge and how.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// The corpus.
    pub inputs: Vec<Input>,
    /// The files that its exchanges are held against, beside those that the corpus names itself.
    pub checks: CheckFiles,
    /// The bounds within which it is read.
    pub bounds: Bounds,
    /// How many threads work.
    pub threads: usize,
    /// Whether every verdict is also written as a line of JSON.
    pub emit: Emit,
    /// Where verdicts of earlier runs are kept; `None`: nowhere.
    pub cache: Option<CachePlan>,
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
    /// Something is wrong with the files that exchanges are held against.
    #[error(transparent)]
    Checks(#[from] ChecksError),
    /// The threads cannot be started.
    #[error(transparent)]
    Drive(#[from] super::DriveError),
    /// The run folder cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The cache cannot be used.
    #[error(transparent)]
    Cache(#[from] super::CacheError),
    /// Temporary space cannot be used.
    #[error(transparent)]
    Spill(#[from] SpillError),
    /// A table cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The lines do not add up: a defect of this program.
    #[error(
        "{lines} lines were read, but {exchanges} exchanges, {other} lines of other traffic and {rejects} rejects do not add up to them; please report this defect"
    )]
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

impl From<SettingsError> for RunError {
    fn from(error: SettingsError) -> Self {
        match error {
            SettingsError::Corpus(error) => Self::Corpus(error),
            SettingsError::Checks(error) => Self::Checks(error),
        }
    }
}

/// Hears how far a run has come. It never decides anything.
pub trait Observer: Sync {
    /// The run begins: `total` finds out how many bytes lie on the disk, for whoever needs to know,
    /// and `taken` says how many were read so far.
    fn begin(&self, total: &dyn Fn() -> u64, taken: Arc<AtomicU64>);
    /// The run has ended.
    fn end(&self);
}

/// What a run has judged, before the tables of counts are written.
pub(super) struct Judged {
    pub(super) totals: Totals,
    pub(super) tally: Tally,
    pub(super) sessions: Sessions,
    pub(super) outcomes: Outcomes,
}

/// What a corpus is judged by.
pub(super) struct By<'r> {
    pub(super) rulebook: &'r Rulebook,
    pub(super) settings: &'r Settings,
    pub(super) cache: Option<&'r Cache>,
}

/// Judges a corpus and writes the tables that have a row per exchange, issue or reject.
pub(super) fn judge_all(
    plan: &RunPlan,
    by: &By<'_>,
    folder: &RunFolder,
    (reader, observer): (CorpusReader, &dyn Observer),
) -> Result<Judged, RunError> {
    let By { rulebook, settings, cache } = *by;
    let tables = VerdictTables::new(Legend::of(rulebook)).map_err(ReportError::from)?;
    let schemas = Schemas::new(rulebook.schema.clone());
    let engine = Engine {
        plan,
        rulebook,
        settings,
        cache,
        schemas: &schemas,
        tables: &tables,
        files: Mutex::new(Files {
            writer: VerdictWriter::create(folder, &tables)?,
            waiting: BTreeMap::new(),
            next: 0,
        }),
        failure: Mutex::new(None),
        over: AtomicBool::new(false),
    };
    let ledger = Ledger::start(plan, folder)?;
    observer.begin(&|| reader.total_bytes(), reader.progress());
    let ledger = drive(reader, plan.threads, &engine, ledger);
    observer.end();
    engine.finish(ledger?, folder)
}

struct Engine<'r> {
    plan: &'r RunPlan,
    rulebook: &'r Rulebook,
    settings: &'r Settings,
    cache: Option<&'r Cache>,
    schemas: &'r Schemas,
    tables: &'r VerdictTables,
    files: Mutex<Files>,
    failure: Mutex<Option<RunError>>,
    over: AtomicBool,
}

/// The tables of verdicts and issues, which take row groups in their order.
struct Files {
    writer: VerdictWriter,
    waiting: BTreeMap<u64, (EncodedRows, KeyColumns)>,
    next: u64,
}

impl Files {
    fn append(&mut self, number: u64, rows: (EncodedRows, KeyColumns)) -> Result<(), RunError> {
        self.waiting.insert(number, rows);
        while let Some((rows, keys)) = self.waiting.remove(&self.next) {
            self.writer.append(&rows, &keys)?;
            self.next += 1;
        }
        Ok(())
    }
}

/// What is kept in the corpus's order.
struct Ledger {
    totals: Totals,
    tally: Tally,
    sessions: Sessions,
    outcomes: Outcomes,
    shapes: ShapeCounts,
    repeats: Repeats,
    account: Account,
    rows: VerdictBatch,
    ordinals: Vec<u32>,
    /// The number of the stretch that is being gathered: in the run and in its segment.
    stretch: u64,
    in_segment: u32,
    rejects: RejectsFile,
    lines: Option<BufWriter<File>>,
}

/// A stretch whose turn is over: its rows have yet to be written.
struct Left {
    stretch: u64,
    ordinals: Vec<u32>,
    rows: LeftRows,
}

enum LeftRows {
    /// They were judged, and are kept under a name where there is one.
    Judged(Box<VerdictBatch>, Option<ToKeep>),
    /// They were kept, with these names.
    Kept(Box<EncodedRows>, KeyColumns),
}

/// What is kept of a stretch besides its rows.
struct ToKeep {
    name: StretchName,
    account: Account,
    counted: Counted,
    observing: Observing,
}

/// Whether what was observed of a stretch is kept already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Observing {
    Kept,
    New,
}

impl Ledger {
    fn start(plan: &RunPlan, folder: &RunFolder) -> Result<Self, RunError> {
        let space = SpillSpace::new(folder.building(), TALLY_BYTES);
        Ok(Self {
            totals: Totals::default(),
            tally: Tally::new(&space),
            sessions: Sessions::new(SpillSpace::new(folder.building(), SESSION_BYTES)),
            outcomes: Outcomes::default(),
            shapes: ShapeCounts::new(SpillSpace::new(folder.building(), SHAPE_BYTES)),
            repeats: Repeats::new(space, Repeats::DEFAULT_LIMIT),
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
    fn take(
        &mut self,
        outcome: JudgedBlock,
        segment: InSegment,
        tables: &VerdictTables,
    ) -> Result<Option<Left>, RunError> {
        self.account.add(outcome.account);
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
    fn take_kept(
        &mut self,
        kept: Vec<KeptStretch>,
        name: Option<SegmentName>,
        tables: &VerdictTables,
    ) -> Result<Vec<Left>, RunError> {
        let mut left = Vec::with_capacity(kept.len());
        let last = kept.len().saturating_sub(1);
        for (at, kept) in kept.into_iter().enumerate() {
            left.push(match kept {
                KeptStretch::Judged(stretch) => self.take_judged(*stretch)?,
                KeptStretch::Rescored(account, rows) => {
                    self.ordinals = self.number(rows.keys())?;
                    (self.account, self.rows) = (account, *rows);
                    let segment = InSegment { name, is_last: at == last };
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
        self.count(counted, (rows.keys(), &ordinals))?;
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
    fn book(&mut self, account: &Account, exchanges: usize) -> Result<(), RunError> {
        self.totals.add(account, exchanges);
        for reject in &account.rejects {
            self.rejects.push(&reject_row(reject))?;
        }
        Ok(())
    }

    /// Adds what was found.
    fn count(
        &mut self,
        counted: Counted,
        (keys, ordinals): (&[Key], &[u32]),
    ) -> Result<(), RunError> {
        self.shapes.add(&counted.shapes, |row| {
            let before = ordinals.get(row).copied().unwrap_or_default();
            KeyName { key: keys.get(row).copied().unwrap_or_default(), before }
        })?;
        self.tally.add(&counted.tally)?;
        self.sessions.join(counted.sessions)?;
        self.outcomes.merge(&counted.outcomes);
        Ok(())
    }

    /// Counts the rows that wait and hands them over.
    fn next_stretch(
        &mut self,
        segment: InSegment,
        tables: &VerdictTables,
    ) -> Result<Left, RunError> {
        let rows = std::mem::take(&mut self.rows);
        let account = std::mem::take(&mut self.account);
        let ordinals = std::mem::take(&mut self.ordinals);
        let names = (rows.keys(), ordinals.as_slice());
        let counted = Counted::of(&rows, tables)?;
        self.book(&account, rows.len())?;
        let (number, end) =
            (self.in_segment, if segment.is_last { End::Last } else { End::GoesOn });
        self.in_segment = if segment.is_last { 0 } else { number + 1 };
        // A defect may be one of the moment, so what it left is not kept.
        let is_whole = account.rejects.iter().all(|lost| lost.reason != RejectReason::Panicked);
        let to_keep = match segment.name {
            Some(name) if is_whole => {
                self.count(counted.clone(), names)?;
                let (name, observing) = ((name, number, end), Observing::New);
                Some(ToKeep { name, account, counted, observing })
            }
            Some(_) | None => {
                self.count(counted, names)?;
                None
            }
        };
        let rows = LeftRows::Judged(Box::new(rows), to_keep);
        self.stretch += 1;
        Ok(Left { stretch: self.stretch - 1, ordinals, rows })
    }
}

/// What a thread keeps for itself.
struct Worker<'r> {
    judge: Judge<'r>,
    context: Context,
    keys: KeyMaker,
    days: Days,
}

/// The day of the last exchange, which is mostly that of the next.
#[derive(Default)]
struct Days {
    number: Option<i64>,
    text: String,
}

impl Days {
    /// The UTC day of a recorded time; empty where it is not known.
    fn of(&mut self, recorded_at: Option<Moment>) -> &str {
        let Some(moment) = recorded_at else { return "" };
        if self.number != Some(moment.day_number()) {
            self.number = Some(moment.day_number());
            self.text = moment.day();
        }
        &self.text
    }
}

/// What comes out of one block.
enum BlockOutcome {
    Judged(Box<JudgedBlock>, InSegment),
    Kept(Vec<KeptStretch>, Option<SegmentName>),
}

/// What was judged of one block.
#[derive(Default)]
struct JudgedBlock {
    account: Account,
    batch: VerdictBatch,
    /// The verdicts as JSON, without their keys, which are not settled yet.
    texts: Vec<String>,
}

impl JudgedBlock {
    /// What is left to say of a block on which this program failed as a whole.
    fn lost(block: &Block) -> Self {
        let file = block.tape.as_ref().map_or("", |tape| &tape.name);
        let detail = "a part of this tape could not be judged";
        let rejects = vec![Reject::of_file(file, RejectReason::Panicked, detail)];
        Self { account: Account { rejects, ..Account::default() }, ..Self::default() }
    }
}

impl<'r> Work for Engine<'r> {
    type Worker = Worker<'r>;
    type Outcome = BlockOutcome;
    type Taker = Ledger;
    type Rest = Vec<Left>;

    fn worker(&self) -> Worker<'r> {
        Worker {
            judge: Judge::new(self.rulebook, self.schemas),
            context: Context::new(self.plan.bounds.max_depth),
            keys: KeyMaker::default(),
            days: Days::default(),
        }
    }

    fn block(&self, worker: &mut Worker<'r>, block: &Block) -> BlockOutcome {
        let kept = block.take_kept().and_then(|kept| kept.downcast::<Vec<KeptStretch>>().ok());
        if let Some(kept) = kept {
            return BlockOutcome::Kept(*kept, block.segment.name);
        }
        let judged = catch_unwind(AssertUnwindSafe(|| self.judge_block(worker, block)))
            .unwrap_or_else(|_| JudgedBlock::lost(block));
        BlockOutcome::Judged(Box::new(judged), block.segment)
    }

    fn take(&self, ledger: &mut Ledger, outcome: BlockOutcome) -> Option<Vec<Left>> {
        if self.is_over() {
            return None;
        }
        let taken = match outcome {
            BlockOutcome::Judged(judged, segment) => {
                ledger.take(*judged, segment, self.tables).map(|left| left.into_iter().collect())
            }
            BlockOutcome::Kept(kept, name) => {
                if let Some(cache) = self.cache {
                    kept.iter().for_each(|stretch| cache.count(stretch));
                }
                ledger.take_kept(kept, name, self.tables)
            }
        };
        self.unless_failed(taken)
    }

    fn rest(&self, left: Vec<Left>) {
        for left in left {
            let written = self.write(left);
            self.unless_failed(written);
        }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

impl<'r> Engine<'r> {
    /// Encodes rows where they are not yet, keeps them where they are to be kept, and appends them.
    fn write(&self, Left { stretch, ordinals, rows }: Left) -> Result<(), RunError> {
        let name = |rows: &EncodedRows| {
            self.tables.key_columns(rows, &ordinals).map_err(ReportError::from)
        };
        let (rows, to_keep) = match rows {
            LeftRows::Kept(rows, names) => {
                let names = if names.are_for(&ordinals) { names } else { name(&rows)? };
                return self.append(stretch, (*rows, names));
            }
            LeftRows::Judged(rows, to_keep) => (*rows, self.cache.zip(to_keep)),
        };
        let Some((cache, ToKeep { name: of_stretch, account, counted, observing })) = to_keep
        else {
            let rows = self.tables.encode(rows).map_err(ReportError::from)?;
            let names = name(&rows)?;
            return self.append(stretch, (rows, names));
        };
        let observed = match observing {
            Observing::Kept => None,
            Observing::New => cache.observed(&rows),
        };
        if let Some(observed) = observed {
            cache.keep_observed(of_stretch, &account, &observed);
        }
        let rows = self.tables.encode(rows).map_err(ReportError::from)?;
        let names = name(&rows)?;
        let kept = Stretch { account, counted, rows, names };
        cache.keep(of_stretch, &kept);
        self.append(stretch, (kept.rows, kept.names))
    }

    fn append(&self, stretch: u64, rows: (EncodedRows, KeyColumns)) -> Result<(), RunError> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).append(stretch, rows)
    }

    fn judge_block(&self, worker: &mut Worker<'r>, block: &Block) -> JudgedBlock {
        let assembled = exchanges(block, &self.plan.bounds, &mut worker.context);
        let mut outcome = JudgedBlock {
            account: Account {
                tapes: block
                    .tape
                    .iter()
                    .filter(|_| block.index == 0)
                    .map(|tape| tape.format)
                    .collect(),
                lines: assembled.lines
                    + block.rejects.iter().filter(|reject| reject.is_line()).count() as u64,
                traffic: assembled.traffic,
                rejects: block.rejects.iter().cloned().chain(assembled.rejects).collect(),
                notes: block.notes.clone(),
            },
            batch: VerdictBatch::with_room_for(assembled.exchanges.len()),
            texts: Vec::new(),
        };
        let file = block.tape.as_ref().map_or("", |tape| &tape.name);
        let folder = block.tape.as_ref().and_then(|tape| tape.context.folder.as_deref());
        worker.judge.go_by(self.settings.of_folder(folder));
        for exchange in &assembled.exchanges {
            let judged = AssertUnwindSafe(|| self.judge(worker, exchange, file, &mut outcome));
            if catch_unwind(judged).is_err() {
                outcome.account.rejects.push(defect(exchange, file));
            }
        }
        for event in &assembled.events {
            let looked = AssertUnwindSafe(|| look_at_session(worker, event, file, &mut outcome));
            if catch_unwind(looked).is_err() {
                let detail = "while looking at a session as a whole";
                let reject = Reject::of_file(file, RejectReason::Panicked, detail);
                outcome.account.rejects.push(reject);
            }
        }
        outcome
    }

    fn judge(
        &self,
        worker: &mut Worker<'_>,
        exchange: &Exchange<'_>,
        file: &str,
        outcome: &mut JudgedBlock,
    ) {
        let verdict = worker.judge.judge(exchange);
        let keys = worker.keys.keys(exchange);
        let text = (self.plan.emit == Emit::JsonLines).then(|| {
            let line = VerdictLine::new(exchange, &verdict, self.rulebook);
            serde_json::to_string(&line).expect("a verdict is plain data")
        });
        let moment = exchange.recorded_at.as_deref().and_then(Moment::parse);
        let day = worker.days.of(moment);
        let task = if may_be_faulty(&verdict) { task_of(exchange) } else { None };
        let task = task.as_deref();
        let row = Row { exchange, file, keys, day, moment, task, verdict: &verdict };
        if outcome.batch.push(&row) == Showing::Wanted {
            let hits = verdict.judgement.iter().flat_map(|judgement| &judgement.hits);
            let patterns = &self.rulebook.patterns;
            let in_text =
                hits.filter(|hit| patterns[usize::from(hit.pattern)].field == Field::Text);
            outcome.batch.show(&judged_text(exchange, self.rulebook), in_text.copied());
        }
        outcome.texts.extend(text);
    }

    /// Keeps the first failure and ends the run on it.
    fn unless_failed<T>(&self, result: Result<T, RunError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.over.store(true, Ordering::Relaxed);
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                None
            }
        }
    }

    fn finish(self, mut ledger: Ledger, folder: &RunFolder) -> Result<Judged, RunError> {
        if !self.is_over() {
            // Segments end with their last block, so nothing waits unless a block was lost.
            let last = ledger.next_stretch(InSegment::default(), self.tables);
            if let Some(last) = self.unless_failed(last) {
                self.rest(vec![last]);
            }
        }
        if let Some(error) = self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        self.files.into_inner().unwrap_or_else(PoisonError::into_inner).writer.finish()?;
        ledger.shapes.write(folder, self.tables)?;
        ledger.rejects.finish()?;
        if let Some(lines) = ledger.lines {
            lines
                .into_inner()
                .map_err(|error| FolderError::io(&folder.path(JSON_LINES), error.into_error()))?;
        }
        let totals = ledger.totals;
        if !totals.adds_up() {
            return Err(RunError::Unaccounted {
                lines: totals.lines,
                exchanges: totals.exchanges,
                other: totals.other_traffic(),
                rejects: totals.rejected(),
            });
        }
        let Ledger { tally, sessions, outcomes, .. } = ledger;
        Ok(Judged { totals, tally, sessions, outcomes })
    }
}

/// Whether there is anything that the session's report will list, or may be once the same observations are
/// judged by other weights.
fn may_be_faulty(verdict: &Verdict) -> bool {
    let found_something =
        verdict.judgement.as_ref().is_some_and(|judgement| !judgement.hits.is_empty());
    let is_faulty = verdict.issues.iter().any(|issue| issue.severity != Severity::Info);
    is_faulty || found_something || verdict.quotable.is_some() || verdict.ground != Ground::Content
}

/// Adds what is wrong with a session as a whole.
fn look_at_session(
    worker: &mut Worker<'_>,
    event: &SessionEvent,
    file: &str,
    outcome: &mut JudgedBlock,
) {
    let moment = event.recorded_at.as_deref().and_then(Moment::parse);
    let day = worker.days.of(moment);
    for found in session_issues(worker.judge.checks(), event) {
        outcome.batch.push_of_session(&SessionRow {
            file,
            session: &event.session,
            line: event.place.line,
            server: &event.server,
            tool: &found.tool,
            day,
            moment,
            issue: &found.issue,
        });
    }
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

/// The reject of an exchange on which this program itself failed.
fn defect(exchange: &Exchange<'_>, file: &str) -> Reject {
    Reject {
        file: file.to_owned(),
        line: exchange.place.line,
        byte: exchange.place.byte,
        reason: RejectReason::Panicked,
        detail: format!("while judging a reply of tool '{}'", exchange.tool.name),
        head: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_none_has_no_day_and_leaves_its_neighbours_theirs() {
        let mut days = Days::default();
        let day = "2026-11-21";
        for (recorded, expected) in [
            (Some("2026-11-21T09:00:00Z"), day),
            (Some("2026-11-21T09:00:99Z"), ""),
            (Some("2026-11-21T09:10:00Z"), day),
            (None, ""),
            (Some("2026-11-22T00:30:00+01:00"), day),
            (Some("2026-11-21T23:59:60Z"), day),
        ] {
            let moment = recorded.and_then(Moment::parse);
            assert_eq!(days.of(moment), expected, "{recorded:?}");
        }
    }
}
