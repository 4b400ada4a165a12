//! One run: every exchange of a corpus judged, counted and written down.

use super::account::Account;
use super::beginning::{KeptBeginning, SoFar};
use super::cache::{Cache, CachePlan, KeptStretch};
use super::drive::{Work, drive, exchanges};
use super::ledger::{JSON_LINES, JudgedBlock, Ledger, Left, LeftRows, Observing, ToKeep};
use super::settings::{Settings, SettingsError};
use super::stretch::Stretch;
use super::totals::Totals;
use crate::check::schema::Schemas;
use crate::check::{
    CheckFiles, ChecksError, Judge, VerdictLine, judged_text, session_issues, task_of,
};
use crate::corpus::{
    BeginningName, Block, Bounds, CorpusError, CorpusReader, InSegment, Input, Reject, RejectReason,
};
use crate::format::Context;
use crate::report::{
    EncodedRows, FolderError, KeptTables, KeyColumns, Legend, Outcomes, ReportError, Row,
    RunFolder, SessionRow, Showing, VerdictBatch, VerdictTables, VerdictWriter,
};
use crate::rulebook::{Field, Rulebook};
use crate::tally::{Sessions, SpillError, Tally};
use crate::tape::{Exchange, KeyMaker, Moment, SessionEvent};
use crate::verdict::{Ground, Severity, Verdict};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
            mark: None,
        }),
        so_far: Mutex::new(None),
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
    /// What all segments but the last amount to, where that is to be kept.
    so_far: Mutex<Option<(BeginningName, SoFar)>>,
    failure: Mutex<Option<RunError>>,
    over: AtomicBool,
}

/// The tables of verdicts and issues, which take row groups in their order.
struct Files {
    writer: VerdictWriter,
    waiting: BTreeMap<u64, Encoded>,
    next: u64,
    /// A stretch, and what the files held before it.
    mark: Option<(u64, Option<Held>)>,
}

/// What is said of the rows that files hold, and how long they are.
type Held = (Vec<u8>, [u64; 2]);

/// Rows that wait to be appended.
enum Encoded {
    Rows(Box<EncodedRows>, KeyColumns),
    Beginning(Box<KeptTables>),
}

impl Files {
    fn append(&mut self, number: u64, rows: Encoded) -> Result<(), RunError> {
        self.waiting.insert(number, rows);
        while let Some(rows) = self.waiting.remove(&self.next) {
            if let Some((at, held)) = &mut self.mark
                && *at == self.next
            {
                *held = Some(self.writer.so_far());
            }
            match rows {
                Encoded::Rows(rows, keys) => self.writer.append(&rows, &keys)?,
                Encoded::Beginning(kept) => self.writer.begin_with(*kept)?,
            }
            self.next += 1;
        }
        Ok(())
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
    Kept(Vec<KeptStretch>, InSegment),
    Beginning(Box<KeptBeginning>),
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
        let kept = block.take_kept().map(|kept| match kept.downcast::<Vec<KeptStretch>>() {
            Ok(stretches) => Some(BlockOutcome::Kept(*stretches, block.segment)),
            Err(kept) => kept.downcast().ok().map(BlockOutcome::Beginning),
        });
        if let Some(kept) = kept.flatten() {
            return kept;
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
                self.before_last(ledger, segment).and_then(|()| {
                    let left = ledger.take(*judged, segment, self.tables)?;
                    Ok(left.into_iter().collect())
                })
            }
            BlockOutcome::Beginning(kept) => {
                if let Some(cache) = self.cache {
                    cache.count_beginning(&kept);
                }
                let stretch = ledger.stretch;
                ledger.begin_with(*kept).map(|tables| {
                    let rows = LeftRows::Beginning(Box::new(tables));
                    vec![Left { stretch, ordinals: Vec::new(), rows }]
                })
            }
            BlockOutcome::Kept(kept, segment) => {
                if let Some(cache) = self.cache {
                    for stretch in &kept {
                        cache.count(stretch);
                    }
                }
                self.before_last(ledger, segment)
                    .and_then(|()| ledger.take_kept(kept, segment, self.tables))
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
        let name = |rows: &mut EncodedRows| {
            self.tables.key_columns(rows, &ordinals).map_err(ReportError::from)
        };
        let (rows, to_keep) = match rows {
            LeftRows::Kept(mut rows, names) => {
                let names = if names.are_for(&ordinals) { names } else { name(&mut rows)? };
                return self.append(stretch, Encoded::Rows(rows, names));
            }
            LeftRows::Beginning(tables) => {
                return self.append(stretch, Encoded::Beginning(tables));
            }
            LeftRows::Judged(rows, to_keep) => (*rows, self.cache.zip(to_keep)),
        };
        let Some((cache, to_keep)) = to_keep else {
            let mut rows = self.tables.encode(rows).map_err(ReportError::from)?;
            let names = name(&mut rows)?;
            return self.append(stretch, Encoded::Rows(Box::new(rows), names));
        };
        let ToKeep { name: of_stretch, account, counted, observing } = *to_keep;
        let observed = match observing {
            Observing::Kept => None,
            Observing::New => cache.observed(&rows),
        };
        let mut rows = self.tables.encode(rows).map_err(ReportError::from)?;
        let names = name(&mut rows)?;
        if let Some(observed) = observed {
            cache.keep_observed(of_stretch, (&account, &observed), (&rows, &names));
        }
        let mut kept = Stretch { account, counted, rows, names };
        if kept.load().is_ok() {
            cache.keep(of_stretch, &kept);
        }
        self.append(stretch, Encoded::Rows(Box::new(kept.rows), kept.names))
    }

    fn append(&self, stretch: u64, rows: Encoded) -> Result<(), RunError> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).append(stretch, rows)
    }

    /// Before the last segment it is noted what all others amount to: the next corpus may well begin so.
    fn before_last(&self, ledger: &mut Ledger, segment: InSegment) -> Result<(), RunError> {
        let Some(name) = segment.behind.filter(|name| name.segments > 0) else { return Ok(()) };
        let Some(cache) = self.cache else { return Ok(()) };
        if ledger.is_rescored() && cache.is_first_of(name) {
            ledger.whole = None;
            return Ok(());
        }
        if let Some(so_far) = ledger.so_far()? {
            let files = &mut self.files.lock().unwrap_or_else(PoisonError::into_inner);
            files.mark = Some((so_far.stretch, None));
            let mut place = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
            *place = Some((name, so_far));
        }
        Ok(())
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
        let files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        let held = files.mark.and_then(|(_, held)| held);
        files.writer.finish()?;
        let so_far = self.so_far.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let (Some(cache), Some((name, so_far)), Some(held)) = (self.cache, so_far, held) {
            let whole = so_far.whole(folder, held)?;
            cache.keep_beginning(name, whole);
        }
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
