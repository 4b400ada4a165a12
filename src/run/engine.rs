//! One run: every exchange of a corpus judged, counted and written down.

use super::drive::{DriveError, Ordered, exchanges, locked, pool};
use super::excerpt::kept;
use super::ledger::{JudgedBlock, Ledger, RowGroup};
use super::masking::{Clean, Masking};
use super::totals::{Account, Counted, ReadAs};
use crate::check::schema::Schemas;
use crate::check::{
    CheckFiles, Checks, ChecksError, Judge, Tasks, VerdictLine, judged_text, session_issues,
    tasks_of,
};
use crate::corpus::{
    Block, Bounds, CorpusError, CorpusReader, Input, Journal, Part, Recognised, Recording, Stage,
    Unreadable, UnreadableReason,
};
use crate::format::{Context, FORMATS};
use crate::recording::{Day, Exchange, Fidelity, KeyMaker, Moment, SessionEvent, Task};
use crate::redact::Redactor;
use crate::rulebook::Rulebook;
use crate::store::{
    EncodedRows, FolderError, Legend, NamedRows, ReportError, Row, RunFolder, SessionRow,
    VerdictBatch, VerdictTables, VerdictWriter, keeps_text,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Debug, Default)]
pub struct RunPlan {
    pub inputs: Vec<Input>,
    /// The files that its exchanges are held against, beside those that the corpus names itself.
    pub checks: CheckFiles,
    pub bounds: Bounds,
    /// 0: as many as there are processors.
    pub threads: usize,
    /// Where every verdict is also written as a line of JSON, as soon as it is reached.
    pub lines: Option<Lines>,
    /// What is masked in all that the run writes.
    pub redactor: Redactor,
    /// Whether it keeps parts of the texts of calls.
    pub keeps_texts: bool,
    /// Which part of the recordings it reads, where that is not all.
    pub part: Option<Part>,
    /// Where the record at hand is noted.
    pub journal: Option<Arc<Journal>>,
}

/// Takes the lines of JSON.
#[derive(Clone)]
pub struct Lines {
    writer: Arc<Mutex<dyn Write + Send>>,
}

impl Lines {
    pub fn to(writer: impl Write + Send + 'static) -> Self {
        Self { writer: Arc::new(Mutex::new(writer)) }
    }

    pub(super) fn write(&self, lines: &[u8]) -> Result<(), RunError> {
        let mut writer = locked(&self.writer);
        writer.write_all(lines).and_then(|()| writer.flush()).map_err(RunError::Lines)
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    #[error(transparent)]
    Checks(#[from] ChecksError),
    #[error(transparent)]
    Drive(#[from] DriveError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error("cannot write the verdicts: {0}")]
    Lines(io::Error),
    /// The lines do not add up: a defect of this program.
    #[error(
        "{lines} lines were read, but {exchanges} calls, {other} lines of other messages and \
         {unreadable} unreadable lines do not add up to that; please report this bug"
    )]
    Unaccounted { lines: u64, exchanges: u64, other: u64, unreadable: u64 },
}

/// Hears how far a run has come, and what comes of it. It never decides anything.
pub trait Observer: Sync {
    /// The run begins: `total` finds out how many bytes lie on the disk, for whoever needs to know,
    /// and `taken` says how many were read so far.
    fn begin(&self, _total: &dyn Fn() -> u64, _taken: Arc<AtomicU64>) {}
    fn end(&self) {}
    /// Rows that are about to be written, in the order of the corpus.
    fn rows(&self, _: &NamedRows) {}
}

impl Observer for () {}

/// Judges a corpus and writes the tables that have a row per exchange, issue or unreadable.
pub(super) fn judge_all(
    plan: &RunPlan,
    rulebook: &Rulebook,
    checks: &Arc<Checks>,
    folder: &RunFolder,
    reader: CorpusReader,
    observer: &dyn Observer,
) -> Result<Counted, RunError> {
    let tables = VerdictTables::new(Legend::of(rulebook)).map_err(ReportError::from)?;
    let schemas = Schemas::new(rulebook.schema.clone());
    let engine = Engine {
        plan,
        observer,
        rulebook,
        checks,
        schemas: &schemas,
        tables: &tables,
        masking: Masking::new(&plan.redactor, rulebook, plan.keeps_texts),
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
    let ledger = engine.drive(reader, ledger);
    observer.end();
    engine.finish(ledger?)
}

struct Engine<'r> {
    plan: &'r RunPlan,
    observer: &'r dyn Observer,
    rulebook: &'r Rulebook,
    checks: &'r Arc<Checks>,
    schemas: &'r Schemas,
    tables: &'r VerdictTables,
    masking: Masking<'r>,
    files: Mutex<Files>,
    failure: Mutex<Option<RunError>>,
    over: AtomicBool,
}

/// The tables of verdicts and issues, which take row groups in their order.
struct Files {
    writer: VerdictWriter,
    waiting: BTreeMap<u64, EncodedRows>,
    next: u64,
}

impl Files {
    fn append(&mut self, number: u64, rows: EncodedRows) -> Result<(), RunError> {
        self.waiting.insert(number, rows);
        while let Some(rows) = self.waiting.remove(&self.next) {
            self.writer.append(&rows)?;
            self.next += 1;
        }
        Ok(())
    }
}

struct Worker<'r> {
    judge: Judge<'r>,
    context: Context,
    keys: KeyMaker,
    days: Days,
    clean: Clean,
}

/// The day of the last exchange, which is mostly that of the next.
#[derive(Default)]
struct Days {
    day: Option<Day>,
    text: String,
}

impl Days {
    /// The UTC day of a recorded time; empty where it is not known.
    fn of(&mut self, recorded_at: Option<Moment>) -> &str {
        let Some(moment) = recorded_at else { return "" };
        let day = Some(moment.day());
        if self.day != day {
            self.day = day;
            self.text = moment.day().to_string();
        }
        &self.text
    }
}

impl JudgedBlock {
    /// What is left to say of a block on which this program failed as a whole.
    fn lost(block: &Block) -> Self {
        let file = block.recording.as_ref().map_or("", |recording| &recording.name);
        let detail = "a part of this recording could not be judged";
        let unreadable = vec![Unreadable::of_file(file, UnreadableReason::Panicked, detail)];
        Self { account: Account { unreadable, ..Account::default() }, ..Self::default() }
    }
}

fn read_as(recording: &Recording) -> ReadAs {
    let file = recording.name.clone();
    match recording.program {
        None => ReadAs {
            file,
            format: FORMATS[recording.format].name,
            evidence: None,
            fidelity: Fidelity::Wire,
        },
        Some(Recognised { program, evidence }) => ReadAs {
            file,
            format: program.name,
            evidence: Some(evidence),
            fidelity: program.fidelity,
        },
    }
}

impl<'r> Engine<'r> {
    /// Judges every block of a corpus on any number of threads; the ledger takes them in their order.
    fn drive(&self, reader: CorpusReader, ledger: Ledger) -> Result<Ledger, DriveError> {
        let pool = pool(self.plan.threads)?;
        let (reader, queue) = (Mutex::new(reader), Ordered::new(ledger));
        pool.broadcast(|_| {
            let mut worker = self.worker();
            while !self.is_over() {
                let Some(block) = locked(&reader).next_block() else { break };
                let judged = self.block(&mut worker, &block);
                let full =
                    queue.submit(block.number, judged, |ledger, block| self.take(ledger, block));
                for row_group in full {
                    self.write(row_group);
                }
                locked(&reader).recycle(block);
            }
        });
        Ok(queue.into_taker())
    }

    fn worker(&self) -> Worker<'r> {
        Worker {
            judge: Judge::new(self.rulebook, self.schemas).with_checks(Arc::clone(self.checks)),
            context: Context::new(self.plan.bounds.max_depth),
            keys: KeyMaker::default(),
            days: Days::default(),
            clean: Clean::default(),
        }
    }

    fn block(&self, worker: &mut Worker<'r>, block: &Block) -> JudgedBlock {
        let mut judged = catch_unwind(AssertUnwindSafe(|| self.judge_block(worker, block)))
            .unwrap_or_else(|_| JudgedBlock::lost(block));
        judged.account.mask(&self.masking);
        judged
    }

    fn take(&self, ledger: &mut Ledger, block: JudgedBlock) -> Option<RowGroup> {
        if self.is_over() {
            return None;
        }
        let row_group = self.unless_failed(ledger.take(block, self.tables)).flatten();
        row_group.inspect(|row_group| self.observer.rows(&row_group.rows))
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Encodes a row group and appends it.
    fn write(&self, RowGroup { number, rows }: RowGroup) {
        let encoded = self.tables.encode(rows).map_err(|error| ReportError::from(error).into());
        self.unless_failed(encoded.and_then(|rows| locked(&self.files).append(number, rows)));
    }

    fn judge_block(&self, worker: &mut Worker<'r>, block: &Block) -> JudgedBlock {
        let assembled = exchanges(block, &self.plan.bounds, &mut worker.context);
        let mut outcome = JudgedBlock {
            account: Account {
                recording: block
                    .recording
                    .as_ref()
                    .filter(|recording| block.index == 0 && !recording.is_rest)
                    .map(|recording| read_as(recording)),
                tally: block.tally,
                ends: block.last
                    && block.recording.as_ref().is_some_and(|recording| !recording.is_rest),
                lines: assembled.lines
                    + block.passed.values().sum::<u64>()
                    + block.unreadable.iter().filter(|unreadable| unreadable.is_line()).count()
                        as u64,
                stripped: assembled.stripped,
                traffic: {
                    let mut traffic = assembled.traffic;
                    for (name, count) in &block.passed {
                        *traffic.entry((*name).into()).or_default() += count;
                    }
                    traffic
                },
                unreadable: block.unreadable.iter().cloned().chain(assembled.unreadable).collect(),
                notes: block.notes.clone(),
                unwrapped: 0,
            },
            batch: VerdictBatch::default(),
            lines: Vec::new(),
            may_end_row_group: block.may_end_row_group,
        };
        let file = block.recording.as_ref().map_or("", |recording| &recording.name);
        let file = &*self.masking.text(file);
        for exchange in &assembled.exchanges {
            let recording = block.recording.as_ref();
            if recording.is_some_and(|recording| !recording.may(Stage::Judge, exchange.place)) {
                let detail = Unreadable::ENDED.to_owned();
                outcome.account.unreadable.push(Unreadable { detail, ..defect(exchange, file) });
                continue;
            }
            #[cfg(debug_assertions)]
            if recording.is_some_and(|recording| recording.journal.is_some()) {
                strike(exchange);
            }
            let written = outcome.lines.len();
            let judged = AssertUnwindSafe(|| self.judge(worker, exchange, file, &mut outcome));
            if catch_unwind(judged).is_err() {
                outcome.lines.truncate(written);
                outcome.account.unreadable.push(defect(exchange, file));
            }
        }
        if let Some(journal) = &self.plan.journal {
            journal.rest();
        }
        for event in &assembled.events {
            let looked =
                AssertUnwindSafe(|| self.look_at_session(worker, event, file, &mut outcome));
            if catch_unwind(looked).is_err() {
                let detail = "while looking at a session as a whole";
                let unreadable = Unreadable::of_file(file, UnreadableReason::Panicked, detail);
                outcome.account.unreadable.push(unreadable);
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
        let (mut verdict, text) = worker.judge.judge_with_text(exchange);
        outcome.account.unwrapped += u64::from(verdict.is_unwrapped);
        let keys = worker.keys.keys(exchange);
        let moment = exchange.recorded_at.as_deref().and_then(Moment::parse);
        let day = worker.days.of(moment);
        let mut tasks = tasks_of(exchange, &verdict.issues);
        tasks.about.iter_mut().for_each(|id| self.masking.mask(id));
        tasks.located.iter_mut().for_each(|(_, id)| self.masking.mask(id));
        tasks.named.iter_mut().for_each(|task| self.masking.task(task));
        // What a task is called and how it stands may be a value of an argument.
        let id_alone = |task: Task| Task { id: task.id, ..Task::default() };
        let known = |task: Task| if self.plan.keeps_texts { task } else { id_alone(task) }.cut();
        let tasks = Tasks { named: tasks.named.into_iter().map(known).collect(), ..tasks };
        let is_kept = self.plan.keeps_texts && keeps_text(&verdict);
        let tells = !verdict.issues.is_empty() || self.plan.lines.is_some();
        let clean = &mut worker.clean;
        let input = (tells || is_kept).then(|| self.masking.input(clean, exchange));
        let hides = verdict.conclusion.hidden_failure() == Some(true);
        let is_same = |text: &Cow<'_, str>| *text == judged_text(exchange, self.rulebook, hides);
        debug_assert!(
            text.as_ref().is_none_or(is_same),
            "the text that is judged is the one that is kept"
        );
        let text =
            is_kept.then(|| text.unwrap_or_else(|| judged_text(exchange, self.rulebook, hides)));
        let excerpt = input.as_ref().zip(text.as_deref());
        let excerpt = excerpt.map(|(input, text)| {
            kept(text, verdict.observation.as_ref(), input, Some(&mut clean.replies))
        });
        let masking = input
            .as_ref()
            .map_or(Cow::Borrowed(&self.masking), |input| self.masking.of_call(input));
        let quoted = excerpt.as_ref().filter(|(_, is_clean)| *is_clean);
        masking.verdict(clean, &mut verdict, quoted.map(|(excerpt, _)| &*excerpt.reply));
        let told = self.masking.call(clean, exchange, moment);
        let told = told.as_deref().unwrap_or(exchange);
        outcome.batch.push(&Row {
            exchange: told,
            file,
            keys,
            day,
            moment,
            tasks: &tasks,
            verdict: &verdict,
            excerpt: excerpt.as_ref().map(|(excerpt, _)| excerpt),
        });
        if self.plan.lines.is_some() {
            let mut verdict = VerdictLine::new(told, &verdict, self.rulebook);
            masking.line(clean, &mut verdict);
            let line = exchange.place.line;
            let line = PlacedLine { key: keys.exchange.to_string(), file, line, verdict };
            serde_json::to_writer(&mut outcome.lines, &line).expect("a verdict is plain data");
            outcome.lines.push(b'\n');
        }
    }

    /// Adds what is wrong with a session as a whole.
    fn look_at_session(
        &self,
        worker: &mut Worker<'_>,
        event: &SessionEvent,
        file: &str,
        outcome: &mut JudgedBlock,
    ) {
        let moment = event.recorded_at.as_deref().and_then(Moment::parse);
        let day = worker.days.of(moment);
        let [session, server] = [&event.session, &event.server].map(|name| self.masking.text(name));
        for mut found in session_issues(worker.judge.checks(), event) {
            self.masking.issue(&mut worker.clean, &mut found.issue, None);
            outcome.batch.push_of_session(&SessionRow {
                file,
                session: &session,
                line: event.place.line,
                server: &server,
                tool: &self.masking.text(&found.tool),
                day,
                moment,
                issue: &found.issue,
            });
        }
    }

    /// Keeps the first failure and ends the run on it.
    fn unless_failed<T>(&self, result: Result<T, RunError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.over.store(true, Ordering::Relaxed);
                locked(&self.failure).get_or_insert(error);
                None
            }
        }
    }

    fn finish(self, mut ledger: Ledger) -> Result<Counted, RunError> {
        if !self.is_over() {
            let row_group = ledger.next_row_group(self.tables);
            self.observer.rows(&row_group.rows);
            self.write(row_group);
        }
        if let Some(error) = self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.writer.finish()?;
        ledger.unreadable.finish()?;
        ledger.recordings.finish()?;
        let totals = &ledger.counted.totals;
        if !totals.adds_up() {
            return Err(RunError::Unaccounted {
                lines: totals.lines,
                exchanges: totals.exchanges,
                other: totals.other_traffic(),
                unreadable: totals.unreadable(),
            });
        }
        Ok(ledger.counted)
    }
}

/// A verdict as a line of JSON, with its place.
#[derive(serde::Serialize)]
struct PlacedLine<'a> {
    key: String,
    file: &'a str,
    line: u64,
    #[serde(flatten)]
    verdict: VerdictLine<'a>,
}

/// The unreadable of an exchange on which this program itself failed.
fn defect(exchange: &Exchange<'_>, file: &str) -> Unreadable {
    Unreadable {
        file: file.to_owned(),
        line: exchange.place.line,
        byte: exchange.place.byte,
        reason: UnreadableReason::Panicked,
        detail: format!("while judging a reply of tool '{}'", exchange.tool.name),
        head: String::new(),
    }
}

/// `abort=ID` or `hang=ID`: what happens to the call with this id. Several stand behind commas.
#[cfg(debug_assertions)]
const POISON: &str = "TAPECHECK_POISON";

/// Ends or hangs the process, for tests of what starts it again.
#[cfg(debug_assertions)]
fn strike(exchange: &Exchange<'_>) {
    let (Ok(poison), Some(id)) = (std::env::var(POISON), exchange.id.as_deref()) else { return };
    for (how, of) in poison.split(',').filter_map(|one| one.split_once('=')) {
        match how {
            _ if of != id => {}
            "abort" => std::process::abort(),
            _ => std::thread::sleep(std::time::Duration::MAX),
        }
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
